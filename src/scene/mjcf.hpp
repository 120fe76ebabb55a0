#pragma once
// MJCF files <-> ModelDescription. What write_mjcf writes, read_mjcf reads again to the same bits
// (17 digits, principal inertias, normalised quaternions); MuJoCo's own writer keeps six.
#include <filesystem>
#include <string>
#include <vector>

#include "robot/description.hpp"

namespace handspan {

struct DescribedFile {
  ModelDescription description;
  std::vector<std::string> notes;  // what the file has and a description does not hold
};

/// Reads an MJCF file through MuJoCo's compiler. The description is named after the file's model.
/// @throws std::runtime_error with the file's name: unreadable, rejected by MuJoCo, or something
/// that describe() or validate() refuses
DescribedFile read_mjcf(const std::filesystem::path& file);

/// The same from text; `what` names it in messages.
DescribedFile parse_mjcf(const std::string& xml, const std::string& what);

/// The description as MJCF. A rolling frame, which MJCF cannot say, is written as a comment and
/// belongs in robot.yaml.
std::string write_mjcf(const ModelDescription& description);

}  // namespace handspan
