#include "session/end_effector.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace handspan {
namespace end_effector_test {

std::string error_of(const auto& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

PlantLayout four_groups() {
  PlantLayout layout;
  for (const auto& [name, kind] :
       std::vector<std::pair<std::string, GroupKind>>{{"left.arm", GroupKind::kTorque},
                                                      {"left.cup", GroupKind::kSuction},
                                                      {"left.lift", GroupKind::kPosition},
                                                      {"right.gripper", GroupKind::kGripper}}) {
    GroupLayout group;
    group.name = name;
    group.kind = kind;
    layout.groups.push_back(group);
  }
  return layout;
}

// jaws of 2 to 82 mm
GripperDescription some_gripper() {
  GripperDescription gripper;
  gripper.closed = Eigen::Vector2d::Zero();
  gripper.open = Eigen::Vector2d::Constant(0.04);
  gripper.widths = {0.002, 0.042, 0.082};
  gripper.force = 60.0;
  gripper.speed = 0.2;
  return gripper;
}

TEST(EndEffector, IsACupAGripperOrDrivenByPositions) {
  const PlantLayout layout = four_groups();
  EXPECT_EQ(end_effector(layout, "left.cup"), 1U);
  EXPECT_EQ(end_effector(layout, "left.lift"), 2U);
  EXPECT_EQ(end_effector(layout, "right.gripper"), 3U);
  EXPECT_EQ(holding_end_effector(layout, "left.cup"), 1U);
  EXPECT_EQ(holding_end_effector(layout, "right.gripper"), 3U);
}

TEST(EndEffector, OthersAreErrorsWithTheNamesThereAre) {
  const PlantLayout layout = four_groups();
  EXPECT_EQ(error_of([&] { end_effector(layout, "left.cop"); }),
            "'left.cop' is neither suction cup nor gripper; did you mean 'left.cup'?");
  EXPECT_EQ(error_of([&] {
              end_effector(layout, "left.arm");
            }).find("'left.arm' is neither suction cup nor gripper"),
            0U);
  // a lift does not know whether it holds something
  const std::string lift = error_of([&] { holding_end_effector(layout, "left.lift"); });
  EXPECT_EQ(lift.find("'left.lift' is neither suction cup nor gripper"), 0U) << lift;
  PlantLayout bare;
  bare.groups.push_back(layout.groups[0]);
  EXPECT_EQ(error_of([&] { end_effector(bare, "left.cup"); }),
            "the scene has neither suction cup nor gripper; give a tool's group 'gripper:' in its "
            "robot.yaml");
}

TEST(GripperCommands, CloseWithAllThatThereIsAndOpen) {
  const GripperDescription gripper = some_gripper();
  const GripperCommand shuts = close_command(gripper), opens = open_command(gripper);
  // whatever lies between, and shut itself, is wider
  EXPECT_LT(shuts.width, gripper.shut() - 0.5 * (gripper.wide() - gripper.shut()));
  EXPECT_EQ(shuts.speed, 0.2);
  EXPECT_EQ(shuts.force, 60.0);
  EXPECT_EQ(values_of(opens), Eigen::Vector3d(0.082, 0.2, 60.0));
  EXPECT_EQ(values_of(opens).size(), kGripperCommandSize);
}

TEST(GripperCommands, ChangesAreWithinWhatTheGripperHas) {
  const GripperDescription gripper = some_gripper();
  const GripperCommand opens = open_command(gripper);
  const auto with = [&](const GripperChanges& changes) { return changed(opens, changes, gripper); };
  EXPECT_EQ(values_of(with({})), values_of(opens));
  EXPECT_EQ(values_of(with({0.03, 0.1, 5.0})), Eigen::Vector3d(0.03, 0.1, 5.0));
  EXPECT_EQ(values_of(with({std::nullopt, 0.1, std::nullopt})), Eigen::Vector3d(0.082, 0.1, 60.0));
  // its ends, and just beyond them
  EXPECT_EQ(with({0.002, 0.2, 60.0}).width, 0.002);
  EXPECT_EQ(with({0.082, {}, {}}).width, 0.082);
  EXPECT_EQ(error_of([&] { with({0.0019, {}, {}}); }),
            "width is 0.0019 m; the gripper goes from 0.002 to 0.082 m");
  EXPECT_EQ(error_of([&] { with({0.0821, {}, {}}); }),
            "width is 0.0821 m; the gripper goes from 0.002 to 0.082 m");
  EXPECT_EQ(error_of([&] { with({{}, 0.21, {}}); }), "speed is 0.21 m/s; the gripper has 0.2 m/s");
  EXPECT_EQ(error_of([&] { with({{}, {}, 61.0}); }), "force is 61 N; the gripper has 60 N");
}

}  // namespace end_effector_test
}  // namespace handspan
