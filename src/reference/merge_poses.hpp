#pragma once
// What several sources that share a pose want together.
#include "reference/reference.hpp"

namespace handspan {

/// Of each axis the mean of those who have a say in it, by their shares; one that has all of it:
/// exactly what it asks. Rotations are averaged as vectors from the reference, which all of them
/// are near to. An axis jumps when all who have a say in it announce that: beside a plan that
/// jumps, a person's hand still keeps the limits.
/// @param now the reference  @param axes that somebody has a say in, in those of `at`
/// @param jumps those of them that jump
void merge_poses(const FollowMoment& at, const PoseReference& now, PoseReference& wanted,
                 Axes& axes, Axes& jumps);

}  // namespace handspan
