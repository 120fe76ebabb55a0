#pragma once
// MoveIt's SRDF, which stands beside a URDF: groups of joints, named poses, pairs that never
// collide.
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "robot/description.hpp"

namespace handspan {

struct SrdfState {
  std::string name, group;
  std::map<std::string, double> q;  // of joints [rad, m]
};

struct Srdf {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;  // joints, resolved
  std::vector<SrdfState> states;
  std::vector<std::pair<std::string, std::string>> disabled;  // bodies of the description
  std::vector<std::string> notes;                             // what is not read
};

/// The SRDF that belongs to a robot's file: of its name, in its folder, or in srdf/ or config/
/// beside or above it. None when there is none.
std::optional<std::filesystem::path> find_srdf(const std::filesystem::path& robot_file);

/// Reads an SRDF for a robot. Chains, links and subgroups are resolved to joints of the
/// description (fixed links to the body that carries them); links that it does not have are noted.
/// @throws ConfigError when the file cannot be read or is not an SRDF
Srdf read_srdf(const std::filesystem::path& file, const ModelDescription& description);

}  // namespace handspan
