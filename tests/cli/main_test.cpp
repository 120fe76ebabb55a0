// The program as a person runs it: exit codes, messages, files.
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "support/program.hpp"

namespace main_test {

namespace test = handspan::test;
using test::kRoot;
using test::Result;

class Cli : public test::InFolder {};

TEST_F(Cli, RunWritesItsSummaryAndAPicture) {
  const auto json = folder_ / "summary.json", picture = folder_ / "hold.png";
  const Result r = run("run " + (kRoot / "apps/hold.yaml").string() + " --for 0.5s --json " +
                       json.string() + " --picture " + picture.string());
  EXPECT_EQ(r.code, 0) << r.output;
  EXPECT_NE(r.output.find("x real time"), std::string::npos) << r.output;
  const auto summary = nlohmann::json::parse(std::ifstream(json));
  EXPECT_EQ(summary["app"], "hold");
  EXPECT_EQ(summary["ticks"], 500);
  EXPECT_EQ(summary["groups"].size(), 4U);
  EXPECT_LT(summary["groups"][0]["worst_deviation"].get<double>(), 0.02);
  EXPECT_GT(std::filesystem::file_size(picture), 10'000U);
}

TEST_F(Cli, ASummaryTellsOfGrippersInTheirUnitsAndOfNoCup) {
  const std::string json = (folder_ / "picked.json").string();
  const Result r =
      run("run " + (kRoot / "apps/pick-gripper.yaml").string() + " --no-picture --json " + json);
  EXPECT_EQ(r.code, 0) << r.output;
  // jaws that slide: in millimetres
  EXPECT_TRUE(std::regex_search(r.output, std::regex("left\\.gripper +[0-9.]+ +mm +[0-9.]+ +mm/s")))
      << r.output;
  EXPECT_NE(
      r.output.find("gripper left.gripper: grasped 1 times, lost or let go 1 times; at the end"),
      std::string::npos)
      << r.output;
  EXPECT_NE(r.output.find("holds nothing"), std::string::npos) << r.output;
  const auto summary = nlohmann::json::parse(std::ifstream(json));
  for (const auto& group : summary["groups"]) {
    const bool gripper = group["name"].get<std::string>().ends_with(".gripper");
    ASSERT_EQ(group["gripper"].is_object(), gripper) << group;
    if (!gripper) continue;
    EXPECT_EQ(group["gripper"]["grasped"], 1) << group;
    EXPECT_EQ(group["gripper"]["lost"], 1) << group;
    EXPECT_FALSE(group["gripper"]["holds"].get<bool>()) << group;
    EXPECT_GT(group["gripper"]["width"].get<double>(), 0.05) << group;
  }
  // a cup has no joints: its row would be of zeros
  const Result hold =
      run("run " + (kRoot / "apps/hold.yaml").string() + " --for 0.1s --no-picture");
  EXPECT_NE(hold.output.find("\npicker.arm "), std::string::npos) << hold.output;
  EXPECT_EQ(hold.output.find("\npicker.cup "), std::string::npos) << hold.output;
}

TEST_F(Cli, ARunIsRecordedReplayedCheckedAndRepaired) {
  const std::string log = (folder_ / "lift.mcap").string(), json = (folder_ / "r.json").string();
  const Result recorded = run("run " + (kRoot / "apps/lift.yaml").string() +
                              " --for 2.5s --no-picture --full --record " + log);
  EXPECT_EQ(recorded.code, 0) << recorded.output;
  EXPECT_NE(recorded.output.find("MB a minute"), std::string::npos) << recorded.output;
  const Result verified = run("replay " + log + " --verify --json " + json);
  EXPECT_EQ(verified.code, 0) << verified.output;
  EXPECT_NE(verified.output.find("2500 of 2500 ticks compared: the same bits"), std::string::npos)
      << verified.output;
  EXPECT_EQ(nlohmann::json::parse(std::ifstream(json))["same"], true);
  const Result late = run("replay " + log + " --verify --from 1.5s --to 2s");
  EXPECT_EQ(late.code, 0) << late.output;
  EXPECT_NE(late.output.find("1000 of 1000 ticks"), std::string::npos) << late.output;
  EXPECT_EQ(run("replay " + log + " --verify --open").code, 0);
  const Result checked = run("check " + log);
  EXPECT_EQ(checked.code, 0) << checked.output;
  EXPECT_NE(checked.output.find("episode 1: 0.200 s to 2.500 s, unfinished"), std::string::npos)
      << checked.output;

  // cut off in the middle
  std::filesystem::resize_file(log, std::filesystem::file_size(log) * 2 / 3);
  const Result cut = run("check " + log);
  EXPECT_EQ(cut.code, 1) << cut.output;
  EXPECT_NE(cut.output.find("NOT whole; handspan check " + log + " --repair OUT"),
            std::string::npos);
  const std::string repaired = (folder_ / "repaired.mcap").string();
  EXPECT_EQ(run("check " + log + " --repair " + repaired).code, 0);
  // it can be read, and says that its original had more
  const Result copy = run("check " + repaired);
  EXPECT_EQ(copy.code, 1) << copy.output;
  EXPECT_NE(copy.output.find("it is a repaired copy"), std::string::npos) << copy.output;
  EXPECT_EQ(run("replay " + repaired + " --verify").code, 0);
  EXPECT_EQ(run("run " + (kRoot / "apps/lift.yaml").string() + " --for 0.1s --no-picture --input " +
                repaired)
                .code,
            0);
}

// a path that is cut is not a path: who reads the message looks for the file
TEST_F(Cli, PathsInMessagesAreWhole) {
  const auto far = folder_ / std::string(70, 'd');
  std::filesystem::create_directories(far);
  const std::string log = (far / "log.mcap").string(), none = (far / "none").string();
  const std::string app = (kRoot / "apps/hold.yaml").string();
  std::ofstream(log) << "this is not a log";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"check " + log, log + ": byte 0: is not an MCAP file"},
      {"replay " + none + ".mcap", none + ".mcap: cannot be read"},
      {"check " + none, none + ": no such file"},
      {"run " + none + ".yaml", none + ".yaml"},
      {"run " + app + " --no-picture --input " + none + ".csv", none + ".csv"},
      {"run " + app + " --no-picture --for 0.01s --record " + far.string(),
       far.string() + ": cannot be written"},
      {"study " + none, "there is no study or file '" + none + "'"}};
  for (const auto& [arguments, message] : cases) {
    const Result r = run(arguments);
    EXPECT_EQ(r.code, 2) << arguments << ": " << r.output;
    EXPECT_NE(r.output.find(message), std::string::npos) << arguments << ": " << r.output;
  }
  ASSERT_EQ(run("run " + app + " --for 0.2s --no-picture --force --record " + log).code, 0);
  const Result both = run("replay " + log + " --json " + log);
  EXPECT_EQ(both.code, 2);
  EXPECT_NE(both.output.find("--json " + log + ": is the file " + log + ", which is read"),
            std::string::npos)
      << both.output;
}

TEST_F(Cli, CommandsInMessagesCanBeCopiedToAShell) {
  const auto spaced = folder_ / "it's a läufe $HOME folder";
  std::filesystem::create_directories(spaced);
  // typed by a person, who quotes it in their way
  const auto typed = [&](const char* name) {
    return '"' + folder_.string() + "/it's a läufe \\$HOME folder/" + name + '"';
  };
  const std::string app = (kRoot / "apps/hold.yaml").string();
  ASSERT_EQ(run("run " + app + " --for 1.5s --no-picture --record " + typed("log.mcap")).code, 0);
  std::filesystem::resize_file(spaced / "log.mcap",
                               std::filesystem::file_size(spaced / "log.mcap") * 2 / 3);
  const Result cut = run("check " + typed("log.mcap"));
  ASSERT_EQ(cut.code, 1) << cut.output;
  const std::string start = "handspan check ", end = " --repair OUT";
  const auto from = cut.output.find(start), to = cut.output.find(end);
  ASSERT_TRUE(from != std::string::npos && to != std::string::npos && from < to) << cut.output;
  const std::string log = cut.output.substr(from + start.size(), to - from - start.size());
  const Result repaired = run("check " + log + " --repair " + typed("whole.mcap"));
  EXPECT_EQ(repaired.code, 0) << repaired.output;
  EXPECT_TRUE(std::filesystem::exists(spaced / "whole.mcap"));
}

TEST_F(Cli, ParametersChangeARunAndAreInItsLog) {
  const std::string app = (kRoot / "apps/lift.yaml").string();
  const std::string log = (folder_ / "lift.mcap").string(), plain = (folder_ / "p.mcap").string();
  const std::string json = (folder_ / "s.json").string();
  const Result r = run("run --param scene.objects.box.mass=0.75 --param duration=0.4 " + app +
                       " --no-picture --record " + log + " --json " + json);
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_NE(r.output.find("with scene.objects.box.mass=0.75"), std::string::npos) << r.output;
  const auto summary = nlohmann::json::parse(std::ifstream(json));
  EXPECT_NEAR(summary["simulated"].get<double>(), 0.4, 1e-9);
  EXPECT_EQ(summary["parameters"]["scene.objects.box.mass"], "0.75");
  // attachments are not compressed
  const auto says = [](const std::string& file, const std::string& text) {
    std::ifstream in(file, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), {});
    return bytes.find(text) != std::string::npos;
  };
  EXPECT_TRUE(says(log, "mass: 0.75"));
  const Result verified = run("replay " + log + " --verify");
  EXPECT_EQ(verified.code, 0) << verified.output;
  EXPECT_NE(verified.output.find("400 of 400 ticks compared: the same bits"), std::string::npos)
      << verified.output;
  ASSERT_EQ(run("run " + app + " --for 0.4s --no-picture --record " + plain).code, 0);
  EXPECT_FALSE(says(plain, "mass: 0.75"));

  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"scene.objects.bx.mass=1", "did you mean 'box'?"},
      {"scene.objects.box.mass=heavy", "--param scene.objects.box.mass:1: objects.box.mass is"},
      {"scene.objects.box", "--param scene.objects.box is not KEY=VALUE"},
      {"task.left_hand.stiffness=soft", "--param task.left_hand.stiffness: 'soft' is not a number"},
      {"task.left_hand.stiffness=-1", "task.left_hand.stiffness is -1 1/s^2; it must be 0 to"},
      {"task.left_hnd.stiffness=1", "did you mean 'task.left_hand.stiffness'?"}};
  for (const char* command : {"run ", "serve --port 0 --no-page-open --for 0.1s "})
    for (const auto& [parameter, message] : wrong) {
      const Result bad = run(command + app + " --param " + parameter);
      EXPECT_EQ(bad.code, 2) << command << parameter << bad.output;
      EXPECT_NE(bad.output.find(message), std::string::npos) << command << bad.output;
    }
}

TEST_F(Cli, BadLogsAreExitCode2AndOneLine) {
  const std::string file = (folder_ / "no.mcap").string();
  std::ofstream(file) << "this is not a log";
  const std::string app = (kRoot / "apps/lift.yaml").string();
  for (const std::string& command :
       {"replay " + file, "check " + file, std::string("replay nowhere.mcap"),
        "check " + app + " --repair x.mcap",
        "run " + app + " --no-picture --for 1s --record " + file + "/y.mcap",
        "run " + app + " --no-picture --for 1s --input " + file}) {
    const Result r = run(command);
    EXPECT_EQ(r.code, 2) << command << "\n" << r.output;
  }
}

TEST_F(Cli, ARecordingWithDecimalCommasIsNamedAsThat) {
  const std::string file = (folder_ / "my recording.csv").string();
  std::ofstream(file) << "t;r_source;r_x;r_y;r_z;r_qx;r_qy;r_qz;r_qw\n"
                         "0;controller;0;1;0;0;0;0;1\n0,5;controller;0;1,2;0;0;0;0;1\n";
  const std::string command =
      "run " + (kRoot / "apps/follow.yaml").string() + " --no-picture --for 0.1s --input ";
  const Result r = run(command + "'" + file + "'");
  EXPECT_EQ(r.code, 2) << r.output;
  EXPECT_NE(r.output.find(file + ":3: numbers have decimal commas"), std::string::npos) << r.output;
  // what it says to type repairs it
  const auto sed = r.output.find("sed '"), end = r.output.find(" > OTHER.csv");
  ASSERT_TRUE(sed != std::string::npos && end != std::string::npos) << r.output;
  const std::string other = (folder_ / "other.csv").string();
  ASSERT_EQ(std::system((r.output.substr(sed, end - sed) + " > " + other).c_str()), 0);
  const Result repaired = run(command + other);
  EXPECT_EQ(repaired.code, 0) << repaired.output;
}

TEST_F(Cli, DevicesAreListedAndWatched) {
  const std::string json = (folder_ / "devices.json").string();
  const Result listed = run("devices --json " + json);
  EXPECT_EQ(listed.code, 0) << listed.output;
  const auto types = nlohmann::json::parse(std::ifstream(json))["types"];
  std::map<std::string, nlohmann::json> by_name;
  for (const auto& type : types) by_name[type["type"]] = type;
  for (const char* type : {"gamepad", "headset", "joystick", "space_mouse", "terminal_keyboard"})
    EXPECT_TRUE(by_name.contains(type)) << type;
  EXPECT_EQ(by_name["gamepad"]["axes"].size(), 6U);
  EXPECT_EQ(by_name["headset"]["poses"], (std::vector<std::string>{"left", "right", "head"}));
  EXPECT_NE(listed.output.find("axes     x y z roll pitch yaw"), std::string::npos)
      << listed.output;

  // nobody feeds a headset here
  const Result silent = run("devices --watch headset --for 50ms --json " + json);
  EXPECT_EQ(silent.code, 1) << silent.output;
  EXPECT_NE(silent.output.find("no sample came"), std::string::npos) << silent.output;
  EXPECT_EQ(nlohmann::json::parse(std::ifstream(json))["samples"], 0);

  const Result missing = run("devices --watch gamepad --with '{name: handspan nothing}'");
  EXPECT_EQ(missing.code, 2);
  EXPECT_NE(missing.output.find("device 'gamepad': no gamepad"), std::string::npos)
      << missing.output;
  const Result keys = run("devices --watch terminal_keyboard");
  EXPECT_EQ(keys.code, 2);
  EXPECT_NE(keys.output.find("standard input is not a terminal"), std::string::npos) << keys.output;
  const Result unknown = run("devices --watch gampad");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.output.find("did you mean 'gamepad'?"), std::string::npos) << unknown.output;
  const Result wrong = run("devices --watch gamepad --with '{rate: 1}'");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.output.find("--with:1: rate is 1"), std::string::npos) << wrong.output;
}

TEST_F(Cli, ATerminalsKeysAreWatched) {
  const std::string json = (folder_ / "keys.json").string();
  const std::string binary = HANDSPAN_BINARY;
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    execl(binary.c_str(), binary.c_str(), "devices", "--watch", "terminal_keyboard", "--with",
          "{keys: {grip: g}}", "--json", json.c_str(), nullptr);
    _exit(127);
  }
  std::string output;
  const auto read_until = [&](const std::string& text) {
    std::array<char, 256> buffer;
    while (output.find(text) == std::string::npos) {
      const ssize_t n = ::read(terminal, buffer.data(), buffer.size());
      if (n <= 0) return false;
      output.append(buffer.data(), n);
    }
    return true;
  };
  const auto type = [&](char key) { return ::write(terminal, &key, 1) == 1; };
  EXPECT_TRUE(read_until("samples come")) << output;
  EXPECT_TRUE(type('w') && read_until("x                +1.00")) << output;
  EXPECT_TRUE(type('g') && read_until("grip             down")) << output;
  // Ctrl-C
  EXPECT_TRUE(type('\x03') && read_until("  yaw ")) << output;
  int status = -1;
  waitpid(child, &status, 0);
  close(terminal);
  EXPECT_EQ(WEXITSTATUS(status), 0) << output;
  const auto seen = nlohmann::json::parse(std::ifstream(json));
  EXPECT_EQ(seen["presses"]["grip"], 1);
  EXPECT_EQ(seen["axes"]["x"], (std::vector<double>{0.0, 1.0}));
  EXPECT_EQ(seen["axes"]["y"], (std::vector<double>{0.0, 0.0}));
}

TEST_F(Cli, BadInputIsExitCode2AndOneLine) {
  EXPECT_EQ(run("run nowhere.yaml").code, 2);
  EXPECT_EQ(run("run").code, 2);
  EXPECT_EQ(run("fly").code, 2);
  const Result r = run("run " + (kRoot / "apps/hold.yaml").string() + " --for fast --no-picture");
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.output.find("--for"), std::string::npos) << r.output;
  const Result json = run("run " + (kRoot / "apps/hold.yaml").string() +
                          " --for 0.01s --no-picture --json /proc/nowhere.json");
  EXPECT_EQ(json.code, 2);
  EXPECT_NE(json.output.find("cannot be written"), std::string::npos) << json.output;
}

TEST_F(Cli, NumbersThatAreNoneOfAnOptionAreNamedWithIt) {
  const std::string app = (kRoot / "apps/hold.yaml").string();
  const std::string log = (folder_ / "hold.mcap").string();
  ASSERT_EQ(run("run " + app + " --for 0.5s --no-picture --record " + log).code, 0);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"run " + app + " --seed -1", "--seed is -1"},
      {"run " + app + " --seed 1.5", "--seed is 1.5"},
      {"run " + app + " --for 0s", "--for is 0 s; it must be > 0"},
      {"run " + app + " --for 1,5s", "--for is 1,5 s; write a decimal point, not a comma"},
      {"study grab/random --seed -1", "--seed is -1"},
      {"replay " + log + " --from -1s", "--from"},
      {"replay " + log + " --from 0.3s --to 0.2s", "--to 0.2s is not after --from 0.3s"},
      {"rum " + app, "there is no command 'rum'; did you mean 'run'?"},
      {"studdy grab/random", "there is no command 'studdy'; did you mean 'study'?"},
      {"export_urdf fr3", "there is no command 'export_urdf'; did you mean 'export-urdf'?"},
      // the names there are
      {"fly " + app, "there is no command 'fly'; there are: serve, view, run, replay, "}};
  for (const auto& [arguments, message] : cases) {
    const Result r = run(arguments);
    EXPECT_EQ(r.code, 2) << arguments << ": " << r.output;
    EXPECT_NE(r.output.find(message), std::string::npos) << arguments << ": " << r.output;
  }
  // the beginning is a time of a log
  EXPECT_EQ(run("replay " + log + " --verify --from 0s").code, 0);
}

TEST_F(Cli, CheckIsGreenForEveryRobotToolSceneAndAppOfTheTree) {
  int checked = 0;
  for (const char* kind : {"robots", "scenes", "apps"})
    for (const auto& entry : std::filesystem::directory_iterator(kRoot / kind)) {
      // parts that scenes extend, such as boxes, are none by themselves
      if (entry.is_directory() != (kind == std::string("robots"))) continue;
      const Result r = run("check " + entry.path().string());
      EXPECT_EQ(r.code, 0) << entry.path() << "\n" << r.output;
      ++checked;
    }
  EXPECT_GE(checked, 7);
}

TEST_F(Cli, CheckFindsThingsByNameAndNamesWhatItCannotFind) {
  const Result fr3 = run("check fr3");
  EXPECT_EQ(fr3.code, 0);
  EXPECT_NE(fr3.output.find("17.8914 kg"), std::string::npos) << fr3.output;
  const Result none = run("check fr4");
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.output.find("fr4: no such file, folder, robot, scene or app"), std::string::npos)
      << none.output;
  EXPECT_EQ(run("check").code, 2);
}

TEST_F(Cli, CheckTakesSeveralThingsAndItsExitCodeIsTheWorst) {
  const std::string app = (kRoot / "apps/hold.yaml").string();
  const std::string scene = (kRoot / "scenes/hold.yaml").string();
  const std::string log = (folder_ / "a.mcap").string(), cut = (folder_ / "cut.mcap").string();
  const std::string file = (folder_ / "checked.json").string();
  ASSERT_EQ(run("run " + app + " --for 1.5s --no-picture --record " + log).code, 0);
  std::filesystem::copy(log, cut);
  std::filesystem::resize_file(cut, std::filesystem::file_size(cut) * 2 / 3);
  const auto json = [&] { return nlohmann::json::parse(std::ifstream(file)); };

  const Result good = run("check " + app + " " + scene + " fr3 " + log + " --json " + file);
  EXPECT_EQ(good.code, 0) << good.output;
  EXPECT_NE(good.output.find("hold: valid"), std::string::npos) << good.output;
  EXPECT_NE(good.output.find("17.8914 kg"), std::string::npos) << good.output;
  EXPECT_NE(good.output.find(log + ": whole"), std::string::npos) << good.output;
  const auto checked = json();
  EXPECT_EQ(checked["holds"], true);
  const std::vector<std::string> kinds = {"app", "scene", "robot", "log"};
  ASSERT_EQ(checked["checked"].size(), kinds.size());
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    EXPECT_EQ(checked["checked"][i]["kind"], kinds[i]);
    EXPECT_EQ(checked["checked"][i]["holds"], true) << kinds[i];
  }
  EXPECT_EQ(checked["checked"][0]["path"], app);
  EXPECT_EQ(checked["checked"][0]["scene"], "hold");
  EXPECT_EQ(checked["checked"][1]["robots"], 3);
  EXPECT_EQ(checked["checked"][1]["groups"].size(), 4U);
  EXPECT_NEAR(checked["checked"][2]["mass"].get<double>(), 17.8914, 1e-4);
  EXPECT_EQ(checked["checked"][2]["joints"].size(), 7U);
  EXPECT_LE(checked["checked"][2]["engines"]["fixed"]["worst"].get<double>(), 1e-12);
  EXPECT_EQ(checked["checked"][3]["session"]["app"], "hold");
  EXPECT_NEAR(checked["checked"][3]["session"]["seconds"].get<double>(), 1.5, 1e-9);
  EXPECT_EQ(checked["checked"][3]["damage"].size(), 0U);

  // one that does not hold, and one that is not there, before one that is well
  const Result worse = run("check " + cut + " fr3 --json " + file);
  EXPECT_EQ(worse.code, 1) << worse.output;
  EXPECT_NE(worse.output.find("17.8914 kg"), std::string::npos) << worse.output;
  EXPECT_EQ(json()["holds"], false);
  EXPECT_EQ(json()["checked"][0]["whole"], false);
  EXPECT_GE(json()["checked"][0]["damage"].size(), 1U);
  EXPECT_EQ(json()["checked"][1]["holds"], true);
  const Result worst = run("check fr4 " + cut + " fr3 --json " + file);
  EXPECT_EQ(worst.code, 2) << worst.output;
  EXPECT_NE(worst.output.find("fr4: no such file"), std::string::npos) << worst.output;
  EXPECT_NE(worst.output.find("17.8914 kg"), std::string::npos) << worst.output;
  EXPECT_EQ(json()["checked"][0]["error"], "fr4: no such file, folder, robot, scene or app");

  const Result repair = run("check " + cut + " " + log + " --repair " + file);
  EXPECT_EQ(repair.code, 2);
  EXPECT_NE(repair.output.find("--repair is for one log"), std::string::npos) << repair.output;
  const Result repaired =
      run("check " + cut + " --json " + file + " --repair " + (folder_ / "repaired.mcap").string());
  EXPECT_EQ(repaired.code, 0) << repaired.output;
  EXPECT_EQ(json()["checked"][0]["repaired_copy"], (folder_ / "repaired.mcap").string());
  // what is checked is not written over
  EXPECT_EQ(run("check " + log + " --json " + log).code, 2);
  EXPECT_EQ(run("check " + log).code, 0);
  const Result schema = run("check --schema app --json " + file);
  EXPECT_EQ(schema.code, 2);
  EXPECT_NE(schema.output.find("leave one out"), std::string::npos) << schema.output;
}

TEST_F(Cli, SchemasPrintAsDocumentation) {
  for (const char* name : {"app", "scene", "robot", "limits"}) {
    const Result r = run(std::string("check --schema ") + name);
    EXPECT_EQ(r.code, 0) << r.output;
    EXPECT_GT(r.output.size(), 300U) << name;
  }
  EXPECT_EQ(run("check --schema tool").code, 2);
}

TEST_F(Cli, ExportedUrdfHasItsMeshesBesideIt) {
  const auto model = folder_ / "arm.xml", urdf = folder_ / "arm.urdf", out = folder_ / "arm";
  std::ofstream(model)
      << "<mujoco model='arm'><asset><mesh name='wedge' vertex='0 0 0 .2 0 0 0 .2 0 "
         "0 0 .3'/></asset><worldbody><body name='base'><geom name='rock' "
         "type='mesh' mesh='wedge' mass='1'/></body></worldbody></mujoco>";
  ASSERT_EQ(run("import " + model.string() + " --shapes exact --out " + out.string()).code, 0);
  const Result terminal = run("export-urdf " + out.string());
  EXPECT_EQ(terminal.code, 2);
  EXPECT_NE(terminal.output.find("with --out FILE"), std::string::npos) << terminal.output;
  ASSERT_EQ(run("export-urdf " + out.string() + " --out " + urdf.string()).code, 0);
  EXPECT_EQ(std::filesystem::file_size(folder_ / "arm_meshes" / "rock.stl"), 84U + 4U * 50U);
  const auto again = folder_ / "again";
  const Result r = run("import " + urdf.string() + " --shapes exact --out " + again.string());
  ASSERT_EQ(r.code, 0) << r.output;
  std::string text((std::istreambuf_iterator<char>(std::ifstream(again / "model.xml").rdbuf())),
                   {});
  EXPECT_NE(text.find("0.3"), std::string::npos) << text;
  EXPECT_EQ(run("export-urdf " + out.string() + " --out " + urdf.string()).code, 0)
      << "what it wrote it may write again";
  // a name is no way out of the folder
  const auto sly = folder_ / "sly.xml", away = folder_ / "sly.urdf";
  std::ofstream(sly) << "<mujoco model='sly'><asset><mesh name='wedge' vertex='0 0 0 .2 0 0 0 .2 0 "
                        "0 0 .3'/></asset><worldbody><body name='base'><geom name='../out' "
                        "type='mesh' mesh='wedge' mass='1'/></body></worldbody></mujoco>";
  const Result named = run("export-urdf " + sly.string() + " --out " + away.string());
  EXPECT_EQ(named.code, 2);
  EXPECT_NE(named.output.find("rename it, without '/'"), std::string::npos) << named.output;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out.stl"));
  std::ofstream(folder_ / "arm_meshes" / "rock.stl") << "somebody's";
  EXPECT_EQ(run("export-urdf " + out.string() + " --out " + urdf.string()).code, 2);
}

TEST_F(Cli, AnObjectOfASceneIsExported) {
  const std::string scene = std::string(HANDSPAN_SOURCE_DIR) + "/scenes/grab.yaml";
  const auto urdf = folder_ / "box.urdf", xml = folder_ / "box.xml";
  Result r = run("export-urdf " + scene + " --object box --out " + urdf.string());
  ASSERT_EQ(r.code, 0) << r.output;
  r = run("import " + urdf.string() + " --out " + (folder_ / "box").string());
  EXPECT_NE(r.output.find("1 bodies, 0 driven joints, 0.5000 kg"), std::string::npos) << r.output;
  ASSERT_EQ(run("export-urdf " + scene + " --object box --format mjcf --out " + xml.string()).code,
            0);
  r = run("export-urdf " + xml.string());
  EXPECT_EQ(r.code, 0) << r.output;
  const std::pair<std::string, std::string> refused[] = {
      {scene + " --object bx", "the scene has no object 'bx'; did you mean 'box'?"},
      {scene + " --object pillar", "'pillar' of the scene is a fixture, which has no mass"},
      {scene, "say which with --object NAME"},
      {"fr3 --object box", "fr3 is no scene; --object is of a scene's file"},
      {"fr3 --format mjcf", "a robot's folder has its MJCF as model.xml"},
      {scene + " --object box --format sdf", "--format"}};
  for (const auto& [words, message] : refused) {
    r = run("export-urdf " + words);
    EXPECT_EQ(r.code, 2) << words;
    EXPECT_NE(r.output.find(message), std::string::npos) << r.output;
  }
}

TEST_F(Cli, ExportedUrdfIsImportedAgain) {
  const auto urdf = folder_ / "fr3.urdf", out = folder_ / "copy";
  EXPECT_EQ(run("export-urdf fr3 --out " + urdf.string()).code, 0);
  const auto json = folder_ / "import.json";
  const Result r =
      run("import " + urdf.string() + " --out " + out.string() + " --json " + json.string());
  EXPECT_EQ(r.code, 0) << r.output;
  const auto imported = nlohmann::json::parse(std::ifstream(json));
  EXPECT_EQ(imported["folder"], out.string());
  EXPECT_EQ(imported["driven"].size(), 7U);
  EXPECT_NEAR(imported["mass"].get<double>(), 17.8914, 1e-4);
  EXPECT_EQ(imported["engines"]["agree"], true);
  EXPECT_EQ(imported["holds"], true);
  const Result check = run("check " + out.string());
  EXPECT_EQ(check.code, 0) << check.output;
  EXPECT_NE(check.output.find("17.8914 kg"), std::string::npos) << check.output;
  EXPECT_EQ(run("import " + urdf.string() + " --out " + out.string()).code, 2)
      << "an existing folder is kept";
  EXPECT_EQ(run("import " + urdf.string() + " --force --out " + out.string()).code, 0);
  EXPECT_EQ(run("import " + (folder_ / "none.urdf").string()).code, 2);
  EXPECT_EQ(
      run("import " + urdf.string() + " --package oops --out " + (folder_ / "b").string()).code, 2);
}

TEST_F(Cli, ImportTakesNumbersByJointAndGroups) {
  const auto file = folder_ / "m.xml", efforts = folder_ / "efforts.yaml", out = folder_ / "m";
  const std::string mass = "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>";
  std::ofstream(file) << "<mujoco model='m'><worldbody><body name='a'>" << mass
                      << "<joint name='j' range='-1 1'/><body name='b' pos='0 0 1'>" << mass
                      << "<joint name='k' range='-1 1'/></body></body></worldbody></mujoco>";
  std::ofstream(efforts) << "j: 7\nk: 3\n";
  const std::string command = "import " + file.string() + " --out " + out.string() + " ";
  EXPECT_EQ(run(command + "--velocity 2 --effort " + efforts.string() +
                " --group wrist=k --drive velocity")
                .code,
            0);
  const auto text = [&](const char* name) {
    std::stringstream all;
    all << std::ifstream(out / name).rdbuf();
    return all.str();
  };
  const std::string limits = text("limits.yaml"), robot = text("robot.yaml");
  EXPECT_NE(limits.find("torque: 7.0"), std::string::npos) << limits;
  EXPECT_NE(limits.find("torque: 3.0"), std::string::npos) << limits;
  const auto wrist = robot.find("{name: wrist, joints: [\"k\"]"), arm = robot.find("{name: arm");
  ASSERT_NE(wrist, std::string::npos) << robot;
  EXPECT_LT(wrist, arm);
  EXPECT_NE(robot.find("drive: velocity", arm), std::string::npos) << robot;
  std::filesystem::remove_all(out);
  std::ofstream(efforts) << "j: -7\n";
  const Result negative = run(command + "--velocity 2 --effort " + efforts.string());
  EXPECT_EQ(negative.code, 2);
  EXPECT_NE(negative.output.find("efforts.yaml:1: j is -7; it must be > 0"), std::string::npos);
  const Result word = run(command + "--velocity two --effort 3");
  EXPECT_EQ(word.code, 2);
  EXPECT_NE(word.output.find("neither a number nor a file"), std::string::npos);
  EXPECT_EQ(run(command + "--velocity 2 --effort 3 --group wrist").code, 2);
  EXPECT_FALSE(std::filesystem::exists(out)) << "left behind by a failed import";
}

TEST_F(Cli, ImportRefusesABaseThatThereIsNotAndJointsWithoutNames) {
  const std::string import = "import " + (folder_ / "r.urdf").string();
  const Result sideways = run(import + " --base sideways");
  EXPECT_EQ(sideways.code, 2);
  EXPECT_NE(sideways.output.find("--base: sideways not in {planar,differential}"),
            std::string::npos)
      << sideways.output;
  for (const std::string option : {"--base", "--fixed"}) {
    const Result bare = run(import + " " + option);
    EXPECT_EQ(bare.code, 2);
    EXPECT_NE(bare.output.find(option + ": "), std::string::npos) << bare.output;
  }
}

TEST_F(Cli, HelpNamesTheCommands) {
  const Result r = run("--help");
  EXPECT_EQ(r.code, 0);
  for (const char* command : {"run", "check", "import", "export-urdf", "bench"})
    EXPECT_NE(r.output.find(command), std::string::npos) << command;
  EXPECT_EQ(run("--version").output, "0.2.0\n");
}

}  // namespace main_test
