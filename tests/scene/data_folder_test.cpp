#include "scene/data_folder.hpp"
#include "scene/own_robots.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "support/scenes.hpp"

namespace handspan {
namespace data_folder_test {

using test::TemporaryFolder;

// HANDSPAN_DATA_DIR for the time of a test
class DataDir {
 public:
  explicit DataDir(const std::filesystem::path& folder) {
    if (const char* was = std::getenv("HANDSPAN_DATA_DIR")) before_ = was;
    ::setenv("HANDSPAN_DATA_DIR", folder.c_str(), 1);
  }
  ~DataDir() {
    if (before_)
      ::setenv("HANDSPAN_DATA_DIR", before_->c_str(), 1);
    else
      ::unsetenv("HANDSPAN_DATA_DIR");
  }
  DataDir(const DataDir&) = delete;

 private:
  std::optional<std::string> before_;
};

TEST(DataFolder, TheVariableIsTakenAsItIs) {
  const DataDir set("/nowhere/at/all");
  EXPECT_EQ(data_folder(), "/nowhere/at/all");
  EXPECT_EQ(shipped_robot("ur10"), std::nullopt);
}

TEST(DataFolder, AShippedRobotIsAFolderWithItsFile) {
  const TemporaryFolder folder;
  folder.write("robots/arm/robot.yaml", "name: arm\n");
  folder.write("robots/empty/notes.txt", "");
  const DataDir set(folder.path());
  EXPECT_EQ(shipped_robot("arm"), folder.path() / "robots/arm");
  EXPECT_EQ(shipped_robot("empty"), std::nullopt);
  EXPECT_EQ(shipped_robot("none"), std::nullopt);
  EXPECT_EQ(shipped_robot(""), std::nullopt);
}

TEST(DataFolder, AnOwnRobotThatDiffersFromTheShippedOneIsSaidOnce) {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& where, const std::string& limits) {
    folder.write(where + "/robot.yaml", "name: arm\n");
    folder.write(where + "/limits.yaml", limits);
    folder.write(where + "/model.xml", "<mujoco/>");
  };
  write("shipped/robots/arm", "a: 1\n");
  write("own/robots/arm", "a: 1\n");
  const DataDir set(folder.path() / "shipped");
  Scene scene;
  scene.file = folder.path() / "own/scenes/s.yaml";
  std::filesystem::create_directories(scene.file.parent_path());
  scene.robots.resize(2);
  scene.robots[0].robot = scene.robots[1].robot = "arm";
  // the same, byte by byte: it hides nothing
  EXPECT_TRUE(own_before_shipped(scene).empty());
  write("own/robots/arm", "a: 2\n");
  const auto lines = own_before_shipped(scene);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0], "robot 'arm' is your own, " + (folder.path() / "own/robots/arm").string() +
                          "; the one that handspan came with is " +
                          (folder.path() / "shipped/robots/arm").string());
  // a path means that path, and what is not shipped is nobody else's
  scene.robots[0].robot = "../robots/arm";
  scene.robots[1].robot = "other";
  EXPECT_TRUE(own_before_shipped(scene).empty());
  // of a tool likewise
  scene.robots[1].tool = "arm";
  EXPECT_EQ(own_before_shipped(scene).size(), 1U);
}

TEST(RobotDescriptionKind, IsThatOfTheFirstElement) {
  const TemporaryFolder folder;
  const auto kind = [&](const std::string& text) {
    folder.write("file", text);
    return robot_description_kind(folder.path() / "file");
  };
  EXPECT_EQ(kind("<robot name='a'/>"), "URDF");
  EXPECT_EQ(kind("<robot>"), "URDF");
  EXPECT_EQ(kind("\xEF\xBB\xBF<?xml version=\"1.0\"?>\n<!-- of > no < use -->\n<robot\nname='a'>"),
            "URDF");
  EXPECT_EQ(kind("<!DOCTYPE robot>\n<robot name='a'>"), "URDF");
  EXPECT_EQ(kind("<robot xmlns:xacro='x'>\n  <xacro:property name='a' value='1'/>"), "xacro");
  EXPECT_EQ(kind("  <mujoco model='a'>"), "MJCF");
  EXPECT_EQ(kind("<sdf version='1.7'>"), "SDF");
  for (const char* text : {"", "name: a\n", "<", "<!-- never ends <robot>", "<?xml", "<robots>",
                           "<html><robot/></html>", "x <robot>"})
    EXPECT_EQ(kind(text), "") << text;
  EXPECT_EQ(robot_description_kind(folder.path()), "");
  EXPECT_EQ(robot_description_kind(folder.path() / "missing"), "");
}

TEST(RobotDescriptionKind, IsRefusedWithTheCommandThatMakesARobotOfIt) {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& name, const std::string& text) {
    folder.write(name, text);
    try {
      refuse_robot_description(folder.path() / name);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const auto path = [&](const std::string& name) { return (folder.path() / name).string(); };
  EXPECT_EQ(refusal("app.yaml", "name: a\n"), "no error");
  EXPECT_EQ(refusal("arm.urdf", "<robot name='a'/>"),
            path("arm.urdf") + ": is the description of a robot (URDF); `handspan import " +
                path("arm.urdf") +
                " --out robots/arm` makes a robot folder of it, `handspan new "
                "FOLDER --robot " +
                path("arm.urdf") + "` that and an app that moves it");
  EXPECT_EQ(refusal("arm.sdf", "<sdf/>"),
            path("arm.sdf") +
                ": is the description of a robot (SDF), which handspan does not "
                "read; give a URDF or MJCF");
  // a name that a shell would take apart is quoted
  const std::string odd = refusal("my arm.xacro", "<robot><xacro:include/></robot>");
  EXPECT_NE(
      odd.find("make a URDF of it first (`xacro '" + path("my arm.xacro") + "' > 'my arm'.urdf`)"),
      std::string::npos)
      << odd;
}

}  // namespace data_folder_test
}  // namespace handspan
