#include "learn/promp_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/error.hpp"
#include "learn/grab_demonstrations.hpp"
#include "support/message_of.hpp"

namespace handspan {
namespace promp_file_test {

using test::message_of;

PrompFile learned() {
  const auto grabs = test::grab_demonstrations(8, 1, 60);
  PrompOptions options;
  options.basis = {4, 0, 0.8};
  return promp_file(
      learn_impact_promps(grabs.all, grabs.impacts, test::kHandNames, test::kBoxAxes, options));
}

void expect_same(const PrompFile& a, const PrompFile& b) {
  EXPECT_EQ(a.frames.hands, b.frames.hands);
  EXPECT_EQ(a.frames.box_axes, b.frames.box_axes);
  EXPECT_TRUE(a.frames.R_WM == b.frames.R_WM);
  EXPECT_TRUE(a.frames.R_WM_box == b.frames.R_WM_box);
  ASSERT_EQ(a.movements.size(), b.movements.size());
  for (std::size_t i = 0; i < a.movements.size(); ++i) {
    const Promp &p = a.movements[i].second, &q = b.movements[i].second;
    EXPECT_EQ(a.movements[i].first, b.movements[i].first);
    EXPECT_EQ(p.dimensions, q.dimensions);
    EXPECT_EQ(p.basis.functions, q.basis.functions);
    EXPECT_EQ(p.basis.beyond, q.basis.beyond);
    EXPECT_EQ(p.basis.overlap, q.basis.overlap);
    EXPECT_EQ(p.demonstrations, q.demonstrations);
    EXPECT_EQ(p.duration, q.duration);
    EXPECT_EQ(p.freedom, q.freedom);
    EXPECT_EQ(p.prediction, q.prediction);
    EXPECT_TRUE(p.mean == q.mean);
    EXPECT_TRUE(p.covariance == q.covariance);
  }
}

TEST(PrompFile, IsReadAsItWasWrittenToTheBit) {
  const PrompFile file = learned();
  const auto path = std::filesystem::temp_directory_path() /
                    ("handspan_promp_" + std::to_string(getpid()) + ".yaml");
  write_promps(path, file);
  const PrompFile read = read_promps(path);
  std::filesystem::remove(path);
  expect_same(file, read);
  EXPECT_TRUE(read.movement("post").promp.mean == file.movements[1].second.mean);
}

TEST(PrompFile, ABoxIsOptional) {
  PrompFile file = learned();
  for (auto& [name, promp] : file.movements) {
    promp.mean.conservativeResize(promp.weight_count());
    promp.covariance.conservativeResize(promp.weight_count(), promp.weight_count());
  }
  file.frames.box_axes.clear();
  file.frames.R_WM_box.setIdentity();
  expect_same(file, parse_promps(promp_text(file), "a.yaml"));
}

// what is said of a file in which one text stands for another
std::string said(const std::string& from, const std::string& to) {
  std::string text = promp_text(learned());
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  return message_of([&] { parse_promps(text, "a.yaml"); });
}

TEST(PrompFile, AnotherVersionIsRefused) {
  EXPECT_EQ(said("version: 1", "version: 2\nnew_key: 3"),
            "a.yaml:2: version is 2; this program reads version 1; learn the movement again with "
            "it");
  EXPECT_NE(said("version: 1", "").find("version"), std::string::npos);
  EXPECT_EQ(said("format: handspan promp", "format: something"),
            "a.yaml:1: format is 'something'; it must be one of: handspan promp");
}

TEST(PrompFile, WrongSizesAreRefused) {
  EXPECT_EQ(said("weights: 4", "weights: 5").substr(0, 130),
            std::string("a.yaml:16: movements[0].mean has 51 numbers; 2 hands of 6 dimensions with "
                        "5 weights and 3 axes of the box ask for 63\na.yaml:18: movements")
                .substr(0, 130));
  EXPECT_NE(said("axes: [x, y, rz]", "axes: [x, y]").find("has 51 numbers"), std::string::npos);
  EXPECT_EQ(said("axes: [x, y, rz]", "axes: [x, rz, y]"),
            "a.yaml:6: box.axes[2] is 'y' after 'rz'; give each once, in the order x, y, z, rx, "
            "ry, rz");
  EXPECT_NE(said("axes: [x, y, rz]", "axes: [x, y, yaw]").find("box.axes[2] is 'yaw'; it must be"),
            std::string::npos);
}

TEST(PrompFile, ShapesThatAreNoneAreRefused) {
  EXPECT_EQ(said("beyond: 0", "beyond: 2"),
            "a.yaml:10: movements[0].beyond is 2 with 4 weights; two at least must be from end to "
            "end");
  EXPECT_NE(said("overlap: 0.8", "overlap: 1").find("overlap is 1; it must be < 1"),
            std::string::npos);
}

TEST(PrompFile, NumbersThatAreNoneAreRefused) {
  const std::string text = said("mean: [", "mean: [.nan, ");
  EXPECT_EQ(text.substr(0, 30), "a.yaml:16: movements[0].mean[0");
  EXPECT_EQ(said("prediction: ", "prediction: -"),
            "a.yaml:15: movements[0].prediction is -1.125; it must be >= 1");
  EXPECT_EQ(said("name: post", "name: ante"),
            "a.yaml:69: movements[1].name is 'ante' once more; give each a name of its own");
  EXPECT_NE(said("mean_orientation: [[", "mean_orientation: [[3").find("is no rotation"),
            std::string::npos);
}

TEST(PrompFile, CovariancesThatAreNoneAreRefused) {
  PrompFile file = learned();
  file.movements[0].second.covariance(3, 2) += 0.1;
  EXPECT_NE(message_of([&] {
              parse_promps(promp_text(file), "a.yaml");
            }).find("a.yaml:18: movements[0].covariance is not symmetric: row"),
            std::string::npos);
  file = learned();
  file.movements[1].second.covariance(3, 3) = -0.5;
  EXPECT_NE(message_of([&] {
              parse_promps(promp_text(file), "a.yaml");
            }).find("movements[1].covariance is not positive: its least eigenvalue is -0."),
            std::string::npos);
}

TEST(PrompFile, WhatIsNotThereIsSaid) {
  EXPECT_NE(message_of([] { read_promps("/nowhere/a.yaml"); }).find("/nowhere/a.yaml"),
            std::string::npos);
  EXPECT_NE(message_of([] {
              write_promps("/nowhere/a.yaml", learned());
            }).find("/nowhere/a.yaml cannot be written"),
            std::string::npos);
  EXPECT_EQ(message_of([] { learned().movement("anti"); }),
            "there is no movement 'anti'; there are: ante, post");
}

}  // namespace promp_file_test
}  // namespace handspan
