// From a scene and YAML to commands: groups of two rates in one QP, measurements that fail, errors.
#include "control/whole_arm.hpp"

#include <gtest/gtest.h>

#include "control/control_parts.hpp"
#include "control/frame_task.hpp"
#include "core/config.hpp"
#include "mujoco/mujoco_plant.hpp"
#include "support/alloc.hpp"
#include "support/parts.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace whole_arm_test {

const char* const kScene = R"(
robots:
  left: {robot: fr3, tool: plate, pose: ready}
  picker: {robot: ur10, tool: vacuum, base: {position: [1.6, 0.0, 0.0]}, pose: stance}
fixtures:
  post: {pose: {position: [0.8, 0.6, 0.3]}, shapes: [{type: box, size: [0.1, 0.1, 0.6]}]}
)";

const std::string kArms = R"(arms:
  left.arm: {feedback: commanded}
  picker.arm: {feedback: commanded}
)";
const std::string kTasks = R"(tasks:
  hand: {type: pose, frame: left.tcp, stiffness: 100}
  cup: {type: pose, frame: picker.suction, stiffness: 45}
  elbow: {type: posture, robot: left, joint: left.joint1, weight: 10}
)";
const std::string kConstraints = R"(constraints:
  - {type: torque_limits}
  - {type: jerk_limits}
  - {type: cartesian_limits, frame: left.flange}
  - {type: collision, pairs: [[left.pad_body, post], [left.pad_body, picker.forearm]]}
)";

struct Set {
  explicit Set(const std::string& config = kArms + kTasks + kConstraints)
      : scene(test::scene_of(kScene)),
        plant(scene),
        arms(parse_yaml(config, "arms.yaml", whole_arm_schema(parts_of<register_control>())), scene,
             plant.layout(), kSecond / 1000),
        command(Command::zero(plant.layout())) {
    arms.start(plant.read());
  }

  void tick() {
    arms.update(plant.read(), ticks++, command);
    plant.write(command);
    plant.advance();
  }
  Eigen::VectorXd& of(const char* group) {
    return command.groups[static_cast<std::size_t>(plant.layout().group(group))];
  }

  Scene scene;
  MujocoPlant plant;
  WholeArm arms;
  Command command;
  std::int64_t ticks = 0;
};

std::string error_of(const std::string& config) {
  try {
    const Set set(config);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(WholeArm, BothRatesReachTheirGoals) {
  Set set;
  for (const char* name : {"hand", "cup"}) {
    auto& task = dynamic_cast<FrameTask&>(set.arms.task(name));
    PoseReference goal = task.reference();
    goal.X_WE.p.z() += 0.1;
    task.set_reference(goal);
  }
  for (int i = 0; i < 4000; ++i) set.tick();
  for (const char* name : {"hand", "cup"})
    // the FR3's dry friction, not compensated here, keeps it some tenths of a millimetre away
    EXPECT_LT(dynamic_cast<FrameTask&>(set.arms.task(name)).pose_error().norm(), 1e-3) << name;
  EXPECT_EQ(set.arms.problem().counts().relaxed, 0U);
  EXPECT_EQ(set.arms.problem().counts().failed, 0U);
}

TEST(WholeArm, ASlowerGroupKeepsItsAccelerationAndCommandBetweenItsTicks) {
  Set set;
  auto& task = dynamic_cast<FrameTask&>(set.arms.task("cup"));
  PoseReference goal = task.reference();
  goal.X_WE.p.z() += 0.1;
  task.set_reference(goal);
  const auto picker = static_cast<std::size_t>(set.arms.system().mechanism("picker"));
  Eigen::VectorXd command, qdd;
  int changes = 0;
  for (int i = 0; i < 80; ++i) {
    set.tick();
    const Eigen::VectorXd& now = set.arms.state().mechanisms[picker].qdd;
    if (i % 8 != 0) {
      EXPECT_EQ(set.of("picker.arm"), command) << "tick " << i;
      EXPECT_LT((now - qdd).norm(), 1e-9) << "tick " << i;
    } else if (i > 0 && now != qdd) {
      ++changes;
    }
    command = set.of("picker.arm");
    qdd = now;
  }
  EXPECT_EQ(changes, 9);
}

TEST(WholeArm, NonFiniteMeasurementsAreCountedAndNoCommandIsNonFinite) {
  Set set;
  for (int i = 0; i < 50; ++i) set.tick();
  Observation broken = set.plant.read();
  for (auto& group : broken.groups) group.q.setConstant(std::nan(""));
  for (int i = 0; i < 50; ++i) {
    set.arms.update(broken, set.ticks++, set.command);
    for (const auto& group : set.command.groups) ASSERT_TRUE(group.allFinite());
  }
  std::uint64_t counted = 0;
  for (std::size_t a = 0; a < set.arms.arms(); ++a)
    counted += set.arms.drive(static_cast<int>(a)).not_finite();
  EXPECT_GE(counted, 50U);
  EXPECT_EQ(set.arms.problem().counts().failed, 0U);
}

const std::string kElbow = "tasks: {elbow: {type: posture, robot: left, joint: left.joint1}}\n";

TEST(WholeArm, AnAppSaysWhatAccelerationControlMayAskFor) {
  const auto of = [](const std::string& arm) {
    const Set set("arms: {left.arm: " + arm + "}\n" + kElbow);
    std::vector<double> found;
    for (const auto& limits : set.arms.system().mechanisms()[0].limits)
      found.push_back(limits.acceleration);
    return found;
  };
  EXPECT_EQ(of("{}"), std::vector<double>(7, 10.0)) << "limits.yaml's";
  EXPECT_EQ(of("{acceleration: [20, 21, 22, 23, 24, 25, 26]}"),
            (std::vector<double>{20, 21, 22, 23, 24, 25, 26}));
}

TEST(WholeArmHeap, ATickDoesNotTouchTheHeap) {
  Set set;
  ChannelTable channels;
  set.arms.declare(channels, Rate::hz(1000));
  channels.seal();
  for (int i = 0; i < 20; ++i) set.tick();
  auto& task = dynamic_cast<FrameTask&>(set.arms.task("hand"));
  PoseReference goal = task.reference();
  goal.X_WE.p.x() += 0.3;
  const test::AllocationCount allocations;
  task.set_reference(goal);
  for (int i = 0; i < 200; ++i) {
    set.arms.update(set.plant.read(), set.ticks++, set.command);
    set.arms.publish(channels, set.ticks);
  }
  EXPECT_EQ(allocations.count(), 0U);
}

TEST(WholeArm, APayloadCarriedFromTheStartIsInTheFirstTorque) {
  const std::string payload = "payloads:\n  box: {frame: left.tcp, mass: 2 kg, carried: true}\n";
  Set without, with(kArms + kTasks + kConstraints + payload);
  without.tick();
  with.tick();
  EXPECT_GT((with.of("left.arm") - without.of("left.arm")).norm(), 5.0);
  EXPECT_THROW(with.arms.carry("bax", false), InputError);
}

TEST(WholeArm, ErrorsNameTheirPlaceAndTheHint) {
  const auto says = [](const std::string& config, const std::string& text) {
    const std::string message = error_of(config);
    EXPECT_NE(message.find(text), std::string::npos) << message;
  };
  says("arms: {left.arn: {}}\n" + kTasks, "did you mean 'left.arm'?");
  says(kArms + "tasks:\n  hand: {type: pose, frame: left.tcq}\n", "did you mean 'left.tcp'?");
  says(kArms + "tasks:\n  hand: {type: pose, frame: left.tcq}\n", "arms.yaml:5: tasks.hand");
  says(kArms + kTasks + "constraints: [{type: collision, pairs: [[left.pad_body, pots]]}]\n",
       "did you mean 'post'?");
  says("arms: {left.arm: {acceleration: [20, 20, 20, 20, 5, 20, 20]}}\n" + kElbow,
       "acceleration: 5 rad/s^2 for 'left.joint5' is less than its braking deceleration of 5.8 "
       "rad/s^2; give at least that");
  says(kArms + kTasks + "optimisation: {priority: [jerk, jerk]}\n", "names a kind twice");
  says(kArms + kTasks + "payloads: {box: {frame: left.tcp, mass: 0 kg}}\n", "it must be > 0");
}

}  // namespace whole_arm_test
}  // namespace handspan
