// Answers slower than a tick are recorded, and a log runs again to the same bits without whoever
// answered: apps/slow.yaml, a policy in Python, an answer of ten thousand numbers. What poses_at()
// says of the past is what the log has.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "log/log_series.hpp"
#include "log/recorder.hpp"
#include "log/replay.hpp"
#include "plant/world.hpp"
#include "reference/asking_source.hpp"
#include "session/session_support.hpp"
#include "support/alloc.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace slow_answers_test {

using test::AppFolder;
using test::kPairArms;

const std::filesystem::path kTree = HANDSPAN_SOURCE_DIR;

struct Recorded {
  std::vector<TickHashes> hashes;
  std::vector<std::string> refused;
  std::uint64_t answered = 0;
  Eigen::Vector3d p = Eigen::Vector3d::Zero();  // where the hand is at the end
};

// Runs an app and records it.
Recorded record(const App& app, const std::string& source, Nanoseconds until,
                const std::filesystem::path& file, SessionOptions options = {}) {
  Session session(app, std::move(options));
  RecorderOptions how;
  how.may_wait = true;
  Recorder recorder(session, file, how);
  Recorded result;
  while (session.now() < until) {
    session.tick();
    result.hashes.push_back(session.hashes());
    for (const Event& event : session.events().events())
      if (event.kind == "refused") result.refused.push_back(std::string(event.text.view()));
  }
  session.finish();
  EXPECT_TRUE(recorder.close());
  const auto& of = dynamic_cast<const AskingSource&>(
      session.arbiter().source(session.arbiter().find_source(source)));
  result.answered = of.answered();
  result.p = test::frame_reference(session, "hand").arm().X_WE.p;
  return result;
}

void expect_replays(const std::filesystem::path& file, const Parts& parts,
                    std::initializer_list<Nanoseconds> from) {
  for (const Nanoseconds begin : from) {
    LogFile log(file);
    ReplayOptions options;
    options.verify = true;
    options.from = begin;
    const ReplayReport report = replay(log, parts, options);
    EXPECT_TRUE(report.same()) << "from " << seconds(begin) << " s, at tick "
                               << (report.difference ? report.difference->tick : -1);
    EXPECT_GT(report.compared, 0);
  }
}

App slow_app(const AppFolder& folder, const std::string& thinks) {
  std::ofstream(folder.path() / "slow.yaml")
      << "extends: " << (kTree / "apps/slow.yaml").string()
      << "\nscene: " << (kTree / "scenes/follow.yaml").string()
      << "\nsources: {plan: {thinks: " << thinks << "}}\n";
  return load_app(folder.path() / "slow.yaml", test_parts());
}

TEST(SlowAnswers, TheAppReplaysBitForBitWithWorkersOfAnyDelay) {
  const AppFolder folder;
  const Nanoseconds until = 6 * kSecond;
  const auto quick_file = folder.path() / "quick.mcap", slow_file = folder.path() / "slow.mcap";
  const Recorded quick = record(slow_app(folder, "0 s"), "plan", until, quick_file);
  const Recorded slow = record(slow_app(folder, "40 ms"), "plan", until, slow_file);
  EXPECT_TRUE(quick.hashes == slow.hashes);
  EXPECT_GE(quick.answered, 5U);
  // the one that was asked before the machine went to rest
  const std::vector<std::string> refused = {"answer 5: machine.arm has gone to another state"};
  EXPECT_EQ(quick.refused, refused);
  EXPECT_EQ(slow.refused, refused);
  expect_replays(quick_file, test_parts(), {0, 2 * kSecond, 5 * kSecond});
  expect_replays(slow_file, test_parts(), {0, 5 * kSecond});
}

TEST(SlowAnswers, OnAWallClockTheyAreTakenAsTheyComeAndReplayAllTheSame) {
  const AppFolder folder;
  // later than the latency of 250 ms
  const App app = slow_app(folder, "300 ms");
  const auto file = folder.path() / "wall.mcap";
  std::uint32_t late = 0;
  {
    Session session(app);
    Recorder recorder(session, file, {});
    RunOptions options;
    options.until = 1500 * (kSecond / 1000);
    options.clock = ClockKind::kWall;
    run_session(session, options);
    EXPECT_TRUE(recorder.close());
    const auto plan = session.arbiter().find_source("plan");
    late = dynamic_cast<const AskingSource&>(session.arbiter().source(plan)).late();
  }
  EXPECT_GE(late, 1U);
  expect_replays(file, test_parts(), {0, kSecond});
}

// A client in Python, as docs/policies.md shows it; ends with the object.
class PythonPolicy {
 public:
  explicit PythonPolicy(const std::filesystem::path& line) : pid_(fork()) {
    if (pid_ != 0) return;
    const std::string script = (kTree / "tests/support/policy_client.py").string();
    execlp("python3", "python3", script.c_str(), line.c_str(), "0.45", "0.15", "0.5",
           static_cast<char*>(nullptr));
    _exit(127);
  }
  ~PythonPolicy() {
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
  }

 private:
  pid_t pid_;
};

TEST(SlowAnswers, APolicyInPythonDrivesAnArmAndItsLogReplaysWithoutIt) {
  const AppFolder folder;
  for (const std::string rule : {"replace", "blend"}) {
    const App app =
        folder.app(kPairArms + "sources:\n  brain: {type: policy, task: hand, socket: " +
                       (folder.path() / "line").string() +
                       ", latency: 60 ms, every: 200 ms, answers_within: 60 s, "
                       "observations: [reference.hand.pose], chunks: " +
                       rule + R"(}
machines:
  arm:
    start: work
    states:
      work: {do: [{type: follow, task: hand, sources: [{source: brain}]}]}
)",
                   rule);
    const auto file = folder.path() / (rule + ".mcap");
    Recorded run;
    {
      const PythonPolicy policy(folder.path() / "line");
      SessionOptions options;
      options.live_devices = true;
      run = record(app, "brain", 4 * kSecond, file, std::move(options));
    }
    EXPECT_TRUE(run.refused.empty());
    EXPECT_EQ(run.answered, 20U);
    EXPECT_LT((run.p - Eigen::Vector3d(0.45, 0.15, 0.5)).norm(), 0.02) << run.p.transpose();
    expect_replays(file, test_parts(), {0, 2 * kSecond});
  }
}

// A source whose answers have 10,004 numbers.
struct BigConfig : AskingConfig {};

class Big : public AskingSource {
 public:
  static constexpr std::size_t kRows = 1429;
  Big(const BigConfig& config, const SourceContext& context)
      : AskingSource(config, context, 3,
                     [](const Question& question, Answer& answer, const std::atomic<bool>&) {
                       answer.numbers = {0.005};
                       for (std::size_t i = 0; i < kRows; ++i)
                         for (const double x : {question.numbers[0], question.numbers[1],
                                                question.numbers[2], 1.0, 0.0, 0.0, 0.0})
                           answer.numbers.push_back(x);
                     }) {}

 protected:
  void ask(const Moment&, const Motion& reference, Question& question) override {
    std::ranges::copy(reference.pose.X_WE.p, question.numbers.begin());
  }
};

TEST(SlowAnswers, TenThousandNumbersAreLatchedInOneTickWithoutHeap_AllocAndReplayed) {
  Parts parts = built_in_parts();
  parts.of<SourceRegistry>().add("big", asking_keys(object<BigConfig>("Big"), false), "",
                                 [](const BigConfig& config, const SourceContext& context) {
                                   return std::make_unique<Big>(config, context);
                                 });
  const AppFolder folder(test::kPairScene, parts);
  const App app = folder.app(kPairArms + R"(sources:
  many: {type: big, task: hand, latency: 100 ms, every: 150 ms}
machines:
  arm:
    start: work
    states:
      work: {do: [{type: follow, task: hand, sources: [{source: many}]}]}
)");
  Session session(app);
  while (session.now() < 100'000'000) session.tick();
  EXPECT_TRUE(session.inputs().empty());
  {
    const test::AllocationCount allocations;
    session.tick();
    EXPECT_EQ(allocations.count(), 0U);
  }
  // 10,004 numbers, 252 in each
  EXPECT_EQ(session.inputs().size(), 40U);
  const auto file = folder.path() / "big.mcap";
  EXPECT_EQ(record(app, "many", 600'000'000, file).answered, 4U);
  expect_replays(file, parts, {0});
}

TEST(SlowAnswers, PosesAtIsWhatTheLogHas) {
  const AppFolder folder;
  const App app = folder.app(kPairArms + R"(record: full
machines:
  arm:
    start: work
    states:
      work: {do: [{type: move_to, task: hand, waypoints: [{relative: true, position: [0, 0.2, 0.1]}], linear: {velocity: 0.08 m/s}}]}
)");
  const auto file = folder.path() / "run.mcap";
  Session session(app);
  const PoseHistory::Id ids[] = {session.history().track("left.tcp"),
                                 session.history().track("parcel")};
  const PoseHistory::Id arm = session.history().track("left.arm");
  RecorderOptions how;
  how.may_wait = true;
  how.extent = RecordExtent::kFull;
  Recorder recorder(session, file, how);
  World& world = *session.world();
  while (session.now() < 3 * kSecond) {
    session.tick();
    if (session.now() != kSecond) continue;
    // it falls, and turns
    Pose X = world.body_pose(world.body("parcel"));
    X.p += Eigen::Vector3d(0.4, 0.0, 0.3);
    Vector6d V = Vector6d::Zero();
    V[4] = 1.0;
    world.set_object("parcel", X, V);
  }
  session.finish();
  ASSERT_TRUE(recorder.close());
  const ChannelLog log(file);
  const LogSpan span{kSecond + 100'000'000, 2'900'000'000};
  const auto hand = read_series<LoggedPose>(log, "measured.hand.pose", span);
  const auto parcel = read_series<LoggedPose>(log, "object.parcel.pose", span);
  ASSERT_GT(hand.size(), 1000U);
  ASSERT_GT(parcel.size(), 1000U);
  double moved = 0.0, fell = 0.0;
  const auto compare = [&](const auto& rows, std::size_t which, double tolerance) {
    for (const auto& row : rows) {
      Pose X[2];
      ASSERT_EQ(session.history().poses_at(ids, row.stamp, X), nullptr) << row.stamp;
      EXPECT_LE((X[which].p - row.value.p).norm(), tolerance) << row.stamp;
      EXPECT_LE(angle_between(X[which].R, row.value.q.toRotationMatrix()), tolerance + 1e-7);
    }
  };
  // a log has measured frames to 1e-6
  compare(hand, 0, 4e-6);
  compare(parcel, 1, 1e-12);
  moved = (hand.front().value.p - hand.back().value.p).norm();
  fell = (parcel.front().value.p - parcel.back().value.p).norm();
  EXPECT_GT(moved, 0.01);
  EXPECT_GT(fell, 0.1);
  std::array<double, 7> q{};
  ASSERT_EQ(session.history().joints_at(arm, session.now(), q), nullptr);
  EXPECT_TRUE(std::ranges::equal(q, session.plant().read().groups[0].q));
}

}  // namespace slow_answers_test
}  // namespace handspan
