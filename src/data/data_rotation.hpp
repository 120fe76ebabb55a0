#pragma once
// Rotations as other programs write them.
#include <Eigen/Core>
#include <optional>
#include <span>
#include <string>

#include "data/import_plan.hpp"

namespace handspan {

/// Numbers of a rotation in that layout: 4 of a quaternion, 3 of a vector or rpy, 6, or 9.
std::size_t rotation_size(RotationLayout layout);

/// The rotation of rotation_size(layout) numbers (angles in rad). What is a rotation but for
/// rounding is made one: a norm or an orthogonality that is off by 1 % at most.
/// @return none when it is not, and then what is wrong with it in `fault`
std::optional<Eigen::Matrix3d> rotation_of(RotationLayout layout, std::span<const double> numbers,
                                           std::string& fault);

}  // namespace handspan
