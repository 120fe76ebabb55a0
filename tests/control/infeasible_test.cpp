// Limits that cannot all hold: the least important gives way by as little as possible, and the
// conflict is named, each of six with the only two rows that cause it.
#include <gtest/gtest.h>

#include "control/cartesian_limits.hpp"
#include "control/collision.hpp"
#include "control/frame_task.hpp"
#include "control/joint_rows.hpp"
#include "control/problem.hpp"

namespace handspan {
namespace infeasible_test {

// A carriage of 10 kg on a vertical slide of one joint, between the world's walls.
ModelDescription carriage() {
  ModelDescription d;
  d.name = "lift";
  BodyDescription base, body;
  base.name = "lift.base";
  base.inertial.mass = 1.0;
  base.inertial.principal.setConstant(1.0);
  body.name = "lift.carriage";
  body.parent = 0;
  body.inertial.mass = 10.0;
  body.inertial.principal.setConstant(0.1);
  JointDescription joint;
  joint.name = "lift.slide";
  joint.type = JointType::kPrismatic;
  joint.range = {{-2.0, 2.0}};
  joint.effort = 1000.0;
  body.joints.push_back(joint);
  Shape shape;
  shape.name = "carriage";
  shape.type = ShapeType::kSphere;
  shape.size = {0.1, 0.0, 0.0};
  body.shapes.push_back(shape);
  d.bodies = {base, body};
  d.frames.push_back({"lift.tcp", 1, {}});
  return d;
}

ModelDescription walls(double below, double above) {
  ModelDescription d;
  d.name = "walls";
  for (const auto& [name, z] :
       {std::pair{"floor", below - 0.05}, std::pair{"ceiling", above + 0.05}}) {
    BodyDescription body;
    body.name = name;
    body.X_PB.p.z() = z;
    body.inertial.mass = 1.0;
    body.inertial.principal.setConstant(1.0);
    Shape shape;
    shape.name = name;
    shape.type = ShapeType::kBox;
    shape.size = {1.0, 1.0, 0.05};
    body.shapes.push_back(shape);
    d.bodies.push_back(body);
  }
  return d;
}

struct Case {
  const char* name;
  double q = 0.0, v = 0.0, qdd = 0.0;  // the state, and the acceleration before
  double torque = 1000.0, jerk = 1e6;  // limits
  double floor = -1.5, ceiling = 1.5;  // of the free space
  std::optional<double> speed = {};    // limit of the tool
  double range = 1.0;
  std::vector<std::string> conflict = {};  // the names, in any order
  ConstraintKind gives_way = ConstraintKind::kCollision;
  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
};

class Infeasible : public testing::TestWithParam<Case> {};

TEST_P(Infeasible, IsNamedAndTheLeastImportantGivesWay) {
  const Case& c = GetParam();
  ControlSystem system;
  MechanismDescription mechanism{"lift", carriage(), {"lift.slide"}, {}, {}};
  mechanism.limits.rate = Rate::hz(1000);
  JointLimits limits;
  limits.lower = -c.range;
  limits.upper = c.range;
  limits.velocity = 2.0;
  limits.acceleration = 10.0;
  limits.braking = 8.0;
  limits.jerk = c.jerk;
  limits.torque = c.torque;
  limits.torque_rate = 1e9;
  mechanism.limits.joints.emplace_back("lift.slide", limits);
  system.add_mechanism(mechanism);
  system.seal();
  const RobotModel surroundings(walls(c.floor, c.ceiling));
  const ConstraintContext context{system, &surroundings, {}};
  std::vector<std::unique_ptr<Constraint>> constraints;
  constraints.push_back(std::make_unique<TorqueLimits>(system, true));
  constraints.push_back(std::make_unique<JerkLimits>(system));
  CollisionConfig collision;
  collision.deceleration = 4.0;
  collision.pairs = {{"lift.carriage", "floor"}, {"lift.carriage", "ceiling"}};
  constraints.push_back(std::make_unique<Collision>(collision, context));
  if (c.speed) {
    CartesianLimitsConfig cartesian;
    cartesian.frame = "lift.tcp";
    cartesian.velocity = c.speed;
    cartesian.acceleration = 40.0;
    constraints.push_back(std::make_unique<CartesianSpeedLimits>(cartesian, context));
  }
  std::vector<std::unique_ptr<Task>> tasks;
  FrameTaskConfig hold;
  hold.frame = "lift.tcp";
  hold.axes = {false, false, true, false, false, false};
  tasks.push_back(std::make_unique<FrameTask>(hold, TaskContext{system, "hold"}));
  ControlProblem problem(system, {}, std::move(tasks), std::move(constraints));
  ControlState state(system);
  MechanismState& s = state.mechanisms[0];
  s.q[0] = c.q;
  s.v[0] = c.v;
  problem.start(state);
  s.qdd[0] = c.qdd;
  s.tau_before[0] = s.h[0];
  problem.solve(state);

  ASSERT_EQ(problem.solution().status, QpStatus::kRelaxed);
  EXPECT_TRUE(s.qdd.allFinite());
  for (int kind = 0; kind < kConstraintKinds; ++kind)
    EXPECT_EQ(problem.counts().by_kind[static_cast<std::size_t>(kind)],
              kind == static_cast<int>(c.gives_way) ? 1U : 0U)
        << name_of(static_cast<ConstraintKind>(kind));
  EXPECT_EQ(problem.counts().empty_boxes, 0U);
  problem.conflicts().flush();
  const auto entries = problem.conflicts().entries();
  ASSERT_EQ(entries.size(), 1U);
  for (const auto& name : c.conflict)
    EXPECT_NE(entries[0].name.find(name), std::string::npos) << entries[0].name;
  const auto conflict = minimal_conflict(problem.qp());
  EXPECT_EQ(conflict.size(), c.conflict.size()) << entries[0].name;
}

const std::string kFloor = "collision lift.carriage - floor",
                  kCeiling = "collision lift.carriage - ceiling",
                  kTorque = "torque limit lift.slide", kJoint = "joint limit lift.slide",
                  kJerk = "jerk limit lift.slide", kSpeed = "speed limit lift.tcp";

INSTANTIATE_TEST_SUITE_P(
    Control, Infeasible,
    testing::Values(
        // falls faster at the floor than its drive can stop it
        Case{.name = "collision_with_torque",
             .q = -0.3,
             .v = -1.0,
             .torque = 110.0,
             .floor = -0.45,
             .conflict = {kFloor, kTorque}},
        // closer and faster than its acceleration limit can stop
        Case{
            .name = "collision_with_joint_box",
            .q = -0.3,
            .v = -1.9,
            .floor = -0.42,
            .conflict = {kFloor, kJoint},
        },
        // more weight than the drive holds, at the lower end of the range
        Case{.name = "joint_box_with_torque",
             .q = -1.0,
             .torque = 50.0,
             .floor = -1.9,
             .ceiling = 1.9,
             .conflict = {kJoint, kTorque},
             .gives_way = ConstraintKind::kJointBox},
        // too little room for both
        Case{.name = "two_collisions",
             .floor = -0.105,
             .ceiling = 0.105,
             .conflict = {kFloor, kCeiling}},
        // the tool is too fast, and the drive cannot brake it upwards
        Case{.name = "cartesian_with_torque",
             .v = -1.0,
             .torque = 90.0,
             .speed = 0.3,
             .conflict = {kSpeed, kTorque},
             .gives_way = ConstraintKind::kCartesian},
        // accelerating towards the end of the range, and the acceleration may not change so fast
        Case{.name = "jerk_with_joint_box",
             .q = 0.99,
             .v = 0.3,
             .qdd = 9.0,
             .jerk = 100.0,
             .floor = -1.9,
             .ceiling = 1.9,
             .conflict = {kJerk, kJoint},
             .gives_way = ConstraintKind::kJerk}),
    [](const auto& test) { return test.param.name; });

}  // namespace infeasible_test
}  // namespace handspan
