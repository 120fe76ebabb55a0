// Hands that are thrown: the arm brakes in the least time when it is let go or stopped, the
// reference is never farther than its leash, and turning back is felt at once.
#include <gtest/gtest.h>

#include "control/joint_stop.hpp"
#include "core/random.hpp"
#include "session_support.hpp"

namespace handspan {
namespace throws_run_test {

using test::AppFolder;

const char* const kScene = R"(name: throws
robots:
  arm: {robot: ur10, pose: stance}
)";

const char* const kApp = R"(whole_arm:
  arms: {arm.arm: {feedback: commanded}}
  tasks: {cup: {type: pose, frame: arm.flange, stiffness: 45, orientation_weight: 0.1}}
sources: {hand: {type: pose_stream, relative: true}}
references:
  cup: {speed: 3 m/s, acceleration: 30 m/s^2, jerk: 1000 m/s^3, leash: 0.3 m}
machines:
  m: {start: go, states: {go: {do: [{type: follow, task: cup, sources: [{source: hand}]}]}}}
)";

// of the UR10's drive in its robot.yaml [s]
constexpr double kLag = 0.02, kDelay = 0.008;

struct Throw {
  explicit Throw(const App& app)
      : session(app), cup(session.arbiter().find_reference("cup")), leash(0.3) {
    X.p = Eigen::Vector3d::Zero();
  }
  // the hand goes on at v for a tick: two poses tell where it is and how it moves
  void hand(const Eigen::Vector3d& v) {
    std::vector<double> rows = test::row(0.0, X);
    for (const double x : test::row(0.01, {X.R, X.p + 0.01 * v})) rows.push_back(x);
    EXPECT_TRUE(session.mailbox("hand").post(test::pose_sample("hand", rows)));
    X.p += 1e-3 * v;
    tick();
  }
  void tick() {
    before = test::frame_reference(session, "cup").arm();
    session.tick();
    if (session.arbiter().holding(cup)) return;
    const ArmFrame arm = test::frame_reference(session, "cup").arm();
    const double e = (session.arbiter().reference(cup).motion().pose.X_WE.p - arm.X_WE.p).norm();
    EXPECT_LE(e, leash * (1.0 + 1e-9)) << "at " << session.ticks();
    fastest = std::max(fastest, arm.V_WE.head<3>().norm());
  }
  // to that speed within 0.1 s, then on [m/s], [s]
  void toss(const Eigen::Vector3d& direction, double speed, double time) {
    for (int i = 0; i < time * 1000.0; ++i) hand(std::min(1.0, i / 100.0) * speed * direction);
  }
  const MechanismState& state() { return session.whole_arm()->state().mechanisms[0]; }

  Session session;
  ReferenceIndex cup;
  double leash, fastest = 0.0;
  Pose X;
  ArmFrame before;
};

struct Case {
  Eigen::Vector3d direction;
  double speed, time;  // of the arm's hand, scale and all [m/s], [s]
};

std::vector<Case> cases(int n) {
  RandomStream random(16, "throws");
  std::vector<Case> all;
  for (int i = 0; i < n; ++i) {
    // scale 1 and 2
    const double scale = 1.0 + i % 2;
    all.push_back(
        {random.direction(), scale * random.uniform(2.0, 7.0), random.uniform(0.12, 0.35)});
  }
  return all;
}

TEST(ThrowsRun, AnArmIsAtRestInTheLeastTimeAfterItIsStoppedAndStays) {
  const AppFolder folder(kScene);
  const App app = folder.app(kApp);
  double worst = 0.0, moved = 0.0;
  int i = 0;
  for (const Case& c : cases(8)) {
    SCOPED_TRACE(testing::Message() << "throw " << i++);
    Throw t(app);
    t.toss(c.direction, c.speed, c.time);
    t.session.mailbox("operator").post(test::operator_input(InputKind::kStop));
    const MechanismState at = t.state();
    const double least =
        least_stop_time(t.session.whole_arm()->system().mechanisms()[0], at.q, at.v, at.qdd);
    const double start = at.v.lpNorm<Eigen::Infinity>();
    if (start < 0.2) continue;
    const Eigen::Vector3d way = t.before.V_WE.head<3>();
    double commanded = 0.0, measured = 0.0;
    const double begin = seconds(t.session.now());
    for (int k = 0; k < 1500; ++k) {
      t.tick();
      const double now = seconds(t.session.now()) - begin;
      if (t.state().v.lpNorm<Eigen::Infinity>() > std::max(0.02, 0.02 * start)) commanded = now;
      const GroupState& plant = t.session.plant().read().groups[0];
      // of a drive with a lag 5 % are left after three of it
      if (plant.v.lpNorm<Eigen::Infinity>() > 0.05 * start) measured = now;
    }
    EXPECT_LE(commanded, 1.2 * least + 0.008 + kDelay);
    EXPECT_LE(measured, 1.2 * least + 0.008 + kDelay + 3.0 * kLag);
    worst = std::max(worst, commanded / least);
    const ArmFrame arm = test::frame_reference(t.session, "cup").arm();
    const Pose& X = t.session.arbiter().reference(t.cup).motion().pose.X_WE;
    EXPECT_LT((X.p - arm.X_WE.p).norm(), 0.002);
    // latched: the same to the bit, and the arm stays
    const Eigen::Vector3d p = X.p;
    for (int k = 0; k < 1000; ++k) t.tick();
    EXPECT_EQ(t.session.arbiter().reference(t.cup).motion().pose.X_WE.p, p);
    moved =
        std::max(moved, (test::frame_reference(t.session, "cup").arm().X_WE.p - arm.X_WE.p).norm());
    std::printf(
        "  %.1f m/s for %.2f s: tool %.2f m/s, least %.3f s, commanded %.3f s, measured %.3f s\n",
        c.speed, c.time, way.norm(), least, commanded, measured);
  }
  EXPECT_LT(moved, 0.001);
  std::printf("throws: worst %.3f of the least time; moved %.2g m afterwards\n", worst, moved);
}

TEST(ThrowsRun, TurningBackIsFeltAtOnce) {
  const AppFolder folder(kScene);
  const App app = folder.app(kApp);
  double worst = 0.0;
  int i = 0;
  for (const Case& c : cases(8)) {
    SCOPED_TRACE(testing::Message() << "throw " << i++);
    Throw t(app);
    t.toss(c.direction, c.speed, c.time);
    const double at = seconds(t.session.now());
    double felt = -1.0;
    for (int k = 0; k < 300 && felt < 0.0; ++k) {
      t.hand(-c.speed * c.direction);
      // as control asks for it: its drive follows with its lag
      const auto& task = dynamic_cast<const FrameTask&>(t.session.whole_arm()->task("cup"));
      const Eigen::Vector3d v = task.V_WE().head<3>();
      const RobotModel& model = *t.session.whole_arm()->system().mechanisms()[0].model;
      RobotData data(model);
      update_kinematics(model, data, t.state().q, t.state().v);
      Matrix6Xd J = Matrix6Xd::Zero(6, model.nv());
      frame_jacobian(model, data, task.frame().frame, J);
      const Vector6d A =
          J * t.state().qdd + frame_bias_acceleration(model, data, task.frame().frame);
      if (A.head<3>().dot(v) < 0.0) felt = seconds(t.session.now()) - at;
    }
    ASSERT_GE(felt, 0.0);
    worst = std::max(worst, felt);
    std::printf("  %.1f m/s for %.2f s: felt after %.3f s\n", c.speed, c.time, felt);
  }
  EXPECT_LE(worst, 0.05 + 0.008);
}

}  // namespace throws_run_test
}  // namespace handspan
