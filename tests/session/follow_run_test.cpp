// Two FR3 follow a person's recorded hands: apps/follow.yaml with the recording of a real headset,
// where it is on the machine, and with one of our own.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "device/headset_csv.hpp"
#include "headset_session.hpp"
#include "log/log_file.hpp"
#include "log/recorder.hpp"
#include "log/replay.hpp"
#include "session_support.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace follow_run_test {

const std::filesystem::path kTree = HANDSPAN_SOURCE_DIR;
constexpr double kLost = 10.53, kBack = 19.2;  // of both recordings [s]

// what is seen of one hand, tick by tick
class Watch : public SessionWatcher {
 public:
  void begin(Session& session) override {
    for (const ReferenceIndex r : session.arbiter().references())
      if (session.arbiter().reference(r).kind() == kPoseKind) references_.push_back(r);
    hands.resize(references_.size());
  }
  void after_tick(Session& session) noexcept override {
    const double t = seconds(session.now());
    for (std::size_t h = 0; h < hands.size(); ++h) {
      Hand& hand = hands[h];
      const ReferenceIndex r = references_[h];
      const PoseReference& reference = session.arbiter().reference(r).motion().pose;
      const auto& task = dynamic_cast<const FrameTask&>(
          session.whole_arm()->task(session.arbiter().reference(r).name()));
      const Vector6d change = reference.V_WE - hand.V_WE;
      hand.V_WE = reference.V_WE;
      // in a hold it is the arm's own braking, which is judged by the joints
      const bool held = session.arbiter().holding(r);
      if (!held && !hand.held) {
        hand.step = std::max(hand.step, change.head<3>().norm());
        hand.turn_step = std::max(hand.turn_step, change.tail<3>().norm());
      }
      hand.held = held;
      if (t > kLost + 1.5 && t < kBack) {
        // at rest by now, until the controllers are back
        if (!hand.rest) hand.rest = reference.X_WE;
        hand.moved = std::max(hand.moved, (reference.X_WE.p - hand.rest->p).norm());
        hand.off = std::max(hand.off, task.pose_error().head<3>().norm());
      }
      if (t > kBack) hand.follows_again = hand.follows_again || !session.arbiter().holding(r);
    }
    // the drives' velocities from tick to tick
    for (std::size_t g = 0; g < session.plant().layout().groups.size(); ++g) {
      const Eigen::VectorXd& v = session.plant().read().groups[g].v;
      if (velocity_.size() <= g) velocity_.push_back(v);
      joint_step = std::max(joint_step, (v - velocity_[g]).lpNorm<Eigen::Infinity>());
      velocity_[g] = v;
    }
  }

  struct Hand {
    Vector6d V_WE = Vector6d::Zero();
    double step = 0.0, turn_step = 0.0;  // of the reference's velocity in a tick, while it follows
    bool held = true;
    std::optional<Pose> rest;
    double moved = 0.0, off = 0.0;  // while lost: of the reference, of the arm from it [m]
    bool follows_again = false;
  };
  std::vector<Hand> hands;
  double joint_step = 0.0;  // of a joint's measured velocity in a tick [rad/s]

 private:
  std::vector<ReferenceIndex> references_;
  std::vector<Eigen::VectorXd> velocity_;
};

class Follow : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    std::filesystem::path file = kTree / "../shared/data/quest-session/session.csv";
    if (GetParam()) {
      if (!std::filesystem::exists(file)) GTEST_SKIP() << "the recording is not on this machine";
    } else {
      file = folder.path() / "own.csv";
      std::ofstream(file) << test::headset_session();
    }
    samples = read_headset_csv(file, "headset");
  }
  RunSummary follow(Session& session) {
    session.set_feed(std::make_unique<LogFeed>(at_their_stamps(samples, session.base_period())));
    session.watch(watch);
    return run_session(session, 20 * kSecond);
  }

  test::AppFolder folder;
  std::vector<Input> samples;
  Watch watch;
};

INSTANTIATE_TEST_SUITE_P(Recordings, Follow, testing::Values(true, false),
                         [](const auto& which) { return which.param ? "Real" : "Own"; });

TEST_P(Follow, TheArmsFollowHoldAndGoOn) {
  const App app = load_app(kTree / "apps/follow.yaml", test_parts());
  Session session(app);
  const RunSummary summary = follow(session);
  ASSERT_EQ(summary.tracking.size(), 4U);
  for (std::size_t i = 0; i < 2; ++i) {
    const TrackingSummary& t = summary.tracking[i];
    EXPECT_GT(t.ticks, 10'000U) << t.task;
    EXPECT_LE(t.position_rms, 2e-3) << t.task;
    EXPECT_LE(t.angle_rms, 1.0 * M_PI / 180.0) << t.task;
    EXPECT_EQ(t.holds, 1U) << t.task;
    RecordProperty(t.task + "_rms_mm", std::to_string(1e3 * t.position_rms));
  }
  ASSERT_EQ(watch.hands.size(), 2U);
  for (std::size_t h = 0; h < 2; ++h) {
    const Watch::Hand& hand = watch.hands[h];
    const PoseReferenceLimits limits = test::pose_limits(app, app.references[h].first);
    EXPECT_EQ(hand.moved, 0.0);
    EXPECT_LE(hand.off, 0.5e-3);
    EXPECT_TRUE(hand.follows_again);
    EXPECT_LE(hand.step, limits.acceleration * 1e-3 * (1.0 + 1e-9));
    EXPECT_LE(hand.turn_step, limits.angular_acceleration * 1e-3 * (1.0 + 1e-9));
  }
  EXPECT_EQ(summary.faults.clamped, 0U);
  ASSERT_TRUE(summary.control);
  EXPECT_EQ(summary.control->counts.failed, 0U);
  std::cout << "joint velocity step " << watch.joint_step << "\n";
}

TEST_P(Follow, ItsLogRunsAgainBitForBit) {
  const App app = load_app(kTree / "apps/follow.yaml", test_parts());
  const auto log = folder.path() / "follow.mcap";
  {
    Session session(app);
    RecorderOptions options;
    options.may_wait = true;
    Recorder recorder(session, log, options);
    follow(session);
    ASSERT_TRUE(recorder.close());
  }
  LogFile file(log);
  ReplayOptions options;
  options.verify = true;
  const ReplayReport report = replay(file, test_parts(), options);
  EXPECT_EQ(report.compared, 20'000);
  EXPECT_TRUE(report.same());
}

}  // namespace follow_run_test
}  // namespace handspan
