// Teleoperation by an adversary (wild_hands.hpp): two FR3 by apps/follow.yaml with clutches, and a
// UR10. No limit is exceeded and no arm gets stuck, as tests/session/reach_test.cpp has it; no
// reference steps, whatever is let go or clutched in.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/text_file.hpp"
#include "limit_watch.hpp"
#include "session_support.hpp"
#include "support/sized.hpp"
#include "wild_hands.hpp"

namespace handspan {
namespace adversarial_run_test {

using test::AppFolder;
using test::Findings;
using test::LimitWatch;
using test::WildHands;

const char* const kArmScene = R"(name: picker
robots:
  picker: {robot: ur10, tool: vacuum, pose: stance}
)";
const std::string kArm = R"(whole_arm:
  arms:
    picker.arm: {feedback: commanded}
  tasks:
    cup: {type: pose, frame: picker.suction, stiffness: 45, orientation_weight: 0.1, deceleration: 3, speed: 1.5 m/s, angular_speed: 3 rad/s}
  optimisation: {error_damping: 0.1, error_damping_rate: 20}
  constraints:
    - {type: cartesian_limits, frame: picker.flange}
devices:
  headset: {driver: {type: headset}}
sources:
  person: {type: hand, device: headset, pose: left, scale: [2.0, 2.0, 2.0], clutch: {safety: left.squeeze, motion: left.trigger}}
references:
  cup: {speed: 1.5 m/s, leash: 0.2 m, leash_angle: 45 deg}
machines:
  all:
    start: follow
    states:
      follow: {do: [{type: follow, task: cup, sources: [{source: person}]}]}
)";

// what an app should say of an arm that may meet itself
const std::string kSelfPairs = R"(    - type: collision
      pairs:
        - [picker.wrist_1, picker.base]
        - [picker.wrist_1, picker.shoulder]
        - [picker.wrist_1, picker.upper_arm]
        - [picker.wrist_2, picker.base]
        - [picker.wrist_2, picker.shoulder]
        - [picker.wrist_2, picker.upper_arm]
        - [picker.wrist_3, picker.base]
        - [picker.wrist_3, picker.shoulder]
        - [picker.wrist_3, picker.upper_arm]
        - [picker.gripper, picker.base]
        - [picker.gripper, picker.shoulder]
        - [picker.gripper, picker.upper_arm]
        - [picker.gripper, picker.forearm]
        - [picker.forearm, picker.shoulder]
        - [picker.forearm, picker.base]
)";

struct Adversity {
  Findings findings;
  // of the velocity in a tick, over what the acceleration allows: of a reference that follows; of
  // the joints, also while they brake in a hold
  double step = 0.0, joint_step = 0.0;
  // farthest of a reference from its frame, in position, over the leash: while it follows; while it
  // holds, when no leash pulls it and the arm may still be on its way
  double leash = 0.0, held = 0.0;
  double jerk = 0.0;  // of a joint, over its limit
  std::uint64_t followed = 0, torque_rate = 0;
};

Adversity run(const App& app, std::uint64_t seed, Nanoseconds duration) {
  Session session(app);
  auto hands = std::make_unique<WildHands>(seed, session.base_period());
  session.set_feed(std::move(hands));
  std::vector<FrameTask*> tasks;
  std::vector<ReferenceIndex> references;
  std::vector<PoseReferenceLimits> all_limits;
  for (const ReferenceIndex r : session.arbiter().references())
    if (session.arbiter().reference(r).kind() == kPoseKind) {
      references.push_back(r);
      all_limits.push_back(test::pose_limits(app, session.arbiter().reference(r).name()));
      tasks.push_back(dynamic_cast<FrameTask*>(
          &session.whole_arm()->task(session.arbiter().reference(r).name())));
    }
  LimitWatch watch(session, tasks);
  Adversity a;
  const double dt = seconds(session.base_period());
  std::vector<Vector6d> before(references.size(), Vector6d::Zero());
  std::vector<Eigen::VectorXd> qdd;
  std::vector<bool> held(references.size(), true);
  while (session.now() < duration) {
    const Nanoseconds now = session.now();
    session.tick();
    watch.after_tick(now, a.findings);
    for (std::size_t i = 0; i < references.size(); ++i) {
      const PoseReferenceLimits& limits = all_limits[i];
      const Vector6d& V = session.arbiter().reference(references[i]).motion().pose.V_WE;
      const Vector6d change = V - before[i];
      before[i] = V;
      const bool holds = session.arbiter().holding(references[i]);
      if (!holds && !held[i])
        a.step = std::max({a.step, change.head<3>().norm() / (limits.acceleration * dt),
                           change.tail<3>().norm() / (limits.angular_acceleration * dt)});
      held[i] = holds;
      const double distance = tasks[i]->pose_error().head<3>().norm();
      double& farthest = session.arbiter().holding(references[i]) ? a.held : a.leash;
      farthest = std::max(farthest, distance / limits.leash.value());
      a.followed += session.arbiter().holding(references[i]) ? 0 : 1;
    }
    const auto& mechanisms = session.whole_arm()->system().mechanisms();
    for (std::size_t m = 0; m < mechanisms.size(); ++m) {
      const MechanismState& s = session.whole_arm()->state().mechanisms[m];
      if (qdd.size() <= m) qdd.push_back(s.qdd);
      if (!s.due) continue;
      for (std::size_t j = 0; j < mechanisms[m].limits.size(); ++j) {
        const auto k = static_cast<Eigen::Index>(j);
        a.joint_step =
            std::max(a.joint_step, std::abs(s.qdd[k]) / mechanisms[m].limits[j].acceleration);
        a.jerk =
            std::max(a.jerk, std::abs(s.qdd[k] - qdd[m][k]) / s.dt / mechanisms[m].limits[j].jerk);
      }
      qdd[m] = s.qdd;
    }
  }
  const ProblemCounts& counts = session.whole_arm()->problem().counts();
  a.findings.ticks = counts.ticks;
  a.findings.relaxed = counts.relaxed;
  a.findings.failed = counts.failed;
  a.findings.empty = counts.empty_boxes;
  a.torque_rate = session.plant().faults().rate_limited;
  return a;
}

void survive(const App& app, const char* name) {
  // one seed alone and in full: HANDSPAN_SEED=94
  const char* const chosen = std::getenv("HANDSPAN_SEED");
  const int seeds = chosen ? 1 : test::sized(200);
  const Nanoseconds duration =
      chosen || seeds == 200 ? 110 * kSecond : static_cast<Nanoseconds>(5.5 * kSecond);
  Adversity all;
  for (int k = 0; k < seeds; ++k) {
    // 0 to 99 and 1000 to 1099: what one hundred was tuned on, the other has not seen
    const int seed = chosen ? std::atoi(chosen) : k % 2 * 1000 + k / 2;
    const Adversity a = run(app, static_cast<std::uint64_t>(seed), duration);
    const Findings& f = a.findings;
    EXPECT_EQ(f.empty, 0U) << "seed " << seed;
    EXPECT_EQ(f.failed, 0U) << "seed " << seed;
    EXPECT_LE(f.position, 1e-6) << "seed " << seed;
    EXPECT_LE(f.velocity, 1e-6) << "seed " << seed;
    EXPECT_LE(f.step, 1e-9) << "seed " << seed;
    EXPECT_LE(f.cartesian, 0.005) << "seed " << seed;
    EXPECT_LE(a.step, 1.0 + 1e-9) << "seed " << seed;
    EXPECT_LE(a.joint_step, 1.0 + 1e-6) << "seed " << seed;
    if (std::getenv("HANDSPAN_VERBOSE"))
      fmt::print(
          "{} seed {}: relaxed {} stuck {} of {} cartesian {:.4f} torque rate {} leash {:.2f} held "
          "{:.2f} jerk "
          "{:.2f} plant beyond by {:.4f} rad, {:.3f} rad/s {}\n",
          name, seed, f.relaxed, f.stuck, f.looks, f.cartesian, a.torque_rate, a.leash, a.held,
          a.jerk, f.plant_position, f.plant_velocity, f.where);
    all.findings.ticks += f.ticks;
    all.findings.relaxed += f.relaxed;
    all.findings.stuck += f.stuck;
    all.findings.looks += f.looks;
    all.findings.cartesian = std::max(all.findings.cartesian, f.cartesian);
    all.findings.plant_velocity = std::max(all.findings.plant_velocity, f.plant_velocity);
    all.findings.plant_position = std::max(all.findings.plant_position, f.plant_position);
    all.leash = std::max(all.leash, a.leash);
    all.held = std::max(all.held, a.held);
    all.jerk = std::max(all.jerk, a.jerk);
    all.torque_rate += a.torque_rate;
    all.followed += a.followed;
  }
  const auto ticks = static_cast<double>(all.findings.ticks);
  EXPECT_LE(static_cast<double>(all.findings.relaxed), 0.001 * ticks);
  EXPECT_EQ(all.findings.stuck, 0U);
  EXPECT_GT(static_cast<double>(all.followed), 0.3 * ticks);
  fmt::print(
      "{}: {} seeds x {:.1f} s, followed {:.0f} %: limits given up in {:.4f} % of ticks, {} of {} "
      "looks stuck; Cartesian beyond by {:.3f} %, torque rate cut {} times; farthest reference "
      "{:.2f} of its leash, {:.2f} while it holds; jerk {:.2f} of its limit; plant beyond by "
      "{:.4f} rad, {:.3f} rad/s\n",
      name, seeds, seconds(duration), 100.0 * static_cast<double>(all.followed) / ticks,
      100.0 * static_cast<double>(all.findings.relaxed) / ticks, all.findings.stuck,
      all.findings.looks, 100.0 * all.findings.cartesian, all.torque_rate, all.leash, all.held,
      all.jerk, all.findings.plant_position, all.findings.plant_velocity);
}

TEST(AdversarialRun, TwoFr3NeitherStallNorExceedALimit) {
  const std::filesystem::path tree = HANDSPAN_SOURCE_DIR;
  std::string app = read_text_file(tree / "apps/follow.yaml");
  app = app.substr(app.find("duration:"));
  // with clutches, that must be pressed anew
  for (const std::string side : {"left", "right"}) {
    const std::string held = "pose: " + side + ", clutch: {recloses: true}";
    const auto at = app.find(held);
    ASSERT_NE(at, std::string::npos);
    app.replace(
        at, held.size(),
        "pose: " + side + ", clutch: {safety: " + side + ".squeeze, motion: " + side + ".trigger}");
  }
  const AppFolder folder(read_text_file(tree / "scenes/follow.yaml"));
  survive(folder.app(app), "two FR3");
}

// At full size two seeds miss: 94 gets away from a straight elbow in 0.3 s, at which the pull that
// it gets is in proportion to how far it is from straight; and 63 turns 0.7 % too fast while it is
// held by its own gripper, as what is commanded is moved after what is measured.
TEST(AdversarialRun, AUr10NeitherStallsNorExceedsALimit) {
  const AppFolder folder(kArmScene);
  survive(folder.app(kArm), "UR10");
}

// Without its pairs the gripper of this seed strikes the forearm in the plant, is held there and
// flings back by 0.12 rad/s beyond its speed: the plant's joints have its commands, not its limits.
TEST(AdversarialRun, AUr10WithItsPairsDoesNotStrikeItself) {
  std::string app = kArm;
  app.insert(app.find("devices:"), kSelfPairs);
  const AppFolder folder(kArmScene);
  const Adversity a = run(folder.app(app), 48, 8 * kSecond);
  EXPECT_LE(a.findings.plant_position, 1e-3);
  EXPECT_LE(a.findings.plant_velocity, 5e-3);
  EXPECT_LE(a.findings.cartesian, 0.005);
  EXPECT_EQ(a.findings.failed, 0U);
}

}  // namespace adversarial_run_test
}  // namespace handspan
