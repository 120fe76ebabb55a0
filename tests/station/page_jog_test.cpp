// What keys, pads and sticks ask for at a page reaches a jog of the server: its workspace, the
// scale of its speed and its dead man hold for a page too; and a page takes over a device that has
// a thread of its own.
#include <gtest/gtest.h>

#include "core/object.hpp"
#include "station/station_support.hpp"

namespace handspan {
namespace page_jog_test {

using test::FakeConnection;
using test::HubTest;
using test::Json;

const std::string kPageApp = test::kPairArms + R"(devices:
  page: {driver: {type: page}, outputs: []}
sources:
  keys:
    type: jog
    device: page
    x: x
    y: y
    z: z
    yaw: yaw
    dead_man: clutch
    response: {dead_zone: 0}
    speed: 0.4 m/s
    acceleration: 2 m/s^2
    scale: {faster: primary, slower: secondary, step: 2, min: 0.25, max: 1, start: 0.5}
    workspace: {lower: [0.2, -0.6, 0.2], upper: [0.8, 0.6, 0.8]}
references:
  hand: {speed: 1 m/s, acceleration: 10 m/s^2, angular_speed: 2 rad/s, angular_acceleration: 30 rad/s^2}
machines:
  all:
    start: follow
    states:
      follow: {do: [{type: follow, task: hand, sources: [{source: keys}]}]}
)";

class PageJogTest : public HubTest {
 protected:
  PageJogTest() : HubTest(kPageApp) {
    a = join(ann, "Ann", "operator");
    ask(a, ann, {{"type", "operate"}});
    run({}, 20);
  }
  struct Asked {
    Eigen::Vector3d rates = Eigen::Vector3d::Zero();
    bool clutch = false, faster = false, slower = false;
  };
  // so many samples, 10 ms apart
  void run(const Asked& asked, int samples) {
    for (int i = 0; i < samples; ++i) {
      SampleMessage message;
      message.sequence = ++sequence;
      message.stamp = seconds(now);
      message.numbers.assign(12, 0.0);
      std::copy_n(asked.rates.data(), 3, message.numbers.begin());
      message.numbers[6] = asked.clutch;
      message.numbers[9] = asked.faster;
      message.numbers[10] = asked.slower;
      give(a, message);
      tick(10);
    }
  }
  Eigen::Vector3d p() {
    auto& arbiter = loop.session.arbiter();
    return arbiter.reference(arbiter.find_reference("hand")).pose()->p;
  }

  FakeConnection ann;
  int a = 0;
};

TEST_F(PageJogTest, TheWelcomeSaysHowItMoves) {
  const Json jog = ann.last("welcome")["jogs"][0];
  EXPECT_EQ(jog["name"], "keys");
  EXPECT_EQ(jog["reference"], "hand");
  EXPECT_EQ(jog["device"], "page");
  EXPECT_EQ(jog["dead_man"], "clutch");
  EXPECT_EQ(jog["faster"], "primary");
  EXPECT_EQ(jog["frame"], "world");
  EXPECT_EQ(jog["rates"][0], (Json{{"axis", "x"}, {"sign", 1.0}}));
  EXPECT_TRUE(jog["rates"][3].is_null());
  EXPECT_EQ(jog["speed"], (Json{0.4, 0.6}));
  EXPECT_EQ(jog["response"], (Json{0.0, 1.0}));
  EXPECT_TRUE(ann.last("welcome")["devices"][0]["takes_samples"]);
}

TEST_F(PageJogTest, NothingMovesWithoutTheDeadManAndLettingGoStops) {
  const Eigen::Vector3d from = p();
  run({{1.0, 0.0, 0.0}}, 50);
  EXPECT_EQ(p(), from);
  EXPECT_TRUE(holds());
  run({{1.0, 0.0, 0.0}, true}, 50);
  EXPECT_GT(p().x(), from.x() + 0.05);
  EXPECT_FALSE(holds());
  // the stick stays where it is
  run({{1.0, 0.0, 0.0}}, 50);
  EXPECT_TRUE(holds());
  const Eigen::Vector3d rest = p();
  run({{1.0, 0.0, 0.0}}, 50);
  EXPECT_EQ(p(), rest);
  // a page that says nothing any more stops too, and what it held is pressed anew
  run({{-1.0, 0.0, 0.0}, true}, 30);
  EXPECT_FALSE(holds());
  tick(200);
  EXPECT_TRUE(holds());
  run({{-1.0, 0.0, 0.0}, true}, 10);
  EXPECT_TRUE(holds());
}

TEST_F(PageJogTest, TheWorkspaceHoldsWhateverThePageAsksFor) {
  for (const Eigen::Vector3d& way :
       {Eigen::Vector3d(1, 1, 0), Eigen::Vector3d(-1, -1, 1), Eigen::Vector3d(0, 1, -1)})
    for (int i = 0; i < 300; ++i) {
      run({way, true, i == 0, false}, 1);
      for (int axis = 0; axis < 3; ++axis) {
        const double limit = axis == 1 ? 0.6 : 0.8, lower = axis == 1 ? -0.6 : 0.2;
        ASSERT_LE(p()[axis], limit + 1e-6) << "axis " << axis;
        ASSERT_GE(p()[axis], lower - 1e-6) << "axis " << axis;
      }
    }
}

TEST_F(PageJogTest, TheScaleOfItsSpeedIsTheServers) {
  const auto speed = [&](const Asked& asked) {
    run(asked, 40);
    const Eigen::Vector3d before = p();
    run(asked, 10);
    return (p() - before).norm() / 0.1;
  };
  EXPECT_NEAR(speed({{0.0, -1.0, 0.0}, true}), 0.2, 1e-3);
  run({{0.0, 0.0, 0.0}, true, false, true}, 10);
  EXPECT_NEAR(speed({{0.0, 1.0, 0.0}, true}), 0.1, 1e-3);
}

struct HardwareConfig {};

// a stick with a thread of its own, for which a test speaks
class Hardware : public Device {
 public:
  const DeviceLayout& layout() const override {
    static const DeviceLayout layout = {{}, {"x"}, {}, {}};
    return layout;
  }
  bool takes_samples() const override { return false; }
  bool gives_way() const override { return true; }
  std::vector<PageFeed> page_feeds() const override { return {{"x", "stick.axis0", -1.0}}; }
  void open(Mailbox& mailbox) override { box = &mailbox; }
  void close() noexcept override { box = nullptr; }
  static void say(double x, Nanoseconds stamp) {
    static const DeviceLayout layout = {{}, {"x"}, {}, {}};
    DeviceSample sample("stick", layout);
    sample.set_axis(0, x);
    sample.set_stamp(stamp);
    box->post(sample.input());
  }
  static inline Mailbox* box = nullptr;
};

const Parts& with_hardware() {
  static const Parts parts = [] {
    Parts made = built_in_parts();
    made.of<DeviceRegistry>().add(
        "test_giving", object<HardwareConfig>("Hardware"), "of a test",
        [](const HardwareConfig&, const DeviceContext&) { return std::make_unique<Hardware>(); });
    return made;
  }();
  return parts;
}

class TakeOverTest : public HubTest {
 protected:
  explicit TakeOverTest(
      const std::string& text = "devices:\n  stick: {driver: {type: test_giving}}\n")
      : HubTest(text, test::kPairScene, with_hardware()) {}
  void page(int client, double x) {
    SampleMessage message;
    message.sequence = ++sequence;
    message.stamp = seconds(now);
    message.numbers = {x};
    give(client, message);
  }
  const DeviceState& stick() { return loop.session.devices().find("stick"); }
};

TEST_F(TakeOverTest, WhileAPageGivesSamplesThoseOfTheDevicesOwnThreadAreNotHeard) {
  FakeConnection ann;
  const int a = join(ann, "Ann", "operator");
  const Json device = ann.last("welcome")["devices"][0];
  EXPECT_TRUE(device["takes_samples"]);
  EXPECT_TRUE(device["own"]);
  EXPECT_EQ(device["feeds"],
            Json::array({{{"control", "x"}, {"axis", "stick.axis0"}, {"sign", -1.0}}}));
  const auto both = [&](int times, std::optional<double> ann_says) {
    for (int i = 0; i < times; ++i) {
      Hardware::say(0.1, now);
      if (ann_says) page(a, *ann_says);
      tick(10);
    }
  };
  both(5, {});
  EXPECT_EQ(stick().axis(0), 0.1);
  EXPECT_EQ(stick().operator_name(), "");
  // who does not operate takes nothing over
  both(5, 0.2);
  EXPECT_EQ(stick().axis(0), 0.1);
  ask(a, ann, {{"type", "operate"}});
  both(5, 0.2);
  EXPECT_EQ(stick().axis(0), 0.2);
  EXPECT_EQ(stick().operator_name(), "Ann");
  const auto samples = stick().samples();
  both(5, 0.2);
  EXPECT_EQ(stick().samples(), samples + 5);
  // with the page silent for the device's timeout the thread is heard again
  both(9, {});
  EXPECT_EQ(stick().samples(), samples + 5);
  both(5, {});
  EXPECT_GT(stick().samples(), samples + 5);
  EXPECT_EQ(stick().operator_name(), "");
  EXPECT_EQ(loop.session.lost_inputs(), 0U);
}

class StopTakeOverTest : public TakeOverTest {
 protected:
  StopTakeOverTest()
      : TakeOverTest("devices:\n  stick: {driver: {type: test_giving}, stop: x}\n") {}
};

TEST_F(StopTakeOverTest, WhatStopsEverythingIsNotTakenOver) {
  FakeConnection ann;
  const int a = join(ann, "Ann", "operator");
  EXPECT_FALSE(ann.last("welcome")["devices"][0]["takes_samples"]);
  ask(a, ann, {{"type", "operate"}});
  page(a, 0.0);
  EXPECT_EQ(ann.code, 4002);
}

}  // namespace page_jog_test
}  // namespace handspan
