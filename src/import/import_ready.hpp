#pragma once
// Where an imported robot starts: in no collision, away from its limits and from singular poses.
#include <string>
#include <utility>
#include <vector>

#include "import/import.hpp"

namespace handspan {

struct ReadyPose {
  Eigen::VectorXd q;       // of the first group [rad, m]
  double clearance = 0.0;  // of the nearest bodies [m]; at most 20 mm is looked for
  std::vector<std::pair<std::string, std::string>> overlaps;  // bodies that overlap in it
  std::vector<std::pair<std::string, std::string>>
      mostly;  // bodies that the group moves and that are near (10 mm) in 95 % of all poses tried
  std::vector<std::pair<std::string, std::string>>
      standing;  // bodies that overlap at the start, moved against each other by no arm or leg
};

/// Searches the ready pose of the first group of robot.groups, the joints of other groups being
/// where scenes start them: as near to 0 as their limits let them. Tried are zero, the middle of
/// all ranges and 400 random poses (seeded: the same robot has the same pose), rounded to 1e-3. Of
/// those with a clearance of 15 mm the best has the most room to its limits (up to a fifth of the
/// range), is the farthest from singular and, by little, the nearest to zero; else the one that
/// overlaps least. Pairs of robot.ignored_pairs, parent
/// and child, and pairs of `mostly` and `standing` may touch.
/// @param robot description, limits, groups and ignored_pairs are set; groups are not empty
ReadyPose find_ready(const ImportedRobot& robot);

}  // namespace handspan
