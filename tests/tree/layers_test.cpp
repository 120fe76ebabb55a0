// A folder of src/ includes those above it in docs/architecture.md, never below; libraries stay
// behind their folders.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace layers_test {

const std::filesystem::path kSource = std::filesystem::path(HANDSPAN_SOURCE_DIR) / "src";
const std::vector<std::string> kLayers = {"core",    "math",    "robot",   "scene",   "contact",
                                          "plant",   "control", "teleop",  "record",  "learn",
                                          "vision",  "plan",    "inertia", "grasp",   "space",
                                          "session", "data",    "study",   "station", "cli"};

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
    if (from < 0 || to < 0) return;
    ++seen;
    EXPECT_LE(to, from) << file << " includes " << included;
  });
  EXPECT_GT(seen, 50);
}

TEST(Layers, LibrariesStayBehindTheirFolders) {
  struct Rule {
    const char* prefix;
    std::vector<std::string> homes;  // beginnings of paths below src/
  };
  const std::vector<Rule> rules = {
      {"mujoco/",
       {"scene/", "plant/", "robot/mujoco_shapes", "robot/distance", "robot/engine_versions"}},
      {"pinocchio/", {"robot/model", "robot/engine_versions"}},
      {"yaml-cpp/", {"core/"}},
      {"tinyxml2", {"scene/"}},
      {"assimp/", {"scene/"}},
      {"fastcdr/", {"record/message"}},
      {"zstd.h", {"record/compression"}},
      {"hdf5", {"record/hdf5_file"}},
      {"arrow/", {"record/parquet_file"}},
      {"parquet/", {"record/parquet_file"}},
      {"xxhash", {"session/session", "study/journal"}},
      {"CLI/", {"cli/"}},
      {"EGL/", {"plant/picture"}},
      {"ruckig/", {"plan/segment"}},
      {"toppra/", {"plan/smooth_path"}},
      {"SDL", {"teleop/sdl_"}},
      {"boost/",
       {"station/server", "station/http_session", "station/page_socket", "study/statistic"}},
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
