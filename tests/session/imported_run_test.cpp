// A robot of somebody's URDF, by an app of a few lines: held, and jogged by a headset's controller.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "device/headset.hpp"
#include "import/import.hpp"
#include "import/import_write.hpp"
#include "session/session.hpp"
#include "session/session_support.hpp"

namespace handspan {
namespace imported_run_test {

std::string link(const std::string& name, double mass) {
  return fmt::format(
      "<link name='{}'><inertial><origin xyz='0 0 0.1'/><mass value='{}'/><inertia ixx='0.01' "
      "iyy='0.01' izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial></link>\n",
      name, mass);
}

std::string joint(const std::string& name, const char* type, const std::string& parent,
                  const std::string& child, const char* xyz, const char* axis,
                  const std::string& rest) {
  return fmt::format(
      "<joint name='{}' type='{}'><parent link='{}'/><child link='{}'/><origin xyz='{}'/><axis "
      "xyz='{}'/>{}</joint>\n",
      name, type, parent, child, xyz, axis, rest);
}

// six turning joints, and three fingers of which one mimics the first and one the one that mimics
std::string urdf() {
  // two of them bent where the importer has them at first
  const std::string turns = "<limit lower='-2.5' upper='2.5' effort='100' velocity='2'/>";
  const std::string bends = "<limit lower='0.2' upper='1.8' effort='100' velocity='2'/>";
  const std::string slides = "<limit lower='0' upper='0.04' effort='50' velocity='0.2'/>";
  std::string text = "<robot name='own'>\n" + link("base", 5.0);
  const char* const axes[] = {"0 0 1", "0 1 0", "0 1 0", "0 0 1", "0 1 0", "0 0 1"};
  std::string parent = "base";
  for (int i = 1; i <= 6; ++i) {
    const std::string child = "link" + std::to_string(i);
    text += link(child, 2.0) + joint("joint" + std::to_string(i), "revolute", parent, child,
                                     "0 0 0.2", axes[i - 1], i == 2 || i == 3 ? bends : turns);
    parent = child;
  }
  text += link("finger1", 0.05) + link("finger2", 0.05);
  text += joint("grip1", "prismatic", parent, "finger1", "0 0.02 0.2", "0 1 0", slides);
  text += link("finger3", 0.05) + joint("grip3", "prismatic", parent, "finger3", "0 -0.02 0.25",
                                        "0 -1 0", slides + "<mimic joint='grip2'/>");
  text += joint("grip2", "prismatic", parent, "finger2", "0 -0.02 0.2", "0 -1 0",
                slides + "<mimic joint='grip1' multiplier='0.5' offset='0.01'/>");
  return text + "</robot>\n";
}

const char* const kApp = R"(whole_arm:
  arms: {arm.arm: {}}
  tasks:
    hand: {type: pose, frame: arm.link6, stiffness: 100}
    posture: {type: posture, robot: arm, weight: 0.001}
  constraints: [{type: torque_limits}]
devices: {headset: {driver: {type: headset}}}
sources:
  person: {type: hand, device: headset, pose: right, clutch: {safety: right.squeeze}}
machines:
  arm:
    start: follow
    states: {follow: {do: [{type: follow, task: hand, sources: [{source: person}]}]}}
)";

TEST(ImportedRun, IsHeldAndJoggedWithItsMimicFinger) {
  const test::AppFolder folder("name: own\nrobots:\n  arm: {robot: ./own_robot}\n");
  const auto file = folder.path() / "own.urdf";
  std::ofstream(file) << urdf();
  write_robot_folder(import_robot(file), folder.path() / "own_robot");
  const App app = folder.app(kApp);
  Session session(app);
  World& world = *session.world();
  const int hand = world.body("arm.link6"), one = world.body("arm.finger1"),
            two = world.body("arm.finger2");
  const auto run = [&](double seconds, double z_hand, bool squeezed) {
    DeviceSample sample("headset", headset_layout());
    for (const Nanoseconds end = session.now() + std::llround(1e9 * seconds);
         session.now() < end;) {
      if (session.now() % 11'000'000 == 0) {
        sample.set_stamp(session.now());
        const double z = z_hand * (1.0 - static_cast<double>(end - session.now()) / 1e9 / seconds);
        sample.set_pose(1, TrackedAs::kController, {0.0, 1.0 + z, 0.0},
                        Eigen::Quaterniond::Identity());
        sample.set_axis(5, squeezed ? 1.0 : 0.0);
        session.mailbox("headset").post(sample.input());
      }
      session.tick();
    }
  };
  const Eigen::Vector3d before = world.body_pose(hand).p;
  run(1.0, 0.0, false);
  EXPECT_LT((world.body_pose(hand).p - before).norm(), 1e-3) << "it is not held";
  run(0.5, 0.0, true);
  run(1.0, -0.1, true);
  run(0.5, 0.0, false);
  const Eigen::Vector3d moved = world.body_pose(hand).p - before;
  EXPECT_NEAR(moved.z(), -0.1, 0.01);
  EXPECT_LT(moved.head<2>().norm(), 0.01);
  const auto slid = [&](int finger) {
    return (world.body_pose(hand).inverse() * world.body_pose(finger)).p.y();
  };
  EXPECT_NEAR(slid(two) + 0.02, -(0.5 * (slid(one) - 0.02) + 0.01), 2e-3) << "the mimic finger";
  EXPECT_NEAR(slid(world.body("arm.finger3")), slid(two), 2e-3) << "what mimics the mimic finger";
}

}  // namespace imported_run_test
}  // namespace handspan
