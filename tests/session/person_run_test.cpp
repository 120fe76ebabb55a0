// A scripted person in place of the headset, in whole sessions: two arms squeeze a box, lift it by
// 0.2 m and put it back; the log of it runs again bit for bit.
#include <gtest/gtest.h>

#include "log/log_file.hpp"
#include "log/recorder.hpp"
#include "log/replay.hpp"
#include "session_support.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace person_run_test {

const std::filesystem::path kRoot = HANDSPAN_SOURCE_DIR;

const char* const kGrabber = R"(
driver:
  type: person
  turn: body
  hands:
    left: {see: reference.left_hand.pose, clutch: [left.squeeze, left.trigger]}
    right: {see: reference.right_hand.pose, clutch: [right.squeeze, right.trigger]}
  script:
    - both: [{do: wait, for: {channel: mode.both, above: 1.5}}]
    # the person squeezes as hard as they want to, slowly
    - left: [{do: move, to: [0, 0.08, 0], of: object.box.pose, speed: 0.1 m/s, until: {channel: left.wrist.wrench, above: 10}}]
      right: [{do: move, to: [0, -0.08, 0], of: object.box.pose, speed: 0.1 m/s, until: {channel: right.wrist.wrench, above: 10}}]
    - both: [{do: pause, time: 0.5 s}, {do: move, see: object.box.pose, by: [0, 0, 0.2], tolerance: 1 cm, speed: 0.3 m/s}]
    - both: [{do: pause, time: 0.5 s}, {do: move, see: object.box.pose, to: [0.59, 0.4, 0.29], tolerance: 1 cm, speed: 0.3 m/s}]
    - left: [{do: move, by: [0, 0.15, 0], tolerance: 2 cm, speed: 0.3 m/s}]
      right: [{do: move, by: [0, -0.15, 0], tolerance: 2 cm, speed: 0.3 m/s}]
    # a button tells that the person is ready
    - right: [{do: press, controls: [right.secondary]}]
)";

App grab_app(std::uint64_t seed) {
  App app = load_app(kRoot / "apps/grab.yaml", test_parts());
  app.seed = seed;
  app.devices.front().second = parse_yaml(kGrabber, "person.yaml", device_schema(test_parts()));
  return app;
}

TEST(PersonRun, TwoHandsLiftTheBoxAndPutItBack) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SessionOptions options;
    options.live_devices = true;
    const App app = grab_app(seed);
    Session session(app, std::move(options));
    const DeviceState& person = session.devices().find("headset");
    World& world = *session.world();
    const int box = world.body("box");
    const Pose X = world.body_pose(box);
    double highest = 0.0;
    while (!person.pressed("right.secondary") && session.now() < 60 * kSecond) {
      session.tick();
      highest = std::max(highest, world.body_pose(box).p.z() - X.p.z());
    }
    ASSERT_TRUE(person.pressed("right.secondary")) << "seed " << seed;
    for (int i = 0; i < 1000; ++i) session.tick();
    EXPECT_NEAR(highest, 0.2, 0.04) << "seed " << seed;
    const Pose X_end = world.body_pose(box);
    // the person's tolerance, and what it slips when it is let go
    EXPECT_LT((X_end.p - X.p).norm(), 0.03) << "seed " << seed;
    EXPECT_LT(angle_between(X_end.R, X.R), 0.1) << "seed " << seed;
    EXPECT_NEAR(X_end.p.z(), X.p.z(), 0.002) << "seed " << seed;
  }
}

TEST(PersonRun, ItsLogRunsAgainBitForBitWithNobodyThere) {
  const test::AppFolder folder;
  const App app = grab_app(1);
  const auto log = folder.path() / "grab.mcap";
  {
    SessionOptions live;
    live.live_devices = true;
    Session session(app, std::move(live));
    RecorderOptions options;
    options.may_wait = true;
    Recorder recorder(session, log, options);
    for (int i = 0; i < 8000; ++i) session.tick();
    ASSERT_GT(session.devices().find("headset").samples(), 700U);
    ASSERT_TRUE(recorder.close());
  }
  LogFile file(log);
  ReplayOptions options;
  options.verify = true;
  const ReplayReport report = replay(file, test_parts(), options);
  EXPECT_EQ(report.compared, 8000);
  EXPECT_TRUE(report.same());
}

// The same person with a joystick: a jog takes the hand to where the person sees it late.
TEST(PersonRun, AJoystickJogsAHandToAGoalThatIsSeenLate) {
  const test::AppFolder folder;
  const App app = folder.app(test::kPairArms + R"(devices:
  stick:
    driver:
      type: person
      sight_delay: 0.25 s
      settle: 0.5 s
      holds:
        type: joystick
        axes: [side, forth]
        buttons: [trigger]
        hats: 1
        drives: {x: -forth, y: -side, z: {plus: hat0.up, minus: hat0.down}}
        speed: 0.2 m/s
        response: {dead_zone: 0.15, exponent: 2}
      hands: {right: {see: reference.hand.pose, clutch: [trigger]}}
      script:
        - right: [{do: move, by: [0.05, -0.1, 0.08], tolerance: 8 mm, patience: 30 s}, {do: release, controls: [trigger]}]
sources:
  jog:
    type: jog
    device: stick
    x: -forth
    y: -side
    z: {plus: hat0.up, minus: hat0.down}
    speed: 0.2 m/s
    response: {dead_zone: 0.15, exponent: 2}
    dead_man: trigger
references:
  hand: {speed: 1 m/s, acceleration: 10 m/s^2, angular_speed: 2 rad/s, angular_acceleration: 30 rad/s^2}
machines:
  all: {start: jog, states: {jog: {do: [{type: follow, task: hand, sources: [{source: jog}]}]}}}
)");
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    App seeded = app;
    seeded.seed = seed;
    SessionOptions options;
    options.live_devices = true;
    Session session(seeded, std::move(options));
    const auto pose = session.channels().find("reference.hand.pose");
    session.tick();
    const Eigen::Vector3d from = session.channels().numbers(pose).head<3>();
    const DeviceState& stick = session.devices().find("stick");
    const auto held = stick.control("trigger");
    bool was = false;
    while (session.now() < 30 * kSecond && !(was && !stick.pressed(held))) {
      session.tick();
      was = was || stick.pressed(held);
    }
    EXPECT_LT(session.now(), 30 * kSecond) << "seed " << seed;
    const Eigen::Vector3d went = session.channels().numbers(pose).head<3>() - from;
    // the tolerance, four deviations of the gaze, and what the jog brakes in
    EXPECT_LT((went - Eigen::Vector3d(0.05, -0.1, 0.08)).norm(), 0.015) << "seed " << seed;
  }
}

}  // namespace person_run_test
}  // namespace handspan
