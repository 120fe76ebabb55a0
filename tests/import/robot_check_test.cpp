// What `check` finds out about a robot folder.
#include "import/robot_check.hpp"

#include <gtest/gtest.h>

#include "import/import_fixture.hpp"
#include "import/import_write.hpp"

namespace handspan {
namespace robot_check_test {

using test::kInertial;
using test::kLimit;

class RobotCheck : public test::ImportTest {
 protected:
  // two links of 0.4 m on a base with a frame of its own; `more` at the end of the second
  RobotFolder arm(const std::string& more) {
    std::string text = "<robot name='r'><link name='foot'/>";
    for (const char* link : {"base", "upper", "fore"})
      text += "<link name='" + std::string(link) + "'>" + kInertial + "</link>";
    text +=
        "<joint name='shoulder' type='revolute'><parent link='base'/><child link='upper'/>"
        "<axis xyz='0 1 0'/>" +
        kLimit +
        "</joint><joint name='elbow' type='revolute'><parent link='upper'/><child link='fore'/>"
        "<origin xyz='0 0 0.4'/><axis xyz='0 1 0'/>" +
        kLimit +
        "</joint><joint name='stands' type='fixed'><parent link='base'/><child link='foot'/>"
        "</joint>" +
        more + "</robot>";
    write_robot_folder(import_urdf(write("r.urdf", text)), folder_ / "r", true);
    return load_robot_folder(folder_ / "r");
  }
};

TEST_F(RobotCheck, AnArmEndsWhereItsLastJointMovesIt) {
  // the frame that the file has last is the foot's
  const RobotFolder bare = arm("");
  ASSERT_EQ(bare.description.frames.size(), 1U);
  EXPECT_EQ(end_frame(bare), "fore");
  EXPECT_NEAR(check_robot(bare, 2).reach, 0.4, 1e-3);
  const RobotFolder with_tip =
      arm("<link name='tip'/><joint name='t' type='fixed'><parent link='fore'/><child link='tip'/>"
          "<origin xyz='0 0 0.3'/></joint>");
  EXPECT_EQ(end_frame(with_tip), "tip");
  EXPECT_NEAR(check_robot(with_tip, 2).reach, 0.7, 1e-3);
  // a usual name is a mount
  const RobotFolder with_mount = arm(
      "<link name='tool0'/><joint name='t' type='fixed'><parent link='upper'/><child link='tool0'/>"
      "</joint>");
  EXPECT_EQ(end_frame(with_mount), "tool0");
}

TEST_F(RobotCheck, FramesOfFingersAreNotTheArmsEnd) {
  const RobotFolder r = arm(
      "<link name='finger'>" + kInertial +
      "</link><joint name='finger_joint' type='prismatic'><parent link='fore'/><child "
      "link='finger'/><axis xyz='1 0 0'/><limit lower='0' upper='0.04' effort='5' velocity='1'/>"
      "</joint><link name='pad'/><joint name='p' type='fixed'><parent link='finger'/>"
      "<child link='pad'/></joint>");
  ASSERT_EQ(r.groups.size(), 2U);
  EXPECT_EQ(end_frame(r), "fore");
}

}  // namespace robot_check_test
}  // namespace handspan
