// The scripted person until somebody takes over.
#include "station/live_loop.hpp"

#include <gtest/gtest.h>

#include "core/object.hpp"
#include "station/station_support.hpp"

namespace handspan {
namespace live_loop_test {

using test::FakeConnection;
using test::HubTest;

struct PuppetConfig {};

// gives a sample at each tick; or has a thread of its own, so that pages may not
class Puppet : public Device {
 public:
  explicit Puppet(bool hardware) : hardware_(hardware) {}
  const DeviceLayout& layout() const override {
    static const DeviceLayout layout = {{}, {"x"}, {}, {}};
    return layout;
  }
  bool takes_samples() const override { return !hardware_; }
  bool sample(Nanoseconds now, Input& input) override {
    if (hardware_) return false;
    DeviceSample sample("puppet", layout());
    sample.set_axis(0, 0.1);
    sample.set_stamp(now);
    sample.set_operator("puppet");
    input = sample.input();
    return true;
  }

 private:
  bool hardware_;
};

const Parts& with_puppets() {
  static const Parts parts = [] {
    Parts made = built_in_parts();
    for (const bool hardware : {false, true})
      made.of<DeviceRegistry>().add(hardware ? "test_hardware" : "test_puppet",
                                    object<PuppetConfig>("Puppet"), "of a test",
                                    [hardware](const PuppetConfig&, const DeviceContext&) {
                                      return std::make_unique<Puppet>(hardware);
                                    });
    return made;
  }();
  return parts;
}

const std::string kPuppets = R"(devices:
  puppet: {driver: {type: test_puppet}}
  stick: {driver: {type: test_hardware}}
)";

class PuppetTest : public HubTest {
 protected:
  PuppetTest() : HubTest(kPuppets, test::kPairScene, with_puppets()) {}
  SampleMessage axis(std::uint8_t device, double x) {
    SampleMessage message;
    message.device = device;
    message.sequence = ++sequence;
    message.stamp = seconds(now);
    message.numbers = {x};
    return message;
  }
  const DeviceState& state(const char* name) { return loop.session.devices().find(name); }
};

TEST_F(PuppetTest, ThePersonsSamplesReplaceTheScriptedOnes) {
  FakeConnection ann;
  const int a = join(ann, "Ann", "operator");
  tick(10);
  EXPECT_EQ(state("puppet").samples(), 10U);
  EXPECT_EQ(state("puppet").operator_name(), "puppet");
  ask(a, ann, {{"type", "operate"}});
  tick(10);
  EXPECT_EQ(state("puppet").samples(), 10U);
  give(a, axis(0, 0.2));
  tick(1);
  EXPECT_EQ(state("puppet").samples(), 11U);
  EXPECT_EQ(state("puppet").axis(0), 0.2);
  EXPECT_EQ(state("puppet").operator_name(), "Ann");
  hub.gone(a);
  tick(200);
  EXPECT_EQ(state("puppet").samples(), 11U);
  EXPECT_FALSE(state("puppet").present());
  const int b = join(ann, "Bob", "operator");
  ask(b, ann, {{"type", "operate"}});
  ask(b, ann, {{"type", "yield"}, {"to", "scripted"}});
  tick(10);
  EXPECT_EQ(state("puppet").samples(), 21U);
}

// at every tick the log's operator is who acted in it
TEST_F(PuppetTest, TheOperatorsNameIsOfWhoActs) {
  FakeConnection ann;
  const int a = join(ann, "Ann", "operator");
  std::string name = "unknown";
  const auto run = [&](int ticks, const std::string& wanted) {
    for (int i = 0; i < ticks; ++i) {
      tick(1);
      bool scripted = false;
      for (const Input& input : loop.session.inputs()) {
        if (input.kind == InputKind::kOperator) name = input.text.view();
        scripted = scripted || input.text == "puppet";
      }
      ASSERT_EQ(scripted, name == "the app's devices") << name;
    }
    EXPECT_EQ(name, wanted);
  };
  run(20, "the app's devices");
  ask(a, ann, {{"type", "operate"}});
  run(20, "Ann");
  ask(a, ann, {{"type", "yield"}, {"to", "scripted"}});
  run(20, "the app's devices");
  ask(a, ann, {{"type", "operate"}});
  hub.gone(a);
  run(20, "nobody");
}

TEST_F(PuppetTest, DevicesWithAThreadOfTheirOwnTakeNoSamplesOfPages) {
  FakeConnection ann;
  const int a = join(ann, "Ann", "operator");
  EXPECT_FALSE(ann.last("welcome")["devices"][1]["takes_samples"]);
  ask(a, ann, {{"type", "operate"}});
  give(a, axis(1, 0.5));
  EXPECT_EQ(ann.code, 4002);
  EXPECT_EQ(ann.reason, "a sample of device 1, which takes none");
  tick(5);
  EXPECT_EQ(state("stick").samples(), 0U);
}

}  // namespace live_loop_test
}  // namespace handspan
