#include "robot/limits.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace handspan {
namespace limits_test {

// the FR3's joint 2: v_max 2.62, offset -0.2, gain 5.17, upper 1.7918
TEST(Limits, VelocityCurveIsTheMakersFormula) {
  const VelocityCurve curve{-0.2, 5.17, -1.7918, 1.7918};
  EXPECT_DOUBLE_EQ(curve.upper_velocity(1.0, 2.62), -0.2 + std::sqrt(5.17 * 0.7918));
  EXPECT_DOUBLE_EQ(curve.lower_velocity(-1.0, 2.62), -(-0.2 + std::sqrt(5.17 * 0.7918)));
  EXPECT_EQ(curve.upper_velocity(-1.0, 2.62), 2.62);
  EXPECT_EQ(curve.upper_velocity(1.7918, 2.62), 0.0);
  EXPECT_EQ(curve.upper_velocity(1.9, 2.62), 0.0);
}

TEST(Limits, AreFoundByTheJointsName) {
  RobotLimits limits;
  limits.joints.emplace_back("elbow", JointLimits{});
  limits.joints.back().second.torque = 7.0;
  ASSERT_NE(limits.find("elbow"), nullptr);
  EXPECT_EQ(limits.find("elbow")->torque, 7.0);
  EXPECT_EQ(limits.find("wrist"), nullptr);
}

}  // namespace limits_test
}  // namespace handspan
