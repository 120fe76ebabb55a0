#include "import/urdf_mesh.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "core/error.hpp"
#include "core/escape.hpp"

namespace handspan {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> path_list(const char* variable, const char* below) {
  std::vector<fs::path> out;
  const char* text = std::getenv(variable);
  std::string_view rest = text ? text : "";
  while (!rest.empty()) {
    const auto end = std::min(rest.find(':'), rest.size());
    if (end > 0) out.push_back(fs::path(rest.substr(0, end)) / below);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

// %20 and its like as the letters they stand for
std::string without_escapes(const std::string& uri) {
  std::string out;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    unsigned letter = 0;
    const char* digits = uri.data() + i + 1;
    if (uri[i] == '%' && i + 2 < uri.size() &&
        std::from_chars(digits, digits + 2, letter, 16).ptr == digits + 2 && letter != 0) {
      out += static_cast<char>(letter);
      i += 2;
    } else {
      out += uri[i];
    }
  }
  return out;
}

// folders that may be the package NAME, best first
std::vector<fs::path> package_folders(const std::string& name, const MeshPaths& paths) {
  std::vector<fs::path> out;
  if (const auto given = paths.packages.find(name); given != paths.packages.end())
    return {given->second};
  for (fs::path folder = fs::absolute(paths.urdf).parent_path();; folder = folder.parent_path()) {
    if (folder.filename() == name) out.push_back(folder);
    out.push_back(folder / name);
    if (folder == folder.parent_path()) break;
  }
  for (const auto& folder : path_list("ROS_PACKAGE_PATH", "")) {
    if (folder.filename() == name || folder.parent_path().filename() == name) out.push_back(folder);
    out.push_back(folder / name);
  }
  for (const auto& folder : path_list("AMENT_PREFIX_PATH", "share")) out.push_back(folder / name);
  return out;
}

}  // namespace

fs::path resolve_mesh(const std::string& uri, const MeshPaths& paths) {
  constexpr std::string_view kPackage = "package://", kFile = "file://";
  if (uri.starts_with(kPackage)) {
    const std::string rest = uri.substr(kPackage.size());
    const auto slash = rest.find('/');
    const std::string name = rest.substr(0, slash);
    if (slash == std::string::npos || name.empty())
      throw InputError(
          fmt::format("the mesh '{}' names no file of a package; write package://NAME/path", uri));
    const auto folders = package_folders(name, paths);
    for (const auto& folder : folders)
      if (fs::is_regular_file(folder / rest.substr(slash + 1)))
        return folder / rest.substr(slash + 1);
    if (const std::string plain = without_escapes(uri); plain != uri) {
      try {
        return resolve_mesh(plain, paths);
      } catch (const InputError&) {
        // the message names what is written
      }
    }
    bool package = false;
    for (const auto& folder : folders) package = package || fs::is_directory(folder);
    throw InputError(fmt::format(
        "the mesh '{}' is not there: {}; say where the package is: --package {}, or "
        "ROS_PACKAGE_PATH",
        uri,
        package ? "the package has no such file" : fmt::format("no folder '{}' was found", name),
        shell_word(name + "=DIR")));
  }
  if (const auto scheme = uri.find("://"); scheme != std::string::npos && !uri.starts_with(kFile))
    throw InputError(fmt::format(
        "the mesh '{}' is neither a path nor package:// nor file://; download it first", uri));
  const fs::path path = uri.starts_with(kFile) ? fs::path(uri.substr(kFile.size())) : fs::path(uri);
  const fs::path file = path.is_absolute() ? path : fs::absolute(paths.urdf).parent_path() / path;
  if (fs::is_regular_file(file)) return file;
  if (const std::string plain = without_escapes(uri); plain != uri) {
    try {
      return resolve_mesh(plain, paths);
    } catch (const InputError&) {
      // the message names what is written
    }
  }
  throw InputError(fmt::format("the mesh '{}' is not there: no file {}", uri, file.string()));
}

}  // namespace handspan
