#pragma once

// Trees in place of files: who wants to load a configuration with other values in it changes its
// trees (core/tree_edit.hpp) and gives them, without writing files.

#include <filesystem>
#include <string>
#include <unordered_map>

#include "core/yaml.hpp"

namespace handspan {

/// Trees that this thread's load_yaml() takes in place of the files of those names, while it
/// exists; of nested ones the innermost that has the file.
class FileTrees {
 public:
  FileTrees();
  ~FileTrees();
  FileTrees(const FileTrees&) = delete;
  FileTrees& operator=(const FileTrees&) = delete;

  void give(const std::filesystem::path& file, Node tree);

 private:
  friend Node load_tree(const std::filesystem::path& file);

  std::unordered_map<std::string, Node> trees_;  // by absolute path
  FileTrees* outer_;
};

/// The tree of a YAML file with those that it extends (core/extends.hpp), or what was given in its
/// place. Throws ConfigError when one of them cannot be read, is not YAML, or extends itself.
Node load_tree(const std::filesystem::path& file);

}  // namespace handspan
