// What the plants measure of the arms stops them when nobody asked for it: by its joint, value and
// limit, once, until somebody resumes.
#include "session/arm_watch.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/random.hpp"
#include "mujoco/mujoco_plant.hpp"
#include "scene/load_scene.hpp"
#include "session_support.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace arm_watch_test {

using test::AppFolder;

constexpr Nanoseconds kTick = 1'000'000;

// an FR3 (1 kHz) and a UR10 (125 Hz) at rest, of whose measurements a test changes some
class Watched {
 public:
  explicit Watched(const WatchConfig& config = {}, const std::vector<bool>& limp = {})
      : scene_(parse_scene(test::kPairScene,
                           std::filesystem::path(HANDSPAN_SOURCE_DIR) / "scenes" / "t.yaml")),
        plant_(scene_),
        seen(plant_.read()),
        watch(config, scene_, plant_.layout(), nullptr, nullptr, kTick, limp),
        stamps(plant_.layout().groups.size(), 0) {}

  bool tick() {
    events.clear(tick_);
    if (observed)
      for (Nanoseconds& stamp : stamps) stamp = tick_ * kTick;
    const bool stops = watch.update(seen, stamps, tick_++, events);
    for (const Event& event : events.events())
      said.push_back(std::string(event.name.view()) + " " + std::string(event.text.view()));
    return stops;
  }
  // the first of so many ticks that stops the arms, from 1; 0: none
  int stops_within(int ticks) {
    for (int k = 1; k <= ticks; ++k)
      if (tick()) return k;
    return 0;
  }
  std::size_t group(const char* name) const {
    return static_cast<std::size_t>(plant_.layout().group(name));
  }
  double& q(const char* name, int joint) { return seen.groups[group(name)].q[joint]; }
  double& v(const char* name, int joint) { return seen.groups[group(name)].v[joint]; }
  ArmWatchSummary summary(const char* name) const {
    for (const auto& s : watch.summary())
      if (s.group == name) return s;
    return {};
  }

 private:
  Scene scene_;
  MujocoPlant plant_;
  std::int64_t tick_ = 0;

 public:
  Observation seen;
  ArmWatch watch;
  std::vector<Nanoseconds> stamps;
  EventList events;
  std::vector<std::string> said;
  bool observed = true;
};

TEST(ArmWatch, ASpeedBeyondItsLimitStopsAfterItsTimeAndIsNamed) {
  Watched w;
  EXPECT_EQ(w.stops_within(100), 0);
  // 1.1 x 2.62 rad/s
  w.v("left.arm", 3) = -2.87;
  EXPECT_EQ(w.stops_within(100), 0);
  w.v("left.arm", 3) = -2.90;
  EXPECT_EQ(w.stops_within(100), 20);
  ASSERT_EQ(w.said.size(), 1U);
  EXPECT_EQ(w.said[0],
            "left.joint4 moves at 2.90 rad/s, its limit is 2.62: see what moves it, then resume");
  EXPECT_EQ(std::string(w.watch.reason()).substr(0, 32), "left.joint4 moves at 2.90 rad/s,");
  EXPECT_TRUE(w.watch.tripped(w.group("left.arm")));
  EXPECT_FALSE(w.watch.tripped(w.group("picker.arm")));
  // told once, until somebody resumes
  EXPECT_EQ(w.stops_within(100), 0);
  w.watch.arm(w.seen);
  EXPECT_EQ(w.stops_within(100), 20);
  EXPECT_EQ(w.summary("left.arm").overspeeds, 2U);
  EXPECT_EQ(w.summary("picker.arm").stops(), 0U);
}

// as an arm of the scene that an app does not use: it falls, and hinders nobody
TEST(ArmWatch, AnArmThatNobodyCommandsHangsAndStopsNothing) {
  const std::size_t left = Watched().group("left.arm");
  std::vector<bool> limp(10, false);
  limp[left] = true;
  Watched w({}, limp);
  w.v("left.arm", 3) = -8.0;
  w.q("left.arm", 6) = 4.0;
  EXPECT_EQ(w.stops_within(100), 0);
  w.v("picker.arm", 0) = 3.0;
  EXPECT_EQ(w.stops_within(100), 21);
}

TEST(ArmWatch, AJumpOfAnImpactIsCountedAndStopsNothing) {
  Watched w;
  for (int impact = 0; impact < 5; ++impact) {
    w.v("left.arm", 6) = 30.0;
    EXPECT_EQ(w.stops_within(19), 0);
    w.v("left.arm", 6) = 0.0;
    EXPECT_EQ(w.stops_within(50), 0);
  }
  EXPECT_EQ(w.summary("left.arm").jumps, 5U);
  EXPECT_NEAR(w.summary("left.arm").worst_speed, 30.0 / 5.26, 1e-12);
}

TEST(ArmWatch, NoiseNeitherStopsASlowJointNorHidesAFastOne) {
  RandomStream random(3, "noise");
  Watched slow, fast;
  bool stopped = false;
  for (int k = 0; k < 20'000; ++k) {
    slow.v("left.arm", 0) = 2.62 + 0.2 * random.normal();
    stopped = stopped || slow.tick();
  }
  EXPECT_FALSE(stopped);
  int ticks = 0;
  do {
    fast.v("left.arm", 0) = 3.3 + 0.2 * random.normal();
    ++ticks;
  } while (!fast.tick() && ticks < 1000);
  EXPECT_LT(ticks, 40);
}

TEST(ArmWatch, ASlowArmIsLookedAtAtItsOwnTicks) {
  Watched w;
  w.v("picker.arm", 0) = 3.0;  // of 2.09
  // 20 ms are three of its ticks: the first is the very first tick
  EXPECT_EQ(w.stops_within(100), 17);
  EXPECT_EQ(w.said[0].substr(0, 25), "picker.shoulder_pan_joint");
}

TEST(ArmWatch, AJointBeyondItsStopStopsAtOnceAndMayComeBack) {
  Watched w;
  const double upper = 3.0159;
  w.q("left.arm", 6) = upper + 0.019;
  EXPECT_EQ(w.stops_within(100), 0);
  w.q("left.arm", 6) = upper + 0.5;
  EXPECT_EQ(w.stops_within(100), 1);
  EXPECT_EQ(w.said[0],
            "left.joint7 is 0.500 rad beyond its position limit 3.016: free it, then resume; it "
            "goes back");
  // resumed where it is: it comes back without a stop, and what it has won it keeps
  w.watch.arm(w.seen);
  EXPECT_EQ(w.stops_within(10), 0);
  w.q("left.arm", 6) = upper + 0.3;
  EXPECT_EQ(w.stops_within(10), 0);
  w.q("left.arm", 6) = upper + 0.31;
  EXPECT_EQ(w.stops_within(10), 0);
  w.q("left.arm", 6) = upper + 0.33;
  EXPECT_EQ(w.stops_within(10), 1);
  EXPECT_EQ(w.summary("left.arm").beyond_stops, 2U);
  EXPECT_NEAR(w.summary("left.arm").worst_beyond, 0.5, 1e-12);
}

TEST(ArmWatch, WhatIsNoNumberOrDoesNotComeStops) {
  Watched nan;
  nan.tick();
  nan.q("left.arm", 2) = std::nan("");
  EXPECT_EQ(nan.stops_within(100), 51);
  EXPECT_EQ(nan.said[0],
            "left.arm measures NaN or infinity for 51 ms: see to its connection, then resume");
  EXPECT_EQ(nan.summary("left.arm").not_finite, 51U);
  // a few are not worth a stop
  Watched few;
  few.tick();
  for (int k = 0; k < 200; ++k) {
    few.q("left.arm", 2) = k % 3 == 0 ? std::nan("") : 0.0;
    EXPECT_FALSE(few.tick());
  }

  Watched silent;
  silent.tick();
  silent.observed = false;
  EXPECT_EQ(silent.stops_within(200), 51);
  // both arms: the one at 125 Hz at its next tick
  EXPECT_EQ(silent.stops_within(200), 5);
  ASSERT_EQ(silent.said.size(), 2U);
  EXPECT_EQ(silent.said[1],
            "picker.arm was not observed for 56 ms: see to its connection, then resume");
}

TEST(ArmWatch, ThresholdsAreKeys) {
  WatchConfig config;
  config.speed = 2.0;
  config.speed_time = 0.1;
  config.beyond_stop = 0.2;
  Watched w(config);
  w.q("left.arm", 6) = 3.0159 + 0.19;
  w.v("left.arm", 3) = 5.0;
  EXPECT_EQ(w.stops_within(500), 0);
  w.v("left.arm", 3) = 5.3;
  EXPECT_EQ(w.stops_within(500), 100);
}

TEST(ArmWatch, ASnapshotGoesOnInTheSameWay) {
  Watched one, other;
  one.v("left.arm", 3) = 5.0;
  EXPECT_EQ(one.stops_within(10), 0);
  std::vector<std::byte> bytes;
  StateArchive out(bytes);
  one.watch.state(out);
  StateArchive in(std::span<const std::byte>{bytes});
  other.watch.state(in);
  in.finish();
  other.v("left.arm", 3) = 5.0;
  EXPECT_EQ(other.stops_within(100), 10);
}

TEST(ArmWatch, AllocatesNothing) {
  Watched w;
  w.v("left.arm", 3) = 9.0;
  w.said.reserve(8);
  const test::AllocationCount count;
  for (int k = 0; k < 100; ++k) {
    w.events.clear(k);
    w.watch.update(w.seen, w.stamps, k, w.events);
  }
  EXPECT_EQ(count.count(), 0U);
}

const std::string kTwoArms = R"(whole_arm:
  arms:
    left.arm: {feedback: commanded}
    picker.arm: {feedback: commanded}
  tasks:
    hand: {type: pose, frame: left.tcp, stiffness: 100}
    cup: {type: pose, frame: picker.suction, stiffness: 45}
)";

// a box that is moved through where the plate of the arm is
const char* const kPushed = R"(name: pushed
robots:
  right: {robot: fr3, tool: plate, q: [0.0, -0.35, 0.0, -2.20, 0.0, 1.85, 0.785]}
kinematic:
  pusher:
    shapes: [{type: box, size: [0.04, 0.3, 0.06]}]
    motion:
      - {time: 0.2 s, pose: {position: [0.60, 0, 0.505]}}
      - {time: 1.2 s, pose: {position: [0.25, 0, 0.505]}}
      - {time: 2.0 s, pose: {position: [0.25, 0, 0.505]}}
)";
const std::string kOneArm = R"(whole_arm:
  arms:
    right.arm: {feedback: commanded}
  tasks:
    hand: {type: pose, frame: right.tcp, stiffness: 400}
)";

// Pushed far away from where it is commanded: the arm stops, named, is no longer drawn back, and
// goes on from where it is.
TEST(ArmWatchRun, AnArmThatIsNotWhereItIsCommandedStopsAndGoesOnFromWhereItIs) {
  AppFolder folder(kPushed);
  const App app = folder.app(kOneArm);
  Session session(app);
  std::string name, text;
  while (!session.arbiter().stopped() && session.now() < 2 * kSecond) {
    session.tick();
    for (const Event& event : session.events().events())
      if (event.kind == "watch") {
        name = std::string(event.name.view());
        text = std::string(event.text.view());
      }
  }
  ASSERT_TRUE(session.arbiter().stopped());
  EXPECT_EQ(name.substr(0, 11), "right.joint");
  EXPECT_NE(text.find("rad from where it is commanded (at most 0.30)"), std::string::npos) << text;
  EXPECT_NE(session.arbiter().reason(session.arbiter().find_reference("hand")).find(name),
            std::string_view::npos);
  const auto joint = static_cast<Eigen::Index>(name.back() - '1');
  const auto away = [&] {
    const double q = session.plant().read().groups[0].q[joint];
    return std::abs(q - session.whole_arm()->drive(0).commanded_q()[joint]);
  };
  session.tick();
  EXPECT_LT(away(), 0.1);
  while (session.now() < 3 * kSecond) session.tick();
  EXPECT_EQ(session.arm_watch().summary()[0].deviations, 1U);
  // resumed, its tool settles at the pusher and is not drawn back; the elbow is nobody's
  const Eigen::Vector3d p = test::frame_reference(session, "hand").arm().X_WE.p;
  session.mailbox("operator").post(test::operator_input(InputKind::kResume));
  for (int k = 0; k < 1000; ++k) session.tick();
  EXPECT_FALSE(session.arbiter().stopped());
  EXPECT_LT((test::frame_reference(session, "hand").arm().X_WE.p - p).norm(), 0.03);
}

// A velocity-driven arm presses a block for as long as it is asked: at 150 N, by its drives'
// torques, it is stopped and no longer presses.
TEST(ArmWatchRun, AnArmThatPressesTooHardIsStoppedAndGivesWay) {
  const std::string robot = "robots:\n  picker: {robot: ur10, tool: vacuum, pose: stance}\n";
  const std::string arm =
      "whole_arm:\n"
      "  arms: {picker.arm: {feedback: commanded}}\n"
      "  tasks: {cup: {type: pose, frame: picker.suction, stiffness: 45}}\n";
  Eigen::Vector3d p;
  {
    const AppFolder free("name: free\n" + robot);
    const App app = free.app(arm);
    Session session(app);
    p = dynamic_cast<FrameTask&>(session.whole_arm()->task("cup")).X_WE().p;
  }
  const AppFolder folder(
      fmt::format("name: block\n{}fixtures:\n  block: {{pose: {{position: [{}, {}, {}]}}, shapes: "
                  "[{{type: box, "
                  "size: [0.4, 0.4, 0.2]}}]}}\n",
                  robot, p.x(), p.y(), p.z() - 0.13));
  const App app = folder.app(
      arm +
      "machines:\n  m:\n    start: down\n    states:\n      down: {do: [{type: move_to, task: cup, "
      "waypoints: [{relative: true, position: [0.0, 0.0, -0.15]}], linear: {velocity: 0.1}}]}\n");
  Session session(app);
  std::string told;
  double speed = 0.0;
  while (session.now() < 6 * kSecond) {
    session.tick();
    for (const Event& event : session.events().events())
      if (event.kind == "watch")
        told += std::string(event.name.view()) + " " + std::string(event.text.view()) + "\n";
    if (session.now() > 5 * kSecond)
      speed = std::max(speed, session.plant().read().groups[0].v.lpNorm<Eigen::Infinity>());
  }
  EXPECT_TRUE(session.arbiter().stopped());
  EXPECT_EQ(told.substr(0, 24), "picker.arm presses with ") << told;
  EXPECT_NE(told.find("(max_force 150 N)"), std::string::npos) << told;
  EXPECT_LT(speed, 0.01);
  // its servo would stand where it is, and press on
  double presses = 0.0;
  for (const Contact& contact : session.world()->contacts()) presses += contact.f_W.norm();
  EXPECT_LT(presses, 150.0);
  const ArmWatchSummary summary = session.arm_watch().summary()[0];
  EXPECT_EQ(summary.forces, 1U);
  EXPECT_LT(summary.worst_force, 300.0);
}

TEST(ArmWatchRun, TheKeysOfAnAppAreChecked) {
  AppFolder folder;
  EXPECT_EQ(folder.error(kTwoArms + "watch: {deviation: 0.5 rad, speed_time: 40 ms}\n"), "");
  EXPECT_NE(folder.error(kTwoArms + "watch: {deviation: 0}\n").find("deviation"),
            std::string::npos);
  EXPECT_NE(folder.error(kTwoArms + "watch: {deviatoin: 1}\n").find("did you mean 'deviation'?"),
            std::string::npos);
}

}  // namespace arm_watch_test
}  // namespace handspan
