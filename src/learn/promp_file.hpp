#pragma once
// Files of learned movements: YAML, all numbers in full, so that what is read is what was written
// to the bit.
//
//   format: handspan promp
//   version: 1
//   hands: [{name: left, mean_orientation: [[...], ...]}, ...]   # rows of R_WM
//   box: {axes: [x, y, rz], mean_orientation: [[...], ...]}   # when the box is context
//   movements:                          # such as ante and post, or only one
//     - name: ante
//       weights: 10                     # of a dimension; each hand has six dimensions
//       beyond: 2                       # BasisShape
//       overlap: 0.85
//       duration: 1.5                   # [s]
//       demonstrations: 20
//       freedom: 19
//       prediction: 1.05
//       mean: [...]                     # weights, then context
//       covariance: [[...], ...]
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "learn/pose_promp.hpp"

namespace handspan {

/// The version that is written and read. Another one is refused, since its numbers may mean
/// something else.
inline constexpr int kPrompFileVersion = 1;

/// Movements of the same hands, by name.
struct PrompFile {
  PoseFrames frames;
  std::vector<std::pair<std::string, Promp>> movements;

  /// @throws InputError when there is none of that name
  PosePromp movement(const std::string& name) const;
};

/// Both movements about an impact, as `ante` and `post`.
PrompFile promp_file(const ImpactPromps& movements);

/// The file's text.
std::string promp_text(const PrompFile& file);
/// Writes it. @throws InputError when it cannot be written
void write_promps(const std::filesystem::path& path, const PrompFile& file);

/// Reads and checks what `text` of the file `name` says.
/// @throws ConfigError with places: another format or version; missing, unknown or doubled keys;
/// numbers that are not finite; means and covariances of other sizes than hands, weights and box
/// axes ask for; a covariance that is not symmetric or not positive
PrompFile parse_promps(std::string_view text, const std::string& name);
/// The same of a file. @throws ConfigError also when it cannot be read
PrompFile read_promps(const std::filesystem::path& path);

}  // namespace handspan
