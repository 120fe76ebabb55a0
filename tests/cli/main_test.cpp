// The program as a person runs it: exit codes, messages, files.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace {

const std::filesystem::path kRoot = HANDSPAN_SOURCE_DIR;

struct Result {
  int code;
  std::string output;  // both streams
};

Result run(const std::string& arguments) {
  const std::string command = std::string(HANDSPAN_BINARY) + " " + arguments + " 2>&1 </dev/null";
  FILE* pipe = popen(command.c_str(), "r");
  std::string output;
  std::array<char, 4096> buffer;
  while (const std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe))
    output.append(buffer.data(), n);
  return {WEXITSTATUS(pclose(pipe)), output};
}

class Cli : public testing::Test {
 protected:
  Cli()
      : folder_(std::filesystem::temp_directory_path() /
                ("handspan_cli_test_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Cli() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

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

TEST_F(Cli, CheckIsGreenForEveryRobotToolSceneAndAppOfTheTree) {
  int checked = 0;
  for (const char* kind : {"robots", "scenes", "apps"})
    for (const auto& entry : std::filesystem::directory_iterator(kRoot / kind)) {
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

TEST_F(Cli, SchemasPrintAsDocumentation) {
  for (const char* name : {"app", "scene", "robot", "limits"}) {
    const Result r = run(std::string("check --schema ") + name);
    EXPECT_EQ(r.code, 0) << r.output;
    EXPECT_GT(r.output.size(), 300U) << name;
  }
  EXPECT_EQ(run("check --schema tool").code, 2);
}

TEST_F(Cli, ExportedUrdfIsImportedAgain) {
  const auto urdf = folder_ / "fr3.urdf", out = folder_ / "copy";
  EXPECT_EQ(run("export-urdf fr3 --out " + urdf.string()).code, 0);
  const Result r = run("import " + urdf.string() + " --out " + out.string());
  EXPECT_EQ(r.code, 0) << r.output;
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

TEST_F(Cli, HelpNamesTheCommands) {
  const Result r = run("--help");
  EXPECT_EQ(r.code, 0);
  for (const char* command : {"run", "check", "import", "export-urdf", "bench"})
    EXPECT_NE(r.output.find(command), std::string::npos) << command;
  EXPECT_EQ(run("--version").output, "0.1.0\n");
}

}  // namespace
