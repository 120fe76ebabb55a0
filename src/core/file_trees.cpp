#include "core/file_trees.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/extends.hpp"
#include "core/files_read.hpp"
#include "core/text_file.hpp"

namespace handspan {
namespace {

thread_local FileTrees* innermost_trees = nullptr;

std::string name_of(const std::filesystem::path& file) {
  std::error_code none;
  return std::filesystem::absolute(file, none).lexically_normal().string();
}

// @param by the files that extend one another down to this one
Node read(const std::filesystem::path& file, std::vector<std::string>& by) {
  const Node tree = parse_tree(read_text_file(file), file.string());
  by.push_back(name_of(file));
  Node whole = extended(tree, file.parent_path(), [&](const std::filesystem::path& base) {
    if (std::ranges::count(by, name_of(base)))
      throw ConfigError({{{file.string(), 0, 0},
                          "extends",
                          fmt::format("leads back to {}", base.string()),
                          "a file cannot be built on itself"}});
    return read(base, by);
  });
  by.pop_back();
  return whole;
}

}  // namespace

FileTrees::FileTrees() : outer_(innermost_trees) { innermost_trees = this; }
FileTrees::~FileTrees() { innermost_trees = outer_; }

void FileTrees::give(const std::filesystem::path& file, Node tree) {
  trees_.insert_or_assign(name_of(file), std::move(tree));
}

Node load_tree(const std::filesystem::path& file) {
  const std::string name = innermost_trees != nullptr ? name_of(file) : "";
  for (const FileTrees* at = innermost_trees; at != nullptr; at = at->outer_)
    if (const auto given = at->trees_.find(name); given != at->trees_.end()) {
      FilesRead::note(file);
      return given->second;
    }
  std::vector<std::string> by;
  return read(file, by);
}

}  // namespace handspan
