#include "bench/control/two_arm_loop.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "control/collision.hpp"
#include "control/control_parts.hpp"
#include "core/config.hpp"
#include "mujoco/mujoco_plant.hpp"
#include "scene/load_scene.hpp"
#include "scene/scene.hpp"

namespace handspan {
namespace {

// the problem, as bench/peer_process.hpp has it
constexpr Nanoseconds kStep = kSecond / 1000;
constexpr double kRadius = 0.1, kFrequency = 0.5;
constexpr int kWarmUpTicks = 2000, kMeasuredTicks = 20000;
constexpr double kLargestTracking = 1e-3;  // [m]

// the arms of two_arms.hpp; the post stands between them
constexpr const char* kScene = R"(name: two_arms
robots:
  left: {robot: fr3, base: {position: [0.0, 0.4, 0.0]}, pose: ready}
  right: {robot: fr3, base: {position: [0.0, -0.4, 0.0]}, pose: ready}
fixtures:
  table: {pose: {position: [0.55, 0.0, 0.1]}, shapes: [{type: box, size: [0.6, 1.6, 0.2]}]}
  post: {pose: {position: [0.45, -0.1, 0.5]}, shapes: [{type: box, size: [0.16, 0.16, 0.6]}]}
)";

constexpr const char* kTasks = R"(tasks:
  left_hand: {type: pose, frame: left.flange, stiffness: 400}
  right_hand: {type: pose, frame: right.flange, stiffness: 400}
  left_posture: {type: posture, robot: left, stiffness: 10, weight: 1.0e-5}
  right_posture: {type: posture, robot: right, stiffness: 10, weight: 1.0e-5}
)";

constexpr const char* kWithoutCollision = R"(arms:
  left.arm: {feedback: measured}
  right.arm: {feedback: measured}
constraints:
  - {type: torque_limits, rate: false}
)";

constexpr const char* kLimits = R"(arms:
  left.arm: {feedback: commanded}
  right.arm: {feedback: commanded}
constraints:
  - {type: torque_limits}
  - {type: jerk_limits}
  - {type: cartesian_limits, frame: left.flange}
  - {type: cartesian_limits, frame: right.flange}
)";

constexpr const char* kPairs = R"(  - type: collision
    influence: 0.7
    pairs:
      - [left.link5, post]
      - [left.link6, post]
      - [left.link7, post]
      - [right.link5, post]
      - [right.link6, post]
      - [right.link7, post]
      - [left.link6, table]
      - [left.link7, table]
      - [right.link6, table]
      - [right.link7, table]
  # the hands are 0.8 m apart
  - {type: collision, influence: 0.9, pairs: [[left.link6, right.link6], [left.link7, right.link7]]}
)";

// of each arm 8 with what is around and 9 with itself, and 26 between the two
constexpr const char* kManyPairs = R"(  - type: collision
    influence: 1.0
    pairs:
      - [left.link4, post]
      - [left.link5, post]
      - [left.link6, post]
      - [left.link7, post]
      - [right.link4, post]
      - [right.link5, post]
      - [right.link6, post]
      - [right.link7, post]
      - [left.link4, table]
      - [left.link5, table]
      - [left.link6, table]
      - [left.link7, table]
      - [right.link4, table]
      - [right.link5, table]
      - [right.link6, table]
      - [right.link7, table]
      - [left.link5, left.base]
      - [left.link5, left.link1]
      - [left.link5, left.link2]
      - [left.link6, left.base]
      - [left.link6, left.link1]
      - [left.link6, left.link2]
      - [left.link7, left.base]
      - [left.link7, left.link1]
      - [left.link7, left.link2]
      - [right.link5, right.base]
      - [right.link5, right.link1]
      - [right.link5, right.link2]
      - [right.link6, right.base]
      - [right.link6, right.link1]
      - [right.link6, right.link2]
      - [right.link7, right.base]
      - [right.link7, right.link1]
      - [right.link7, right.link2]
      - [left.link2, right.link2]
      - [left.link3, right.link3]
      - [left.link3, right.link4]
      - [left.link3, right.link5]
      - [left.link3, right.link6]
      - [left.link3, right.link7]
      - [left.link4, right.link3]
      - [left.link4, right.link4]
      - [left.link4, right.link5]
      - [left.link4, right.link6]
      - [left.link4, right.link7]
      - [left.link5, right.link3]
      - [left.link5, right.link4]
      - [left.link5, right.link5]
      - [left.link5, right.link6]
      - [left.link5, right.link7]
      - [left.link6, right.link3]
      - [left.link6, right.link4]
      - [left.link6, right.link5]
      - [left.link6, right.link6]
      - [left.link6, right.link7]
      - [left.link7, right.link3]
      - [left.link7, right.link4]
      - [left.link7, right.link5]
      - [left.link7, right.link6]
      - [left.link7, right.link7]
)";

std::string constraints_of(TwoArmProblem problem) {
  if (problem == TwoArmProblem::kWithoutCollision) return kWithoutCollision;
  return std::string(kLimits) + (problem == TwoArmProblem::kManyPairs ? kManyPairs : kPairs);
}

}  // namespace

int collision_pairs(TwoArmProblem problem) {
  switch (problem) {
    case TwoArmProblem::kWithoutCollision:
      return 0;
    case TwoArmProblem::kAllLimits:
      return TwoArmLoop::kCollisionPairs;
    case TwoArmProblem::kManyPairs:
      return TwoArmLoop::kManyCollisionPairs;
  }
  return 0;
}

TwoArmSetup two_arm_setup(const std::filesystem::path& root, const char* tasks,
                          TwoArmProblem problem) {
  TwoArmSetup made;
  made.scene = parse_scene(kScene, root / "scenes" / "two_arms.yaml");
  MujocoPlant plant(made.scene);
  made.layout = plant.layout();
  made.observation = plant.read();
  made.config = constraints_of(problem) + (tasks != nullptr ? tasks : kTasks);
  return made;
}

TwoArmLoop::TwoArmLoop(TwoArmProblem problem, const std::filesystem::path& root) {
  TwoArmSetup made = two_arm_setup(root, nullptr, problem);
  scene_ = std::move(made.scene);
  layout_ = std::move(made.layout);
  observation_ = std::move(made.observation);
  command_ = Command::zero(layout_);
  Parts parts;
  register_control(parts);
  arms_ = std::make_unique<WholeArm>(
      parse_yaml(made.config, "two_arms.yaml", whole_arm_schema(parts)), scene_, layout_, kStep);
  arms_->start(observation_);
  for (const char* name : {"left_hand", "right_hand"}) {
    auto& task = dynamic_cast<FrameTask&>(arms_->task(name));
    hands_.push_back({&task, task.reference().X_WE});
  }
}

void TwoArmLoop::refer() {
  const double w = 2.0 * std::numbers::pi * kFrequency,
               t = seconds(kStep) * static_cast<double>(ticks_), c = std::cos(w * t),
               s = std::sin(w * t);
  for (const Hand& hand : hands_) {
    PoseReference reference;
    reference.X_WE = hand.start;
    reference.X_WE.p += kRadius * Eigen::Vector3d(0.0, c - 1.0, s);
    reference.V_WE.head<3>() = kRadius * w * Eigen::Vector3d(0.0, -s, c);
    reference.A_WE.head<3>() = kRadius * w * w * Eigen::Vector3d(0.0, -c, -s);
    hand.task->set_reference(reference);
  }
}

void TwoArmLoop::tick() { arms_->update(observation_, ticks_++, command_); }

void integrate_two_arms(const WholeArm& arms, const PlantLayout& layout, const Command& command,
                        Observation& observation) {
  constexpr double dt = seconds(kStep);
  for (std::size_t g = 0; g < layout.groups.size(); ++g) {
    GroupState& group = observation.groups[g];
    const auto m = static_cast<std::size_t>(arms.system().mechanism(layout.groups[g].robot));
    // the joints of a group and of its robot are the same seven in one order
    const Eigen::VectorXd& qdd = arms.state().mechanisms[m].qdd;
    group.q += dt * group.v + 0.5 * dt * dt * qdd;
    group.v += dt * qdd;
    group.tau = command.groups[g];
  }
  observation.stamp += kStep;
  ++observation.sequence;
}

void TwoArmLoop::integrate() { integrate_two_arms(*arms_, layout_, command_, observation_); }

double TwoArmLoop::error() const {
  double largest = 0.0;
  for (const Hand& hand : hands_)
    largest = std::max(largest, hand.task->pose_error().head<3>().norm());
  return largest;
}

int TwoArmLoop::pairs_near() const {
  int near = 0;
  for (const auto& constraint : arms_->problem().constraints()) {
    const auto* collision = dynamic_cast<const Collision*>(constraint.get());
    if (collision == nullptr) continue;
    // anew: the constraint itself passes over what cannot matter in this tick
    DistanceData data(collision->model());
    update_distances(collision->model(), collision->robots(), data, collision->config().influence);
    for (const Distance& distance : data.distances) near += distance.shape_a >= 0;
  }
  return near;
}

TickSamples measure_two_arms(TwoArmProblem problem, const std::filesystem::path& root) {
  TwoArmLoop loop(problem, root);
  const int pairs = collision_pairs(problem);
  TickSamples samples;
  samples.seconds.reserve(kMeasuredTicks);
  for (int k = 0; k < kWarmUpTicks + kMeasuredTicks; ++k) {
    loop.refer();
    const auto begin = std::chrono::steady_clock::now();
    loop.tick();
    const auto end = std::chrono::steady_clock::now();
    if (k >= kWarmUpTicks) {
      samples.seconds.push_back(std::chrono::duration<double>(end - begin).count());
      samples.tracking = std::max(samples.tracking, loop.error());
    }
    if (k % 100 == 0 && loop.pairs_near() != pairs)
      throw std::runtime_error(fmt::format("tick {}: {} of {} pairs are near enough to be measured",
                                           k, loop.pairs_near(), pairs));
    loop.integrate();
  }
  const ProblemCounts& counts = loop.arms().problem().counts();
  if (counts.failed + counts.relaxed > 0)
    throw std::runtime_error(
        fmt::format("the QP failed in {} ticks and gave way in {}", counts.failed, counts.relaxed));
  if (!(samples.tracking <= kLargestTracking))
    throw std::runtime_error(fmt::format("a hand was {:.3f} mm from its circle; {} mm is allowed",
                                         1e3 * samples.tracking, 1e3 * kLargestTracking));
  return samples;
}

}  // namespace handspan
