// What the program says of slips that people make: the place, the key, and what repairs it.
#include <set>

#include "support/program.hpp"

namespace messages_test {

using handspan::test::InFolder;
using handspan::test::kRoot;
using handspan::test::Result;
using handspan::test::shell;

class Messages : public InFolder {
 protected:
  void said(const std::string& arguments, const std::string& text) const {
    const Result r = run(arguments);
    EXPECT_EQ(r.code, 2) << arguments << ": " << r.output;
    EXPECT_TRUE(r.has(text)) << arguments << ": " << r.output << "\nwanted: " << text;
  }
  std::string app(const char* name) const { return (kRoot / "apps" / name).string(); }
};

constexpr char kUrdf[] =
    "<?xml version=\"1.0\"?>\n<!-- by somebody -->\n<robot name=\"mine\"><link "
    "name=\"a\"/></robot>\n";

TEST_F(Messages, AnOptionThatIsWrongIsNamed) {
  said("run " + app("hold.yaml") + " --for -2s", "--for is -2 s; it must be > 0");
  said("rnu " + app("hold.yaml"), "there is no command 'rnu'; did you mean 'run'?");
}

TEST_F(Messages, ALogIsNamedAsOne) {
  said("run " + app("hold.yaml") + " --for 0.1s --no-picture --record a.bag",
       "--record a.bag: logs are MCAP files; name it a.mcap");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.bag"));
  said("run " + app("hold.yaml") + " --for 0.1s --no-picture --record a", "name it a.mcap");
}

TEST_F(Messages, ARobotsDescriptionInPlaceOfYamlSaysHowItBecomesARobot) {
  write("mine.urdf", kUrdf);
  write("m.xml", "\n<mujoco model=\"m\"/>");
  write("x.xacro", "<robot name=\"x\" xmlns:xacro=\"x\"><xacro:macro/></robot>");
  write("s.sdf", "<sdf version=\"1.7\"/>");
  for (const char* command : {"check", "run", "serve"})
    said(std::string(command) + " mine.urdf",
         "mine.urdf: is the description of a robot (URDF); `handspan import mine.urdf --out "
         "robots/mine` makes a robot folder of it, `handspan new FOLDER --robot mine.urdf`");
  said("check m.xml", "m.xml: is the description of a robot (MJCF); `handspan import m.xml");
  said("check x.xacro", "(xacro): make a URDF of it first");
  said("check s.sdf", "(SDF), which handspan does not read");
  write("scene.yaml", "name: s\nrobots:\n  arm: {robot: mine.urdf}\n");
  said("check scene.yaml", "mine.urdf: is the description of a robot (URDF)");
  // YAML that is none of ours is told so still
  write("no.yaml", "<robot\n");
  said("check no.yaml", "no.yaml: is the description of a robot");
  write("list.yaml", "[1, 2]\n");
  said("check list.yaml", "list.yaml:1: the file is a list");
}

TEST_F(Messages, OneAngleForAListAndDegreesWithoutTheirUnit) {
  const auto scene = [&](const std::string& keys) {
    write("scene.yaml", "name: s\nrobots:\n  arm: {robot: ur10, " + keys + "}\n");
  };
  scene("q: -90");
  said(
      "check scene.yaml",
      "scene.yaml:3: robots.arm.q is -90; it must be a list of numbers, in rad or with their unit, "
      "such as [-90 deg, 0], one a joint");
  scene("base: {rpy: 180}");
  said("check scene.yaml",
       "scene.yaml:3: robots.arm.base.rpy is 180; it must be a list of 3 numbers, in rad or with "
       "their unit, such as [0, 0, 180 deg]");
  scene("base: {rpy: [0, 0, 180]}");
  said(
      "check scene.yaml",
      "scene.yaml:3: robots.arm.base.rpy has 180 rad, more than a turn; write '180 deg' if degrees "
      "are meant");
  scene("q: [0, -90, 0, 0, 0, 0]");
  said("check scene.yaml", "angles are in rad: write '-90 deg' if degrees are meant");
  // what is advised is taken
  scene("base: {rpy: [0, 0, 180 deg]}, q: [0, -90 deg, 0, 0, 0, 0]");
  EXPECT_EQ(run("check scene.yaml").code, 0);
}

TEST_F(Messages, ATaskThatIsNotThereIsNamedWithItsPlace) {
  const std::string head = "name: a\nscene: " + (kRoot / "scenes/follow.yaml").string() +
                           "\nwhole_arm:\n  arms: {left.arm: {}}\n  tasks:\n    left_hand: {type: "
                           "pose, frame: left.tcp}\n";
  write("goals.yaml", head +
                          "goals:\n  - {task: left_hand, centre: [0.4, 0.4, 0.4], radius: 0.1}\n"
                          "  - {task: händ, centre: [0.4, 0.4, 0.4], radius: 0.1}\n");
  said("check goals.yaml", "goals.yaml:9: goals[1].task cannot be had: there is no task 'händ'; ");
  write("references.yaml", head + "references:\n  left_hnad: {speed: 1 m/s}\n");
  said("check references.yaml", "references.yaml:8: references.left_hnad limits nothing: ");
  said("check references.yaml", "did you mean 'left_hand'?");
}

TEST_F(Messages, ARobotThatIsNotThereIsGuessedAndEachFolderNamedOnce) {
  write("deep/scenes/scene.yaml", "name: s\nrobots:\n  arm: {robot: fr33}\n");
  const Result r = run("check deep/scenes/scene.yaml");
  EXPECT_TRUE(r.has("scene.yaml:3: there is no robot 'fr33'; did you mean 'fr3'?")) << r.output;
  std::stringstream folders(r.output.substr(r.output.find("no robot.yaml in ") + 17));
  EXPECT_EQ(r.code, 2);
  std::set<std::string> seen;
  for (std::string folder; std::getline(folders, folder, ',');) {
    folder.erase(0, folder.find_first_not_of(' '));
    EXPECT_TRUE(seen.insert(folder).second) << folder << " twice: " << r.output;
  }
  EXPECT_GE(seen.size(), 3U) << r.output;
}

// each advice is followed, and helps
TEST_F(Messages, AdviceForBodiesThatStartInOneAnotherWorks) {
  const std::string box = "shapes: [{type: box, size: [0.2, 0.2, 0.2]}]";
  const auto scene = [&](const std::string& rest) { write("scene.yaml", "name: s\n" + rest); };
  scene("objects:\n  a: {mass: 1, " + box +
        "}\nfixtures:\n  bench: {pose: {position: [0.1, 0, 0]}, " + box + "}\n");
  said("check scene.yaml", "move one of them: objects.a.pose or fixtures.bench.pose");
  scene("robots:\n  arm: {robot: fr3}\nfixtures:\n  bench: {pose: {position: [0.3, 0, 0.6]}, " +
        box + "}\n");
  said("check scene.yaml", "robots.arm (base, pose or q)");
  said("check scene.yaml", "fixtures.bench.pose");
  scene(
      "robots:\n  arm: {robot: fr3, base: {position: [0.4, 0, 0]}}\nfixtures:\n  bench: {pose: "
      "{position: [-0.3, 0, 0.6]}, " +
      box + "}\n");
  EXPECT_EQ(run("check scene.yaml").code, 0);

  scene("robots:\n  a: {robot: fr3}\n  b: {robot: fr3, base: {position: [0.05, 0, 0]}}\n");
  said("check scene.yaml",
       "move one of them: robots.a (base, pose or q) or robots.b (base, pose or q)");

  // within one robot the advice names the file and the two bodies as that file calls them
  std::filesystem::create_directories(folder_ / "robots");
  std::filesystem::copy(kRoot / "robots/fr3", folder_ / "robots/mine");
  const std::string folded = "robots:\n  a: {robot: mine, q: [0, 1.2, 0, -2.9, 0, 0.6, 0]}\n";
  scene(folded);
  Result r = run("check scene.yaml");
  for (int i = 0; i < 8 && r.code != 0; ++i) {
    ASSERT_EQ(r.code, 2) << r.output;
    const auto at = r.output.find("when they never collide add ");
    ASSERT_NE(at, std::string::npos) << r.output;
    const auto pair = r.output.substr(at + 28, r.output.find(']', at) + 1 - at - 28);
    EXPECT_TRUE(r.has("to ignored_pairs in " + (folder_ / "robots/mine/robot.yaml").string()))
        << r.output;
    std::string yaml = read("robots/mine/robot.yaml");
    const auto list = yaml.find("ignored_pairs:");
    ASSERT_NE(list, std::string::npos);
    const auto open = yaml.find('[', list), line = yaml.find('\n', list);
    if (open < line)
      yaml.insert(open + 1, pair + (yaml[open + 1] == ']' ? "" : ", "));
    else
      yaml.insert(line, "\n  - " + pair);
    write("robots/mine/robot.yaml", yaml);
    r = run("check scene.yaml");
    EXPECT_FALSE(r.has("add " + pair)) << "the advice did not help: " << r.output;
  }
  EXPECT_EQ(r.code, 0) << r.output;
}

TEST_F(Messages, OwnRobotsComeBeforeShippedOnesAndThatIsSaid) {
  write("scene.yaml", "name: s\nrobots:\n  arm: {robot: fr3, tool: plate}\n");
  write("app.yaml", "name: a\nscene: scene.yaml\nduration: 0.05 s\n");
  // by name from anywhere, without a word about it
  Result r = run("check scene.yaml");
  EXPECT_EQ(r.code, 0) << r.output;
  EXPECT_FALSE(r.has("your own")) << r.output;
  std::filesystem::create_directories(folder_ / "robots");
  std::filesystem::copy(kRoot / "robots/fr3", folder_ / "robots/fr3");
  // the same in both places: nothing is hidden
  EXPECT_FALSE(run("check scene.yaml").has("your own"));
  write("robots/fr3/limits.yaml", read("robots/fr3/limits.yaml") + "# mine\n");
  for (const char* command : {"check scene.yaml", "check app.yaml", "run app.yaml --no-picture"}) {
    r = run(command);
    EXPECT_EQ(r.code, 0) << r.output;
    EXPECT_TRUE(r.has("robot 'fr3' is your own, " + (folder_ / "robots/fr3").string())) << r.output;
    EXPECT_FALSE(r.has("'plate' is your own")) << r.output;
  }
}

TEST_F(Messages, SchemasShowTheDefaultsOfChoices) {
  const Result scene = run("check --schema scene"), one = run("check --schema app");
  for (const char* line :
       {"cone: text, one of elliptic, pyramidal (default elliptic)", "rk4 (default implicitfast)",
        "touches: text, one of everything, robots (default everything)"})
    EXPECT_TRUE(scene.has(line)) << line;
  for (const char* line : {"clock: text, one of virtual, wall, plant (default virtual)",
                           "record: text, one of default, full (default default)",
                           "frame: text, one of world, base, tool, view (default world)",
                           "turn: text, one of world, body (default world)",
                           "preset: text, one of webxr, toss, grab (default webxr)"})
    EXPECT_TRUE(one.has(line)) << line;
}

TEST_F(Messages, ChannelsOfAnAppAreListed) {
  const Result r = run("check " + app("grab.yaml") + " --channels --json found.json");
  EXPECT_EQ(r.code, 0) << r.output;
  EXPECT_TRUE(r.has("left.wrist.wrench")) << r.output;
  EXPECT_TRUE(r.has("channels; a log has each 60 times a second")) << r.output;
  EXPECT_TRUE(read("found.json").find("\"name\": \"object.box.pose\"") != std::string::npos);
  said("check " + (kRoot / "scenes/grab.yaml").string() + " --channels",
       "--channels: only an app's loop has channels; name an app");
}

// as another user than who owns the folder; the owner of everything has to become somebody for it
class OfAnotherUser : public Messages {
 protected:
  Result run_as_other(const std::string& arguments) const {
    const std::string as =
        geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : "";
    return shell("cd " + folder_.string() + " && " + as + HANDSPAN_BINARY + " " + arguments);
  }
  void SetUp() override {
    if (geteuid() == 0 &&
        shell("setpriv --reuid=65534 --clear-groups " + std::string(HANDSPAN_BINARY) + " --version")
                .code != 0)
      GTEST_SKIP() << "another user cannot reach the program here";
    std::filesystem::permissions(folder_, std::filesystem::perms(0555));
  }
  void TearDown() override { std::filesystem::permissions(folder_, std::filesystem::perms(0755)); }
};

TEST_F(OfAnotherUser, AFolderThatCannotBeWrittenIsSaidBeforeTheRun) {
  const Result r = run_as_other("run " + app("hold.yaml") + " --for 1000s");
  EXPECT_EQ(r.code, 2) << r.output;
  EXPECT_TRUE(r.has("--picture handspan-out/hold.png: nothing can be written in " +
                    folder_.string() +
                    " (Permission denied); name a file in a folder of yours, or run from there"))
      << r.output;
  // with nothing to be written, it runs
  EXPECT_EQ(run_as_other("run " + app("hold.yaml") + " --for 0.1s --no-picture").code, 0);
}

TEST_F(OfAnotherUser, ServeDoesNotRunOnUnrecorded) {
  const std::string serve = "serve " + app("hold.yaml") + " --port 0 --no-page-open --for 0.2s";
  const Result r = run_as_other(serve + " --record");
  EXPECT_EQ(r.code, 2) << r.output;
  EXPECT_TRUE(r.has("handspan-out/records: nothing can be recorded: ")) << r.output;
  EXPECT_TRUE(r.has("; choose another folder with --records, or leave --record out")) << r.output;
  EXPECT_FALSE(r.has("x real time")) << r.output;
  // without --record it runs, and says at its beginning what will not be possible
  const Result live = run_as_other(serve);
  EXPECT_EQ(live.code, 0) << live.output;
  EXPECT_TRUE(live.has("handspan-out/records: nothing can be recorded: ")) << live.output;
}

// ./run of a tree that is another user's: nothing is set up or built, which would have to write
// there
TEST_F(OfAnotherUser, ATreeThatIsBuiltRuns) {
  namespace fs = std::filesystem;
  fs::permissions(folder_, fs::perms(0755));
  const fs::path tree = folder_ / "tree";
  fs::create_directories(tree / "tools");
  fs::copy_file(kRoot / "run", tree / "run");
  const auto script = [&](const char* file, const std::string& text) {
    write(tree / file, "#!/bin/sh\n" + text + "\n");
    fs::permissions(tree / file, fs::perms(0755));
  };
  script("tools/setup", "echo setup");
  script("tools/build", "echo build");
  script("build/release/handspan", "echo \"runs $*\" in $PWD");
  const std::string as = geteuid() == 0 ? "setpriv --reuid=65534 --clear-groups " : "";
  const Result own = shell("cd " + folder_.string() + " && tree/run check fr3");
  EXPECT_EQ(own.output, "setup\nbuild\nruns check fr3 in " + folder_.string() + "\n");
  fs::permissions(tree, fs::perms(0555));
  const auto run_as = [&](const std::string& arguments) {
    return shell("cd " + folder_.string() + " && " + as + "tree/run" + arguments);
  };
  EXPECT_EQ(run_as(" check fr3").output, "runs check fr3 in " + folder_.string() + "\n");
  EXPECT_EQ(run_as("").output,
            "runs serve " + (tree / "apps/grab.yaml").string() + " in " + folder_.string() + "\n");
  fs::permissions(tree, fs::perms(0755));
  fs::remove_all(tree / "build");
  EXPECT_TRUE(run_as(" check fr3").output.starts_with("setup\nbuild\n"));
}

}  // namespace messages_test
