// What commands must not do: tell of a diverged run that it holds, write over what they read,
// follow links that others laid, keep silent about a full disk. As a person runs them.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/program.hpp"

namespace commands_test {

namespace fs = std::filesystem;

namespace test = handspan::test;
using test::kRoot;
using test::Result;

// an arm that is held and a stone that falls
const char* const kScene = R"(name: small
robots: {f: {robot: fr3, pose: ready}}
objects: {stone: {pose: {position: [2, 0, 1]}, mass: 1, shapes: [{type: sphere, radius: 0.1}]}}
)";
const char* const kApp = R"(name: small
scene: scene.yaml
duration: 0.2 s
controllers: {f.arm: {type: joint_springs}}
)";

class CommandCases : public test::InFolder {
 protected:
  CommandCases() {
    // a copy: what is asked for here would damage it
    fs::create_directory(folder_ / "robots");
    fs::copy(kRoot / "robots" / "fr3", folder_ / "robots" / "fr3");
    write("scene.yaml", kScene);
    write("app.yaml", kApp);
  }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  // in the folder, with the shell's words before the program
  Result run(const std::string& arguments, const std::string& before = "") const {
    return test::shell("bash -c 'cd " + folder_.string() + " && " + before + " " + HANDSPAN_BINARY +
                       " " + arguments + "'");
  }
};

TEST_F(CommandCases, ADivergedRunDoesNotHoldAndSaysWhenAndWhat) {
  write("scene.yaml", std::string(kScene) + "physics: {gravity: [0, 0, -1e14]}\n");
  const Result r = run("run app.yaml --no-picture --json out.json --record log.mcap");
  EXPECT_EQ(r.code, 1) << r.output;
  EXPECT_NE(r.output.find("DOES NOT HOLD: the simulation diverged at 0.0"), std::string::npos)
      << r.output;
  const auto json = nlohmann::json::parse(read("out.json"));
  ASSERT_TRUE(json["diverged"].is_object()) << json["diverged"];
  EXPECT_LT(json["diverged"]["time"].get<double>(), 0.01);
  EXPECT_NE(json["diverged"]["what"].get<std::string>().find("is not finite or too large"),
            std::string::npos);
  EXPECT_LT(json["simulated"].get<double>(), 0.01) << "what comes after it is not a run";
  // run again it is the same run, and still none that holds
  const Result verified = run("replay log.mcap --verify");
  EXPECT_EQ(verified.code, 0) << verified.output;
  EXPECT_EQ(run("replay log.mcap").code, 1);
  // and one that does not diverge
  write("scene.yaml", kScene);
  EXPECT_EQ(run("run app.yaml --no-picture --json out.json").code, 0);
  EXPECT_TRUE(nlohmann::json::parse(read("out.json"))["diverged"].is_null());
}

TEST_F(CommandCases, ADivergedRunOfAStudyDoesNotHoldWhateverIsExpected) {
  write("study.yaml", R"(title: diverging
subject: {app: app.yaml}
n: 1
set: {scene.physics.gravity: [0, 0, -1e14]}
metrics: {z: {type: object, object: stone}}
)");
  write("scene.yaml", std::string(kScene) + "physics: {gravity: [0, 0, -9.81]}\n");
  const Result r = run("study study.yaml --out out --workers 1");
  EXPECT_EQ(r.code, 1) << r.output;
  EXPECT_NE(r.output.find("the simulation diverged at"), std::string::npos) << r.output;
}

TEST_F(CommandCases, NothingThatIsReadIsWrittenOver) {
  write("input.csv", "t,r_source,r_x,r_y,r_z,r_qx,r_qy,r_qz,r_qw\n0,controller,0,1,0,0,0,0,1\n");
  ASSERT_EQ(run("run app.yaml --no-picture --record log.mcap").code, 0);
  fs::create_symlink("scene.yaml", folder_ / "link.json");
  fs::create_hard_link(folder_ / "app.yaml", folder_ / "hard.png");
  fs::create_directory(folder_ / "sub");
  ASSERT_EQ(run("export-urdf fr3 --out arm.urdf").code, 0);
  fs::create_directory(folder_ / "tables");
  fs::create_symlink("../log.mcap", folder_ / "tables" / "f.arm.q.csv");
  const std::string app = read("app.yaml"), scene = read("scene.yaml"), log = read("log.mcap"),
                    urdf = read("arm.urdf");
  const auto refused = [&](const std::string& arguments, const std::string& option) {
    const Result r = run(arguments);
    EXPECT_EQ(r.code, 2) << arguments << "\n" << r.output;
    EXPECT_NE(r.output.find(option), std::string::npos) << arguments << "\n" << r.output;
    EXPECT_NE(r.output.find("it would be lost"), std::string::npos) << r.output;
    EXPECT_EQ(read("app.yaml"), app) << arguments;
    EXPECT_EQ(read("scene.yaml"), scene) << arguments;
    EXPECT_EQ(read("log.mcap"), log) << arguments;
    EXPECT_EQ(read("arm.urdf"), urdf) << arguments;
  };
  refused("run app.yaml --no-picture --json app.yaml", "--json");
  refused("run app.yaml --no-picture --json sub/../scene.yaml", "--json");
  refused("run app.yaml --no-picture --json link.json", "--json");
  refused("run app.yaml --no-picture --record " + at("scene.yaml"), "--record");
  refused("run app.yaml --picture hard.png", "--picture");
  refused("run app.yaml --no-picture --json robots/fr3/limits.yaml", "--json");
  refused("run app.yaml --no-picture --input log.mcap --record log.mcap", "--record");
  refused("replay log.mcap --json log.mcap", "--json");
  refused("replay log.mcap --verify --json ./sub/../log.mcap", "--json");
  refused("check log.mcap --repair log.mcap", "--repair");
  refused("export log.mcap --to hdf5 --out log.mcap", "--out");
  refused("export log.mcap --to csv --out tables", "--out");
  refused("export-urdf robots/fr3/model.xml --out robots/fr3/model.xml", "--out");
  refused("serve app.yaml --no-page-open --port 0 --for 0.1s --json app.yaml", "--json");

  // a folder that is replaced as a whole
  ASSERT_EQ(run("import arm.urdf --out arm --acceleration 10 --braking 5").code, 0);
  fs::copy(folder_ / "arm.urdf", folder_ / "arm" / "own.urdf");
  const Result in_it = run("import arm/own.urdf --out arm --force --acceleration 10 --braking 5");
  EXPECT_EQ(in_it.code, 2) << in_it.output;
  EXPECT_NE(in_it.output.find("holds the file"), std::string::npos) << in_it.output;
  EXPECT_TRUE(fs::exists(folder_ / "arm" / "own.urdf"));

  // one file for two outputs would lose the first
  const Result twice = run("run app.yaml --no-picture --record both --json ./both");
  EXPECT_EQ(twice.code, 2) << twice.output;
  EXPECT_NE(twice.output.find("is the file of --record too"), std::string::npos) << twice.output;
}

TEST_F(CommandCases, WhatHandspanDidNotWriteIsWrittenOverWithForceAlone) {
  write("notes.txt", "mine\n");
  write("results.json", "{\"mine\": 1}\n");
  for (const char* command :
       {"run app.yaml --no-picture --for 0.01s --json notes.txt",
        "run app.yaml --no-picture --for 0.01s --json results.json",
        "run app.yaml --no-picture --for 0.01s --record notes.txt",
        "run app.yaml --for 0.01s --picture notes.txt", "check app.yaml --json results.json",
        "devices --json notes.txt", "export-urdf fr3 --out notes.txt"}) {
    const Result r = run(command);
    EXPECT_EQ(r.code, 2) << command << "\n" << r.output;
    EXPECT_NE(r.output.find("--force"), std::string::npos) << command << "\n" << r.output;
    EXPECT_EQ(read("notes.txt"), "mine\n") << command;
    EXPECT_EQ(read("results.json"), "{\"mine\": 1}\n") << command;
  }
  EXPECT_EQ(run("run app.yaml --no-picture --for 0.01s --json notes.txt --force").code, 0);
  // its own it replaces unasked
  EXPECT_EQ(run("run app.yaml --no-picture --for 0.01s --json notes.txt").code, 0);
  EXPECT_EQ(run("run app.yaml --no-picture --for 0.01s --record log.mcap").code, 0);
  EXPECT_EQ(run("run app.yaml --no-picture --for 0.01s --record log.mcap").code, 0);
  EXPECT_EQ(run("export-urdf fr3 --out fr3.urdf").code, 0);
  EXPECT_EQ(run("export-urdf fr3 --out fr3.urdf").code, 0);
}

TEST_F(CommandCases, ALinkThatSomebodyElseLaidIsNotFollowed) {
  ASSERT_EQ(run("run app.yaml --no-picture --record log.mcap").code, 0);
  fs::create_directory(folder_ / "tmp");
  fs::create_directory(folder_ / "victim");
  // of every process that may come next
  for (int pid = getpid(); pid < getpid() + 2000; ++pid)
    for (const char* name : {"handspan_log_", "handspan-study-"})
      fs::create_directory_symlink(
          "../victim",
          folder_ / "tmp" / (name + std::to_string(pid) + (name[8] == '_' ? "_0" : "-0")));
  const Result r = run("replay log.mcap --verify", "TMPDIR=" + at("tmp"));
  EXPECT_EQ(r.code, 0) << r.output;
  EXPECT_TRUE(fs::is_empty(folder_ / "victim"));
}

TEST_F(CommandCases, ALogSaysWhoActedAlsoWithoutAPage) {
  const Result r = run("run " + (kRoot / "apps" / "grab.yaml").string() +
                       " --for 0.1s --no-picture --record log.mcap");
  ASSERT_EQ(r.code, 0) << r.output;
  ASSERT_EQ(run("export log.mcap --to csv --out csv").code, 0);
  const std::string events = read("csv/events.csv");
  const std::size_t who = events.find(",operator,scripted person,");
  ASSERT_NE(who, std::string::npos) << events;
  EXPECT_EQ(events.compare(events.rfind('\n', who) + 1, 14, "0,0.000000000,"), 0) << events;
}

TEST_F(CommandCases, AnExportTakesOnlyOptionsOfItsFormat) {
  ASSERT_EQ(run("run app.yaml --no-picture --record log.mcap").code, 0);
  for (const auto& [options, named] :
       {std::pair("--to csv --rate 20", "--rate"), std::pair("--to hdf5 --table", "--table"),
        std::pair("--to lerobot --append", "--append"), std::pair("--to csv --task x", "--task"),
        std::pair("--to hdf5 --rate 0", "--rate"), std::pair("--to xml", "--to"),
        std::pair("--to hdf5 --outcome 1=won", "--outcome"),
        std::pair("--to hdf5 --outcome x=success", "--outcome"),
        std::pair("--to hdf5 --actions both", "--actions"),
        std::pair("--to csv --streams", "--streams"),
        std::pair("--to hdf5 --validation 0.7", "--validation"),
        std::pair("--to lerobot --no-states", "it goes with hdf5"),
        std::pair("--to hdf", "did you mean 'hdf5'?"),
        std::pair("--to hdf5 --set rat=20", "--set rat=20 does not go with --to hdf5"),
        std::pair("--to hdf5 --set states=perhaps", "--set states=perhaps"),
        std::pair("--to hdf5 --set states", "is not KEY=VALUE"),
        std::pair("--to hdf5 --rate 20 --set rate=30", "--set rate=30"),
        std::pair("--to parquet --set table=false", "one table an episode")}) {
    const Result r = run("export log.mcap " + std::string(options));
    EXPECT_EQ(r.code, 2) << options << ": " << r.output;
    EXPECT_NE(r.output.find(named), std::string::npos) << options << ": " << r.output;
  }
}

TEST_F(CommandCases, AnExportListsItsFormatsAndTakesTheirKeys) {
  const Result help = run("export --help");
  EXPECT_EQ(help.code, 0);
  for (const char* words :
       {"csv", "hdf5", "lerobot", "parquet", "keys: table, rate, streams", "task_of"})
    EXPECT_NE(help.output.find(words), std::string::npos) << words << ": " << help.output;
  ASSERT_EQ(run("run app.yaml --no-picture --record log.mcap").code, 0);
  // a key is its option
  ASSERT_EQ(run("export log.mcap --to csv --table --rate 50 --out a").code, 0);
  const Result set = run("export log.mcap --to csv --set table=true --set rate=50 --out b");
  ASSERT_EQ(set.code, 0) << set.output;
  EXPECT_EQ(read("a/episode_001.csv"), read("b/episode_001.csv"));
  EXPECT_FALSE(read("a/episode_001.csv").empty());
}

TEST_F(CommandCases, ADataSetKeepsTheRulesThatUsersOfRobomimicRunInto) {
  const fs::path check = kRoot / "../shared/cases/hdf5/check_layout.py";
  const fs::path python = kRoot / ".deps/venv/bin/python";
  if (!fs::exists(check)) GTEST_SKIP() << "there is no " << check;
  const std::string grab = (kRoot / "apps" / "grab.yaml").string();
  ASSERT_EQ(run("run " + grab + " --for 4s --no-picture --record log.mcap").code, 0);
  const Result r = run("export log.mcap --to hdf5 --out set.hdf5 --json made.json");
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_EQ(nlohmann::json::parse(read("made.json"))["rows"], 80);
  std::array<char, 4096> buffer{};
  std::string said;
  FILE* pipe =
      popen((python.string() + " " + check.string() + " " + at("set.hdf5") + " 2>&1").c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  while (const std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe))
    said.append(buffer.data(), n);
  pclose(pipe);
  EXPECT_NE(said.find("\n0 bad"), std::string::npos) << said;
}

// the limit on a file's size stands for a full disk
TEST_F(CommandCases, AFullDiskEndsARecordingAndTheRunDoesNotHold) {
  const Result r =
      run("run app.yaml --for 3s --no-picture --full --record log.mcap 2>said", "ulimit -f 200 &&");
  EXPECT_EQ(r.code, 1) << r.output;
  const std::string said = read("said");
  EXPECT_TRUE(said.starts_with("the recording ended by itself: ")) << said;
  // what was written can be read
  const Result left = run("check log.mcap");
  EXPECT_NE(left.output.find("ends without its closing records"), std::string::npos) << left.output;

  const Result served =
      run("serve app.yaml --port 0 --no-page-open --record --records records --for 3s 2>said",
          "ulimit -f 60 &&");
  EXPECT_EQ(served.code, 1) << served.output;
  EXPECT_NE(read("said").find("writing failed after "), std::string::npos) << read("said");
  EXPECT_NE(r.output.find("the recording ended early: "), std::string::npos) << r.output;
  EXPECT_NE(r.output.find("writing failed after "), std::string::npos) << r.output;
}

// a log with one wrong bit, in all the places that ../shared/cases/mcap/flip_bit.py knows
TEST_F(CommandCases, ADamagedLogIsUsedAsFarAsItHoldsAndSaysWhatItLost) {
  const fs::path script = kRoot / "../shared/cases/mcap/flip_bit.py";
  if (!fs::exists(script)) GTEST_SKIP() << script << " is not there";
  ASSERT_EQ(run("run app.yaml --for 2.5s --no-picture --record log.mcap").code, 0);
  ASSERT_EQ(run("check log.mcap").code, 0);
  const std::string flip =
      "cd " + folder_.string() + " && python3 " + script.string() + " log.mcap bits >/dev/null";
  ASSERT_EQ(std::system(flip.c_str()), 0);
  int chunks = 0;
  for (const auto& entry : fs::directory_iterator(folder_ / "bits")) {
    const std::string name = "bits/" + entry.path().filename().string();
    const bool attachment = name.find("attachment") != std::string::npos;
    const bool scanned = name.find("lost") != std::string::npos;
    chunks += attachment ? 0 : 1;
    const Result check = run("check " + name);
    EXPECT_EQ(check.code, 1) << name << ": " << check.output;
    EXPECT_NE(check.output.find("byte "), std::string::npos) << name << ": " << check.output;
    EXPECT_EQ(run("check " + name + " --repair repaired.mcap").code, 0) << name;
    // a copy of what lost nothing is whole; the others say what they lack
    EXPECT_EQ(run("check repaired.mcap").code, attachment ? 0 : 1) << name;
    for (const std::string& log : {name, std::string("repaired.mcap")}) {
      const Result replay = run("replay " + log + " --verify");
      EXPECT_EQ(replay.code, attachment ? 0 : 1) << log << " of " << name << ": " << replay.output;
      EXPECT_NE(replay.output.find("compared"), std::string::npos) << replay.output;
      EXPECT_EQ(replay.output.find("NOT the same"), std::string::npos) << replay.output;
      EXPECT_EQ(replay.output.find("/tmp/handspan"), std::string::npos) << replay.output;
      EXPECT_EQ(replay.output.find("inputs are lost") == std::string::npos, attachment)
          << log << " of " << name << ": " << replay.output;
      const Result table = run("export " + log + " --to csv --out tables");
      EXPECT_EQ(table.code, 0) << name << ": " << table.output;
      EXPECT_EQ(table.output.find("lost: the run from") == std::string::npos, attachment)
          << name << ": " << table.output;
      EXPECT_EQ(run("run app.yaml --no-picture --input " + log).code, 0) << name;
    }
    EXPECT_EQ(check.output.find("the summary is damaged") != std::string::npos, scanned)
        << check.output;
  }
  EXPECT_GE(chunks, 4);
}

// INT, TERM and HUP end a command whole; what it was asked to write is there
TEST_F(CommandCases, ASignalEndsARunWhole) {
  for (const std::string signal : {"INT", "TERM", "HUP"}) {
    const Result r =
        run("run app.yaml --for 100s --wall --no-picture --record log.mcap --json out.json",
            "timeout --preserve-status -s " + signal + " 3");
    EXPECT_EQ(r.code, 0) << signal << ": " << r.output;
    EXPECT_NE(r.output.find("ended by a signal at "), std::string::npos) << r.output;
    EXPECT_EQ(run("check log.mcap").code, 0) << signal;
    const auto json = nlohmann::json::parse(read("out.json"));
    EXPECT_GT(json["simulated"].get<double>(), 0.1) << signal;
    EXPECT_LT(json["simulated"].get<double>(), 10.0) << signal;
  }
}

// what was measured is not lost for a picture
TEST_F(CommandCases, APictureThatCannotBeWrittenLosesNothingElse) {
  const Result r = run("run app.yaml --picture /dev/full --json out.json");
  EXPECT_EQ(r.code, 2) << r.output;
  EXPECT_TRUE(fs::is_character_file("/dev/full")) << "what cannot be written is not removed";
  EXPECT_TRUE(nlohmann::json::accept(read("out.json")));
  // where that is known beforehand, it is said before the run
  write("file", "no folder");
  const Result before = run("run app.yaml --picture file/picture.png --json before.json");
  EXPECT_EQ(before.code, 2) << before.output;
  EXPECT_NE(before.output.find("(it is not a folder)"), std::string::npos) << before.output;
  EXPECT_EQ(read("before.json"), "");
}

}  // namespace commands_test
