// Jogs in a session: a stick and buttons drive a frame and joints; a snapshot has all of it.
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "device/headset.hpp"
#include "session_support.hpp"
#include "support/sized.hpp"

namespace handspan {
namespace jog_test {

using test::AppFolder;
using test::kPairArms;

const std::string kJogs = kPairArms + R"(devices:
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
    scale: {faster: right.primary, slower: right.secondary}
    frame: base
    moves: left.tcp
    slow_down: {from: 0.3, to: 0.05}
    workspace: {lower: [-0.2, -0.5, 0.2], upper: [0.8, 0.8, 0.9]}
  joints: {type: joint_jog, device: pad, task: posture, choose: {next: right.stick, rate: right.stick_y}}
references:
  hand: {speed: 1 m/s, acceleration: 10 m/s^2, angular_speed: 2 rad/s, angular_acceleration: 30 rad/s^2}
machines:
  all:
    start: jog
    states:
      jog:
        do:
          - {type: follow, task: hand, sources: [{source: stick}]}
          - {type: follow, task: posture, sources: [{source: joints}]}
)";

// a person who plays with the sticks; a function of the tick, so that two sessions get the same
class Play : public InputFeed {
 public:
  explicit Play(std::uint64_t seed) : seed_(seed) {}
  bool next(std::int64_t tick, Input& input) override {
    if (tick == tick_ || tick % 10 != 0) return false;
    tick_ = tick;
    const DeviceLayout& layout = headset_layout();
    DeviceSample sample("pad", layout);
    // another deflection every 300 ms, at rest at first
    RandomStream random(seed_ + static_cast<std::uint64_t>(tick / 300), "play");
    for (std::size_t a = 0; a < layout.axes.size(); ++a)
      sample.set_axis(a, tick < 50 ? 0.0 : random.uniform(-1.0, 1.0));
    for (std::size_t b = 0; b < layout.buttons.size(); ++b)
      sample.set_button(b, tick >= 50 && random.uniform() < 0.3);
    sample.set_stamp(tick * 1'000'000);
    input = sample.input();
    return true;
  }

 private:
  std::uint64_t seed_;
  std::int64_t tick_ = -1;
};

SessionOptions played(std::uint64_t seed) {
  SessionOptions options;
  options.feed = std::make_unique<Play>(seed);
  return options;
}

TEST(SessionJog, RestoredFromASnapshotItGoesOnWithTheSameBits) {
  const AppFolder folder;
  const App app = folder.app(kJogs);
  for (int run = 0; run < test::sized(20); ++run) {
    RandomStream random(static_cast<std::uint64_t>(run), "jog");
    const auto seed = random.bits() / 2;
    const auto at = 200 + static_cast<int>(random.integer(1500));
    Session one(app, played(seed));
    for (int i = 0; i < at; ++i) one.tick();
    std::vector<std::byte> bytes;
    one.snapshot(bytes);
    Session other(app, played(seed));
    for (std::uint64_t i = random.integer(50); i > 0; --i) other.tick();
    other.restore(bytes);
    for (int i = 0; i < 300; ++i) {
      one.tick();
      other.tick();
      ASSERT_EQ(one.hashes(), other.hashes()) << "run " << run << ", tick " << at << " + " << i;
    }
    for (const char* name : {"hand", "posture"})
      EXPECT_FALSE(one.arbiter().holding(one.arbiter().find_reference(name))) << name;
  }
}

TEST(SessionJog, ItsButtonsAreTheAppsAndItsChannelsAreThere) {
  const AppFolder folder;
  const App app = folder.app(kJogs);
  Session session(app, played(3));
  for (int i = 0; i < 1000; ++i) session.tick();
  const auto& channels = session.channels();
  EXPECT_GT(channels.numbers(channels.find("source.stick.twist")).norm(), 0.0);
  EXPECT_GT(channels.number(channels.find("source.stick.scale")), 0.0);
  EXPECT_GT(channels.number(channels.find("source.stick.nearest")), 0.0);
  EXPECT_EQ(channels.info(channels.find("source.joints.joint")).choices.size(), 7U);
}

}  // namespace jog_test
}  // namespace handspan
