#include "core/config.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "core/config_helpers.hpp"

namespace handspan {
namespace config_test {

struct Task {
  double stiffness = 0.0;
};

ObjectSchema<Task> schema() {
  return object<Task>("Task").required("stiffness", &Task::stiffness, number("N/m").above(0));
}

std::string error_of_file(const std::filesystem::path& path) {
  try {
    load_yaml(path, schema());
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Config, FilesLoadAndTheirErrorsNameThemAsThePersonDid) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("handspan config {}.yaml", getpid());
  std::ofstream(path) << "stiffness: 5\n";
  EXPECT_EQ(load_yaml(path, schema()).stiffness, 5.0);
  std::ofstream(path) << "\nstiffness: -100\n";
  EXPECT_EQ(error_of_file(path), path.string() + ":2: stiffness is -100; it must be > 0");
  std::filesystem::remove(path);
  EXPECT_EQ(error_of_file(path), path.string() + ": the file does not exist; correct its name");
}

TEST(Config, EmptyAndBrokenFilesAreErrors) {
  EXPECT_EQ(test::errors_of("", schema()), "t.yaml: nothing is in the file; write its keys");
  EXPECT_TRUE(test::errors_of("stiffness: [1", schema()).starts_with("t.yaml:1: not YAML: "));
}

TEST(Config, ASchemaThatRefusesWithoutAReasonIsStillAnError) {
  const Schema<int> silent([](const Node&, Reader&) { return std::optional<int>(); }, {});
  EXPECT_EQ(test::errors_of("a: 1", silent), "t.yaml:1: the file cannot be read");
}

}  // namespace config_test
}  // namespace handspan
