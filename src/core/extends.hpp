#pragma once

// Files that build on others: an object with `extends: FILE` has that file's keys, and its own
// count instead.
//
//   # toss-box3.yaml: all of toss.yaml with another box
//   extends: toss.yaml
//   objects: {box: {extends: boxes/box3.yaml}}

#include <filesystem>
#include <functional>

#include "core/yaml.hpp"

namespace handspan {

/// The tree with every `extends` in it carried out; FILE is meant from `folder`. Objects are put
/// together key by key, but for those with another `type`, which are replaced, as lists and scalars
/// are; a key that is empty takes the file's away. Places stay those of where a thing is written,
/// and names of other files are meant from the file that extends.
/// @param load gives a file's tree, carried out already
/// @throws ConfigError with the place when FILE is not a name or not there, and what `load` throws
Node extended(const Node& tree, const std::filesystem::path& folder,
              const std::function<Node(const std::filesystem::path&)>& load);

}  // namespace handspan
