// Devices in a session: whatever goes wrong with one, the reference brakes to rest, says why, and a
// fresh clutch-in is required; buttons work suction and transitions; channels are sent back.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "control/joint_stop.hpp"
#include "core/object.hpp"
#include "core/text_file.hpp"
#include "device/headset.hpp"
#include "session_support.hpp"
#include "support/alloc.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace devices_test {

using test::AppFolder;
using test::kPairArms;

const std::string kDevices = R"(devices:
  headset: {driver: {type: headset}}
sources:
  person: {type: hand, device: headset, pose: left, clutch: {safety: left.squeeze, motion: left.trigger}}
references:
  hand: {speed: 1 m/s, acceleration: 4 m/s^2, angular_speed: 2 rad/s, angular_acceleration: 8 rad/s^2}
)";
const std::string kFollow = R"(machines:
  all:
    start: follow
    states:
      follow: {do: [{type: follow, task: hand, sources: [{source: person}]}]}
)";

// a person with a headset at 100 samples a second, whose left hand swings
class Person {
 public:
  explicit Person(Session& s) : session(s), box(s.mailbox("headset")) {
    sample.set_operator("ann");
    clutch(false);
    for (std::size_t i = 0; i < headset_layout().buttons.size(); ++i) sample.set_button(i, false);
    pose = [](double t) {
      return Pose::translation(Eigen::Vector3d(-0.2, 1.0, -0.3 - 0.1 * std::sin(2.0 * t)));
    };
  }
  void clutch(bool closed) {
    for (std::size_t i = 0; i < headset_layout().axes.size(); ++i)
      sample.set_axis(i, closed ? 1.0 : 0.0);
  }
  Input next() {
    stamp += 10'000'000;
    const Pose X = pose(seconds(stamp));
    for (std::size_t i = 0; i < 2; ++i) sample.set_pose(i, as, X.p, X.quaternion());
    sample.set_stamp(stamp);
    return sample.input();
  }
  // so many samples; `change` spoils each
  void send(int samples, const std::function<void(Input&)>& change = {}) {
    for (int i = 0; i < samples; ++i) {
      Input input = next();
      if (change) change(input);
      box.post(input);
      tick(10);
    }
  }
  void tick(int ticks) {
    const ReferenceIndex hand = session.arbiter().find_reference("hand");
    const auto& mechanisms = session.whole_arm()->system().mechanisms();
    for (int i = 0; i < ticks; ++i) {
      const Vector6d before = session.arbiter().reference(hand).motion().pose.V_WE;
      const bool held = holds();
      std::vector<Eigen::VectorXd> v;
      for (const auto& state : session.whole_arm()->state().mechanisms) v.push_back(state.v);
      session.tick();
      const Vector6d change = session.arbiter().reference(hand).motion().pose.V_WE - before;
      if (!held && !holds()) worst_step = std::max(worst_step, change.head<3>().norm());
      for (std::size_t m = 0; m < mechanisms.size(); ++m)
        for (std::size_t j = 0; j < mechanisms[m].actuated.size(); ++j) {
          const int k = mechanisms[m].actuated[j];
          const double step = std::abs(session.whole_arm()->state().mechanisms[m].v[k] - v[m][k]);
          joint_step = std::max(joint_step, step / mechanisms[m].limits[j].acceleration);
        }
    }
  }
  // the reference while the hand drives it, and the joints always: in a hold they brake as they can
  void expect_no_step() const {
    EXPECT_LE(worst_step, 4.0 * 1e-3 * (1.0 + 1e-9));
    EXPECT_LE(joint_step, 1e-3 * (1.0 + 1e-6));
  }
  bool holds() const { return session.arbiter().holding(session.arbiter().find_reference("hand")); }
  bool rests() const { return test::reference_of(session, "hand").at_rest(); }
  std::string reason() const {
    return std::string(session.arbiter().reason(session.arbiter().find_reference("hand")));
  }

  Session& session;
  Mailbox& box;
  DeviceSample sample{"headset", headset_layout()};
  std::function<Pose(double)> pose;
  TrackedAs as = TrackedAs::kController;
  Nanoseconds stamp = 0;
  double worst_step = 0.0;  // of the reference's velocity in a tick [m/s]
  double joint_step = 0.0;  // of a joint's velocity in a tick, by its limit of acceleration [s]
};

struct Trouble {
  const char* name;
  const char* reason;
  std::function<void(Person&)> happens;  // some samples of it, then good ones
};

void PrintTo(const Trouble& trouble, std::ostream* out) { *out << trouble.name; }

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::function<void(Person&)> spoiled(const std::function<void(Input&)>& change, int samples = 1) {
  return [change, samples](Person& p) { p.send(samples, change); };
}

class DeviceTrouble : public testing::TestWithParam<Trouble> {};

TEST_P(DeviceTrouble, BrakesSaysWhyAndWantsAFreshClutchIn) {
  const AppFolder folder;
  const App app = folder.app(kPairArms + kDevices + kFollow);
  Session session(app);
  Person person(session);
  person.send(10);
  EXPECT_EQ(person.reason(), "person: left hand: safety clutch open – hold grip and trigger");
  person.clutch(true);
  person.send(40);
  ASSERT_FALSE(person.holds()) << person.reason();
  GetParam().happens(person);
  EXPECT_TRUE(person.holds());
  EXPECT_EQ(person.reason(), fmt::format("person: left hand: {} – {}", GetParam().reason,
                                         person.session.devices().find("headset").present()
                                             ? "release grip and trigger, press again"
                                             : "switch the device on, then hold grip and trigger"));
  // good samples, the clutch still held: nothing moves
  person.send(60);
  EXPECT_TRUE(person.holds());
  EXPECT_TRUE(person.rests());
  const Pose rest = test::reference_of(session, "hand").motion().pose.X_WE;
  person.clutch(false);
  person.send(5);
  person.clutch(true);
  person.send(1);
  EXPECT_LT((test::reference_of(session, "hand").motion().pose.X_WE.p - rest.p).norm(), 2e-3);
  person.send(40);
  EXPECT_FALSE(person.holds()) << person.reason();
  person.expect_no_step();
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, DeviceTrouble,
    testing::Values(Trouble{"silent", "no sample came in time", [](Person& p) { p.tick(102); }},
                    Trouble{"lost", "tracking lost", spoiled([](Input& i) { i.numbers[0] = 0.0; })},
                    Trouble{"becomes_hand", "it is tracked as something else than before",
                            spoiled([](Input& i) { i.numbers[0] = 2.0; })},
                    Trouble{"not_a_number", "a pose came that is not a number",
                            spoiled([](Input& i) { i.numbers[2] = kNan; })},
                    Trouble{"zero_quaternion", "a pose came whose quaternion is zero",
                            spoiled([](Input& i) { std::fill_n(i.numbers.begin() + 4, 4, 0.0); })},
                    Trouble{"time_back", "the device's time went back",
                            [](Person& p) {
                              p.stamp -= kSecond;
                              p.send(1);
                            }},
                    Trouble{"teleport", "it leapt away from its motion",
                            spoiled([](Input& i) { i.numbers[1] += 1.0; }, 2)},
                    Trouble{"sides_swapped", "it leapt away from its motion",
                            spoiled([](Input& i) { i.numbers[1] = 0.4; }, 2)},
                    Trouble{"recentred", "the headset was recentred",
                            spoiled([](Input& i) { i.numbers[0] = i.numbers[8] = 5.0; })},
                    Trouble{"other_clock", "the device's stamps are of another clock",
                            [](Person& p) {
                              p.stamp += 1000 * kSecond;
                              p.send(1);
                            }},
                    Trouble{"two_operators", "two operators give samples at once",
                            spoiled([](Input& i) { i.text = "bob"; })},
                    Trouble{"malformed", "a sample came that has not the device's numbers",
                            spoiled([](Input& i) { i.count = 3; })}),
    [](const auto& trouble) { return std::string(trouble.param.name); });

// from the tick that sees the loss, whatever the reference's own limits are: the joints brake
TEST(SessionDevices, ALossAtSpeedStopsInTheLeastTimeAndNeverTurnsBack) {
  for (const auto& [acceleration, jerk] : {std::pair(4.0, 100.0), {2.0, 30.0}, {10.0, 500.0}}) {
    SCOPED_TRACE(acceleration);
    const AppFolder folder;
    const App app = folder.app(kPairArms +
                               fmt::format(R"(devices:
  headset: {{driver: {{type: headset}}}}
sources:
  person: {{type: hand, device: headset, pose: left, clutch: {{safety: left.squeeze, motion: left.trigger}}}}
references:
  hand: {{speed: 1 m/s, acceleration: {} m/s^2, jerk: {} m/s^3}}
)",
                                           acceleration, jerk) +
                               kFollow);
    Session session(app);
    Person person(session);
    // towards the arm's base, at 0.4 m/s after a while
    double start = 1e9;
    person.pose = [&](double t) {
      const double T = 0.5, u = std::clamp((t - start) / T, 0.0, 1.0);
      // its speed rises as 3 u^2 - 2 u^3
      const double way = T * (u * u * u - 0.5 * u * u * u * u) + std::max(0.0, t - start - T);
      return Pose::translation({-0.2, 0.5, -0.3 + 0.4 * way});
    };
    person.send(5);
    person.clutch(true);
    person.send(5);
    start = seconds(person.stamp);
    person.send(70);
    const ReferenceIndex hand = session.arbiter().find_reference("hand");
    const auto arm = [&] { return test::frame_reference(session, "hand").arm(); };
    const Vector6d V = arm().V_WE;
    ASSERT_GT(V.head<3>().norm(), 0.3);
    const MechanismState& state = session.whole_arm()->state().mechanisms[0];
    const double least =
        least_stop_time(session.whole_arm()->system().mechanisms()[0], state.q, state.v, state.qdd);
    person.as = TrackedAs::kNone;
    person.box.post(person.next());
    const Eigen::Vector3d direction = V.head<3>().normalized(), p = arm().X_WE.p;
    double back = 0.0;
    int ticks = 0;
    do {
      person.tick(1);
      back = std::min(back, arm().V_WE.head<3>().dot(direction));
      ASSERT_LT(++ticks, 2000);
    } while (!person.rests());
    EXPECT_TRUE(person.holds());
    EXPECT_LE(ticks * 1e-3, 1.2 * least + 2e-3);
    const double way = (arm().X_WE.p - p).dot(direction);
    EXPECT_LE(way, V.head<3>().norm() * (1.2 * least + 2e-3));
    EXPECT_GT(way, 0.0);
    EXPECT_GE(back, -kRest);
    EXPECT_LT((session.arbiter().reference(hand).motion().pose.X_WE.p - arm().X_WE.p).norm(), 2e-3);
  }
}

// none of it may step, also where the arm starts outside a limit
TEST(SessionDevices, AJointOutsideItsLimitComesBackWithoutAStep) {
  const AppFolder folder;
  App app = folder.app(kPairArms + kDevices + kFollow);
  RobotInstance& left = app.scene.robots.front();
  const JointLimits* limits = left.limits.find("left.joint6");
  ASSERT_NE(limits, nullptr);
  left.q_start[5] = limits->upper + 1e-3;
  Session session(app);
  Person person(session);
  const auto group = static_cast<std::size_t>(session.plant().layout().group("left.arm"));
  person.send(10);
  person.clutch(true);
  Eigen::VectorXd before = session.plant().read().groups[group].v;
  double step = 0.0;
  for (int i = 0; i < 300; ++i) {
    if (i % 40 == 20) person.clutch(false);
    if (i % 40 == 25) person.clutch(true);
    person.box.post(person.next());
    for (int k = 0; k < 10; ++k) {
      person.tick(1);
      const Eigen::VectorXd v = session.plant().read().groups[group].v;
      step = std::max(step, (v - before).lpNorm<Eigen::Infinity>());
      before = v;
    }
  }
  // what the joints' acceleration limit allows in a tick, and half of it for friction that lets go
  EXPECT_LE(step, 1.5 * limits->acceleration * 1e-3);
  EXPECT_LE(session.plant().read().groups[group].q[5], limits->upper + 1e-4);
  person.expect_no_step();
}

TEST(SessionDevices, ASignFlippedQuaternionMovesNothing) {
  const AppFolder folder;
  const App app = folder.app(kPairArms + kDevices + kFollow);
  Session session(app);
  Person person(session);
  person.pose = [](double) { return Pose::translation({-0.2, 1.0, -0.3}); };
  person.send(10);
  person.clutch(true);
  person.send(5);
  const ReferenceIndex hand = session.arbiter().find_reference("hand");
  const Pose before = session.arbiter().reference(hand).motion().pose.X_WE;
  int sign = 0;
  person.send(40, [&](Input& i) {
    if (++sign % 2 == 0)
      for (std::size_t k = 4; k < 8; ++k) i.numbers[k] = -i.numbers[k];
  });
  EXPECT_FALSE(person.holds());
  EXPECT_LT((session.arbiter().reference(hand).motion().pose.X_WE.R - before.R).norm(), 1e-9);
}

TEST(SessionDevices, ASnapTurnsTheFrameAndTheHandGoesOnFromThere) {
  const AppFolder folder(
      std::string(test::kPairScene) +
      "frames:\n  side: {position: [0.0, 0.0, 0.0], rpy: [120 deg, 10 deg, 0.0]}\n");
  const std::string devices = R"(devices:
  headset: {driver: {type: headset}}
sources:
  person: {type: hand, device: headset, pose: left, turn: body, clutch: {motion: left.trigger}, snap: {control: left.primary, frame: side}}
)";
  const App app = folder.app(kPairArms + devices + kFollow);
  Session session(app);
  Person person(session);
  double turn = 0.0;
  person.pose = [&](double) {
    return Pose{exp_so3({0.0, 0.0, turn}), Eigen::Vector3d(-0.2, 1.0, -0.3)};
  };
  person.send(10);
  person.clutch(true);
  person.send(10);
  const ReferenceIndex hand = session.arbiter().find_reference("hand");
  const Pose before = session.arbiter().reference(hand).motion().pose.X_WE;
  person.sample.set_button(0, true);  // left.primary
  person.send(300);
  const Eigen::Matrix3d side = rotation_from_rpy({2.0 * M_PI / 3.0, M_PI / 18.0, 0.0});
  EXPECT_LT(angle_between(session.arbiter().reference(hand).motion().pose.X_WE.R, side), 1e-6);
  EXPECT_LT((session.arbiter().reference(hand).motion().pose.X_WE.p - before.p).norm(), 1e-6);
  // a turn of the hand turns it from there, the button still down
  for (int i = 0; i < 20; ++i) {
    turn += 0.01;
    person.send(1);
  }
  person.send(300);
  EXPECT_LT(angle_between(session.arbiter().reference(hand).motion().pose.X_WE.R,
                          side * exp_so3({0.0, 0.0, 0.2})),
            1e-6);
  EXPECT_FALSE(person.holds());
  EXPECT_NE(folder
                .error(kPairArms + R"(devices:
  headset: {driver: {type: headset}}
sources:
  person: {type: hand, device: headset, pose: left, snap: {control: left.primary, frame: sde}}
)")
                .find("the scene has no frame 'sde'; did you mean 'side'?"),
            std::string::npos);
}

TEST(SessionDevices, AxesAtFullScaleUntilTouchedClutchNothing) {
  const AppFolder folder;
  const App app = folder.app(kPairArms + kDevices + kFollow);
  Session session(app);
  Person person(session);
  person.clutch(true);
  person.send(50);
  EXPECT_TRUE(person.holds());
  EXPECT_EQ(
      person.reason(),
      "person: left hand: clutch not seen released yet – release grip and trigger, press again");
}

TEST(SessionDevices, AClutchThatIsHeldWhenAuthorityComesIsNotMeant) {
  const AppFolder folder;
  const App app = folder.app(kPairArms + kDevices + R"(machines:
  all:
    start: rest
    states:
      rest: {do: [{type: hold, tasks: [hand]}], next: [{to: follow, when: [{type: event, name: go}]}]}
      follow: {do: [{type: follow, task: hand, sources: [{source: person}]}]}
)");
  Session session(app);
  Person person(session);
  person.send(5);
  person.clutch(true);
  person.send(5);
  session.mailbox("operator").post(test::operator_input(InputKind::kEvent, "go"));
  person.send(30);
  EXPECT_TRUE(person.holds());
  EXPECT_EQ(person.reason(),
            "person: left hand: clutch was held before – release grip and trigger, press again");
}

TEST(SessionDevices, AStopTakesAFreshClutchIn) {
  const AppFolder folder;
  const App app = folder.app(kPairArms + kDevices + kFollow);
  Session session(app);
  Person person(session);
  person.send(5);
  person.clutch(true);
  person.send(20);
  session.mailbox("operator").post(test::operator_input(InputKind::kStop));
  person.send(60);
  EXPECT_TRUE(person.rests());
  session.mailbox("operator").post(test::operator_input(InputKind::kResume));
  person.send(20);
  EXPECT_TRUE(person.holds());
  EXPECT_EQ(person.reason(),
            "person: left hand: clutch was held before – release grip and trigger, press again");
}

TEST(SessionDevices, ATickWithSamplesAllocatesNothing) {
  const AppFolder folder;
  const App app = folder.app(kPairArms + kDevices + kFollow);
  Session session(app);
  Person person(session);
  person.send(5);
  person.clutch(true);
  person.send(20);
  const test::AllocationCount count;
  for (int i = 0; i < 200; ++i) {
    const Input input = person.next();
    person.box.post(input);
    for (int k = 0; k < 10; ++k) session.tick();
  }
  EXPECT_EQ(count.count(), 0U);
  EXPECT_FALSE(person.holds());
}

TEST(SessionDevices, ButtonsWorkSuctionAndSilenceLetsNothingGo) {
  const AppFolder folder;
  const App app = folder.app(kPairArms + kDevices + R"(machines:
  all:
    start: work
    states:
      work:
        do:
          - {type: follow, task: hand, sources: [{source: person}]}
          - {type: operate, group: picker.cup, device: headset, on: right.trigger, off: right.primary, all_off: right.stick, safety: right.squeeze}
        next: [{to: over, when: [{type: button, device: headset, button: right.secondary}]}]
      over: {final: true}
)");
  Session session(app);
  Person person(session);
  const auto& layout = session.plant().layout();
  const auto cup = static_cast<std::size_t>(layout.group("picker.cup"));
  const auto suction = [&] { return session.command().groups[cup][0]; };
  const auto axis = [&](const char* name, double value) {
    const auto& axes = headset_layout().axes;
    person.sample.set_axis(static_cast<std::size_t>(std::ranges::find(axes, name) - axes.begin()),
                           value);
  };
  const auto button = [&](const char* name, bool down) {
    const auto& buttons = headset_layout().buttons;
    person.sample.set_button(
        static_cast<std::size_t>(std::ranges::find(buttons, name) - buttons.begin()), down);
  };
  person.send(5);
  axis("right.trigger", 1.0);
  person.send(3);
  EXPECT_EQ(suction(), 0.0) << "the safety clutch is open";
  axis("right.trigger", 0.0);
  axis("right.squeeze", 1.0);
  person.send(3);
  axis("right.trigger", 1.0);
  person.send(3);
  EXPECT_EQ(suction(), 1.0);
  // silence, and back with the trigger let go: nothing was released
  person.tick(300);
  axis("right.trigger", 0.0);
  person.stamp += 300'000'000;
  person.send(3);
  EXPECT_EQ(suction(), 1.0);
  axis("right.squeeze", 0.0);
  person.send(3);
  axis("right.squeeze", 1.0);
  person.send(3);
  button("right.stick", true);
  person.send(3);
  EXPECT_EQ(suction(), -1.0) << "no blow-off either";
  button("right.primary", true);
  person.send(3);
  EXPECT_EQ(suction(), 0.0);
  EXPECT_EQ(session.machines()[0].current_name(), "work");
  button("right.secondary", true);
  person.send(2);
  EXPECT_EQ(session.machines()[0].current_name(), "over");
}

// a device that notes what it is sent, and lives in the loop's time
struct NotingConfig {};
class Noting : public Device {
 public:
  Noting() {
    layout_.outputs = {{"buzz"}, {"force"}, {"push", 3, "N"}};
    layout_.axes = {"x"};
  }
  const DeviceLayout& layout() const override { return layout_; }
  void watch(const ChannelTable& channels) override {
    channels_ = &channels;
    seen_ = channels.find("reference.hand.pose");
  }
  bool sample(Nanoseconds now, Input& input) override {
    if (now % 10'000'000 != 0) return false;
    DeviceSample sample("noting", layout_);
    sample.set_axis(0, std::clamp(channels_->numbers(seen_)[2], -1.0, 1.0));
    sample.set_stamp(now);
    input = sample.input();
    return true;
  }
  void output(std::size_t index, std::span<const double> values) noexcept override {
    if (index == 2)
      push = Eigen::Map<const Eigen::VectorXd>(values.data(), std::ssize(values));
    else
      sent[index] = values[0];
    ++times;
  }
  static inline std::array<double, 2> sent{};
  static inline Eigen::VectorXd push;
  static inline int times = 0;

 private:
  DeviceLayout layout_;
  const ChannelTable* channels_ = nullptr;
  ChannelId seen_;
};

const Parts& with_noting() {
  static const Parts parts = [] {
    Parts made = built_in_parts();
    made.of<DeviceRegistry>().add(
        "noting", object<NotingConfig>("Noting"), "of a test",
        [](const NotingConfig&, const DeviceContext&) { return std::make_unique<Noting>(); });
    return made;
  }();
  return parts;
}

TEST(SessionDevices, ChannelsAreSentBackAndADeviceMayLiveInTheLoop) {
  const AppFolder folder(test::kPairScene, with_noting());
  const App app = folder.app(kPairArms + R"(devices:
  noting:
    driver: {type: noting}
    outputs:
      - {output: force, channel: left.arm.tau, gain: 0.5, max: 100}
      - {output: buzz, channel: left.wrist.wrench, label: fz, dead_zone: 1000}
)");
  Noting::sent = {-1.0, -1.0};
  Noting::times = 0;
  SessionOptions options;
  options.live_devices = true;
  Session session(app, std::move(options));
  for (int i = 0; i < 500; ++i) session.tick();
  const auto& channels = session.channels();
  const double force = channels.numbers(channels.find("left.arm.tau")).norm();
  ASSERT_GT(force, 0.1);
  EXPECT_NEAR(Noting::sent[1], 0.5 * force, 1e-12);
  EXPECT_EQ(channels.number(channels.find("device.noting.force")), Noting::sent[1]);
  EXPECT_EQ(Noting::sent[0], -1.0) << "what stays 0 is not sent";
  EXPECT_EQ(session.devices().find("noting").samples(), 50U);
  // a replay neither asks nor sends
  const int times = Noting::times;
  Session again(app);
  for (int i = 0; i < 50; ++i) again.tick();
  EXPECT_EQ(Noting::times, times);
  EXPECT_EQ(again.devices().find("noting").samples(), 0U);
}

// v_D = R_WD^T R_WF v_F, cut at its length
TEST(SessionDevices, AVectorIsSentInTheDevicesOwnAxes) {
  const AppFolder folder(test::kPairScene, with_noting());
  const auto sent = [&](const std::string& keys) {
    SessionOptions options;
    options.live_devices = true;
    const App app = folder.app(kPairArms +
                               "devices:\n  noting:\n    driver: {type: noting}\n"
                               "    outputs: [{output: push, channel: "
                               "left.wrist.wrench, " +
                               keys + "}]\n");
    Session session(app, std::move(options));
    Noting::push = {};
    // at rest nothing acts on the tool but its weight, which the sensor does not show
    World& world = *session.world();
    const int pad = world.body("left.pad_body");
    const Vector6d F_W = (Vector6d() << 3.0, -5.0, 4.0, 0.0, 0.0, 0.0).finished();
    for (int i = 0; i < 200; ++i) {
      world.push(pad, world.body_pose(pad).p, F_W);
      session.tick();
    }
    const auto& channels = session.channels();
    const Eigen::VectorXd shown = channels.numbers(channels.find("device.noting.push"));
    EXPECT_EQ(shown, Noting::push) << keys;
    EXPECT_EQ(channels.info(channels.find("device.noting.push")).unit, "N");
    const auto X = channels.numbers(channels.find("reference.hand.pose"));
    return std::tuple<Eigen::VectorXd, Eigen::Vector3d, Eigen::Quaterniond>(
        shown, channels.numbers(channels.find("left.wrist.wrench")).head<3>(),
        Eigen::Quaterniond(X[6], X[3], X[4], X[5]));
  };
  {
    const auto [f, f_F, q_WF] = sent("max: 1000");
    ASSERT_GT(f_F.norm(), 0.1);
    EXPECT_LT((f - f_F).norm(), 1e-12);
  }
  {
    const auto [f, f_F, q_WF] = sent("labels: [fz, fx, fy], gain: -2, max: 1000");
    EXPECT_LT((f - -2.0 * Eigen::Vector3d(f_F[2], f_F[0], f_F[1])).norm(), 1e-12);
  }
  {
    // a quarter turn about z: the device's x is W's y
    const auto [f, f_F, q_WF] = sent("frame: reference.hand.pose, rpy: [0, 0, 90 deg], max: 1000");
    const Eigen::Vector3d f_W = q_WF * f_F;
    EXPECT_LT((f - Eigen::Vector3d(f_W[1], -f_W[0], f_W[2])).norm(), 1e-9);
  }
  {
    const auto [f, f_F, q_WF] = sent("gain: 1000, max: 2");
    EXPECT_LT((f - 2.0 * f_F.normalized()).norm(), 1e-9) << "its direction stays";
  }
}

TEST(SessionDevices, WhatIsWrongInAnAppHasItsPlace) {
  const AppFolder folder(test::kPairScene, with_noting());
  const auto error = [&](const std::string& rest) { return folder.error(kPairArms + rest); };
  EXPECT_NE(error("devices:\n  h: {driver: {type: hedset}}\n").find("did you mean 'headset'?"),
            std::string::npos);
  EXPECT_NE(error("devices:\n  operator: {driver: {type: headset}}\n")
                .find("devices.operator is named as the operator's own mailbox"),
            std::string::npos);
  EXPECT_NE(error("sources:\n  p: {type: hand, device: h, pose: left}\n")
                .find("there is no device 'h': the app has none"),
            std::string::npos);
  const std::string headset = "devices:\n  h: {driver: {type: headset}}\n";
  EXPECT_NE(error("devices:\n  headset: {driver: {type: headset}}\nsources:\n  p: {type: hand, "
                  "device: headst, pose: left}\n")
                .find("there is no device 'headst'; did you mean 'headset'?"),
            std::string::npos);
  EXPECT_NE(error(headset + "sources:\n  p: {type: hand, device: h, pose: lft}\n")
                .find("has no pose 'lft'; did you mean 'left'?"),
            std::string::npos);
  EXPECT_NE(error(headset +
                  "sources:\n  p: {type: hand, device: h, pose: left, clutch: {motion: grip}}\n")
                .find("has no button or axis 'grip'"),
            std::string::npos);
  EXPECT_NE(error(headset + "sources:\n  h: {type: hand, device: h, pose: left}\n")
                .find("sources.h is named as a device"),
            std::string::npos);
  const std::string noting = "devices:\n  n:\n    driver: {type: noting}\n    outputs:\n";
  EXPECT_NE(error(noting + "      - {output: buz, channel: qp.iterations}\n")
                .find("has no output 'buz'; did you mean 'buzz'?"),
            std::string::npos);
  EXPECT_NE(error(noting + "      - {output: buzz, channel: left.wrist.wrnch}\n")
                .find("left.wrist.wrench"),
            std::string::npos);
  EXPECT_NE(error(noting + "      - {output: buzz, channel: reference.hand.pose}\n")
                .find("'reference.hand.pose' is a pose"),
            std::string::npos);
  EXPECT_NE(error(noting + "      - {output: buzz, channel: left.wrist.wrench, label: f}\n")
                .find("has no element 'f'"),
            std::string::npos);
  EXPECT_NE(error(noting + "      - {output: buzz, channel: left.wrist.wrench}\n"
                           "      - {output: buzz, channel: left.wrist.wrench}\n")
                .find("feeds 'buzz' twice"),
            std::string::npos);
  const std::string push = "      - {output: push, channel: left.wrist.wrench, ";
  EXPECT_NE(error(noting + push + "labels: [fx, fy]}\n")
                .find("has 2 labels for 'push', which is 3 numbers; give one for each of them"),
            std::string::npos);
  EXPECT_NE(error(noting + push + "label: fx}\n")
                .find("has one label for 'push', which is 3 numbers; give 'labels'"),
            std::string::npos);
  EXPECT_NE(error(noting + push + "labels: [fx, fy, f]}\n").find("has no element 'f'"),
            std::string::npos);
  EXPECT_NE(error(noting + push + "frame: left.arm.tau}\n")
                .find("'left.arm.tau' is a vector; 'frame' is a channel of a pose"),
            std::string::npos);
  EXPECT_NE(error(noting + "      - {output: push, channel: qp.iterations}\n").find("devices.n"),
            std::string::npos);
  EXPECT_NE(error(noting + "      - {output: push, channel: left.wrist.force}\n").find("outputs"),
            std::string::npos);
  EXPECT_NE(error(noting + "      - {output: buzz, channel: left.wrist.wrench, labels: [fx]}\n")
                .find("has labels for 'buzz', which is one number"),
            std::string::npos);
  EXPECT_NE(error(noting + "      - {output: buzz, channel: left.wrist.wrench, rpy: [0, 0, 1]}\n")
                .find("turns 'buzz', which is not 3 numbers; leave frame and rpy out"),
            std::string::npos);
  const auto mode = [&](const std::string& part) {
    return error(headset + "machines:\n  m:\n    start: a\n    states:\n      a: {do: [" + part +
                 "]}\n");
  };
  EXPECT_NE(mode("{type: operate, group: picker.cp, device: h, on: left.trigger}")
                .find("'picker.cp' is neither suction cup nor gripper"),
            std::string::npos);
  EXPECT_NE(mode("{type: operate, group: picker.cup, device: h}").find("names no control"),
            std::string::npos);
  EXPECT_NE(mode("{type: operate, group: picker.cup, device: h, on: x}")
                .find("has no button or axis 'x'"),
            std::string::npos);
  EXPECT_NE(mode("{type: operate, group: picker.cup, device: h, on: left.trigger, open: [0.0], "
                 "closed: [1.0]}")
                .find("is a suction cup"),
            std::string::npos);
  const std::string button =
      "machines:\n  m:\n    start: a\n    states:\n      a: {next: [{to: b, when: [{type: button, ";
  EXPECT_NE(error(headset + button + "button: x}]}]}\n      b: {final: true}\n")
                .find("names neither a device nor a source"),
            std::string::npos);
  EXPECT_NE(error(headset + button + "device: h, button: x}]}]}\n      b: {final: true}\n")
                .find("has no button or axis 'x'"),
            std::string::npos);
}

// an arm that takes positions stands for a gripper
TEST(SessionDevices, WhatIsWrongWithAGripperHasItsPlace) {
  const AppFolder folder("name: jaws\nrobots:\n  jaw: {robot: jaw, pose: stance}\n");
  const auto jaw = folder.path() / "jaw";
  std::filesystem::copy(folder.path() / "robots/ur5", jaw);
  std::string robot = read_text_file(jaw / "robot.yaml");
  robot.replace(robot.find("drive: velocity"), 15, "drive: position");
  std::ofstream(jaw / "robot.yaml") << robot;
  const auto error = [&](const std::string& more) {
    return folder.error(
        "devices:\n  h: {driver: {type: headset}}\nmachines:\n  m:\n    start: a\n    states:\n    "
        "  "
        "a: "
        "{do: [{type: operate, group: jaw.arm, device: h, on: left.trigger" +
        more + "}]}\n");
  };
  const std::string six = "[0, 0, 0, 0, 0, 0]", there = ", open: " + six + ", closed: " + six;
  EXPECT_EQ(error(there), "");
  EXPECT_NE(error(there + ", all_off: left.primary")
                .find("'jaw.arm' is not a suction cup: 'all_off' is for one"),
            std::string::npos);
  EXPECT_NE(
      error(", open: " + six)
          .find("'jaw.arm' is not a suction cup: say at what positions it is open and closed"),
      std::string::npos);
  EXPECT_NE(error(", open: [0], closed: " + six).find("1 positions for the 6 joints of 'jaw.arm'"),
            std::string::npos);
}

}  // namespace devices_test
}  // namespace handspan
