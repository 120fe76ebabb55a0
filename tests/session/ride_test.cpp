// A hand that rides on a body: it goes with what is driven, and nothing moves when nobody drives.
#include <gtest/gtest.h>

#include "tiago_support.hpp"

namespace handspan {
namespace ride_test {

using test::AppFolder;
using test::HeldHeadset;
using test::kTiagoLive;
using test::measured;
using test::run_for;
using test::seen;
using test::tiago_app;

// a table whose top is 16 cm under the fingers
const char* const kTable = R"(name: ride
physics: {noslip_iterations: 5}
robots:
  tiago: {robot: tiago, joint_friction: false, q: {torso_lift_joint: 15 cm}}
fixtures:
  table: {pose: {position: [0.6, -0.2, 0.09]}, shapes: [{type: box, size: [0.4, 0.6, 0.18]}]}
)";
const char* const kFree = R"(name: ride
robots:
  tiago: {robot: tiago, joint_friction: false, q: {torso_lift_joint: 15 cm}}
)";
const char* const kGroups[] = {"tiago.base", "tiago.torso", "tiago.arm"};

// into the table by 2 cm, where it is when `s` has ended after 6 s
std::string pressed() {
  return tiago_app(R"(      s:
        do: [{type: move_to, task: hand, linear: {velocity: 0.1 m/s}, waypoints: [{relative: true, position: [0.15, 0.05, 0.0], rpy: [0, 0, 0]}, {relative: true, position: [0, 0, -0.18], rpy: [0, 0, 0]}]}]
        next: [{to: live, when: [{type: after, time: 6 s}]}]
      live:
        do:)" + kTiagoLive);
}

void rests_while_it_presses(Session& session) {
  run_for(session, 8.0);
  ASSERT_FALSE(session.arbiter().stopped());
  std::vector<Eigen::VectorXd> q;
  for (const char* group : kGroups) q.push_back(measured(session, group));
  // kept from its reference by the table
  const auto ahead = [&] {
    return seen(session, "tiago.gripper_grasping_frame").p.z() -
           test::reference_of(session, "hand").motion().pose.X_WE.p.z();
  };
  EXPECT_GT(ahead(), 0.005);
  for (int k = 0; k < 10; ++k) {
    run_for(session, 1.0);
    for (std::size_t g = 0; g < q.size(); ++g)
      EXPECT_LT((measured(session, kGroups[g]) - q[g]).cwiseAbs().maxCoeff(), 1e-3)
          << kGroups[g] << " after " << k + 1 << " s";
  }
  EXPECT_GT(ahead(), 0.005);
}

TEST(Ride, NothingMovesWhileAFingerPressesAndEveryClutchIsOpen) {
  const AppFolder folder(kTable);
  const App app = folder.app(pressed());
  Session session(app);
  session.set_feed(std::make_unique<HeldHeadset>(session.base_period(),
                                                 [](const auto&, double) { return 0.0; }));
  rests_while_it_presses(session);
  EXPECT_TRUE(session.arbiter().holding(session.arbiter().find_reference("hand")));
}

TEST(Ride, NothingMovesWhileAFingerPressesAndTheSticksOfAHeldDeadManRest) {
  const AppFolder folder(kTable);
  const App app = folder.app(pressed());
  Session session(app);
  session.set_feed(
      std::make_unique<HeldHeadset>(session.base_period(), [](const std::string& axis, double t) {
        return axis == "left.squeeze" && t > 6.5 ? 1.0 : 0.0;
      }));
  rests_while_it_presses(session);
  EXPECT_FALSE(session.arbiter().holding(session.arbiter().find_reference("hand")));
}

TEST(Ride, AHandKeepsItsPoseInABodyThatDrivesTurnsAndRises) {
  const AppFolder folder(kFree);
  const App app = folder.app(tiago_app("      s:\n        do:" + kTiagoLive));
  Session session(app);
  // on a curve, up meanwhile, then to rest
  session.set_feed(
      std::make_unique<HeldHeadset>(session.base_period(), [](const std::string& axis, double t) {
        if (axis == "left.squeeze") return t > 0.2 ? 1.0 : 0.0;
        if (t < 0.4 || t > 6.0) return 0.0;
        return axis == "left.stick_y"               ? 0.6
               : axis == "left.stick_x"             ? -0.7
               : axis == "right.stick_y" && t < 3.0 ? 1.0
                                                    : 0.0;
      }));
  const auto in_body = [&] {
    return seen(session, "tiago.torso_lift_link").inverse() *
           seen(session, "tiago.gripper_grasping_frame");
  };
  run_for(session, 0.3);
  const Pose X_BE = in_body();
  run_for(session, 7.0);
  // it has turned by more than a quarter and gone up
  EXPECT_GT(measured(session, "tiago.base")[2], 1.6);
  EXPECT_GT(measured(session, "tiago.torso")[0], 0.2);
  const Pose X_EE = X_BE.inverse() * in_body();
  EXPECT_LT(X_EE.p.norm(), 0.002);
  EXPECT_LT(log_so3(X_EE.R).norm(), 0.005);
}

TEST(Ride, SaysWhatItCannotRideOn) {
  const AppFolder folder(kFree);
  const std::string app = tiago_app("      s:\n        do:" + kTiagoLive);
  const auto told = [&](const std::string& from, const std::string& to) {
    std::string wrong = app;
    wrong.replace(wrong.find(from), from.size(), to);
    return folder.error(wrong);
  };
  EXPECT_EQ(told("on: tiago.torso_lift_link", "on: tiago.torso_lft_link"),
            "test.yaml:18: sources.ride cannot be made: there is no frame "
            "'tiago.torso_lft_link'; did you mean 'tiago.torso_lift_link'?");
  EXPECT_EQ(told("ride, on: tiago.torso_lift_link", "ride"),
            "test.yaml:18: sources.ride has no key 'on'; add 'on: <text>'");
  std::string still = R"(whole_arm:
  arms: {tiago.arm: {}}
  tasks: {hand: {type: pose, frame: tiago.gripper_grasping_frame}, posture: {type: posture, robot: tiago, stiffness: 10}}
sources:
  ride: {type: ride, on: tiago.torso_lift_link}
)";
  EXPECT_EQ(folder.error(still),
            "test.yaml:7: sources.ride cannot be made: on: no task drives "
            "'tiago.torso_lift_link': give a posture of joints that move it, such as a base's");
}

}  // namespace ride_test
}  // namespace handspan
