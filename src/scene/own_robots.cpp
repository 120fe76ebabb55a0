#include "scene/own_robots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/escape.hpp"
#include "scene/data_folder.hpp"
#include "scene/robot_folder.hpp"

namespace handspan {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// what a run depends on: a clone's robots hide nothing
bool same_robot(const fs::path& a, const fs::path& b) {
  std::error_code none;
  if (fs::equivalent(a, b, none)) return true;
  const auto same = [&](const char* file) { return bytes_of(a / file) == bytes_of(b / file); };
  return same("robot.yaml") && same("limits.yaml") && same("model.xml");
}

}  // namespace

std::vector<std::string> own_before_shipped(const Scene& scene) {
  std::vector<std::string> lines;
  const fs::path from = scene.file.has_parent_path() ? scene.file.parent_path() : ".";
  const auto look = [&](const std::string& name) {
    // what names a path means that path
    if (name.empty() || name.find('/') != std::string::npos) return;
    const auto shipped = shipped_robot(name);
    if (!shipped) return;
    const fs::path taken = find_robot_folder(name, from);
    if (same_robot(taken, *shipped)) return;
    std::string line =
        fmt::format("robot '{}' is your own, {}; the one that handspan came with is {}", name,
                    printable(taken.lexically_normal().string()), printable(shipped->string()));
    if (std::ranges::count(lines, line) == 0) lines.push_back(std::move(line));
  };
  for (const auto& robot : scene.robots) {
    look(robot.robot);
    look(robot.tool);
  }
  return lines;
}

}  // namespace handspan
