// Joysticks and keys that the same person holds: alone, where what they are deflected by must make
// the way that was meant, and in the loop with what follows them, as a jog does.
#include "person/held_rates.hpp"

#include <gtest/gtest.h>

#include "device/device_rate.hpp"
#include "person_support.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace held_rates_test {

// E goes at the rates that a sample gives, beginning at rest in the origin, as a jog has it.
class Followed {
 public:
  Followed(const DeviceLayout& layout, const std::string& drives, const ResponseConfig& response,
           double speed, double angular_speed)
      : state("stick", layout, {}),
        response_(response),
        speed_(speed),
        angular_speed_(angular_speed) {
    for (const auto& [axis, binding] :
         parse_yaml(drives, "d.yaml", dictionary(rate_binding_schema())))
      inputs_[index_of(axis)].emplace(binding, state);
  }
  void receive(Nanoseconds now, const Input& input) {
    state.receive({now / 1'000'000, now, 1e-3, nullptr}, input);
  }
  void advance(Nanoseconds now) {
    state.update({now / 1'000'000, now, 1e-3, nullptr});
    Vector6d rates = Vector6d::Zero();
    for (std::size_t i = 0; i < 6; ++i)
      if (inputs_[i])
        rates[static_cast<Eigen::Index>(i)] = respond(inputs_[i]->value(state), response_);
    const Eigen::Vector3d v = rates.head<3>(), w = rates.tail<3>();
    fastest = std::max({fastest, v.norm(), w.norm()});
    X_WE.p += 1e-3 * speed_ / std::max(1.0, v.norm()) * v;
    X_WE.R = exp_so3(1e-3 * angular_speed_ / std::max(1.0, w.norm()) * w) * X_WE.R;
  }

  DeviceState state;
  Pose X_WE;
  double fastest = 0.0;  // of the full speed

 private:
  static std::size_t index_of(const std::string& axis) {
    const std::vector<std::string> all = {"x", "y", "z", "roll", "pitch", "yaw"};
    return static_cast<std::size_t>(std::ranges::find(all, axis) - all.begin());
  }
  ResponseConfig response_;
  double speed_, angular_speed_;
  std::array<std::optional<RateInput>, 6> inputs_;
};

const TrackingConfig kTracking{};
const HandPlace kPlace{};
const std::string kStick =
    "axes: [side, forth, twist], hats: 1, buttons: [fire], speed: 0.25 m/s, angular_speed: 0.5 "
    "rad/s, response: {dead_zone: 0.2, exponent: 2}, drives: ";
const std::string kDrives =
    "{x: -forth, y: side, z: {plus: hat0.up, minus: hat0.down}, yaw: twist}";
const ResponseConfig kResponse{0.2, 2.0};

std::unique_ptr<HeldDevice> held(const std::string& yaml, std::size_t side = 1) {
  return parse_yaml(yaml, "h.yaml", test::person_held().schema())
      .make({kTracking, kPlace, side, 0.1});
}

// a movement with it, sampled at each tick
void carry_out(const HeldDevice& device, const SubMovement& movement, Followed& followed) {
  DeviceSample sample("stick", device.layout());
  for (std::size_t a = 0; a < device.layout().axes.size(); ++a) sample.set_axis(a, 0.0);
  for (std::size_t b = 0; b < device.layout().buttons.size(); ++b) sample.set_button(b, false);
  for (Nanoseconds now = 0; now < movement.start + movement.duration + kSecond / 2;
       now += kSecond / 1000) {
    if (now >= movement.start) device.write(movement, Eigen::Vector3d::Zero(), now, sample);
    sample.set_stamp(now);
    followed.receive(now, sample.input());
    followed.advance(now);
  }
}

SubMovement planned(const HeldDevice& device, const Eigen::Vector3d& d, const Eigen::Vector3d& phi,
                    double time) {
  SubMovement movement;
  movement.d_V = device.way(d);
  movement.phi_V = device.turn(phi, {}, Eigen::Matrix3d::Identity());
  movement.start = kSecond / 5;
  movement.duration = std::llround(
      1e9 * device.time_of(movement.d_V, movement.phi_V, kMinimumJerkPeak * d.norm(), time));
  return movement;
}

TEST(HeldRates, AStickAndItsHatMakeTheWayThatIsMeant) {
  const auto stick = held("{type: joystick, " + kStick + kDrives + "}");
  Followed followed(stick->layout(), kDrives, kResponse, 0.25, 0.5);
  const Eigen::Vector3d d(0.1, -0.2, 0.15), phi(0.0, 0.0, 0.4);
  carry_out(*stick, planned(*stick, d, phi, 0.2), followed);
  // sums of a smooth rate over ticks are as exact as the rate at the ends is flat; a hat is held
  // for a whole number of ticks
  EXPECT_NEAR(followed.X_WE.p.x(), 0.1, 1e-4);
  EXPECT_NEAR(followed.X_WE.p.y(), -0.2, 1e-4);
  EXPECT_NEAR(followed.X_WE.p.z(), 0.15, 0.25 * 2e-3);
  EXPECT_LT(angle_between(followed.X_WE.R, exp_so3(phi)), 1e-3);
  EXPECT_LE(followed.fastest, 1.0 + 1e-9);
  // what is wanted in 0.2 s takes as long as the full speed needs
  EXPECT_GT(followed.fastest, 0.95);
}

TEST(HeldRates, AStickGoesThroughPointsAndKeysDoNot) {
  const std::string drives = "{x: forth, y: side, z: twist}";
  const auto stick = held("{type: joystick, " + kStick + drives + "}");
  const auto keys = held("{type: keys}");
  EXPECT_TRUE(stick->draws_curves());
  EXPECT_EQ(stick->by_time({0.1, 0.1, 0.1}), 0.0);
  EXPECT_FALSE(keys->draws_curves());
  EXPECT_EQ(keys->by_time({0.1, 0.0, 0.0}), 0.2);
  // of a stick with a hat the hat alone is held
  const auto both = held("{type: joystick, " + kStick + kDrives + "}");
  EXPECT_EQ(both->by_time({0.1, 0.1, 0.0}), 0.0);
  EXPECT_EQ(both->by_time({0.1, 0.1, 0.1}), 0.25);
  ThroughPoints curve;
  const std::array<Eigen::Vector3d, 2> points = {Eigen::Vector3d(0.1, 0.1, 0.0),
                                                 Eigen::Vector3d(0.2, 0.0, 0.05)};
  curve.plan(points);
  SubMovement movement = planned(*stick, points[1], Eigen::Vector3d::Zero(), 3.0);
  movement.through = curve;
  Followed followed(stick->layout(), drives, kResponse, 0.25, 0.5);
  carry_out(*stick, movement, followed);
  EXPECT_LT((followed.X_WE.p - points[1]).norm(), 1e-4);
}

TEST(HeldRates, KeysAreHeldAsLongAsTheWayTakesOneAfterTheOther) {
  const auto keys = held("{type: keys, speed: 0.1 m/s}");
  const std::string drives = "{x: x, y: y, z: z, roll: roll, pitch: pitch, yaw: yaw}";
  Followed followed(keys->layout(), drives, {0.1, 1.0}, 0.1, 0.6);
  const SubMovement movement = planned(*keys, {0.1, 0.001, -0.05}, {0.0, 0.3, 0.0}, 7.0);
  // 1 s, nothing (a millimetre is less than a tap), 0.5 s, 0.5 s
  EXPECT_NEAR(seconds(movement.duration), 2.0, 1e-9);
  carry_out(*keys, movement, followed);
  EXPECT_LT((followed.X_WE.p - Eigen::Vector3d(0.1, 0.0, -0.05)).norm(), 0.1 * 3e-3);
  EXPECT_NEAR(angle_between(followed.X_WE.R, Eigen::Matrix3d::Identity()), 0.3, 0.6 * 2e-3);
  EXPECT_EQ(followed.fastest, 1.0);
}

TEST(HeldRates, LetGoItSpringsBackAtOnce) {
  const auto stick = held("{type: joystick, " + kStick + kDrives + "}");
  SubMovement movement = planned(*stick, {0.2, 0.0, 0.1}, Eigen::Vector3d::Zero(), 1.0);
  const Nanoseconds now = movement.start + movement.duration / 3;
  DeviceSample sample("stick", stick->layout());
  stick->write(movement, Eigen::Vector3d::Zero(), now, sample);
  EXPECT_LT(sample.input().numbers[1], -0.2);
  stick->write(stick->stopped(movement, now, 0.15), Eigen::Vector3d::Zero(), now, sample);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(sample.input().numbers[i], 0.0);
}

// The whole person with a stick: reaches its goal by what it sees, however late that is.
class HoldingWorld {
 public:
  HoldingWorld(const std::string& holds, const std::string& drives, const std::string& more,
               std::uint64_t seed, double speed = 0.25)
      : person(parse_yaml("holds: " + holds + "\n" + more, "person.yaml",
                          person_schema(test::person_mappings(), test::person_held())),
               {"person", seed}),
        followed(person.layout(), drives, kResponse, speed, 0.5) {
    pose = channels.pose("e.pose", {});
    channels.seal();
    publish();
    person.watch(channels);
  }
  void publish() { channels.write(pose, followed.X_WE.p, followed.X_WE.quaternion(), now); }
  void tick() {
    now += kSecond / 1000;
    if (person.sample(now, input)) followed.receive(now, input);
    followed.advance(now);
    publish();
  }
  bool finish(double time) {
    while (now < std::llround(time * 1e9) && !person.over()) tick();
    return person.over();
  }

  ChannelTable channels;
  Person person;
  Followed followed;
  PoseChannel pose;
  Input input;
  Nanoseconds now = 0;
};

TEST(HeldRates, APersonReachesAGoalWithAStickAHatOrKeysSeenLate) {
  const std::string script =
      "sight_delay: 0.25\nsettle: 0.4\nhands: {right: {see: e.pose}}\nscript:\n- right: [{do: "
      "move, to: [0.2, -0.15, 0.1], tolerance: 1 cm, patience: 60 s}]\n";
  const std::string stick = "{type: joystick, " + kStick + kDrives + "}";
  const std::string keys = "{type: keys, speed: 0.1 m/s}";
  const std::string keyed = "{x: x, y: y, z: z}";
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    for (const bool types : {false, true}) {
      HoldingWorld world(types ? keys : stick, types ? keyed : kDrives, script, seed,
                         types ? 0.1 : 0.25);
      ASSERT_TRUE(world.finish(60.0)) << "seed " << seed << " keys " << types;
      const PersonCounts& counts = world.person.hand(1).counts();
      EXPECT_EQ(counts.given_up, 0U) << "seed " << seed << " keys " << types;
      EXPECT_LE(counts.movements, 12U) << "seed " << seed << " keys " << types;
      // the tolerance, and four deviations of the person's gaze
      EXPECT_LT((world.followed.X_WE.p - Eigen::Vector3d(0.2, -0.15, 0.1)).norm(), 0.014)
          << "seed " << seed << " keys " << types;
    }
}

TEST(HeldRates, LateSightWithoutPatienceOvershoots) {
  // who looks before they can see what came of a movement does it twice
  const auto farthest = [](const std::string& settle) {
    HoldingWorld world("{type: joystick, " + kStick + kDrives + "}", kDrives,
                       "sight_delay: 0.6\ngaze: 0\nendpoint: 0\nsettle: " + settle +
                           "\nhands: {right: {see: e.pose}}\nscript:\n- right: [{do: move, to: "
                           "[0.1, 0, 0], tolerance: 5 mm, patience: 60 s}]\n",
                       1);
    double most = 0.0;
    while (!world.person.over() && world.now < 30 * kSecond) {
      world.tick();
      most = std::max(most, world.followed.X_WE.p.x());
    }
    return most;
  };
  EXPECT_LT(farthest("0.7"), 0.106);
  EXPECT_GT(farthest("0"), 0.12);
}

TEST(HeldRates, AllocatesNothing) {
  HoldingWorld world("{type: joystick, " + kStick + kDrives + "}", kDrives,
                     "sight_delay: 0.2\nhands: {right: {see: e.pose, clutch: [fire]}}\nscript:\n- "
                     "right: [{do: move, through: [[0.1, 0, 0]], to: [0.2, 0.1, 0.1]}]\n",
                     1);
  const test::AllocationCount count;
  for (int i = 0; i < 5000; ++i) world.tick();
  EXPECT_EQ(count.count(), 0U);
  EXPECT_TRUE(world.followed.state.pressed("fire"));
}

std::string error_of(const std::string& yaml) {
  try {
    HoldingWorld world(yaml, "{}", "hands: {right: {see: e.pose}}\n", 1);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(HeldRates, SaysWhatIsWrong) {
  EXPECT_EQ(error_of("{type: joystick, axes: [side], drives: {x: sid}}"),
            "person.yaml:1: holds.drives has 'sid', which is not an axis; did you mean 'side'?");
  EXPECT_EQ(error_of("{type: joystick, hats: 1, drives: {z: {plus: hat0.upp}}}"),
            "person.yaml:1: holds.drives has 'hat0.upp', which is not a control; did you mean "
            "'hat0.up'?");
  EXPECT_EQ(error_of("{type: joystick}"),
            "person.yaml:1: holds.drives moves nothing; give one of x, y, z, roll, pitch, yaw at "
            "least");
  EXPECT_EQ(error_of("{type: joystick, axes: [a, b], buttons: [a], drives: {x: b}}"),
            "person.yaml:1: holds names 'a' twice; give each control a name of its own");
  EXPECT_EQ(error_of("{type: joystik}").substr(0, 20), "person.yaml:1: holds");
  EXPECT_EQ(error_of("{type: keys}\nscript: [{left: [{do: move, by: [0, 0, 1]}]}]"),
            "person.yaml:2: the left hand holds nothing; give this to the other hand, or 'hand: "
            "left' under holds");
  EXPECT_EQ(error_of("{type: keys}\nscript: [{right: [{do: press, controls: [x]}]}]").substr(0, 46),
            "person.yaml:2: the right hand has no control '");
}

}  // namespace held_rates_test
}  // namespace handspan
