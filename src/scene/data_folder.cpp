#include "scene/data_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include "core/error.hpp"
#include "core/escape.hpp"

#ifndef HANDSPAN_DATA_FOLDERS
#define HANDSPAN_DATA_FOLDERS ""
#endif

namespace handspan {
namespace {

namespace fs = std::filesystem;

// a description's head: comments of licences before it are long
constexpr std::size_t kHead = 64 << 10;  // [bytes]

}  // namespace

fs::path data_folder() {
  if (const char* data = std::getenv("HANDSPAN_DATA_DIR")) return data;
  std::error_code none;
  const auto has_robots = [&](const fs::path& folder) {
    return fs::is_directory(folder / "robots", none);
  };
  const fs::path program = fs::read_symlink("/proc/self/exe", none);
  if (!program.empty()) {
    const fs::path beside = program.parent_path().parent_path() / "share" / "handspan";
    if (has_robots(beside)) return beside;
  }
  std::string_view folders = HANDSPAN_DATA_FOLDERS;
  while (!folders.empty()) {
    const auto end = std::min(folders.find(':'), folders.size());
    const fs::path folder(folders.substr(0, end));
    if (has_robots(folder)) return folder;
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  return fs::current_path(none);
}

std::optional<fs::path> shipped_robot(const std::string& name) {
  std::error_code none;
  fs::path folder = data_folder() / "robots" / name;
  if (name.empty() || !fs::is_regular_file(folder / "robot.yaml", none)) return std::nullopt;
  return folder;
}

std::string robot_description_kind(const fs::path& file) {
  std::error_code none;
  if (!fs::is_regular_file(file, none)) return "";
  std::string head(kHead, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  std::string_view text = head;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  // declarations and comments come before the first element
  for (;;) {
    const auto start = text.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos || text[start] != '<') return "";
    text.remove_prefix(start);
    const std::string_view end = text.starts_with("<!--") ? "-->"
                                 : text.starts_with("<?") ? "?>"
                                 : text.starts_with("<!") ? ">"
                                                          : "";
    if (end.empty()) break;
    const auto at = text.find(end);
    if (at == std::string_view::npos) return "";
    text.remove_prefix(at + end.size());
  }
  const std::string_view element = text.substr(1, text.find_first_of(" \t\r\n/>") - 1);
  if (element == "mujoco") return "MJCF";
  if (element == "sdf") return "SDF";
  if (element == "robot") return head.find("<xacro:") == std::string::npos ? "URDF" : "xacro";
  return "";
}

void refuse_robot_description(const fs::path& file) {
  const std::string kind = robot_description_kind(file);
  if (kind.empty()) return;
  const std::string name = file.stem().string();
  const std::string is =
      fmt::format("{}: is the description of a robot ({})", printable(file.string()), kind);
  if (kind == "SDF") throw InputError(is + ", which handspan does not read; give a URDF or MJCF");
  if (kind == "xacro")
    throw InputError(fmt::format(
        "{}: make a URDF of it first (`xacro {} > {}.urdf`), then `handspan import {}.urdf`", is,
        shell_word(file), shell_word(name), shell_word(name)));
  throw InputError(
      fmt::format("{}; `handspan import {} --out robots/{}` makes a robot folder of it, "
                  "`handspan new FOLDER --robot {}` that and an app that moves it",
                  is, shell_word(file), shell_word(name), shell_word(file)));
}

}  // namespace handspan
