#pragma once
// Configurations in which an arm can begin to work: its hand before it, free to go every way.
#include <string>
#include <vector>

#include "scene/robot_folder.hpp"

namespace handspan {

/// Configurations of the robot's first group, the best first: the hand is before the base (within
/// 45 degrees of x), between a quarter and three quarters of the reach away and above the base's
/// plane, no body's origin is below that plane, joints are away from their ends and the hand is far
/// from singular (the least singular value of its Jacobian, of translation alone below six joints,
/// times the least room to a joint's end). Collisions are not looked at. The same for the same
/// robot. Joints of other groups stand at zero. Values are rounded to 0.01 rad.
/// @param hand frame or body of the robot  @param reach of it [m], above 0
/// @return at most `count`, none when 4,000 random ones hold none
std::vector<Eigen::VectorXd> open_poses(const RobotFolder& robot, const std::string& hand,
                                        double reach, std::size_t count);

}  // namespace handspan
