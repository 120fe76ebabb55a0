// apps/toss.yaml: a scripted person demonstrates a toss, and the arm does it again.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <map>
#include <numbers>

#include "core/error.hpp"
#include "core/text_file.hpp"
#include "log/recorder.hpp"
#include "log/replay.hpp"
#include "session/run.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace toss_session_run_test {

const std::filesystem::path kRoot = HANDSPAN_SOURCE_DIR;

class TossApp : public ::testing::Test {
 protected:
  TossApp() { std::filesystem::create_directories(folder_); }
  ~TossApp() override { std::filesystem::remove_all(folder_); }

  // to the app's end, recorded in full
  static Pose toss(const App& app, const std::filesystem::path& file) {
    SessionOptions options;
    options.live_devices = true;
    Session session(app, std::move(options));
    RecorderOptions recording;
    recording.extent = RecordExtent::kFull;
    recording.may_wait = true;
    Recorder recorder(session, file, recording);
    while (!session.ended() && session.now() < 40 * kSecond) session.tick();
    session.finish();
    EXPECT_TRUE(recorder.close());
    EXPECT_TRUE(session.ended());
    const World& world = *session.world();
    return world.body_pose(world.body("box"));
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("handspan_toss_" + std::to_string(getpid()));
};

TEST_F(TossApp, ADemonstrationIsATossAndReplaysBitForBit) {
  const App app = load_app(kRoot / "apps/toss.yaml", test_parts());
  const auto file = folder_ / "toss.mcap";
  const Pose X_WB = toss(app, file);
  // it rests on its bottom, on the belt, where the thesis's short toss did within a decimetre
  EXPECT_NEAR(X_WB.p.z(), 0.84 + 0.057, 0.003);
  EXPECT_GT(X_WB.R(2, 2), std::cos(1.0 * std::numbers::pi / 180.0));
  EXPECT_NEAR(X_WB.p.x(), 0.294, 0.1);
  EXPECT_NEAR(X_WB.p.y(), -0.4 - 0.935, 0.1);
  LogFile log(file);
  const auto episodes = log.episodes();
  ASSERT_EQ(episodes.size(), 1U);
  EXPECT_EQ(episodes[0].outcome, "success");
  ReplayOptions options;
  options.verify = true;
  const ReplayReport report = replay(log, test_parts(), options);
  EXPECT_TRUE(report.same());
  EXPECT_EQ(report.compared, log.ticks());
  EXPECT_GT(report.compared, 4000);
  // without a simulation its verdict is the log's
  options.open = true;
  EXPECT_TRUE(replay(log, test_parts(), options).same());
}

// What a device says, by its controls' names: a function of time [s], sampled each 10 ms.
class Given : public InputFeed {
 public:
  using Controls = std::function<std::map<std::string, double>(double)>;
  Given(const DeviceState& device, Nanoseconds tick, Controls controls)
      : device_(device), tick_(tick), controls_(std::move(controls)) {}
  bool next(std::int64_t tick, Input& input) override {
    if (tick == last_ || tick * tick_ % 10'000'000 != 0) return false;
    last_ = tick;
    const DeviceLayout& layout = device_.layout();
    DeviceSample sample(device_.name(), layout);
    const auto said = controls_(seconds(tick * tick_));
    const auto value = [&](const std::string& name) {
      const auto found = said.find(name);
      return found == said.end() ? 0.0 : found->second;
    };
    for (std::size_t a = 0; a < layout.axes.size(); ++a) sample.set_axis(a, value(layout.axes[a]));
    for (std::size_t b = 0; b < layout.buttons.size(); ++b)
      sample.set_button(b, value(layout.buttons[b]) > 0.5);
    sample.set_stamp(tick * tick_);
    input = sample.input();
    return true;
  }

 private:
  const DeviceState& device_;
  Nanoseconds tick_;
  Controls controls_;
  std::int64_t last_ = -1;
};

struct LetGo {
  bool held_before = false, held = false;
  Eigen::Vector3d moved = Eigen::Vector3d::Zero();  // the lip, until 0.6 s
  double command = 0.0;
};

// An app whose machine begins with the box at the cup, for 1 s.
LetGo let_go(const std::filesystem::path& folder, const std::string& app_name,
             const std::string& device, Given::Controls controls) {
  std::ofstream(folder / "held.yaml")
      << "extends: " << (kRoot / "apps" / (app_name + ".yaml")).string()
      << "\nscene: " << (kRoot / "scenes/toss-held.yaml").string()
      << "\nmachines:\n  arm:\n    start: teleoperation\n    states: {initial: , box_to_start: , "
         "hover: "
         ", down: , grab: , up: , start: , settle: , away: , put_back: , good: {next: }, "
         "not_good: {next: }}\n";
  const App app = load_app(folder / "held.yaml", test_parts());
  Session session(app);
  session.set_feed(std::make_unique<Given>(session.devices().find(device), session.base_period(),
                                           std::move(controls)));
  World& world = *session.world();
  const auto cup = static_cast<std::size_t>(session.plant().layout().group("arm.cup"));
  const int lip = world.body("arm.lip");
  const Eigen::Vector3d p_WL = world.body_pose(lip).p;
  LetGo outcome;
  while (session.now() < kSecond) {
    session.tick();
    if (session.now() != 600'000'000) continue;
    outcome.held_before = cup_state(session.plant().read().groups[cup]).holds;
    outcome.moved = world.body_pose(lip).p - p_WL;
  }
  outcome.held = cup_state(session.plant().read().groups[cup]).holds;
  outcome.command = session.command().groups[cup][0];
  return outcome;
}

// forward is -y of the world; vacuum from 0.4 s to 0.6 s, and the safety clutch when it is held
TEST_F(TossApp, AGamepadMovesAndLetsGoWhileItsSafetyClutchIsHeld) {
  const auto pad = [&](bool safety, bool east) {
    return let_go(folder_, "toss-gamepad", "pad", [=](double t) {
      return std::map<std::string, double>{{"right.shoulder", safety && t > 0.2},
                                           {"left.trigger", t > 0.4 && t < 0.6},
                                           {"left.stick_y", t > 0.4 ? 0.5 : 0.0},
                                           {"east", east && t > 0.5}};
    });
  };
  const LetGo done = pad(true, false);
  EXPECT_TRUE(done.held_before);
  EXPECT_FALSE(done.held);
  EXPECT_LT(done.moved.y(), -0.01);
  EXPECT_LT(std::abs(done.moved.x()), 0.1 * std::abs(done.moved.y()));
  EXPECT_EQ(done.command, 0.0);  // blows off
  EXPECT_EQ(pad(true, true).command, -1.0);
  const LetGo unsafe = pad(false, true);
  EXPECT_TRUE(unsafe.held);
  EXPECT_LT(unsafe.moved.norm(), 0.005);
}

TEST_F(TossApp, KeysMoveAndLetGoWhileTheSafetyClutchIsLatched) {
  const auto keys = [&](bool safety, bool all_off) {
    return let_go(folder_, "toss-keyboard", "keys", [=](double t) {
      return std::map<std::string, double>{{"clutch", safety && t > 0.2},
                                           {"vacuum", t > 0.4 && t < 0.6},
                                           {"x", t > 0.4 ? 1.0 : 0.0},
                                           {"all_off", all_off && t > 0.5}};
    });
  };
  const LetGo done = keys(true, false);
  EXPECT_TRUE(done.held_before);
  EXPECT_FALSE(done.held);
  EXPECT_LT(done.moved.y(), -0.01);
  EXPECT_LT(std::abs(done.moved.x()), 0.1 * std::abs(done.moved.y()));
  EXPECT_EQ(done.command, 0.0);
  EXPECT_EQ(keys(true, true).command, -1.0);
  const LetGo unsafe = keys(false, true);
  EXPECT_TRUE(unsafe.held);
  EXPECT_LT(unsafe.moved.norm(), 0.005);
}

// Where the cup is over the box's middle when the person gets it, in the box's axes: at its top.
Eigen::Vector3d held_at(const App& app) {
  SessionOptions options;
  options.live_devices = true;
  Session session(app, std::move(options));
  while (session.machines()[0].current_name() != "settle" && session.now() < 20 * kSecond)
    session.tick();
  World& world = *session.world();
  EXPECT_TRUE(world.cup(0).holds);
  return (world.body_pose(world.body("box")).inverse() * world.body_pose(world.body("arm.lip"))).p;
}

TEST_F(TossApp, EachBoxIsTakenFromTheCornerByItsMiddleAndTossed) {
  const std::pair<const char*, Eigen::Vector3d> boxes[] = {{"toss", {0.155, 0.272, 0.114}},
                                                           {"toss-box3", {0.143, 0.165, 0.117}},
                                                           {"toss-box4", {0.093, 0.198, 0.129}}};
  for (const auto& [app_name, size] : boxes) {
    SCOPED_TRACE(app_name);
    const App app = load_app(kRoot / "apps" / (std::string(app_name) + ".yaml"), test_parts());
    const Eigen::Vector3d p_BL = held_at(app);
    EXPECT_NEAR(p_BL.x(), 0.0, 0.004);
    EXPECT_NEAR(p_BL.y(), 0.0, 0.004);
    EXPECT_NEAR(p_BL.z(), size.z() / 2, 0.01);
    const Pose X_WB = toss(app, folder_ / "toss.mcap");
    EXPECT_LT(X_WB.p.y(), -1.2);
    // box 4 is as high as it is wide: with this seed it comes to rest on a side
    const bool falls_over = std::string(app_name) == "toss-box4";
    EXPECT_NEAR(X_WB.p.z(), 0.84 + (falls_over ? size.x() : size.z()) / 2, 0.003);
    if (!falls_over) {
      EXPECT_GT(X_WB.R(2, 2), std::cos(1.0 * std::numbers::pi / 180.0));
    }
  }
}

// The last event of a kind, and how many there were.
struct Told : SessionWatcher {
  explicit Told(std::string_view of) : kind(of) {}
  void after_tick(Session& session) noexcept override {
    for (const Event& event : session.events().events())
      if (event.kind == kind) {
        ++count;
        last = event;
      }
  }
  std::string_view kind;
  int count = 0;
  Event last;
};

TEST_F(TossApp, BeginsAnewAfterEachTossForAsLongAsItIsAskedTo) {
  const App app = load_app(kRoot / "apps/toss.yaml", test_parts());
  SessionOptions options;
  options.live_devices = true;
  Session session(app, std::move(options));
  Told scene("scene");
  session.watch(scene);
  RunOptions how;
  how.until = 60 * kSecond;
  how.goes_on = true;
  const RunSummary summary = run_session(session, how);
  session.unwatch(scene);
  EXPECT_EQ(summary.simulated, how.until);
  // a round takes 15 to 20 s
  EXPECT_EQ(summary.successes, 4U);
  EXPECT_EQ(summary.failures, 0U);
  EXPECT_EQ(scene.count, 4);
  EXPECT_EQ(scene.last.name, "put back");
  ASSERT_EQ(summary.put_back.size(), 1U);
  EXPECT_EQ(summary.put_back[0].count, summary.successes);
  EXPECT_EQ(summary.not_put_back, 0U);
}

// A cup that cannot seal says why, and the app goes on: 80 mm off, or tilted by 10 degrees.
TEST_F(TossApp, ACupThatDoesNotSealSaysSoAndBeginsAnew) {
  const struct {
    const char* pick;
    const char* why;
  } cases[] = {
      {"{position: [0.53, -0.9, 0.954], rpy: [180 deg, 0.0, 0.0]}", "over"},
      {"{position: [0.37, -0.9, 0.954], rpy: [180 deg, 0.0, 0.0]}", "over"},
      {"{position: [0.45, -0.9, 0.960], rpy: [190 deg, 0.0, 0.0]}", "tilted by"},
      {"{position: [0.45, -0.9, 0.974], rpy: [180 deg, 0.0, 0.0]}", "mm from the face"},
  };
  std::filesystem::create_directory_symlink(kRoot / "robots", folder_ / "robots");
  for (const auto& c : cases) {
    std::ofstream(folder_ / "off.scene.yaml")
        << "extends: " << (kRoot / "scenes/toss.yaml").string() << "\nframes: {pick: " << c.pick
        << "}\n";
    std::ofstream(folder_ / "off.yaml")
        << "extends: " << (kRoot / "apps/toss.yaml").string() << "\nscene: off.scene.yaml\n";
    const App app = load_app(folder_ / "off.yaml", test_parts());
    SessionOptions options;
    options.live_devices = true;
    Session session(app, std::move(options));
    Told suction("suction"), timeout("timeout"), scene("scene");
    for (Told* told : {&suction, &timeout, &scene}) session.watch(*told);
    while (scene.count == 0 && session.now() < 40 * kSecond) session.tick();
    EXPECT_EQ(suction.count, 1) << c.pick;
    EXPECT_EQ(suction.last.text.view().substr(0, 14), "does not seal:") << suction.last.text.view();
    EXPECT_NE(suction.last.text.view().find(c.why), std::string_view::npos)
        << suction.last.text.view();
    EXPECT_EQ(timeout.count, 1) << c.pick;
    EXPECT_EQ(timeout.last.text.view().substr(0, 30), "'grab' came to no end in 3 s: ");
    EXPECT_EQ(scene.last.name, "put back") << c.pick;
    for (Told* told : {&suction, &timeout, &scene}) session.unwatch(*told);
  }
}

// On a belt at 1.5 m/s it rests, and is judged, before the belt's end.
TEST_F(TossApp, TheBeltsSpeedIsAKeyOfTheApp) {
  for (const double speed : {0.4, 1.5}) {
    std::ofstream(folder_ / "fast.yaml")
        << "extends: " << (kRoot / "apps/toss.yaml").string()
        << "\nscene: " << (kRoot / "scenes/toss.yaml").string()
        << "\nmachines: {arm: {states: {settle: {do: [{type: hold, tasks: [cup]}, {type: set, "
           "parameters: {belt.conveyor.speed: "
        << speed << "}}]}}}}\n";
    const App app = load_app(folder_ / "fast.yaml", test_parts());
    SessionOptions options;
    options.live_devices = true;
    Session session(app, std::move(options));
    while (!session.ended() && session.now() < 20 * kSecond) session.tick();
    EXPECT_EQ(session.world()->belt_speed("conveyor"), speed);
    EXPECT_EQ(session.machines()[0].current_name(), "good") << session.judges().words(0).view();
  }
}

TEST_F(TossApp, ThePickPoseIsAFrameThatMayBeOffset) {
  App app = load_app(kRoot / "apps/toss.yaml", test_parts());
  for (auto& [name, X_WF] : app.scene.frames)
    if (name == "pick") X_WF.p += Eigen::Vector3d(0.02, -0.03, 0.0);
  const Eigen::Vector3d p_BL = held_at(app);
  EXPECT_NEAR(p_BL.x(), 0.02, 0.004);
  EXPECT_NEAR(p_BL.y(), -0.03, 0.004);
}

// The same app with the demonstration in place of the person: reference and gripper of the episode.
TEST_F(TossApp, TheEpisodeDoneAgainTossesToTheSamePlace) {
  const auto file = folder_ / "toss.mcap";
  const Pose X_WB = toss(load_app(kRoot / "apps/toss.yaml", test_parts()), file);
  std::string text = read_text_file(kRoot / "apps/toss.yaml");
  const auto from = text.find("          - {type: follow"),
             to = text.find("        next: [{to: tossed");
  ASSERT_NE(from, std::string::npos);
  ASSERT_NE(to, std::string::npos);
  const auto again = [&](const std::string& replayed) {
    std::string changed = text;
    changed.replace(
        from, to - from,
        "          - {type: replay_reference, task: cup, log: toss.mcap, " + replayed + "}\n");
    const auto scene = changed.find("../scenes");
    changed.replace(scene, 9, (kRoot / "scenes").string());
    std::ofstream(folder_ / "again.yaml") << changed;
    return load_app(folder_ / "again.yaml", test_parts());
  };
  const Pose X_WAgain = toss(again("episode: 1, groups: [arm.cup]"), folder_ / "again.mcap");
  // it sets out from where the servo left the arm, not to the bit where the demonstration did
  EXPECT_LT((X_WAgain.p - X_WB.p).norm(), 1e-3);
  const auto error = [&](const std::string& replayed) -> std::string {
    try {
      const App app = again(replayed);
      const Session session(app);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(error("episode: 2").find("has 1 episodes; episode 2 is asked for"), std::string::npos);
  EXPECT_NE(error("groups: [arm.cap]").find("did you mean 'arm.cup'?"), std::string::npos);
  // otherwise than demonstrated: to the right of where it went, and farther since let go later
  const Pose X_WTurned =
      toss(again("episode: 1, groups: [arm.cup], change: {turn: -10 deg, release: 40 ms}"),
           folder_ / "turned.mcap");
  EXPECT_LT(X_WTurned.p.x(), X_WB.p.x() - 0.03);
  EXPECT_LT(X_WTurned.p.y(), X_WB.p.y() - 0.01);
  // with nothing to let go
  EXPECT_NE(error("episode: 1, change: {lift: 1 cm}")
                .find("no group lets go in the log; name the cup or the gripper in 'groups'"),
            std::string::npos);
  EXPECT_NE(error("episode: 1, groups: [arm.cup], change: {release: -5 s}")
                .find("s before the swing begins; give a release above -"),
            std::string::npos);
  EXPECT_NE(error("change: {scale: 0}").find("change.scale"), std::string::npos);
}

}  // namespace toss_session_run_test
}  // namespace handspan
