#pragma once
// How often bodies of a robot come near each other, wherever its joints are.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "robot/description.hpp"

namespace handspan {

/// In how many of `configurations` two bodies' colliding shapes are nearer than `nearer_than` [m]
/// (0: overlap), by MuJoCo's distances. The first is neutral, the others are random within the
/// joints' ranges (half a turn or half a metre each way without), with mimic joints where they
/// belong; the same ones each time. Pairs of parent and child are left out, and those that are
/// never near. Indices of bodies, the lower one first.
/// @throws std::runtime_error for what MuJoCo or validate() refuses
std::map<std::pair<int, int>, int> near_counts(const ModelDescription& description,
                                               int configurations, double nearer_than);

/// Bodies, not parent and child, whose colliding shapes overlap or are nearer than 10 mm in each of
/// 40 configurations: neutral and random ones within the joints' ranges, with mimic joints where
/// they belong. Deterministic.
std::vector<std::pair<std::string, std::string>> always_overlapping(
    const ModelDescription& description);

}  // namespace handspan
