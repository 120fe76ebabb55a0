// A jog drives a twist in a session, with the QP and with resolved-rate control: it stays in its
// workspace, comes to rest when it is let go, and a snapshot has all of it.
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "device/headset.hpp"
#include "reference/twist_reference.hpp"
#include "session_support.hpp"

namespace handspan {
namespace twist_run_test {

using test::AppFolder;

const std::string kScene = R"(name: one
robots: {left: {robot: ur5, pose: stance}}
)";
const std::string kQp = R"(whole_arm:
  arms: {left.arm: {}}
  tasks: {hand: {type: twist, frame: left.flange}}
)";
const std::string kLaw = R"(whole_arm:
  type: resolved_rate
  arms: {left.arm: {}}
  tasks: {hand: {type: twist, frame: left.flange}}
)";
const std::string kJog = R"(devices:
  pad: {driver: {type: headset}}
sources:
  stick:
    type: jog
    device: pad
    x: left.stick_y
    y: -left.stick_x
    z: {plus: left.primary, minus: left.secondary}
    yaw: right.stick_x
    speed: 0.3
    acceleration: 2
    dead_man: right.squeeze
    workspace: {lower: [-0.9, -0.3, 0.1], upper: [0.9, 0.3, 0.9]}
references:
  hand: {type: twist, acceleration: 10 m/s^2, angular_acceleration: 30 rad/s^2}
machines:
  all:
    start: jog
    states:
      jog: {do: [{type: follow, task: hand, sources: [{source: stick}]}]}
)";

// axes and the dead man's control, as functions of the time; or random ones
class Stick : public InputFeed {
 public:
  struct Held {
    double forward = 0.0, left = 0.0, yaw = 0.0;
    bool dead_man = true;
  };
  using Script = std::function<Held(double)>;
  explicit Stick(Script script) : script_(std::move(script)) {}
  bool next(std::int64_t tick, Input& input) override {
    if (tick == tick_ || tick % 10 != 0) return false;
    tick_ = tick;
    const Held held = script_(1e-3 * static_cast<double>(tick));
    const DeviceLayout& layout = headset_layout();
    DeviceSample sample("pad", layout);
    const auto axis = [&](const char* name, double value) {
      for (std::size_t a = 0; a < layout.axes.size(); ++a)
        if (layout.axes[a] == name) sample.set_axis(a, value);
    };
    for (std::size_t a = 0; a < layout.axes.size(); ++a) sample.set_axis(a, 0.0);
    for (std::size_t b = 0; b < layout.buttons.size(); ++b) sample.set_button(b, false);
    axis("left.stick_y", held.forward);
    axis("left.stick_x", -held.left);
    axis("right.stick_x", held.yaw);
    axis("right.squeeze", held.dead_man && tick > 50 ? 1.0 : 0.0);
    sample.set_stamp(tick * 1'000'000);
    input = sample.input();
    return true;
  }

 private:
  Script script_;
  std::int64_t tick_ = -1;
};

SessionOptions with(Stick::Script script) {
  SessionOptions options;
  options.feed = std::make_unique<Stick>(std::move(script));
  return options;
}

Pose flange(Session& session) {
  const auto& channels = session.channels();
  const auto x = channels.numbers(channels.find("measured.hand.pose"));
  return {Eigen::Quaterniond(x[6], x[3], x[4], x[5]).toRotationMatrix(), x.head<3>()};
}

class TwistRun : public testing::TestWithParam<const char*> {
 protected:
  App app() const { return folder.app(GetParam() + kJog); }
  AppFolder folder{kScene};
};
INSTANTIATE_TEST_SUITE_P(Controllers, TwistRun, testing::Values(kQp.c_str(), kLaw.c_str()),
                         [](const auto& of) { return of.index == 0 ? "Qp" : "ResolvedRate"; });

TEST_P(TwistRun, TheJogStopsAtItsWorkspaceAndTurnsBackAtOnce) {
  const App app = this->app();
  Session session(app, with([](double t) {
                    Stick::Held held;
                    // an axis that was never near its middle would be taken for one that rests
                    // there
                    held.left = t < 0.1 ? 0.0 : t < 4.0 ? 1.0 : -1.0;
                    return held;
                  }));
  double most = -1.0;
  for (int i = 0; i < 4000; ++i) {
    session.tick();
    most = std::max(most, flange(session).p.y());
  }
  EXPECT_GT(most, 0.29);
  EXPECT_LT(most, 0.302);
  for (int i = 0; i < 1000; ++i) session.tick();
  EXPECT_LT(flange(session).p.y(), 0.3 - 0.1);
}

TEST_P(TwistRun, LetGoItComesToRestAndStays) {
  const App app = this->app();
  Session session(app, with([](double t) {
                    Stick::Held held;
                    held.left = t < 0.1 ? 0.0 : 1.0;
                    held.dead_man = t < 1.0;
                    return held;
                  }));
  session.tick();
  const double start = flange(session).p.y();
  for (int i = 0; i < 1000; ++i) session.tick();
  const double y = flange(session).p.y();
  for (int i = 0; i < 500; ++i) session.tick();
  const Reference& reference = test::reference_of(session, "hand");
  EXPECT_TRUE(session.arbiter().holding(session.arbiter().find_reference("hand")));
  EXPECT_TRUE(reference.at_rest());
  const double rests = flange(session).p.y();
  // it moved, and went on by no more than braking takes
  EXPECT_GT(y, start + 0.1);
  EXPECT_GT(rests, y - 1e-3);
  EXPECT_LT(rests, y + 0.05);
  for (int i = 0; i < 1000; ++i) session.tick();
  EXPECT_NEAR(flange(session).p.y(), rests, 1e-3);
}

TEST_P(TwistRun, RestoredFromASnapshotItGoesOnWithTheSameBits) {
  const App app = this->app();
  const auto played = [](double t) {
    RandomStream random(static_cast<std::uint64_t>(t / 0.3), "stick");
    Stick::Held held;
    for (double* x : {&held.forward, &held.left, &held.yaw})
      *x = t < 0.1 ? 0.0 : random.uniform(-1.0, 1.0);
    return held;
  };
  for (const int at : {300, 1100, 2700}) {
    Session one(app, with(played));
    for (int i = 0; i < at; ++i) one.tick();
    EXPECT_FALSE(one.arbiter().holding(one.arbiter().find_reference("hand")));
    std::vector<std::byte> bytes;
    one.snapshot(bytes);
    Session other(app, with(played));
    for (int i = 0; i < 20; ++i) other.tick();
    other.restore(bytes);
    for (int i = 0; i < 300; ++i) {
      one.tick();
      other.tick();
      ASSERT_EQ(one.hashes(), other.hashes()) << at << " + " << i;
    }
  }
}

TEST_P(TwistRun, ItsGainsAndTheDampingAreLive) {
  const App app = this->app();
  Session session(app, with([](double) { return Stick::Held{}; }));
  const auto& parameters = session.parameters();
  EXPECT_EQ(parameters.get(parameters.find("task.hand.damping")), 20.0);
  parameters.set(parameters.find("task.hand.damping"), 30.0, 0.1);
  for (int i = 0; i < 200; ++i) session.tick();
  EXPECT_NEAR(parameters.get(parameters.find("task.hand.damping")), 30.0, 1e-9);
}

TEST(TwistRun, WhatDoesNotFitIsToldWithItsPlace) {
  const AppFolder folder(kScene);
  const auto edited = [](std::string text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  EXPECT_EQ(
      folder.error(kQp + edited(kJog, "hand: {type: twist, ", "hand: {")),
      "test.yaml:21: references.hand cannot be made: these are limits of type 'pose', and the "
      "task follows 'twist'; say type: twist, or take them away");
  EXPECT_EQ(
      folder.error(edited(kQp, "type: twist", "type: pose") + kJog),
      "test.yaml:21: references.hand cannot be made: these are limits of type 'twist', and the "
      "task follows 'pose'; say type: pose, or take them away");
  EXPECT_EQ(folder.error(edited(kLaw, "type: resolved_rate", "type: resolved_rat") + kJog),
            "test.yaml:4: whole_arm.type is 'resolved_rat'; did you mean 'resolved_rate'?");
  EXPECT_EQ(folder.error(edited(kLaw, "left.arm", "left.am") + kJog),
            "test.yaml:4: whole_arm 'resolved_rate' cannot be made: the scene has no group "
            "'left.am'; did you mean 'left.arm'?");
}

}  // namespace twist_run_test
}  // namespace handspan
