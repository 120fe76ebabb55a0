#include "bench/bench.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "bench/figure.hpp"
#include "core/error.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace bench_test {

// Every figure once: that each is built, that ours and the peer's results agree, and that the
// report has its keys. How fast anything is stays unsaid: that is `handspan bench`'s affair.
TEST(Bench, ReportsEveryFigureWithItsPeer) {
  BenchOptions options;
  options.root = HANDSPAN_SOURCE_DIR;
  options.min_time = 1e-9;
  // the log of ten minutes takes half a minute to make, and late ticks are those of the wall clock
  options.filter = "^(?!session/open_|station/watched_|loop/answer_10000$)";
  options.json = std::filesystem::path(::testing::TempDir()) / "handspan_bench.json";
  run_benchmarks(options, test_parts());
  const auto report = nlohmann::json::parse(std::ifstream(*options.json));
  for (const char* key : {"cpu", "cores", "compiler", "build", "mujoco", "pinocchio", "load"})
    EXPECT_TRUE(report.at("machine").contains(key)) << key;
  std::set<std::string> names;
  for (const auto& figure : report.at("figures")) {
    names.insert(figure.at("name"));
    SCOPED_TRACE(figure.dump());
    const std::string unit = figure.at("unit");
    EXPECT_TRUE(unit == "us" || unit == "steps/s");
    EXPECT_GE(figure.at("n"), 1);
    std::vector<nlohmann::json> sides = {figure};
    for (const auto& peer : figure.at("peers")) {
      if (peer.contains("skipped"))
        EXPECT_EQ(peer.at("skipped"), "not installed; run tools/setup --peers");
      else
        sides.push_back(peer);
    }
    // what a part costs more than nothing may be lost in noise
    const bool difference = figure.at("name") == "control/two_arms_features";
    for (const auto& side : sides) {
      if (!difference) {
        EXPECT_GT(side.at("median"), 0.0);
      }
      // 99 % of the batches are at least as good: times at most that, speeds at least
      if (unit == "us")
        EXPECT_GE(side.at("p99"), side.at("median"));
      else
        EXPECT_LE(side.at("p99"), side.at("median"));
    }
    EXPECT_EQ(figure.at("real_time").is_number(), unit == "steps/s");
    EXPECT_EQ(figure.at("met").is_boolean(), !figure.at("target").is_null());
  }
  std::set<std::string> expected = {"plant/fr3_free",
                                    "plant/two_fr3_box",
                                    "plant/ur10_belt_box",
                                    "plant/pushed_box",
                                    "plant/pushed_box_4ms",
                                    "session/record_default",
                                    "session/record_full",
                                    "session/replay_tick",
                                    "teleop/sample",
                                    "teleop/references",
                                    "control/two_arms",
                                    "control/two_arms_60",
                                    "control/two_arms_features",
                                    "loop/answer_10000_tick",
                                    "control/two_arms_no_collision",
                                    "station/tap_tick",
                                    "station/sample_latched",
                                    "study/run_overhead",
                                    "study/report_5000",
                                    "contact/impact_map",
                                    "contact/impact_map_faces",
                                    "contact/impact_detector",
                                    "learn/promp_20",
                                    "learn/promp_at",
                                    "mesh/mass",
                                    "mesh/closed"};
  for (const char* robot : {"fr3", "ur5", "ur10"})
    for (const char* what : {"rnea", "crba", "aba", "jacobians", "distances15"})
      expected.insert(std::string(robot) + "/" + what);
  EXPECT_EQ(names, expected);
}

TEST(Bench, FilterChoosesFiguresByRegularExpression) {
  BenchOptions options;
  options.root = HANDSPAN_SOURCE_DIR;
  options.min_time = 1e-9;
  options.filter = "^ur(5|10)/crba$";
  options.repetitions = 3;
  options.json = std::filesystem::path(::testing::TempDir()) / "handspan_bench_filter.json";
  run_benchmarks(options, test_parts());
  const auto figures = nlohmann::json::parse(std::ifstream(*options.json)).at("figures");
  ASSERT_EQ(figures.size(), 2);
  EXPECT_EQ(figures[0].at("name"), "ur5/crba");
  EXPECT_EQ(figures[1].at("name"), "ur10/crba");
  // the repetitions are one distribution
  EXPECT_GE(figures[0].at("n"), 3);
}

std::string error_of(const BenchOptions& options) {
  try {
    run_benchmarks(options, test_parts());
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Bench, NamesWhatIsWrongWithItsOptions) {
  const auto with = [](auto change) {
    BenchOptions options;
    options.root = HANDSPAN_SOURCE_DIR;
    change(options);
    return error_of(options);
  };
  EXPECT_NE(with([](auto& o) { o.filter = "fr4"; }).find("names no figure; there are fr3/rnea, "),
            std::string::npos);
  EXPECT_NE(with([](auto& o) { o.filter = "("; }).find("is not a regular expression"),
            std::string::npos);
  EXPECT_NE(with([](auto& o) { o.min_time = 0.0; }).find("it must be > 0"), std::string::npos);
  EXPECT_NE(with([](auto& o) { o.repetitions = 0; }).find("at least 1"), std::string::npos);
  EXPECT_NE(with([](auto& o) {
              o.json = "/nonexistent/report.json";
            }).find("/nonexistent/report.json cannot be written"),
            std::string::npos);
}

TEST(Quantile, IsTheNearestRank) {
  std::vector<double> samples;
  for (int i = 100; i >= 1; --i) samples.push_back(i);
  EXPECT_EQ(quantile(samples, 0.5), 50.0);
  EXPECT_EQ(quantile(samples, 0.99), 99.0);
  EXPECT_EQ(quantile(samples, 1.0), 100.0);
  EXPECT_EQ(quantile({7.0}, 0.5), 7.0);
  EXPECT_EQ(quantile({3.0, 1.0, 2.0}, 0.5), 2.0);
}

TEST(MeasurePair, TakesTurnsAndSamplesBothSides) {
  std::string order;
  Workload workload{[&](int calls) { order += "o" + std::to_string(calls); },
                    [&](int calls) { order += "p" + std::to_string(calls); }, [&] { order += " "; },
                    0};
  Samples samples;
  for (int i = 0; i < 3; ++i) measure_pair(workload, 4, samples);
  EXPECT_EQ(order, " o4p4 p4o4 o4p4");
  EXPECT_EQ(samples.ours.size(), 3);
  EXPECT_EQ(samples.peer.size(), 3);
}

}  // namespace bench_test
}  // namespace handspan
