// What every reference does whatever its kind: it shows what it is and what was wanted, gives it to
// its task, keeps it in a snapshot. And kinds by name: those of handspan, and one of this file.
#include "reference/reference.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "control/posture_task.hpp"
#include "core/config_helpers.hpp"
#include "core/error.hpp"
#include "reference/joint_reference.hpp"
#include "reference_support.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace reference_test {

const char* const kScene = R"(
robots:
  left: {robot: fr3, tool: plate, pose: ready}
frames:
  spot: {position: [0.45, 0.0, 0.3]}
)";
const char* const kArms = R"(
arms:
  left.arm: {feedback: measured}
loop_closures:
  contact: {between: [left.tcp, spot]}
tasks:
  hand: {type: pose, frame: left.tcp, stiffness: 100}
  posture: {type: posture, robot: left, stiffness: 10, weight: 1.0e-3}
  push: {type: wrench, loop_closure: contact}
)";

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// a reference of each kind, driven by a source of its own
struct Rig : test::ReferenceRig {
  Rig() : ReferenceRig(kScene, kArms) {
    arms.loop_closure("contact", true);
    for (const ReferenceIndex r : arbiter.references())
      give(r, {{.source = add_source("by_" + reference(r).name(), reference(r).kind()),
                .reengages = true}});
    wishes[hand.value].p = {0.1, 0.0, 0.0};
    wishes[posture.value].dq = Eigen::VectorXd::Zero(7);
    wishes[posture.value].dq[1] = 0.3;
    wishes[push.value].wrench[2] = -20.0;
  }
  const Reference& reference(ReferenceIndex r) const { return arbiter.reference(r); }
  void set(SourceStatus status) {
    for (test::Wish& wish : wishes) wish.status = status;
  }
  // what the tasks follow
  Motion followed() {
    Motion all;
    all.pose = task<FrameTask>("hand").reference();
    all.q = task<PostureTask>("posture").reference();
    all.wrench = task<WrenchTask>("push").reference();
    return all;
  }

  ReferenceIndex hand = arbiter.find_reference("hand"), posture = arbiter.find_reference("posture"),
                 push = arbiter.find_reference("push");
};

bool same(const Motion& a, const Motion& b) {
  return a.pose.X_WE.p == b.pose.X_WE.p && a.pose.X_WE.R == b.pose.X_WE.R &&
         a.pose.V_WE == b.pose.V_WE && a.pose.A_WE == b.pose.A_WE && a.q == b.q && a.v == b.v &&
         a.a == b.a && a.wrench == b.wrench;
}

void expect_same(const Rig& a, const Rig& b) {
  for (const ReferenceIndex r : a.arbiter.references())
    EXPECT_TRUE(same(a.motion(r), b.motion(r))) << a.reference(r).name();
}

// somewhere else
Motion moved(Motion motion) {
  motion.pose.X_WE.p.z() += 0.02;
  motion.q.array() += 0.1;
  motion.wrench[0] += 3.0;
  return motion;
}

TEST(Reference, HasTheNameOfItsTaskAndTheKindThatTheTaskSays) {
  const Rig rig;
  EXPECT_EQ(rig.reference(rig.hand).kind(), kPoseKind);
  EXPECT_EQ(rig.reference(rig.posture).kind(), kJointsKind);
  EXPECT_EQ(rig.reference(rig.push).kind(), kWrenchKind);
  for (const ReferenceIndex r : rig.arbiter.references()) {
    EXPECT_EQ(rig.arbiter.find_reference(rig.reference(r).name()), r);
    EXPECT_EQ(rig.reference(r).kind(), rig.reference(r).task().reference_kind());
  }
}

TEST(Reference, WhatIsImposedIsFollowedInThisTickAndGoneInTheNext) {
  Rig rig, undisturbed;
  // while somebody drives them, and while they hold
  for (const SourceStatus status : {SourceStatus::kActive, SourceStatus::kSilent}) {
    rig.set(status);
    undisturbed.set(status);
    rig.run(0.05);
    undisturbed.run(0.05);
    for (const ReferenceIndex r : rig.arbiter.references()) {
      const Motion wanted = rig.reference(r).wanted(), elsewhere = moved(rig.motion(r));
      rig.arbiter.impose(r, elsewhere);
      EXPECT_TRUE(same(rig.motion(r), elsewhere)) << rig.reference(r).name();
      EXPECT_TRUE(same(rig.reference(r).wanted(), wanted)) << rig.reference(r).name();
    }
    EXPECT_EQ(rig.followed().pose.X_WE.p, rig.motion(rig.hand).pose.X_WE.p);
    EXPECT_EQ(rig.followed().q, rig.motion(rig.posture).q);
    EXPECT_EQ(rig.followed().wrench, rig.motion(rig.push).wrench);
    rig.run(0.001);
    undisturbed.run(0.001);
    expect_same(rig, undisturbed);
    EXPECT_TRUE(same(rig.followed(), undisturbed.followed()));
  }
}

TEST(Reference, WantedIsWhatIsAskedForAndInAHoldWhereTheReferenceIs) {
  Rig rig;
  const Motion at = rig.motion(rig.hand), joints = rig.motion(rig.posture);
  rig.run(0.05);
  EXPECT_EQ(rig.reference(rig.hand).wanted().pose.X_WE.p,
            at.pose.X_WE.p + Eigen::Vector3d(0.1, 0.0, 0.0));
  EXPECT_EQ(rig.reference(rig.posture).wanted().q[1], joints.q[1] + 0.3);
  EXPECT_EQ(rig.reference(rig.push).wanted().wrench[2], -20.0);
  for (const ReferenceIndex r : rig.arbiter.references()) {
    EXPECT_FALSE(rig.reference(r).arrived()) << rig.reference(r).name();
    EXPECT_FALSE(rig.reference(r).at_rest()) << rig.reference(r).name();
  }
  rig.set(SourceStatus::kSilent);
  for (int i = 0; i < 500; ++i) {
    rig.run(0.001);
    for (const ReferenceIndex r : rig.arbiter.references())
      ASSERT_TRUE(same(rig.reference(r).wanted(), rig.motion(r)))
          << rig.reference(r).name() << " in tick " << i;
  }
  for (const ReferenceIndex r : rig.arbiter.references())
    EXPECT_TRUE(rig.reference(r).at_rest()) << rig.reference(r).name();
  // it went there at 100 N/s and stays
  EXPECT_NEAR(rig.motion(rig.push).wrench[2], -5.0, 1e-9);
}

TEST(Reference, ASnapshotGoesOnToTheBit) {
  Rig rig;
  rig.run(0.05);
  // also what is imposed is in it
  const Motion elsewhere = moved(rig.motion(rig.hand));
  rig.arbiter.impose(rig.hand, elsewhere);
  std::vector<std::byte> bytes;
  {
    StateArchive archive(bytes);
    rig.arbiter.state(archive);
  }
  constexpr int kTicks = 100;
  std::vector<std::vector<Motion>> first;
  const auto look = [&] {
    std::vector<Motion> all;
    for (const ReferenceIndex r : rig.arbiter.references()) all.push_back(rig.motion(r));
    return all;
  };
  for (int i = 0; i < kTicks; ++i) {
    rig.run(0.001);
    first.push_back(look());
  }
  rig.set(SourceStatus::kSilent);
  rig.run(0.3);
  StateArchive archive{std::span<const std::byte>(bytes)};
  rig.arbiter.state(archive);
  archive.finish();
  EXPECT_TRUE(same(rig.motion(rig.hand), elsewhere));
  rig.set(SourceStatus::kActive);
  for (int i = 0; i < kTicks; ++i) {
    rig.run(0.001);
    const std::vector<Motion> again = look();
    for (std::size_t r = 0; r < again.size(); ++r)
      ASSERT_TRUE(same(again[r], first[static_cast<std::size_t>(i)][r])) << r << " in tick " << i;
  }
}

TEST(Reference, WhatIsSaneDependsOnTheKind) {
  const Rig rig;
  const auto sane = [&](ReferenceIndex r, const auto& change) {
    Motion asked = rig.motion(r);
    change(asked);
    return rig.reference(r).is_sane(asked);
  };
  const auto nothing = [](Motion&) {};
  const auto no_place = [](Motion& m) { m.pose.X_WE.p.x() = kNan; };
  const auto no_wrench = [](Motion& m) { m.wrench[4] = kNan; };
  for (const ReferenceIndex r : rig.arbiter.references()) EXPECT_TRUE(sane(r, nothing));
  EXPECT_FALSE(sane(rig.hand, no_place));
  EXPECT_FALSE(sane(rig.hand, [](Motion& m) { m.pose.X_WE.R *= 2.0; })) << "no rotation";
  EXPECT_FALSE(sane(rig.hand, [](Motion& m) { m.pose.X_WE.p.x() = 1e4; })) << "10 km";
  EXPECT_TRUE(sane(rig.hand, no_wrench)) << "a pose has none";
  EXPECT_FALSE(sane(rig.posture, [](Motion& m) { m.q[3] = kNan; }));
  EXPECT_FALSE(sane(rig.posture, [](Motion& m) { m.a[3] = HUGE_VAL; }));
  EXPECT_TRUE(sane(rig.posture, no_place)) << "joints have none";
  EXPECT_FALSE(sane(rig.push, no_wrench));
  EXPECT_TRUE(sane(rig.push, no_place)) << "a wrench has none";
}

TEST(Reference, OfJointsTheFirstAxisCountsForAll) {
  const Rig rig;
  constexpr Axes kOthers = {false, true, true, true, true, true};
  EXPECT_FALSE(rig.reference(rig.posture).has_say(kOthers));
  EXPECT_TRUE(rig.reference(rig.hand).has_say(kOthers));
  EXPECT_FALSE(rig.reference(rig.hand).has_say({}));
}

// ---- kinds by name

// A reference as it is read from that text, as of a task of an app.
ReferenceRegistry::Part read(const std::string& text) {
  return parse_yaml(text, "t.yaml",
                    reference_schema(test::reference_test_parts().of<ReferenceRegistry>()));
}

TEST(ReferenceKinds, AreThoseOfThePartsAndTheOneOfAPoseNeedsNoType) {
  Rig rig;
  Task& hand = rig.arms.task("hand");
  for (const char* text : {"{speed: 0.7 m/s}", "{type: pose, speed: 0.7 m/s}"}) {
    const auto part = read(text);
    EXPECT_EQ(part.name, "pose");
    EXPECT_EQ(part.place.text(), "t.yaml:1");
    EXPECT_EQ(part.make({hand})->kind(), kPoseKind);
  }
  const auto wrench = read("{type: wrench, force: 3 N}").make({rig.arms.task("push"), &rig.arms});
  EXPECT_EQ(dynamic_cast<const WrenchReference&>(*wrench).limits().force, 3.0);
  EXPECT_EQ(read("{type: joints}").make({rig.arms.task("posture")})->kind(), kJointsKind);

  std::vector<std::string> names;
  for (const auto& part : reference_kinds(test::reference_test_parts().of<ReferenceRegistry>()))
    names.push_back(part.name);
  EXPECT_EQ(names, (std::vector<std::string>{"direction", "joints", "pose", "relative_pose",
                                             "twist", "wrench"}));
}

TEST(ReferenceKinds, SayWhatIsWrong) {
  const auto schema = reference_schema(test::reference_test_parts().of<ReferenceRegistry>());
  EXPECT_EQ(test::errors_of("{type: wrenhc}", schema),
            "t.yaml:1: type is 'wrenhc'; did you mean 'wrench'?");
  EXPECT_EQ(test::errors_of("{type: height}", schema),
            "t.yaml:1: type is 'height'; it must be one of: direction, joints, pose, "
            "relative_pose, twist, wrench");
  // the keys are those of the kind, and without a type those of a pose
  EXPECT_EQ(test::errors_of("{sped: 1 m/s}", schema),
            "t.yaml:1: unknown key 'sped'; did you mean 'speed'?");
  EXPECT_EQ(test::errors_of("{type: wrench, forse: 1 N}", schema),
            "t.yaml:1: unknown key 'forse'; did you mean 'force'?");
  EXPECT_TRUE(test::errors_of("{type: joints, speed: 1 m/s}", schema)
                  .starts_with("t.yaml:1: unknown key 'speed'"));

  Rig rig;
  const auto& kinds = test::reference_test_parts().of<ReferenceRegistry>();
  try {
    kinds.plain("joints").make({rig.arms.task("hand")});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "the task 'hand' is not one of joints");
  }
  Parts parts;
  register_references(parts);
  try {
    register_references(parts);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "the reference 'pose' is registered twice; choose another name");
  }
}

// ---- a kind of one's own: how fast a frame should move, wherever it is

struct TwistTaskConfig : TaskGains {
  std::string frame;
};

// V_WE' = kd (V_ref - V_WE)
class TwistTask : public Task {
 public:
  TwistTask(const TwistTaskConfig& config, const TaskContext& context)
      : Task(context.name, 6, config), frame_(context.system.frame(config.frame)) {
    const Mechanism& m = context.system.mechanisms()[static_cast<std::size_t>(frame_.mechanism)];
    J_ = Matrix6Xd::Zero(6, m.model->nv());
    blocks_.push_back({m.offset, Eigen::MatrixXd::Zero(6, m.model->nv())});
  }
  std::string_view reference_kind() const override { return "drift"; }
  void set_reference(const Vector6d& V_WE) { V_ref_ = V_WE; }
  const Vector6d& reference() const { return V_ref_; }
  // of its frame at the last update
  const Vector6d& V_WE() const { return V_WE_; }
  void hold(const ControlSystem&, ControlState&) override { V_ref_.setZero(); }
  void state(StateArchive& archive) override {
    Task::state(archive);
    archive(V_ref_, V_WE_);
  }

 protected:
  void fill(const ControlSystem& system, ControlState& state) override {
    const auto m = static_cast<std::size_t>(frame_.mechanism);
    const RobotModel& model = *system.mechanisms()[m].model;
    RobotData& data = state.mechanisms[m].data;
    V_WE_ = frame_velocity(model, data, frame_.frame);
    frame_jacobian(model, data, frame_.frame, J_);
    blocks_[0].A = J_;
    error_ = V_ref_ - V_WE_;
    b_ = damping() * error_ - frame_bias_acceleration(model, data, frame_.frame);
    w_.setConstant(weight());
  }

 private:
  ControlSystem::FrameOf frame_;
  Matrix6Xd J_;
  Vector6d V_ref_ = Vector6d::Zero(), V_WE_ = Vector6d::Zero();
};

struct TwistLimits {
  double acceleration = 1.0;  // of each axis [m/s^2, rad/s^2]
};

class TwistReference : public Reference {
 public:
  TwistReference(TwistTask& task, const TwistLimits& limits)
      : Reference("drift", task, -1), twist_(task), limits_(limits) {}

  bool is_sane(const Motion& asked) const override { return asked.pose.V_WE.allFinite(); }
  bool arrived() const override { return wanted().pose.V_WE == motion().pose.V_WE; }
  bool at_rest() const override { return own_.pose.V_WE.isZero(0.0); }
  ReferenceUnits units() const override { return {"m/s", 1.0, "m/s"}; }
  ReferenceError error(const Pose*) const override {
    return {(motion().pose.V_WE - twist_.V_WE()).head<3>().norm(), 0.0,
            (wanted().pose.V_WE - twist_.V_WE()).head<3>().norm(), 0.0};
  }
  void declare(ChannelTable& channels, Rate rate) override {
    channel_ = channels.vector("reference." + name() + ".twist", 6, "m/s, rad/s", rate,
                               "that the task follows, in W");
  }
  void publish(ChannelTable& channels, Nanoseconds stamp) const override {
    channels.write(channel_, motion().pose.V_WE, stamp);
  }
  void state(StateArchive& archive) override {
    Reference::state(archive);
    archive(own_);
  }

 protected:
  const Motion& own() const override { return own_; }
  void start_own() override { own_.pose.V_WE = twist_.reference(); }
  void rebase_own() override { own_.pose.V_WE.setZero(); }
  void follow_own(const FollowMoment& at, Motion& wanted) override {
    Vector6d sum = Vector6d::Zero(), share = Vector6d::Zero();
    for (const Wanted& one : at.wanted)
      for (int axis = 0; axis < 6; ++axis) {
        if (!one.axes[static_cast<std::size_t>(axis)]) continue;
        sum[axis] += one.share * one.motion->pose.V_WE[axis];
        share[axis] += one.share;
      }
    wanted.pose.V_WE.setZero();
    for (int axis = 0; axis < 6; ++axis)
      if (share[axis] > 0.0) wanted.pose.V_WE[axis] = sum[axis] / share[axis];
    step(wanted.pose.V_WE, at.moment.dt);
  }
  void brake_own(double dt, EventList&, Motion&) override { step(Vector6d::Zero(), dt); }
  void give() override { twist_.set_reference(motion().pose.V_WE); }

 private:
  void step(const Vector6d& goal, double dt) {
    const double most = limits_.acceleration * dt;
    Vector6d& V = own_.pose.V_WE;
    for (int axis = 0; axis < 6; ++axis) {
      const double left = goal[axis] - V[axis];
      V[axis] = std::abs(left) <= most ? goal[axis] : V[axis] + std::copysign(most, left);
    }
  }

  TwistTask& twist_;
  TwistLimits limits_;
  Motion own_;
  VectorChannel channel_;
};

const Parts& with_twist() {
  static const Parts all = [] {
    Parts parts;
    register_control(parts);
    register_references(parts);
    parts.of<TaskRegistry>().add(
        "drift",
        with_gains(object<TwistTaskConfig>("TwistTask"))
            .required("frame", &TwistTaskConfig::frame, text(), "such as left.tcp"),
        "how fast a frame moves", [](const TwistTaskConfig& config, const TaskContext& context) {
          return std::make_unique<TwistTask>(config, context);
        });
    parts.of<ReferenceRegistry>().add(
        "drift",
        object<TwistLimits>("TwistLimits")
            .optional("acceleration", &TwistLimits::acceleration, number("m/s^2").above(0)),
        "how fast a frame should move",
        [](const TwistLimits& limits, const ReferenceContext& context) {
          return std::make_unique<TwistReference>(dynamic_cast<TwistTask&>(context.task), limits);
        });
    return parts;
  }();
  return all;
}

// an arm whose hand is told how fast to move
struct TwistRig : test::ReferenceRig {
  TwistRig()
      : ReferenceRig(kScene, R"(
arms:
  left.arm: {feedback: commanded}
tasks:
  drift: {type: drift, frame: left.tcp, stiffness: 100}
  posture: {type: posture, robot: left, stiffness: 10, weight: 1.0e-3}
)",
                     with_twist()) {
    source = add_source("person", "drift");
    wishes[0].v = {0.0, 0.2, 0.0};
    give(drift, {{.source = source, .reengages = true}});
  }
  const Vector6d& V() const { return motion(drift).pose.V_WE; }

  ReferenceIndex drift = arbiter.find_reference("drift");
  SourceIndex source;
};

TEST(ReferenceKinds, OneFromElsewhereIsDrivenToRestAndBackWithoutTheHeap) {
  TwistRig rig;
  const Reference& drift = rig.arbiter.reference(rig.drift);
  EXPECT_EQ(drift.kind(), "drift");
  std::size_t heap = 0;
  const auto run = [&](double time) {
    const test::AllocationCount count;
    rig.run(time);
    heap += count.count();
  };
  run(0.05);
  EXPECT_NEAR(rig.V()[1], 0.05, 1e-12);
  EXPECT_EQ(rig.task<TwistTask>("drift").reference(), rig.V());
  EXPECT_EQ(drift.wanted().pose.V_WE[1], 0.2);
  EXPECT_FALSE(drift.arrived());
  run(0.2);
  EXPECT_EQ(rig.V()[1], 0.2);
  EXPECT_TRUE(drift.arrived());
  EXPECT_FALSE(rig.arbiter.done(rig.drift)) << "its source goes on";
  rig.wishes[0].status = SourceStatus::kDone;
  run(0.001);
  EXPECT_TRUE(rig.arbiter.done(rig.drift));

  rig.wishes[0].status = SourceStatus::kSilent;
  run(0.1);
  EXPECT_NEAR(rig.V()[1], 0.1, 1e-12);
  EXPECT_TRUE(rig.arbiter.holding(rig.drift));
  EXPECT_EQ(rig.arbiter.reason(rig.drift), "person: the clutch is open");
  EXPECT_FALSE(drift.at_rest());
  run(0.11);
  EXPECT_TRUE(drift.at_rest());
  EXPECT_EQ(rig.task<TwistTask>("drift").reference(), Vector6d(Vector6d::Zero()));

  const int starts = rig.wishes[0].starts;
  rig.wishes[0].status = SourceStatus::kActive;
  run(0.1);
  EXPECT_FALSE(rig.arbiter.holding(rig.drift));
  EXPECT_EQ(rig.wishes[0].starts, starts + 1);
  EXPECT_NEAR(rig.V()[1], 0.1, 1e-12);

  // its own is_sane() decides
  rig.wishes[0].v.x() = kNan;
  run(0.001);
  EXPECT_TRUE(rig.arbiter.holding(rig.drift));
  EXPECT_EQ(rig.arbiter.reason(rig.drift), "person: what it asked for is not a finite motion");
  EXPECT_EQ(heap, 0U);
}

TEST(ReferenceKinds, OneFromElsewhereHasItsChannelsItsSchemaAndItsPlaceInASnapshot) {
  TwistRig rig;
  ChannelTable channels;
  rig.arbiter.declare(channels, Rate::of(1000));
  channels.seal();
  rig.run(0.1);
  rig.arbiter.publish(channels, rig.moment.now);
  EXPECT_EQ(channels.numbers(channels.find("reference.drift.twist"))[1], rig.V()[1]);
  EXPECT_EQ(channels.integer(channels.find("reference.drift.holding")), 0);

  std::vector<std::byte> bytes;
  {
    StateArchive archive(bytes);
    rig.arbiter.state(archive);
  }
  const Vector6d V = rig.V();
  rig.run(0.05);
  ASSERT_NE(rig.V(), V);
  StateArchive archive{std::span<const std::byte>(bytes)};
  rig.arbiter.state(archive);
  EXPECT_EQ(rig.V(), V);

  const auto schema = reference_schema(with_twist().of<ReferenceRegistry>());
  const auto part = parse_yaml("{type: drift, acceleration: 3}", "t.yaml", schema);
  EXPECT_EQ(part.name, "drift");
  EXPECT_EQ(part.make({rig.arms.task("drift")})->name(), "drift");
  EXPECT_EQ(test::errors_of("{type: drfit}", schema),
            "t.yaml:1: type is 'drfit'; did you mean 'drift'?");
}

TEST(ReferenceKinds, TheWholeArmControllerFollowsOneFromElsewhere) {
  TwistRig rig;
  Command command = Command::zero(rig.plant.layout());
  for (int i = 0; i < 500; ++i) {
    rig.run(0.001);
    rig.arms.update(rig.plant.read(), rig.moment.tick, command);
    rig.plant.write(command);
    rig.plant.advance();
  }
  // what the posture pulls back is little, as its weight is
  const Vector6d& V = rig.task<TwistTask>("drift").V_WE();
  EXPECT_LT((V - rig.V()).norm(), 0.02) << V.transpose();
}

}  // namespace reference_test
}  // namespace handspan
