#include "core/file_trees.hpp"

#include <utility>

#include "core/files_read.hpp"
#include "core/text_file.hpp"

namespace handspan {
namespace {

thread_local FileTrees* innermost = nullptr;

std::string name_of(const std::filesystem::path& file) {
  std::error_code none;
  return std::filesystem::absolute(file, none).lexically_normal().string();
}

}  // namespace

FileTrees::FileTrees() : outer_(innermost) { innermost = this; }
FileTrees::~FileTrees() { innermost = outer_; }

void FileTrees::give(const std::filesystem::path& file, Node tree) {
  trees_.insert_or_assign(name_of(file), std::move(tree));
}

Node load_tree(const std::filesystem::path& file) {
  const std::string name = innermost != nullptr ? name_of(file) : "";
  for (const FileTrees* at = innermost; at != nullptr; at = at->outer_)
    if (const auto given = at->trees_.find(name); given != at->trees_.end()) {
      FilesRead::note(file);
      return given->second;
    }
  return parse_tree(read_text_file(file), file.string());
}

}  // namespace handspan
