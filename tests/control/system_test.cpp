// The system of mechanisms, loop closures and payloads: where unknowns stand, and their dynamics.
#include "control/system.hpp"

#include <gtest/gtest.h>

#include <random>

#include "control/model_run.hpp"
#include "support/random_model.hpp"

namespace handspan {
namespace system_test {

using namespace test;

Inertial body(double mass, const Eigen::Vector3d& p_BC) {
  Inertial inertial;
  inertial.mass = mass;
  inertial.X_BC.p = p_BC;
  inertial.X_BC.q = Eigen::Quaterniond(0.8, 0.2, -0.4, 0.4).normalized();
  inertial.principal = Eigen::Vector3d(0.02, 0.03, 0.04);
  return inertial;
}

// a body to be mounted
ModelDescription tool(const std::string& name, const Inertial& inertial) {
  ModelDescription d;
  d.name = name;
  BodyDescription b;
  b.name = name;
  b.inertial = inertial;
  d.bodies.push_back(b);
  return d;
}

MechanismDescription gripper() {
  std::mt19937_64 random(kSeed);
  MechanismDescription m;
  m.name = "tree";
  m.description = all_joints(random);
  m.actuated = {"arm_joint0", "finger_left_joint0"};
  m.held = {"slider_joint0"};
  m.limits.rate = Rate::of(1000);
  for (const auto& joint : m.actuated) m.limits.joints.emplace_back(joint, wide_limits());
  return m;
}

void randomise(const ControlSystem& system, ControlState& state, RandomStream& random) {
  std::mt19937_64 engine(random.bits());
  for (std::size_t m = 0; m < state.mechanisms.size(); ++m) {
    const RobotModel& model = *system.mechanisms()[m].model;
    state.mechanisms[m].q = random_configuration(model, engine);
    state.mechanisms[m].v = random_vector(model.nv(), random, 2.0);
  }
}

TEST(System, UnknownsAreAccelerationsThenForcesOfJoinsThenMultipliers) {
  ControlSystem system;
  EXPECT_EQ(system.add_mechanism(arm("left")), 0);
  EXPECT_EQ(system.add_mechanism(gripper()), 1);
  EXPECT_EQ(system.add_mechanism(arm("right")), 2);
  EXPECT_EQ(system.add_loop_closure("hold", "left.tcp", "tip"), 0);
  EXPECT_EQ(system.add_loop_closure("hold too", "right.tcp", "tip"), 1);
  system.seal();
  const auto& m = system.mechanisms();
  const int nv = m[1].model->nv();
  EXPECT_EQ(m[0].offset, 0);
  EXPECT_EQ(m[1].offset, 7);
  EXPECT_EQ(m[2].offset, 7 + nv);
  EXPECT_EQ(system.loop_closures()[0].offset, 14 + nv);
  EXPECT_EQ(system.loop_closures()[1].offset, 20 + nv);
  EXPECT_EQ(m[1].multipliers, 26 + nv);
  EXPECT_EQ(m[2].multipliers, 27 + nv);
  EXPECT_EQ(system.unknowns(), 27 + nv);  // one mimic joint
  EXPECT_EQ(m[1].actuated.size() + m[1].held.size() + m[1].passive.size(),
            static_cast<std::size_t>(nv));
  EXPECT_EQ(m[1].held, std::vector<int>{m[1].model->joint("slider_joint0").v});
  EXPECT_EQ(m[0].actuated, (std::vector<int>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(m[0].passive.empty());
  EXPECT_EQ(system.actuated_joint("finger_left_joint0"), std::make_pair(1, 1));
  EXPECT_EQ(system.frame("tip").mechanism, 1);
  EXPECT_EQ(system.mechanism("right"), 2);
  EXPECT_EQ(system.loop_closure("hold too"), 1);
}

TEST(System, MassMatrixAndNonlinearEffectsWithoutPayloadAreTheModels) {
  ControlSystem system(Eigen::Vector3d(0.3, -0.2, -9.7));
  system.add_mechanism(gripper());
  system.add_payload("box", "tip", body(0.7, {0.1, 0.0, 0.05}));
  system.seal();
  ControlState state(system);
  RandomStream random(kSeed, "model");
  for (int i = 0; i < 20; ++i) {
    randomise(system, state, random);
    update_state(system, state);
    const MechanismState& s = state.mechanisms[0];
    const RobotModel& model = *system.mechanisms()[0].model;
    RobotData data(model);
    EXPECT_EQ(s.M, mass_matrix(model, data, s.q)) << "seed " << kSeed << " case " << i;
    EXPECT_EQ(s.h, nonlinear_effects(model, data, s.q, s.v)) << "seed " << kSeed << " case " << i;
  }
}

TEST(System, APayloadCarriedInFullIsABodyMountedRigidly) {
  const Inertial inertial = body(1.7, {0.06, -0.03, 0.11});
  ControlSystem bare, mounted_too;
  bare.add_mechanism(unlimited_arm());
  bare.add_payload("box", "left.tcp", inertial);
  bare.seal();
  MechanismDescription description = unlimited_arm();
  description.description = mounted(description.description, "left.tcp", tool("box", inertial));
  mounted_too.add_mechanism(std::move(description));
  mounted_too.seal();
  ControlState a(bare), b(mounted_too);
  a.payload[0].jump(1.0);
  RandomStream random(kSeed, "payload");
  for (int i = 0; i < 200; ++i) {
    randomise(bare, a, random);
    b.mechanisms[0].q = a.mechanisms[0].q;
    b.mechanisms[0].v = a.mechanisms[0].v;
    update_state(bare, a);
    update_state(mounted_too, b);
    const MechanismState &s = a.mechanisms[0], &t = b.mechanisms[0];
    EXPECT_LT((s.M - t.M).norm(), 1e-12 * t.M.norm()) << "seed " << kSeed << " case " << i;
    EXPECT_LT((s.h - t.h).norm(), 1e-12 * t.h.norm()) << "seed " << kSeed << " case " << i;
  }
}

TEST(System, AShareOfAPayloadIsThatShareOfItsDynamics) {
  ControlSystem system;
  system.add_mechanism(unlimited_arm());
  system.add_payload("box", "left.tcp", body(1.7, {0.06, -0.03, 0.11}));
  system.seal();
  ControlState state(system);
  RandomStream random(kSeed, "share");
  randomise(system, state, random);
  const auto at = [&](double share) {
    state.payload[0].jump(share);
    update_state(system, state);
    return std::make_pair(state.mechanisms[0].M, state.mechanisms[0].h);
  };
  const auto none = at(0.0), some = at(0.3), all = at(1.0);
  EXPECT_GT((all.first - none.first).norm(), 0.1);
  EXPECT_LT((some.first - none.first - 0.3 * (all.first - none.first)).norm(), 1e-13);
  EXPECT_LT((some.second - none.second - 0.3 * (all.second - none.second)).norm(),
            1e-13 * all.second.norm());
}

// x with its parts named, and the torques that inverse dynamics and virtual work ask for
TEST(System, RowsOfTheEquationsOfMotionAreInverseDynamicsWithoutJoinAndConstraintForces) {
  ControlSystem system;
  system.add_mechanism(arm("left"));
  system.add_mechanism(gripper());
  system.add_loop_closure("a to b", "left.tcp", "tip");
  system.add_loop_closure("itself", "shoulder", "finger_left");
  system.seal();
  ControlState state(system);
  RandomStream random(kSeed, "rows");
  for (int i = 0; i < 50; ++i) {
    randomise(system, state, random);
    update_state(system, state);
    set_loop_closure(system, state, 0, i % 2 == 0);
    const Eigen::VectorXd x = random_vector(system.unknowns(), random, 5.0);
    for (int m = 0; m < 2; ++m) {
      const Mechanism& mechanism = system.mechanisms()[static_cast<std::size_t>(m)];
      const MechanismState& s = state.mechanisms[static_cast<std::size_t>(m)];
      const RobotModel& model = *mechanism.model;
      RobotData data(model);
      Eigen::VectorXd expected =
          inverse_dynamics(model, data, s.q, s.v, x.segment(mechanism.offset, model.nv()));
      update_kinematics(model, data, s.q, s.v);
      Matrix6Xd J(6, model.nv());
      Eigen::Matrix3Xd J_point(3, model.nv());
      for (const LoopClosure& loop_closure : system.loop_closures()) {
        const Mechanism& owner = system.mechanisms()[static_cast<std::size_t>(loop_closure.b)];
        RobotData data_b(*owner.model);
        update_kinematics(*owner.model, data_b,
                          state.mechanisms[static_cast<std::size_t>(loop_closure.b)].q,
                          state.mechanisms[static_cast<std::size_t>(loop_closure.b)].v);
        const Eigen::Vector3d at = frame_pose(*owner.model, data_b, loop_closure.frame_b).p;
        const Eigen::Vector3d force = x.segment<3>(loop_closure.offset),
                              torque = x.segment<3>(loop_closure.offset + 3);
        const auto push = [&](FrameId on, double sign) {
          frame_jacobian(model, data, on, J);
          point_jacobian(model, data, on, at, J_point);
          expected -= sign * (J_point.transpose() * force + J.bottomRows<3>().transpose() * torque);
        };
        if (loop_closure.b == m) push(loop_closure.frame_b, 1.0);
        if (loop_closure.a == m) push(loop_closure.frame_a, -1.0);
      }
      if (m == 1) expected -= s.C.transpose() * x.tail<1>();
      for (int v = 0; v < model.nv(); ++v) {
        Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(system.unknowns());
        equation_of_motion_row(system, state, m, v, row);
        // rounding of sums of a few hundred terms of up to 100 N m
        EXPECT_NEAR(row.dot(x) + s.h[v], expected[v], 1e-11)
            << "mechanism " << m << " v " << v << " seed " << kSeed << " case " << i;
      }
    }
  }
}

TEST(System, AJoinIsClosedWhereItsFramesAre) {
  ControlSystem system;
  system.add_mechanism(arm("left"));
  system.add_mechanism(arm("right"));
  system.add_loop_closure("hands", "left.tcp", "right.tcp");
  system.seal();
  ControlState state(system);
  RandomStream random(kSeed, "join");
  randomise(system, state, random);
  for (auto& s : state.mechanisms) s.v.setZero();
  update_state(system, state);
  set_loop_closure(system, state, 0, true);
  EXPECT_TRUE(state.loop_closures[0].closed);
  update_state(system, state);
  EXPECT_LT(state.loop_closures[0].rate.norm(),
            1e-10);  // at rest and where it was closed: nothing to do
  set_loop_closure(system, state, 0, false);
  EXPECT_FALSE(state.loop_closures[0].closed);
}

TEST(System, HorizonsAreTheLongestOfJerkTorqueRateAndTick) {
  ControlSystem system;
  MechanismDescription fast = arm("left"), torques = arm("right");
  fast.torque_rate = false;
  system.add_mechanism(std::move(fast));
  system.add_mechanism(std::move(torques));
  system.seal();
  ControlState state(system);
  for (auto& s : state.mechanisms) s.dt = 0.001;
  update_state(system, state);
  const MechanismState &a = state.mechanisms[0], &b = state.mechanisms[1];
  for (Eigen::Index j = 0; j < 7; ++j) {
    const JointLimits& limits = system.mechanisms()[0].limits[static_cast<std::size_t>(j)];
    const double swing = limits.acceleration + limits.braking;
    EXPECT_DOUBLE_EQ(a.horizons[j], swing / 5000.0);
    EXPECT_DOUBLE_EQ(b.horizons[j],
                     std::min(0.1, std::max(swing / 5000.0, swing * b.M(j, j) / 1000.0)));
  }
  EXPECT_EQ(b.horizon, b.horizons.maxCoeff());
  for (auto& s : state.mechanisms) s.dt = 0.2;
  update_state(system, state);
  EXPECT_EQ(a.horizon, 0.2);
}

TEST(SystemErrors, SayWhatIsWrongAndHowToHintIt) {
  ControlSystem system;
  system.add_mechanism(arm("left"));
  system.add_mechanism(free_body_mechanism("box"));
  const auto add = [&](auto change) {
    MechanismDescription m = arm("right");
    change(m);
    return message_of([&] { system.add_mechanism(std::move(m)); });
  };
  EXPECT_EQ(add([](auto& m) { m.name = "left"; }),
            "the mechanism 'left' comes twice; give one another name");
  EXPECT_EQ(add([](auto& m) { m.actuated[0] = "right.joint11"; }),
            "joint 'right.joint11' has no limits; control needs them, in the robot's limits.yaml");
  EXPECT_EQ(add([](auto& m) {
              m.actuated[0] = "right.joint11";
              m.limits.joints.emplace_back("right.joint11", wide_limits());
            }),
            "there is no joint of 'right' called 'right.joint11'; did you mean 'right.joint1'?");
  EXPECT_EQ(add([](auto& m) { m.held = {"right.joint1"}; }),
            "joint 'right.joint1' of 'right' is named twice");
  EXPECT_EQ(add([](auto& m) {
              m = free_body_mechanism("ball");
              m.held = {"ball.base"};
            }),
            "joint 'ball.base' is free or a ball and cannot be driven");
  EXPECT_EQ(message_of([&] { system.frame("left.tpc"); }),
            "there is no frame 'left.tpc'; did you mean 'left.tcp'?");
  EXPECT_EQ(message_of([&] { system.mechanism("rigth"); }),
            "there is no robot under control called 'rigth'; there are: left, box");
  EXPECT_EQ(message_of([&] { system.actuated_joint("left.joint9"); }),
            "there is no actuated joint 'left.joint9'; did you mean 'left.joint1'?");
  EXPECT_EQ(message_of([&] { system.loop_closure("hold"); }), "there is no loop closure 'hold'");
  EXPECT_EQ(message_of([&] { system.payload("parcel"); }), "there is no payload 'parcel'");
  EXPECT_EQ(message_of([&] { system.add_loop_closure("hold", "left.tcp", "left.tcp"); }),
            "the loop closure 'hold' joins the frame 'left.tcp' to itself");
  system.add_loop_closure("hold", "left.tcp", "box");
  EXPECT_EQ(message_of([&] { system.add_loop_closure("hold", "left.tcp", "box"); }),
            "the loop closure 'hold' comes twice; give one another name");
  EXPECT_EQ(message_of([&] { system.loop_closure("holt"); }),
            "there is no loop closure 'holt'; did you mean 'hold'?");
  EXPECT_EQ(message_of([&] { system.add_payload("p", "left.tpc", body(1.0, {})); }),
            "there is no frame 'left.tpc'; did you mean 'left.tcp'?");
  system.add_payload("p", "left.tcp", body(1.0, {}));
  EXPECT_EQ(message_of([&] { system.add_payload("p", "left.tcp", body(1.0, {})); }),
            "the payload 'p' comes twice; give one another name");
}

}  // namespace system_test
}  // namespace handspan
