// A body that the arm is told to carry: the dynamics of a model built with it, and commands that
// stay continuous when it comes and goes.
#include <gtest/gtest.h>

#include "control_support.hpp"
#include "core/random.hpp"

namespace handspan {
namespace payload_test {

using test::ArmLoop;
using test::ArmLoopOptions;
using test::scene_of;

const char* const kArm =
    "robots:\n  arm: {robot: fr3, tool: plate, base: {position: [0, 0, 1]}, pose: ready}\n";

// skew, off the tool's axis, and turned: nothing in it is zero
Inertial odd_body() {
  return {0.8,
          {Eigen::Vector3d(0.03, -0.05, 0.08),
           Eigen::Quaterniond(Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, 3).normalized()))},
          Eigen::Vector3d(0.004, 0.006, 0.008)};
}

ControlSystem system_of(const Scene& scene) {
  ControlSystem system;
  MechanismDescription mechanism;
  mechanism.name = "arm";
  mechanism.description = scene.robots[0].description;
  mechanism.actuated = scene.robots[0].groups[0].joints;
  mechanism.limits = scene.robots[0].limits;
  system.add_mechanism(std::move(mechanism));
  return system;
}

TEST(Payload, DynamicsAreThoseOfAModelBuiltWithTheBody) {
  const Scene bare = scene_of(kArm);
  Scene welded = bare;
  test::add_body(welded, "arm.tcp", odd_body());
  ControlSystem with_payload = system_of(bare), with_body = system_of(welded);
  with_payload.add_payload("box", "arm.tcp", odd_body());
  with_payload.seal();
  with_body.seal();
  ControlState carried(with_payload), built(with_body);
  constexpr std::uint64_t kSeed = 17;
  RandomStream random(kSeed, "payload");
  MechanismState &a = carried.mechanisms[0], &b = built.mechanisms[0];
  const int cases = 2000;
  for (int i = 0; i < cases; ++i) {
    for (Eigen::Index j = 0; j < a.q.size(); ++j) {
      a.q[j] = b.q[j] = random.uniform(-2.5, 2.5);
      a.v[j] = b.v[j] = random.uniform(-3.0, 3.0);
    }
    const double share = i % 2 == 0 ? 1.0 : random.uniform();
    carried.payload[0].jump(0.0);
    update_state(with_payload, carried);
    const Eigen::MatrixXd M_bare = a.M;
    const Eigen::VectorXd h_bare = a.h;
    carried.payload[0].jump(share);
    update_state(with_payload, carried);
    update_state(with_body, built);
    const Eigen::MatrixXd M = M_bare + share * (b.M - M_bare);
    const Eigen::VectorXd h = h_bare + share * (b.h - h_bare);
    ASSERT_LT((a.M - M).norm(), 1e-12 * M.norm()) << "seed " << kSeed << " case " << i;
    ASSERT_LT((a.h - h).norm(), 1e-12 * h.norm() + 1e-12) << "seed " << kSeed << " case " << i;
    EXPECT_GT((b.M - M_bare).norm(), 1e-2);
  }
}

TEST(Payload, AttachingAndDetachingJumpsNeitherCommandNorArm) {
  const Scene control = scene_of(kArm);
  const Inertial body = test::ball(0.5, Eigen::Vector3d(0.0, 0.0, 0.05));
  Scene plant = control;
  test::set_friction(plant, 0.0);
  test::add_body(plant, "arm.tcp", body);
  for (const Feedback feedback : {Feedback::kMeasured, Feedback::kCommanded}) {
    ArmLoopOptions options;
    options.held_joint = "arm.joint3";
    options.payload = body;
    options.arm.feedback = feedback;
    ArmLoop loop(plant, control, options);
    Ramp& payload = loop.state().payload[0];
    payload.jump(1.0);
    // a start with the body known: settled
    while (loop.time() < 2.0) loop.step();
    const Eigen::Vector3d there = loop.tool().p;
    EXPECT_LT((there - loop.pose().reference().X_WE.p).norm(), 1e-5);

    double largest_step = 0.0, largest_speed = 0.0, largest_sag = 0.0;
    Eigen::VectorXd before = loop.command();
    Eigen::Vector3d tool = there;
    const auto run_until = [&](double end) {
      while (loop.time() < end) {
        loop.step();
        largest_step = std::max(largest_step, (loop.command() - before).lpNorm<Eigen::Infinity>());
        before = loop.command();
        const Eigen::Vector3d now = loop.tool().p;
        largest_speed = std::max(largest_speed, (now - tool).norm() / loop.dt());
        largest_sag = std::max(largest_sag, (now - there).norm());
        tool = now;
      }
    };
    // the control forgets it over 0.2 s while the arm goes on carrying it, then knows it again
    payload.set(0.0);
    run_until(6.0);
    const double sag = (tool - there).norm();
    payload.set(1.0);
    run_until(10.0);
    const double back = (tool - there).norm();
    std::printf("%s: sag %.2f mm, back to %.1e mm, torque step %.4f N m, tool %.3f m/s\n",
                feedback == Feedback::kMeasured ? "measured" : "commanded", 1e3 * sag, 1e3 * back,
                largest_step, largest_speed);
    EXPECT_GT(sag, 1e-3);
    EXPECT_LT(back, 1e-5);
    // its weight is in the torque over 200 ticks: 0.5 kg 9.81 m/s^2 0.55 m / 200 = 0.0135 N m a
    // tick; twice that with what the tasks ask for on the way
    EXPECT_LT(largest_step, 0.027);
    EXPECT_LT(largest_speed, 0.05);
    // critically damped: it never goes further than where it comes to rest
    EXPECT_LT(largest_sag, 1.02 * sag);
  }
}

}  // namespace payload_test
}  // namespace handspan
