#pragma once
// A folder for the files of one test of the importer, and URDF texts to put there.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/error.hpp"
#include "import/import.hpp"

namespace handspan::test {

namespace fs = std::filesystem;

inline const std::string kInertial =
    "<inertial><mass value='1'/><inertia ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' "
    "izz='0.1'/></inertial>";

// A folder with a blank in its name, gone when the test ends.
class ImportTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              (std::string("import test ") +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const fs::path& name, const std::string& text) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  fs::path urdf(const std::string& joint, const std::string& in_arm = kInertial) {
    return write("r.urdf", "<robot name='r'><link name='base'>" + kInertial +
                               "</link><link name='arm'>" + in_arm + "</link>" + joint +
                               "</robot>");
  }
  static std::string joint(const std::string& type, const std::string& rest) {
    return "<joint name='a' type='" + type +
           "'><parent link='base'/><child link='arm'/><origin xyz='0 0 0.5'/>" + rest + "</joint>";
  }
  template <typename F>
  static std::string error(F&& f) {
    try {
      f();
    } catch (const InputError& e) {
      return e.what();
    }
    return "nothing was thrown";
  }
  static bool noted(const ImportedRobot& robot, const std::string& note) {
    return std::ranges::count(robot.notes, note) == 1;
  }

  fs::path folder_;
};

inline const std::string kLimit = "<limit lower='-1' upper='2' effort='5' velocity='3'/>";

}  // namespace handspan::test
