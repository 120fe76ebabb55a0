// A folder of src/ includes those above it in docs/architecture.md, never below; libraries stay
// behind their folders; no two units include one another, on whatever way round.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace layers_test {

const std::filesystem::path kSource = std::filesystem::path(HANDSPAN_SOURCE_DIR) / "src";
const std::vector<std::string> kLayers = {
    "core",    "math",    "contact", "robot", "scene",  "plant",     "mujoco",  "import",
    "control", "plan",    "vision",  "learn", "record", "reference", "device",  "teleop",
    "person",  "session", "log",     "data",  "study",  "skills",    "station", "cli"};

template <class F>
void for_each_include(F&& f) {
  const std::regex include(R"(^\s*#\s*include\s*["<]([^">]+)[">])");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kSource)) {
    if (entry.path().extension() != ".hpp" && entry.path().extension() != ".cpp") continue;
    const auto relative = std::filesystem::relative(entry.path(), kSource);
    std::ifstream file(entry.path());
    std::smatch match;
    for (std::string line; std::getline(file, line);)
      if (std::regex_search(line, match, include)) f(relative, match[1].str());
  }
}

int layer(const std::string& folder) {
  const auto found = std::find(kLayers.begin(), kLayers.end(), folder);
  return found == kLayers.end() ? -1 : static_cast<int>(found - kLayers.begin());
}

TEST(Layers, EveryFolderHasItsPlace) {
  int folders = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kSource)) {
    if (!entry.is_directory()) continue;
    EXPECT_GE(layer(entry.path().filename().string()), 0) << entry.path();
    ++folders;
  }
  EXPECT_GE(folders, 8);
}

TEST(Layers, IncludesPointUpwards) {
  int seen = 0;
  for_each_include([&](const std::filesystem::path& file, const std::string& included) {
    const int from = layer(file.begin()->string()),
              to = layer(included.substr(0, included.find('/')));
    // MuJoCo's own headers have a folder of the name of ours
    if (from < 0 || to < 0 || !std::filesystem::exists(kSource / included)) return;
    ++seen;
    EXPECT_LE(to, from) << file << " includes " << included;
  });
  EXPECT_GT(seen, 50);
}

// A header and a source of one name are a unit, and NAME_impl.hpp is of the unit NAME.
std::string unit_of(const std::filesystem::path& file) {
  std::string unit = (file.parent_path() / file.stem()).generic_string();
  constexpr std::string_view kInside = "_impl";
  if (unit.ends_with(kInside)) unit.resize(unit.size() - kInside.size());
  return unit;
}

using Units = std::map<std::string, std::set<std::string>>;

// All that a unit includes, by whatever way: itself when it is in a cycle.
const std::set<std::string>& reach(const std::string& unit, const Units& includes, Units& reached) {
  const auto [at, first] = reached.try_emplace(unit);
  if (!first) return at->second;
  std::vector<std::string> next = {unit};
  while (!next.empty()) {
    const std::string from = next.back();
    next.pop_back();
    const auto found = includes.find(from);
    if (found == includes.end()) continue;
    for (const std::string& to : found->second)
      if (at->second.insert(to).second) next.push_back(to);
  }
  return at->second;
}

// The units of each cycle, by names in their order: each includes all others by some way.
std::vector<std::set<std::string>> cycles_of(const Units& includes) {
  Units reached;
  std::vector<std::set<std::string>> cycles;
  std::set<std::string> seen;
  for (const auto& [unit, direct] : includes) {
    if (seen.contains(unit) || !reach(unit, includes, reached).contains(unit)) continue;
    std::set<std::string>& cycle = cycles.emplace_back();
    for (const std::string& other : reach(unit, includes, reached))
      if (reach(other, includes, reached).contains(unit)) cycle.insert(other);
    seen.insert(cycle.begin(), cycle.end());
  }
  return cycles;
}

std::string text_of(const std::set<std::string>& units) {
  std::string text;
  for (const std::string& unit : units) text += (text.empty() ? "" : ", ") + unit;
  return text;
}

TEST(Layers, CyclesAreFound) {
  const Units includes = {{"a", {"b", "d"}}, {"b", {"c"}}, {"c", {"a"}}, {"d", {"e"}}, {"e", {}}};
  const auto cycles = cycles_of(includes);
  ASSERT_EQ(cycles.size(), 1U);
  EXPECT_EQ(text_of(cycles[0]), "a, b, c");
}

TEST(Layers, UnitsAreInNoCycle) {
  Units includes;
  for_each_include([&](const std::filesystem::path& file, const std::string& included) {
    if (!std::filesystem::exists(kSource / included)) return;
    const std::string from = unit_of(file), to = unit_of(included);
    if (from != to) includes[from].insert(to);
  });
  EXPECT_GT(includes.size(), 200U);
  for (const auto& cycle : cycles_of(includes))
    ADD_FAILURE() << "these include one another: " << text_of(cycle)
                  << "; move what both need to a file of its own, below them";
}

// A file of more than 400 lines says in its head why it is one ("One file, since ..."), a function
// of more than 70 in the comment above it ("One function, since ...").
TEST(Layers, WhatIsLongSaysWhy) {
  constexpr std::size_t kFile = 400, kFunction = 70, kHead = 40, kAbove = 8;
  int seen = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kSource)) {
    if (entry.path().extension() != ".hpp" && entry.path().extension() != ".cpp") continue;
    std::ifstream file(entry.path());
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    const auto says = [&](std::size_t from, std::size_t to, const char* what) {
      for (std::size_t i = from; i < to && i < lines.size(); ++i)
        if (lines[i].starts_with("//") && lines[i].find(what) != std::string::npos) return true;
      return false;
    };
    const auto name = std::filesystem::relative(entry.path(), kSource);
    if (lines.size() > kFile) {
      EXPECT_TRUE(says(0, kHead, "One file, since")) << name << " has " << lines.size() << " lines";
      ++seen;
    }
    // functions of a namespace: their bodies end with a brace at the beginning of a line
    std::size_t begin = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string& line = lines[i];
      if (line.ends_with(" {") && !line.starts_with("  ") && !line.starts_with("namespace") &&
          line.find(')') != std::string::npos)
        begin = i;
      else if (line.ends_with(") {") && line.starts_with("    ") && i > 0 &&
               !lines[i - 1].starts_with("  ") && !lines[i - 1].empty())
        begin = i;
      if (line != "}" || begin == 0) continue;
      if (i - begin > kFunction) {
        EXPECT_TRUE(says(begin < kAbove ? 0 : begin - kAbove, begin, "One function, since"))
            << name << ":" << begin + 1 << " has a function of " << i - begin << " lines";
        ++seen;
      }
      begin = 0;
    }
  }
  EXPECT_GT(seen, 10);
}

TEST(Layers, LibrariesStayBehindTheirFolders) {
  struct Rule {
    const char* prefix;
    std::vector<std::string> homes;  // beginnings of paths below src/
  };
  const std::vector<Rule> rules = {
      {"mujoco/mj", {"scene/", "mujoco/", "import/", "robot/mujoco_shapes", "robot/distance"}},
      {"mujoco/mujoco.h",
       {"scene/", "mujoco/", "import/", "robot/mujoco_shapes", "robot/distance",
        "robot/engine_versions"}},
      // others hold a World*; these make one
      {"mujoco/mujoco_plant",
       {"mujoco/", "session/session_setup.cpp", "study/app_subject.cpp", "cli/check.cpp",
        "skills/toss/cube_tosses.cpp"}},
      {"pinocchio/", {"robot/model", "robot/engine_versions"}},
      {"yaml-cpp/", {"core/"}},
      {"tinyxml2", {"scene/", "import/"}},
      {"assimp/", {"scene/", "import/"}},
      {"fastcdr/", {"record/message"}},
      {"zstd.h", {"record/compression"}},
      {"hdf5", {"record/hdf5_file"}},
      {"arrow/", {"record/parquet_file"}},
      {"parquet/", {"record/parquet_file"}},
      {"xxhash", {"session/session", "study/journal"}},
      {"CLI/", {"cli/"}},
      {"EGL/", {"mujoco/picture"}},
      {"ruckig/", {"plan/segment"}},
      {"toppra/", {"plan/smooth_path"}},
      {"SDL", {"device/sdl_"}},
      {"boost/", {"station/server", "station/http_session", "station/page_socket", "study/"}},
      {"openssl/", {"station/certificate", "station/access"}},
  };
  for_each_include([&](const std::filesystem::path& file, const std::string& included) {
    for (const auto& rule : rules) {
      if (!included.starts_with(rule.prefix)) continue;
      EXPECT_TRUE(std::ranges::any_of(
          rule.homes, [&](const std::string& home) { return file.string().starts_with(home); }))
          << file << " includes " << included;
      // types of others appear in no header that is installed
      if (file.extension() == ".hpp" && std::string(rule.prefix) != "CLI/") {
        const std::string name = file.filename().string();
        EXPECT_TRUE(name.starts_with("mujoco_") || name.ends_with("_impl.hpp"))
            << file << " shows " << included;
      }
    }
  });
}

}  // namespace layers_test
