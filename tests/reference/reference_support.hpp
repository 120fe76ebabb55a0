#pragma once
// What the tests of references share: an arbiter that moves the references of a scene's arms, and
// sources that ask for what a test says.
#include <deque>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "control/control_parts.hpp"
#include "control/whole_arm.hpp"
#include "control/wrench_task.hpp"
#include "core/config.hpp"
#include "math/so3.hpp"
#include "mujoco/mujoco_plant.hpp"
#include "reference/arbiter.hpp"
#include "reference/reference_parts.hpp"
#include "reference/wrench_reference.hpp"
#include "support/parts.hpp"
#include "support/scenes.hpp"

namespace handspan::test {

/// What a source asks for, from where its reference was when it began; by itself to stay there.
struct Wish {
  Eigen::Vector3d p = Eigen::Vector3d::Zero(), turn = Eigen::Vector3d::Zero();  // in W [m, rad]
  Eigen::Vector3d v = Eigen::Vector3d::Zero();  // at which it moves on, in W [m/s]
  Eigen::VectorXd dq;                           // of joints [rad]
  Vector6d wrench = Vector6d::Zero();           // not from anywhere [N, N m]
  SourceStatus status = SourceStatus::kActive;
  const char* reason = "the clutch is open";
  Axes axes = kAllAxes;
  double share = 1.0;                           // of its authority
  bool ends = false;                            // it is a plan
  bool jump = false, jumps = false;             // it announces a jump; it may do so
  Eigen::Vector3d a = Eigen::Vector3d::Zero();  // feed-forward beside v, in W [m/s^2]
  bool shares_feedback = false;                 // it may give shares of feedback
  std::optional<FeedbackShares> feedback = {};
  Eigen::Matrix3d R_WO = Eigen::Matrix3d::Identity();
  int starts = 0;  // how often it began
};

/// Asks for a wish. Of a kind that is none of handspan's own it asks for the velocity.
class WishSource : public Source {
 public:
  /// @param wish outlives it
  WishSource(Wish& wish, std::string_view kind) : wish_(wish), kind_(kind) {}

  std::string_view asks_for() const override { return kind_; }
  void start(const Moment&, const Motion& reference) override {
    from_ = reference;
    ++wish_.starts;
  }
  SourceAnswer update(const Moment& moment, const Motion&, Motion& wanted) override {
    if (kind_ == kJointsKind) {
      wanted.q = from_.q + wish_.dq;
      wanted.v.setZero();
      wanted.a.setZero();
    } else if (kind_ == kWrenchKind) {
      wanted.wrench = wish_.wrench;
    } else {
      Pose& X = from_.pose.X_WE;
      X.p += moment.dt * wish_.v;
      wanted.pose = {};
      wanted.pose.X_WE = {exp_so3(wish_.turn) * X.R, X.p + wish_.p};
      wanted.pose.V_WE.head<3>() = wish_.v;
      wanted.pose.A_WE.head<3>() = wish_.a;
    }
    return {wish_.status, wish_.reason, wish_.axes, wish_.share, wish_.jump, wish_.feedback};
  }
  bool ends() const override { return wish_.ends; }
  bool jumps() const override { return wish_.jumps; }
  bool shares_feedback() const override { return wish_.shares_feedback; }
  Eigen::Matrix3d R_WO() const override { return wish_.R_WO; }
  void state(StateArchive& archive) override { archive(from_); }

 private:
  Wish& wish_;
  std::string kind_;
  Motion from_;
};

/// The parts of a whole-arm controller and its references.
inline const Parts& reference_test_parts() {
  return parts_of<register_control, register_references>();
}

/// Arms that stay where they are, and a reference for each of their tasks that follows one, as it
/// is by itself and by its own limits. What is asked for has to lie within the leash from there.
class ReferenceRig {
 public:
  /// @param scene_text, arms_text YAML: a scene's, and that of `whole_arm` in an app
  ReferenceRig(const std::string& scene_text, const std::string& arms_text,
               const Parts& parts = reference_test_parts())
      : scene(scene_of(scene_text)),
        plant(scene),
        arms(parse_yaml(arms_text, "arms.yaml", whole_arm_schema(parts)), scene, plant.layout(),
             kSecond / 1000) {
    arms.start(plant.read());
    const auto& kinds = parts.of<ReferenceRegistry>();
    for (const auto& task : arms.problem().tasks()) {
      const std::string kind(task->reference_kind());
      if (kind == kWrenchKind)
        // whether its loop closure is closed, the state says
        arbiter.add(std::make_unique<WrenchReference>(dynamic_cast<WrenchTask&>(*task),
                                                      arms.state(), WrenchReferenceLimits{}));
      else if (!kind.empty())
        arbiter.add(kinds.plain(kind).make({*task}));
    }
    arbiter.start();
  }

  /// Adds a source of that name; its wish is wishes.back().
  SourceIndex add_source(const std::string& name, std::string_view kind = kPoseKind) {
    return arbiter.add_source(name, std::make_unique<WishSource>(wishes.emplace_back(), kind));
  }
  /// These have authority from now on; none: the reference holds.
  void give(ReferenceIndex reference, std::initializer_list<Authority> authorities,
            const AuthorityAxes& axes = {}) {
    arbiter.give_authority(reference, {authorities.begin(), authorities.size()}, moment, axes);
  }
  /// Ticks of a millisecond; `events` are those of the last one.
  void run(double time) {
    for (int i = 0; i < static_cast<int>(time * 1000.0 + 0.5); ++i) {
      ++moment.tick;
      moment.now += kSecond / 1000;
      events.clear(moment.tick);
      arbiter.update(moment);
    }
  }
  const Motion& motion(ReferenceIndex r) const { return arbiter.reference(r).motion(); }
  /// A task of the arms. @throws std::bad_cast when it is not of that type
  template <class T>
  T& task(std::string_view name) {
    return dynamic_cast<T&>(arms.task(name));
  }

  Scene scene;
  MujocoPlant plant;
  WholeArm arms;
  EventList events;
  Arbiter arbiter{events};
  std::deque<Wish> wishes;  // one of each source; they stay where they are in memory
  Moment moment;
};

}  // namespace handspan::test
