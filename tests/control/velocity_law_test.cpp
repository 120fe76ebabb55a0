// Resolved-rate control: the inverse and how it shrinks; arms in the simulated plant that follow
// poses and keep their joints' limits; what it refuses.
#include "control/velocity_law.hpp"

#include <gtest/gtest.h>

#include "control/control_parts.hpp"
#include "core/config.hpp"
#include "core/random.hpp"
#include "mujoco/mujoco_plant.hpp"
#include "support/alloc.hpp"
#include "support/parts.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace velocity_law_test {

const char* const kScene = R"(
robots:
  left: {robot: fr3, tool: plate, pose: ready}
  picker: {robot: ur10, tool: vacuum, base: {position: [1.9, 0.0, 0.0]}, pose: stance}
)";
const std::string kArms = "type: resolved_rate\narms: {left.arm: {}, picker.arm: {}}\n";
const std::string kTasks = R"(tasks:
  hand: {type: pose, frame: left.tcp}
  cup: {type: pose, frame: picker.suction}
  posture: {type: posture, robot: left, stiffness: 10}
)";

struct Rig {
  explicit Rig(const std::string& config = kArms + kTasks)
      : scene(test::scene_of(kScene)),
        plant(scene),
        made(
            parse_yaml(config, "app.yaml", parts_of<register_control>().of<ArmsRegistry>().schema())
                .make(ArmsContext{scene, plant.layout(), kSecond / 1000})),
        arms(dynamic_cast<VelocityLaw&>(*made)),
        command(Command::zero(plant.layout())) {
    arms.start(plant.read());
  }
  FrameTask& frame(const std::string& name) {
    for (Task* task : arms.all_tasks())
      if (task->name() == name) return dynamic_cast<FrameTask&>(*task);
    throw InputError("no task " + name);
  }
  void tick() {
    arms.observe(plant.read(), ticks++);
    arms.solve(command);
    plant.write(command);
    plant.advance();
  }

  Scene scene;
  MujocoPlant plant;
  std::unique_ptr<ArmsController> made;
  VelocityLaw& arms;
  Command command;
  std::int64_t ticks = 0;
};

// ---- the inverse

struct OneArm {
  OneArm() : rig(), law(rig.arms.system().mechanisms()[0], 6), n(7) {
    A = Eigen::MatrixXd::Zero(6, n);
    RandomStream random(3, "rows");
    for (double& x : A.reshaped()) x = random.uniform(-1.0, 1.0);
    V = Eigen::VectorXd::LinSpaced(6, -0.2, 0.3);
    posture = Eigen::VectorXd::LinSpaced(n, 0.4, -0.2);
  }
  Rig rig;
  ResolvedRate law;
  Eigen::Index n;
  Eigen::MatrixXd A;
  Eigen::VectorXd V, posture;
};

TEST(ResolvedRate, GivesTheRowsWhatTheyWantAndThePostureWhatTheyLeave) {
  OneArm arm;
  arm.law.solve(arm.A, arm.V, arm.posture, {1e-3, 0.05});
  EXPECT_LT((arm.A * arm.law.task_rates() - arm.V).norm(), 1e-9);
  EXPECT_LT((arm.A * arm.law.null_rates()).norm(), 1e-9);
  // the least rates that do: nothing of them in the nullspace
  EXPECT_NEAR(arm.law.task_rates().dot(arm.law.null_rates()), 0.0, 1e-9);
  EXPECT_GT(arm.law.null_rates().dot(arm.posture), 0.0);
}

TEST(ResolvedRate, AtASingularPoseRatesStayBoundedAndOtherDirectionsExact) {
  OneArm arm;
  arm.A.row(5) = arm.A.row(4);
  const RateDamping damping{0.05, 0.05};
  arm.law.solve(arm.A, arm.V, arm.posture, damping);
  // a direction of singular value s gives at most s / (s^2 + lambda^2 ...) <= 1 / lambda of it
  EXPECT_LT(arm.law.task_rates().norm(), arm.V.norm() / damping.most);
  EXPECT_LT((arm.A.topRows(4) * arm.law.task_rates() - arm.V.head(4)).norm(), 1e-6);
}

TEST(ResolvedRate, WhereAJointBindsAllOfTheMotionSlowsDownInProportion) {
  OneArm arm;
  const Mechanism& mechanism = arm.rig.arms.system().mechanisms()[0];
  const MechanismState& s = arm.rig.arms.control().mechanisms[0];
  arm.law.solve(arm.A, 100.0 * arm.V, Eigen::VectorXd::Zero(arm.n), {1e-3, 0.05});
  Eigen::VectorXd v = s.v;
  const Eigen::VectorXd ahead = Eigen::VectorXd::Zero(arm.n);
  for (int i = 0; i < 3000; ++i) {
    const Eigen::VectorXd a = arm.law.accelerations(s.q, v, ahead, 1e-3);
    for (Eigen::Index k = 0; k < arm.n; ++k) {
      ASSERT_LE(std::abs(a[k]), mechanism.limits[static_cast<std::size_t>(k)].acceleration + 1e-9);
      v[mechanism.actuated[static_cast<std::size_t>(k)]] += 1e-3 * a[k];
    }
  }
  ASSERT_GE(arm.law.joint(), 0);
  EXPECT_LT(arm.law.share(), 1.0);
  Eigen::VectorXd rates(arm.n);
  for (Eigen::Index k = 0; k < arm.n; ++k)
    rates[k] = v[mechanism.actuated[static_cast<std::size_t>(k)]];
  EXPECT_LT((rates - arm.law.share() * arm.law.task_rates()).norm(), 1e-6 * rates.norm());
  // and from rest it went there along the same line
  const Eigen::VectorXd first =
      arm.law.accelerations(s.q, Eigen::VectorXd::Zero(v.size()), ahead, 1e-3);
  EXPECT_NEAR(first.normalized().dot(rates.normalized()), 1.0, 1e-9);
}

TEST(ResolvedRate, ACommandAheadOfAJointThatStandsGoesNoFarther) {
  OneArm arm;
  const Mechanism& mechanism = arm.rig.arms.system().mechanisms()[0];
  const MechanismState& s = arm.rig.arms.control().mechanisms[0];
  arm.law.solve(arm.A, arm.V, Eigen::VectorXd::Zero(arm.n), {1e-3, 0.05});
  Eigen::VectorXd ahead = Eigen::VectorXd::Zero(arm.n);
  ahead[2] = std::copysign(0.2, arm.law.task_rates()[2]);
  EXPECT_LT(arm.law.accelerations(s.q, s.v, ahead, 1e-3).norm(), 1e-9);
  EXPECT_EQ(arm.law.joint(), 2);
  EXPECT_EQ(mechanism.joint_names[2], "left.joint3");
  // the other way it goes
  EXPECT_GT(arm.law.accelerations(s.q, s.v, -ahead, 1e-3).norm(), 0.1);
}

// ---- in the plant

TEST(VelocityLaw, FollowsPosesWithTheirVelocities) {
  Rig rig;
  struct Moves {
    FrameTask& task;
    PoseReference reference;
    double worst = 0.0;
  };
  std::vector<Moves> all;
  for (const char* name : {"hand", "cup"})
    all.push_back({rig.frame(name), rig.frame(name).reference()});
  for (int i = 0; i < 3000; ++i) {
    const double t = 1e-3 * i, w = 2.0, size = 0.05;
    for (Moves& m : all) {
      PoseReference now = m.reference;
      now.X_WE.p.y() += size * (1.0 - std::cos(w * t));
      now.V_WE[1] = size * w * std::sin(w * t);
      now.A_WE[1] = size * w * w * std::cos(w * t);
      m.task.set_reference(now);
    }
    rig.tick();
    if (i > 500)
      for (Moves& m : all) m.worst = std::max(m.worst, m.task.pose_error().norm());
  }
  // the FR3's joints are behind their commands by what its springs' damping takes, and the
  // commanded state goes after them by its correction
  EXPECT_LT(all[0].worst, 5e-3);
  EXPECT_LT(all[1].worst, 1e-3);
}

TEST(VelocityLaw, ReferencesOutOfReachLeaveTheMeasuredJointsWithinTheirLimits) {
  Rig rig;
  RandomStream random(5, "goals");
  double beyond = -HUGE_VAL, speed = 0.0;
  std::vector<std::pair<FrameTask*, PoseReference>> all;
  for (const char* name : {"hand", "cup"})
    all.emplace_back(&rig.frame(name), rig.frame(name).reference());
  for (int i = 0; i < 8000; ++i) {
    if (i % 1000 == 0)
      for (auto& [task, from] : all) {
        PoseReference goal = from;
        for (double& x : goal.X_WE.p) x += random.uniform(-0.8, 0.8);
        goal.X_WE.R =
            exp_so3(Eigen::Vector3d(random.uniform(-2, 2), random.uniform(-2, 2), 0)) * goal.X_WE.R;
        task->set_reference(goal);
      }
    rig.tick();
    for (std::size_t g = 0; g < rig.plant.layout().groups.size(); ++g) {
      const GroupLayout& group = rig.plant.layout().groups[g];
      if (!group.name.ends_with(".arm")) continue;
      for (std::size_t j = 0; j < group.joints.size(); ++j) {
        const JointLimits& l = *rig.scene.robot(group.robot)->limits.find(group.joints[j]);
        const auto k = static_cast<Eigen::Index>(j);
        const double q = rig.plant.read().groups[g].q[k];
        if (!l.continuous) beyond = std::max({beyond, l.lower - q, q - l.upper});
        speed = std::max(speed, std::abs(rig.plant.read().groups[g].v[k]) / l.velocity);
      }
    }
  }
  EXPECT_LT(beyond, 5e-3);
  EXPECT_LT(speed, 1.05);
}

TEST(VelocityLaw, ATickAllocatesNothingOnTheHeap) {
  Rig rig;
  rig.tick();
  PoseReference goal = rig.frame("hand").reference();
  goal.X_WE.p.z() += 0.3;
  rig.frame("hand").set_reference(goal);
  for (int i = 0; i < 100; ++i) {
    const test::AllocationCount allocations;
    rig.arms.observe(rig.plant.read(), rig.ticks++);
    rig.arms.solve(rig.command);
    ASSERT_EQ(allocations.count(), 0U) << "tick " << i;
    rig.plant.write(rig.command);
    rig.plant.advance();
  }
}

TEST(VelocityLaw, ItsDampingIsALiveParameter) {
  Rig rig;
  ParameterTable table;
  rig.arms.declare_parameters(table);
  table.set(table.find("whole_arm.damping"), 0.4, 0.0);
  EXPECT_EQ(table.get(table.find("whole_arm.damping")), 0.4);
  for (const char* name : {"whole_arm.singular", "task.hand.stiffness", "task.posture.weight"})
    EXPECT_NO_THROW(table.find(name)) << name;
}

std::string error_of(const std::string& config) {
  try {
    Rig rig(config);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(VelocityLaw, WhatItCannotUseIsToldWithPlaceCauseAndHint) {
  const std::string type = "type: resolved_rate\n";
  EXPECT_EQ(error_of(type + "arms: {left.am: {}}\n" + kTasks),
            "the scene has no group 'left.am'; did you mean 'left.arm'?");
  EXPECT_EQ(error_of(type + "arms: {left.arm: {law: torque}}\ntasks: {}\n"),
            "the arm 'left.arm' has law: torque, which needs the accelerations of the quadratic "
            "program; use law: position or velocity, or leave it out");
  EXPECT_EQ(error_of(type + "arms: {picker.arm: {law: position}}\ntasks: {}\n"),
            "law: position needs a torque- or position-driven group; 'picker.arm' is "
            "velocity-driven; leave the law out");
  EXPECT_EQ(error_of(kArms + "tasks:\n  look: {type: direction, frame: left.tcp, axis: [0, 0, 1], "
                             "direction: [0, 0, -1]}\n"),
            "app.yaml:4: whole_arm.tasks.look is of type 'direction', which resolved_rate does not "
            "have; use pose, position, orientation, twist or posture, or leave the type of "
            "whole_arm out: the quadratic program has all of them");
  EXPECT_EQ(error_of(kArms + "tasks:\n  hand: {type: pose, frame: left.tpc}\n"),
            "app.yaml:4: whole_arm.tasks.hand cannot be made: there is no frame 'left.tpc'; did "
            "you mean 'left.tcp'?");
  EXPECT_EQ(error_of(kArms + kTasks + "damping: {most: 0}\n"),
            "app.yaml:7: damping.most is 0; it must be >= 0.0001");
  EXPECT_EQ(error_of(kArms + kTasks + "constraints: []\n"),
            "app.yaml:7: unknown key 'constraints'; the keys are: arms, tasks, damping");
  std::string many = "tasks:\n";
  for (const char* name : {"a", "b", "c", "d", "e"})
    many += std::string("  ") + name + ": {type: pose, frame: left.tcp}\n";
  EXPECT_EQ(error_of(kArms + many),
            "the frames' tasks of 'left' have 30 rows; 24 are the most: take one away, or set some "
            "of its axes to false");
}

}  // namespace velocity_law_test
}  // namespace handspan
