#pragma once
// Arms of a scene that a whole-arm controller moves in the simulated plant, after references that
// sources move: the loop of a session, without an app.
#include <memory>
#include <string>

#include "control/control_parts.hpp"
#include "control/velocity_law.hpp"
#include "control/whole_arm.hpp"
#include "core/config.hpp"
#include "mujoco/mujoco_plant.hpp"
#include "reference/arbiter.hpp"
#include "reference/reference_parts.hpp"
#include "reference/twist_reference.hpp"
#include "support/parts.hpp"
#include "support/scenes.hpp"

namespace handspan::test {

/// Asks for a twist, in W [m/s, rad/s].
struct TwistWish {
  Vector6d V_WE = Vector6d::Zero();
  Axes axes = kAllAxes;
  SourceStatus status = SourceStatus::kActive;
};

class TwistSource : public Source {
 public:
  /// @param wish outlives it
  explicit TwistSource(const TwistWish& wish) : wish_(wish) {}
  std::string_view asks_for() const override { return kTwistKind; }
  void start(const Moment&, const Motion&) override {}
  SourceAnswer update(const Moment&, const Motion&, Motion& wanted) override {
    wanted.pose.V_WE = wish_.V_WE;
    return {wish_.status, "the stick is gone", wish_.axes, 1.0};
  }

 private:
  const TwistWish& wish_;
};

inline const char* const kTwistScene = "robots: {left: {robot: fr3, tool: plate, pose: ready}}\n";

/// `whole_arm` of an app for that scene: the QP, and resolved-rate control.
inline const char* const kTwistQp = R"(
arms: {left.arm: {feedback: commanded, friction: [0.18, 0.18, 0.18, 0.18, 0.18, 0.18, 0.18]}}
tasks:
  hand: {type: twist, frame: left.tcp}
  posture: {type: posture, robot: left, stiffness: 10, weight: 1.0e-4}
)";
inline const char* const kTwistLaw = R"(
type: resolved_rate
arms: {left.arm: {friction: [0.18, 0.18, 0.18, 0.18, 0.18, 0.18, 0.18]}}
tasks:
  hand: {type: twist, frame: left.tcp}
  posture: {type: posture, robot: left, stiffness: 10, weight: 1.0e-4}
)";

inline std::unique_ptr<ArmsController> arms_of(const std::string& yaml, const Scene& scene,
                                               const PlantLayout& layout, const Parts& parts) {
  if (yaml.find("type: resolved_rate") == std::string::npos)
    return std::make_unique<WholeArm>(parse_yaml(yaml, "arms.yaml", whole_arm_schema(parts)), scene,
                                      layout, kSecond / 1000);
  return parse_yaml(yaml, "arms.yaml", parts.of<ArmsRegistry>().schema())
      .make(ArmsContext{scene, layout, kSecond / 1000});
}

class TwistRig {
 public:
  /// @param arms_text `whole_arm` of an app  @param reference limits of the references of twists
  /// @param scene_text of a scene with the robot `left`
  explicit TwistRig(const std::string& arms_text, const std::string& reference = "{type: twist}",
                    const std::string& scene_text = kTwistScene,
                    const Parts& parts = parts_of<register_control, register_references>())
      : scene(scene_of(scene_text)),
        plant(scene),
        arms(arms_of(arms_text, scene, plant.layout(), parts)),
        qp(dynamic_cast<WholeArm*>(arms.get())),
        arbiter(events, qp),
        command(Command::zero(plant.layout())) {
    arms->start(plant.read());
    const auto& kinds = parts.of<ReferenceRegistry>();
    for (Task* task : arms->all_tasks()) {
      const std::string kind(task->reference_kind());
      const auto part = kind == kTwistKind
                            ? parse_yaml(reference, "reference.yaml", reference_schema(kinds))
                            : kinds.plain(kind);
      arbiter.add(part.make({*task, qp}));
    }
    arbiter.start();
    hand = arbiter.find_reference("hand");
    limits = scene.robot("left")->limits;
  }

  void give(SourceIndex source, const Axes& axes = kAllAxes) {
    const Authority authority{source, axes, 1.0, true};
    arbiter.give_authority(hand, {&authority, 1}, moment);
  }
  void tick() {
    arms->observe(plant.read(), moment.tick);
    moment.observation = &plant.read();
    events.clear(moment.tick);
    arbiter.update(moment);
    arms->solve(command);
    plant.write(command);
    plant.advance();
    ++moment.tick;
    moment.now += kSecond / 1000;
  }
  /// Ticks of a millisecond; `after` each of them.
  template <class F>
  void run(double time, F&& after) {
    for (int i = 0; i < static_cast<int>(time * 1000.0 + 0.5); ++i) {
      tick();
      after();
    }
  }
  void run(double time) {
    run(time, [] {});
  }
  const PoseReference& reference() const { return arbiter.reference(hand).motion().pose; }
  const TwistTask& task() const {
    return dynamic_cast<const TwistTask&>(arbiter.reference(hand).task());
  }
  /// Where the hand is by the measured joints, and how it moves.
  ArmFrame measured() {
    const RobotModel model(scene.robot("left")->description, scene.physics.gravity);
    RobotData data(model);
    Eigen::VectorXd q = model.neutral(), v = Eigen::VectorXd::Zero(model.nv());
    const auto g = static_cast<std::size_t>(plant.layout().group("left.arm"));
    for (std::size_t j = 0; j < plant.layout().groups[g].joints.size(); ++j) {
      const JointSlot& slot = model.joint(plant.layout().groups[g].joints[j]);
      q[slot.q] = plant.read().groups[g].q[static_cast<Eigen::Index>(j)];
      v[slot.v] = plant.read().groups[g].v[static_cast<Eigen::Index>(j)];
    }
    update_kinematics(model, data, q, v);
    const FrameId frame = model.frame("left.tcp");
    return {frame_pose(model, data, frame), frame_velocity(model, data, frame)};
  }
  /// How far the measured joints are beyond their limits of position, at most [rad]; negative:
  /// within them. And the fastest joint, as a multiple of its speed limit.
  std::pair<double, double> beyond_limits() {
    const auto g = static_cast<std::size_t>(plant.layout().group("left.arm"));
    double beyond = -HUGE_VAL, speed = 0.0;
    for (std::size_t j = 0; j < plant.layout().groups[g].joints.size(); ++j) {
      const JointLimits& l = *limits.find(plant.layout().groups[g].joints[j]);
      const auto k = static_cast<Eigen::Index>(j);
      const double q = plant.read().groups[g].q[k];
      beyond = std::max({beyond, l.lower - q, q - l.upper});
      speed = std::max(speed, std::abs(plant.read().groups[g].v[k]) / l.velocity);
    }
    return {beyond, speed};
  }

  Scene scene;
  MujocoPlant plant;
  std::unique_ptr<ArmsController> arms;
  WholeArm* qp;  // null: it is another controller
  EventList events;
  Arbiter arbiter;
  Command command;
  Moment moment;
  ReferenceIndex hand;
  RobotLimits limits;
};

}  // namespace handspan::test
