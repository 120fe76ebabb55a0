#pragma once
// Values of joints in a file: a list in the order of what they are for, or one a joint by its name,
// over whatever groups a robot has.
#include <Eigen/Core>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/schema.hpp"

namespace handspan {

struct JointValues {
  std::optional<Eigen::VectorXd> list;                   // [rad, m]
  std::vector<std::pair<std::string, double>> by_joint;  // else; in the file's order [rad, m]

  /// The value that stands beside the name. @param prefix of the joint's name, which the file may
  /// leave out: "left." of "left.joint1"
  const double* find(const std::string& joint, const std::string& prefix = "") const;
};

/// `[0.1, 0.2]`, or `{joint1: 0.1, lift_joint: 20 cm}`: rad, and m of joints that slide.
Schema<JointValues> joint_values();

/// What is said of each of `joints`.
/// @param prefix see JointValues::find() @param left_out takes the place of what a file by names
/// says nothing of; empty: that is an error
/// @throws InputError with cause and hint: another number of values than joints, a name that is
/// none of them, a joint left out
Eigen::VectorXd values_for(const JointValues& values, const std::vector<std::string>& joints,
                           const std::string& prefix, const Eigen::VectorXd& left_out);

}  // namespace handspan
