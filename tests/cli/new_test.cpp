// `handspan new`: a workspace around a robot, which runs at once wherever it lies.
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace new_test {

using handspan::test::InFolder;
using handspan::test::kRoot;
using handspan::test::Result;

class New : public InFolder {
 protected:
  /// The app runs, its arm has gone a way and come back, and its log is the same again.
  void runs(const std::string& app) const {
    const Result r = run("run " + app + " --no-picture --record run.mcap");
    EXPECT_EQ(r.code, 0) << r.output;
    EXPECT_TRUE(r.has("arm ended in 'shown'")) << r.output;
    EXPECT_FALSE(r.has("your own")) << r.output;
    EXPECT_EQ(run("replay run.mcap --verify").code, 0);
    EXPECT_EQ(run("check " + app).code, 0);
  }
};

// six joints, on a column: numbers of nobody's arm
std::string urdf() {
  std::string out =
      "<?xml version=\"1.0\"?>\n<robot name=\"six\">\n"
      "<link name=\"base\"><inertial><mass value=\"4\"/><inertia ixx=\"0.02\" ixy=\"0\" ixz=\"0\" "
      "iyy=\"0.02\" iyz=\"0\" izz=\"0.02\"/></inertial></link>\n";
  const char* axes[] = {"0 0 1", "0 1 0", "0 1 0", "0 0 1", "0 1 0", "0 0 1"};
  const double offsets[] = {0.15, 0.1, 0.3, 0.15, 0.15, 0.06};
  std::string parent = "base";
  for (int i = 0; i < 6; ++i) {
    const std::string link = "link" + std::to_string(i + 1);
    const double mass = 3.0 - 0.45 * i, length = 0.12;
    out += "<link name=\"" + link + "\"><inertial><origin xyz=\"0 0 " + std::to_string(length / 2) +
           "\"/><mass value=\"" + std::to_string(mass) +
           "\"/><inertia ixx=\"0.02\" ixy=\"0\" ixz=\"0\" iyy=\"0.02\" iyz=\"0\" izz=\"0.01\"/>"
           "</inertial></link>\n<joint name=\"joint" +
           std::to_string(i + 1) + "\" type=\"revolute\"><parent link=\"" + parent +
           "\"/><child link=\"" + link + "\"/><origin xyz=\"0 0 " + std::to_string(offsets[i]) +
           "\"/><axis xyz=\"" + axes[i] +
           "\"/><limit lower=\"-2.5\" upper=\"2.5\" velocity=\"2\" effort=\"" +
           std::to_string(120 - 15 * i) + "\"/></joint>\n";
    parent = link;
  }
  return out + "</robot>\n";
}

TEST_F(New, AShippedRobotRunsFromAFolderOutsideTheTree) {
  for (const char* robot : {"fr3", "ur5", "ur10"}) {
    const std::string name = robot;
    const Result r = run("new my-" + name + " --robot " + name);
    EXPECT_EQ(r.code, 0) << r.output;
    EXPECT_TRUE(r.has("next: handspan run my-" + name + "/apps/" + name + ".yaml")) << r.output;
    EXPECT_TRUE(r.has("the shipped robot '" + name + "'")) << r.output;
    EXPECT_FALSE(std::filesystem::exists(folder_ / ("my-" + name) / "robots"));
    runs("my-" + name + "/apps/" + name + ".yaml");
  }
}

TEST_F(New, AToolIsMountedAndItsOwnFrameIsTheHand) {
  EXPECT_EQ(run("new w --robot ur10 --tool vacuum").code, 0);
  EXPECT_NE(read("w/apps/ur10.yaml").find("frame: arm.suction"), std::string::npos);
  EXPECT_NE(read("w/scenes/ur10.yaml").find("tool: vacuum"), std::string::npos);
  // 0.08 of its reach of 1.47 m at the slowest joint's 3.75 rad/s^2
  EXPECT_NE(read("w/apps/ur10.yaml").find("pairs: [[arm.*, arm.*]], deceleration: 0.44 m/s^2}"),
            std::string::npos);
  runs("w/apps/ur10.yaml");
  const Result none = run("new v --robot ur10 --tool fr3");
  EXPECT_EQ(none.code, 2);
  EXPECT_TRUE(none.has("--tool fr3: is a robot, not a tool")) << none.output;
}

TEST_F(New, AFileIsImportedAsImportDoes) {
  write("six.urdf", urdf());
  const Result r = run("new lab/six --robot six.urdf");
  EXPECT_EQ(r.code, 0) << r.output;
  ASSERT_EQ(run("import six.urdf --out again").code, 0);
  for (const char* file : {"model.xml", "robot.yaml", "limits.yaml", "SOURCES.md"})
    EXPECT_EQ(read("lab/six/robots/six/" + std::string(file)), read("again/" + std::string(file)))
        << file;
  EXPECT_NE(read("lab/six/README.md").find("SOURCES.md"), std::string::npos);
  runs("lab/six/apps/six.yaml");
  // what the README says, in its folder, but for the page
  std::stringstream readme(read("lab/six/README.md"));
  int commands = 0;
  for (std::string line; std::getline(readme, line);) {
    if (!line.starts_with("handspan ") || line.starts_with("handspan serve")) continue;
    ++commands;
    const Result said = handspan::test::shell("cd " + (folder_ / "lab/six").string() + " && " +
                                              HANDSPAN_BINARY + line.substr(8));
    EXPECT_EQ(said.code, 0) << line << ": " << said.output;
  }
  EXPECT_EQ(commands, 5);
}

// a pose that nobody has tried: its hand lies in its own arm
TEST_F(New, AnArmWhosePoseLetsItGoNowhereStartsElsewhereAndThatIsSaid) {
  std::filesystem::create_directories(folder_ / "bodies");
  std::filesystem::copy(kRoot / "robots/fr3", folder_ / "bodies/fr3");
  std::string yaml = read("bodies/fr3/robot.yaml");
  const auto ready = yaml.find("ready: [");
  ASSERT_NE(ready, std::string::npos);
  yaml.replace(ready, yaml.find(']', ready) + 1 - ready, "ready: [0, 1.2, 0, -2.9, 0, 0.6, 0]");
  write("bodies/fr3/robot.yaml", yaml);
  const Result r = run("new w --robot bodies/fr3");
  EXPECT_EQ(r.code, 0) << r.output;
  EXPECT_TRUE(r.has("it starts at a q of the scene's own: from 'ready' its hand could not go"))
      << r.output;
  EXPECT_NE(read("w/scenes/fr3.yaml").find("arm: {robot: fr3, q: ["), std::string::npos);
  const Result moved = run("run w/apps/fr3.yaml --no-picture --json moved.json");
  EXPECT_EQ(moved.code, 0) << moved.output;
  EXPECT_GT(nlohmann::json::parse(read("moved.json"))["groups"][0]["worst_deviation"], 0.05);
}

// much dry friction: not to be overcome by a soft hand, but known
TEST_F(New, FrictionOfATorqueDrivenArmIsCompensatedWhereItHoldsTheHandBack) {
  ASSERT_EQ(run("export-urdf ur10 --out ur10.urdf").code, 0);
  EXPECT_EQ(run("new w --robot ur10.urdf --name mine").code, 0);
  EXPECT_NE(read("w/apps/mine.yaml").find("friction: [9, 9, 4.5, 1.8, 1.8, 1.8]"),
            std::string::npos);
  runs("w/apps/mine.yaml");
}

// what most small arms take
TEST_F(New, APositionDrivenArmRunsToo) {
  write("six.urdf", urdf());
  EXPECT_EQ(run("new w --robot six.urdf --drive position").code, 0);
  EXPECT_NE(read("w/robots/six/robot.yaml").find("drive: position"), std::string::npos);
  EXPECT_NE(read("w/apps/six.yaml").find("feedback: commanded"), std::string::npos);
  runs("w/apps/six.yaml");
}

TEST_F(New, ARobotFolderIsCopied) {
  std::filesystem::create_directories(folder_ / "elsewhere");
  std::filesystem::copy(kRoot / "robots/ur5", folder_ / "elsewhere/arm");
  EXPECT_EQ(run("new w --robot elsewhere/arm").code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "w/robots/ur5/robot.yaml"));
  runs("w/apps/ur5.yaml");
}

TEST_F(New, WhatIsThereStays) {
  write("w/notes.txt", "mine");
  Result r = run("new w --robot fr3");
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(
      r.has("w: is not empty; name a new folder, or give --force to write the workspace's "
            "files into it (others stay)"))
      << r.output;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "w/apps"));
  r = run("new w --robot fr3 --force");
  EXPECT_EQ(r.code, 0) << r.output;
  EXPECT_EQ(read("w/notes.txt"), "mine");
  runs("w/apps/fr3.yaml");
}

TEST_F(New, WhatIsReadIsNotWrittenOver) {
  ASSERT_EQ(run("new w --robot fr3").code, 0);
  std::filesystem::create_directories(folder_ / "w/robots");
  std::filesystem::copy(kRoot / "robots/ur5", folder_ / "w/robots/ur5");
  const std::string model = read("w/robots/ur5/model.xml");
  const Result r = run("new w --robot w/robots/ur5/model.xml --velocity 2 --force");
  EXPECT_EQ(r.code, 2) << r.output;
  EXPECT_TRUE(r.has("which is read: it would be lost")) << r.output;
  EXPECT_EQ(read("w/robots/ur5/model.xml"), model);
  // a robot of the workspace's own stays as it is
  EXPECT_EQ(run("new w --robot ur5 --force").code, 0);
  EXPECT_EQ(read("w/robots/ur5/model.xml"), model);
  runs("w/apps/ur5.yaml");
}

TEST_F(New, WhatIsRefusedLeavesNothingBehind) {
  write("x/apps/app.yaml", "");
  const std::pair<std::string, std::string> cases[] = {
      {"new w --robot fr33",
       "--robot fr33: is not a file, a robot folder or a robot that handspan "
       "came with; did you mean 'fr3'?"},
      {"new w --robot plate", "--robot plate: is a tool; name a robot, and the tool with --tool"},
      {"new w --robot fr3 --velocity 1",
       "--package, --velocity, --effort and --drive are for a URDF"},
      {"new w --robot fr3 --tool vacum", "there is no robot 'vacum'; did you mean 'vacuum'?"},
      {"new x/apps/app.yaml --robot fr3", "x/apps/app.yaml: is a file; name a folder"},
      {"new w", "--robot is required"}};
  for (const auto& [arguments, message] : cases) {
    const Result r = run(arguments);
    EXPECT_EQ(r.code, 2) << arguments << ": " << r.output;
    EXPECT_TRUE(r.has(message)) << arguments << ": " << r.output;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "w")) << arguments;
  }
}

}  // namespace new_test
