#include "plant/plant.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace handspan {
namespace plant_test {

PlantLayout every_kind() {
  PlantLayout layout;
  for (const GroupKind kind : {GroupKind::kTorque, GroupKind::kVelocity, GroupKind::kPosition,
                               GroupKind::kSuction, GroupKind::kGripper}) {
    GroupLayout group;
    group.name = "group" + std::to_string(layout.groups.size());
    group.kind = kind;
    if (kind != GroupKind::kSuction) group.joints = {"a", "b"};
    layout.groups.push_back(group);
  }
  return layout;
}

TEST(PlantLayout, SizesOfCommandsAndStatesAreByKind) {
  const PlantLayout layout = every_kind();
  const Command command = Command::zero(layout);
  ASSERT_EQ(command.groups.size(), 5U);
  const Eigen::Index commands[] = {2, 2, 2, 1, kGripperCommandSize}, states[] = {2, 2, 2, 1, 2};
  for (std::size_t g = 0; g < 5; ++g) {
    EXPECT_EQ(layout.groups[g].size(), commands[g]) << g;
    EXPECT_EQ(layout.groups[g].states(), states[g]) << g;
    EXPECT_EQ(command.groups[g], Eigen::VectorXd::Zero(commands[g]).eval()) << g;
  }
}

TEST(PlantLayout, AGroupIsFoundByItsName) {
  const PlantLayout layout = every_kind();
  EXPECT_EQ(layout.group("group3"), 3);
  try {
    layout.group("group");
    ADD_FAILURE();
  } catch (const std::out_of_range& error) {
    EXPECT_STREQ(error.what(),
                 "the plant has no group 'group'; it has group0, group1, group2, group3, group4");
  }
}

TEST(PlantStatus, EachHasANameOfItsOwn) {
  std::set<std::string> names;
  for (const PlantStatus status : {PlantStatus::kRunning, PlantStatus::kReflex,
                                   PlantStatus::kProtectiveStop, PlantStatus::kPacketLoss})
    names.insert(name_of(status));
  EXPECT_EQ(names, (std::set<std::string>{"running", "reflex", "protective stop", "packet loss"}));
}

}  // namespace plant_test
}  // namespace handspan
