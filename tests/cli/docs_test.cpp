// What the documents say, done as it stands there: files are written, commands are run in their
// order. A fence whose first line names a file ("```yaml lab/app.yaml") is that file, one of
// "```sh" is commands.
#include <algorithm>
#include <cstdlib>
#include <regex>
#include <set>
#include <vector>

#include "support/program.hpp"

namespace docs_test {

using handspan::test::InFolder;
using handspan::test::kRoot;
using handspan::test::Result;
using handspan::test::shell;

struct Fence {
  std::string language, file, text;
};

std::string text_of(const std::filesystem::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::vector<Fence> fences_of(const std::filesystem::path& file) {
  std::vector<Fence> fences;
  std::stringstream lines(text_of(file));
  bool in = false;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("```")) {
      if (in) fences.back().text += line + "\n";
      continue;
    }
    if (in = !in; !in) continue;
    std::stringstream head(line.substr(3));
    Fence& fence = fences.emplace_back();
    head >> fence.language >> fence.file;
  }
  return fences;
}

class Docs : public InFolder {
 protected:
  /// A line of a document as a test can run it: the station does not wait for Ctrl-C.
  Result typed(std::string line, const std::string& program) const {
    line = line.substr(0, line.find(" #"));
    EXPECT_TRUE(line.starts_with(program + " ")) << line;
    line = line.substr(program.size() + 1);
    if (line.starts_with("serve ") || line.starts_with("view "))
      line += " --port 0 --no-page-open --for 0.3s";
    return run(line);
  }

  /// @return how many commands it has
  int follow(const char* document) const {
    int commands = 0;
    for (const Fence& fence : fences_of(kRoot / "docs" / document)) {
      if (!fence.file.empty()) write(fence.file, fence.text);
      if (fence.language != "sh") continue;
      std::stringstream lines(fence.text);
      for (std::string line; std::getline(lines, line);) {
        if (line.empty()) continue;
        const Result r = typed(line, "handspan");
        EXPECT_EQ(r.code, 0) << document << ": " << line << ": " << r.output;
        ++commands;
      }
    }
    return commands;
  }
};

TEST_F(Docs, TheFirstRobotGraspsACube) {
  EXPECT_GE(follow("first-robot.md"), 10);
  // column by column: tick, three times, then x, y, z
  const std::string way = read("pick/object.cube.pose.csv");
  ASSERT_FALSE(way.empty());
  std::stringstream last(way.substr(way.rfind('\n', way.size() - 2) + 1));
  std::vector<double> values;
  for (std::string cell; std::getline(last, cell, ',');) values.push_back(std::stod(cell));
  ASSERT_GE(values.size(), 7U) << way.substr(0, 300);
  EXPECT_NEAR(values[4], 0.5, 0.02);
  EXPECT_NEAR(values[6], 0.42, 0.02) << "the cube is not held";
  EXPECT_GT(std::filesystem::file_size(folder_ / "handspan-out/pick.png"), 10'000U);
}

TEST_F(Docs, TheAppOfTheTourRuns) { EXPECT_GE(follow("apps.md"), 6); }

// every name that the tables of apps.md have is one, and none is left out
TEST_F(Docs, TheTablesOfAppsNameAllModesConditionsTasksAndConstraints) {
  const std::string text = text_of(kRoot / "docs/apps.md");
  const auto names = [&](const std::string& head) {
    std::set<std::string> found;
    std::stringstream lines(text.substr(text.find("| " + head + " |")));
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line) && line.starts_with("|")) {
      const std::string cell = line.substr(1, line.find('|', 1) - 1);
      const std::regex name("`([a-z_]+)`");
      for (auto at = std::sregex_iterator(cell.begin(), cell.end(), name);
           at != std::sregex_iterator(); ++at)
        found.insert((*at)[1]);
    }
    return found;
  };
  const Result schema = run("check --schema app");
  const auto registered = [&](const std::string& key) {
    std::set<std::string> all;
    const auto at = schema.output.find(key);
    std::stringstream list(schema.output.substr(
        at + key.size(), schema.output.find_first_of("(\n", at) - at - key.size()));
    for (std::string name; std::getline(list, name, ',');) {
      std::erase(name, ' ');
      all.insert(name);
    }
    return all;
  };
  EXPECT_EQ(names("mode"), registered(" do: list of one of"));
  EXPECT_EQ(names("condition"), registered(" when: list of one of"));
  EXPECT_EQ(names("task"), registered(" tasks: dictionary of one of"));
  EXPECT_EQ(names("constraint"), registered(" constraints: list of one of"));
}

// the controls of a gamepad, on a gamepad
TEST_F(Docs, TheJogOfTeleoperationIsOneOfItsDevice) {
  const std::string text = text_of(kRoot / "docs/teleoperation.md");
  std::string jog;
  for (const Fence& fence : fences_of(kRoot / "docs/teleoperation.md"))
    if (fence.text.find("type: joint_jog") != std::string::npos) jog = fence.text;
  ASSERT_NE(jog.find("driver: {type: gamepad}"), std::string::npos);
  write("app.yaml",
        "name: jog\nscene: " + (kRoot / "scenes/reach.yaml").string() +
            "\nwhole_arm:\n  arms: {left.arm: {feedback: commanded}}\n  tasks:\n"
            "    left_hand: {type: pose, frame: left.tcp}\n"
            "    left_posture: {type: posture, robot: left, weight: 1.0e-4}\n"
            "  constraints: [{type: collision, pairs: [[left.*, table]]}]\n" +
            jog +
            "machines:\n  m:\n    start: s\n    states:\n      s:\n        do:\n"
            "          - {type: follow, task: left_hand, sources: [{source: stick}]}\n"
            "          - {type: follow, task: left_posture, sources: [{source: joints}]}\n");
  const Result r = run("check app.yaml");
  EXPECT_EQ(r.code, 0) << r.output;
}

// What two documents show of programs outside the tree is what tests/package builds and runs.
TEST_F(Docs, TheProgramsOfExtendAndPartsAreThoseThatAreTested) {
  bool cmake = false, part = false;
  const auto plain = [](std::string text) {
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
    return text;
  };
  // parts.cpp is a program of its own, all other files are one
  std::string example;
  for (const auto& entry : std::filesystem::directory_iterator(kRoot / "tests/package"))
    if (entry.path().extension() == ".cpp" && entry.path().filename() != "parts.cpp")
      example += text_of(entry.path());
  for (const auto& [document, program] :
       {std::pair{"docs/extend.md", example},
        {"docs/parts.md", text_of(kRoot / "tests/package/parts.cpp")}})
    for (const Fence& fence : fences_of(kRoot / document)) {
      if (fence.file == "CMakeLists.txt") {
        EXPECT_EQ(fence.text, text_of(kRoot / "tests/package/CMakeLists.txt"));
        cmake = true;
      }
      if (fence.language != "cpp") continue;
      part = true;
      std::stringstream paragraphs(fence.text);
      // statement by statement: between them the program has more
      std::string statement;
      for (std::string line; std::getline(paragraphs, line);) {
        statement += line;
        if (!line.ends_with("};") && !line.ends_with("});") && !line.starts_with("return") &&
            !line.starts_with("#include"))
          continue;
        EXPECT_NE(plain(program).find(plain(statement)), std::string::npos) << statement;
        statement.clear();
      }
    }
  EXPECT_TRUE(cmake && part);
}

TEST_F(Docs, TheIndexHasAllAndLinksLeadSomewhere) {
  const std::string index = text_of(kRoot / "docs/README.md");
  std::vector<std::filesystem::path> documents = {kRoot / "README.md", kRoot / "CONTRIBUTING.md"};
  for (const auto& entry : std::filesystem::directory_iterator(kRoot / "docs")) {
    if (entry.path().extension() != ".md") continue;
    documents.push_back(entry.path());
    const std::string name = entry.path().filename().string();
    EXPECT_TRUE(name == "README.md" || index.find("](" + name + ")") != std::string::npos)
        << name << " is not in the index";
  }
  const std::regex link("\\]\\(([^)#]+)(#[^)]*)?\\)");
  for (const auto& document : documents) {
    const std::string text = text_of(document);
    for (auto at = std::sregex_iterator(text.begin(), text.end(), link);
         at != std::sregex_iterator(); ++at) {
      const std::string to = (*at)[1];
      // pages of others, and lambdas of code
      if (to.find("://") != std::string::npos || to.find(' ') != std::string::npos) continue;
      EXPECT_TRUE(std::filesystem::exists(document.parent_path() / to)) << document << ": " << to;
    }
  }
}

// in a folder that has the tree's apps and nothing else, so that what is left behind is seen
TEST_F(Docs, TheFiveMinutesOfReadmeRunAndLeaveNothingBehind) {
  for (const char* part : {"apps", "scenes", "robots", "studies"})
    std::filesystem::create_directory_symlink(kRoot / part, folder_ / part);
  const char* size = std::getenv("HANDSPAN_LONG");
  const bool all = size != nullptr && std::string(size) == "1";
  int commands = 0;
  for (const Fence& fence : fences_of(kRoot / "README.md")) {
    std::stringstream lines(fence.text);
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("./run ") || line.starts_with("./run  ")) continue;
      // a person's gamepad; figures; studies of minutes
      if (line.find("devices --watch") != std::string::npos || line.starts_with("./run bench") ||
          (!all && line.find(" study ") != std::string::npos))
        continue;
      const Result r = typed(line, "./run");
      if (r.has("this machine has no network address")) continue;
      EXPECT_EQ(r.code, 0) << line << ": " << r.output;
      ++commands;
    }
  }
  EXPECT_GE(commands, 15);
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    EXPECT_TRUE(entry.is_symlink() || entry.path().filename() == "handspan-out") << entry.path();
}

}  // namespace docs_test
