#pragma once

// Configuration files: YAML read by a schema into typed values, all errors of a file at once.
//
//   struct Task { double stiffness = 0.0; Eigen::Vector3d goal = Eigen::Vector3d::Zero(); };
//   const auto schema = object<Task>("Task", "pulls a frame to a goal")
//       .required("stiffness", &Task::stiffness, number("N/m").above(0), "of the spring")
//       .optional("goal", &Task::goal, vector<3>("m"), "in the world");
//   const Task task = load_yaml("task.yaml", schema);

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.hpp"
#include "core/file_trees.hpp"
#include "core/object.hpp"
#include "core/schema.hpp"
#include "core/text_file.hpp"
#include "core/values.hpp"

namespace handspan {

/// The value of a tree. File names in it are meant from the folder of `file`. Throws ConfigError
/// with all that is wrong.
template <class T>
T read_tree(const Node& root, const std::string& file, const Schema<T>& schema) {
  Reader reader(std::filesystem::path(file).parent_path());
  std::optional<T> value = schema.read(root, reader);
  reader.finish();
  // whoever returns nothing has said why; a part of another program may have forgotten to
  if (!value) throw ConfigError({{root.place(), "the file", "cannot be read", ""}});
  return std::move(*value);
}

/// The value of YAML `text`. Places name `file`, and file names in it are meant from its folder.
/// Throws ConfigError with all that is wrong.
template <class T>
T parse_yaml(std::string_view text, const std::string& file, const Schema<T>& schema) {
  return read_tree(parse_tree(text, file), file, schema);
}

/// The value of a YAML file, or of the tree given in its place (core/file_trees.hpp). Throws
/// ConfigError with all that is wrong, also when it cannot be read.
template <class T>
T load_yaml(const std::filesystem::path& path, const Schema<T>& schema) {
  return read_tree(load_tree(path), path.string(), schema);
}

}  // namespace handspan
