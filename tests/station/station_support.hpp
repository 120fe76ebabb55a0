#pragma once
// Clients without sockets, and an app to be served, for tests of the station.
#include <deque>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "device/headset.hpp"
#include "session/session_support.hpp"
#include "station/hub.hpp"
#include "support/parts.hpp"

namespace handspan::test {

using Json = nlohmann::json;

/// A hand that a headset moves, with both clutches.
inline const std::string kServedApp = kPairArms + R"(devices:
  headset:
    driver: {type: headset}
    outputs: [{output: left.rumble, channel: reference.hand.velocity}]
sources:
  person: {type: hand, device: headset, pose: left, clutch: {safety: left.squeeze, motion: left.trigger}}
references:
  hand: {speed: 1 m/s, acceleration: 4 m/s^2, angular_speed: 2 rad/s, angular_acceleration: 8 rad/s^2}
machines:
  all:
    start: follow
    states:
      follow: {do: [{type: follow, task: hand, sources: [{source: person}]}]}
)";

/// What a client was sent.
class FakeConnection : public Connection {
 public:
  std::size_t waiting() const override { return stalled ? texts.size() + frames.size() : 0; }
  void send_text(std::string text) override { texts.push_back(Json::parse(text)); }
  void send_bytes(const std::vector<std::uint8_t>& bytes) override { frames.push_back(bytes); }
  void close(CloseCode with, std::string_view why) override {
    EXPECT_EQ(code, 0);
    code = static_cast<int>(with);
    reason = why;
  }
  /// The last text of a type; null when there is none.
  Json last(const std::string& type) const {
    for (auto text = texts.rbegin(); text != texts.rend(); ++text)
      if ((*text)["type"] == type) return *text;
    return {};
  }

  std::deque<Json> texts;
  std::deque<std::vector<std::uint8_t>> frames;
  int code = 0;  // 0: open
  std::string reason;
  bool stalled = false;
};

/// Does everything at once, and remembers it.
class FakeServices : public Services {
 public:
  void record(bool on, const std::string& name, Done done) override {
    asked.push_back((on ? "record " : "stop ") + name);
    status.on = on;
    done("");
  }
  void remove(const std::string& name, Done done) override {
    asked.push_back("delete " + name);
    done("there is none");
  }
  void list(std::function<void(const std::vector<RecordInfo>&)> done) override { done(records); }
  void replay(
      const std::string& name,
      std::function<void(std::shared_ptr<ReplayPlayer>, const std::string&)> done) override {
    asked.push_back("replay " + name);
    done(nullptr, "there is none");
  }
  RecordingStatus recording() const override { return status; }
  void restart() override { asked.push_back("restart"); }
  std::vector<PairedDevice> devices() const override { return paired; }
  bool unpair(int device) override {
    return std::erase_if(paired, [&](const auto& one) { return one.id == device; }) > 0;
  }

  std::vector<std::string> asked;
  std::vector<RecordInfo> records;
  std::vector<PairedDevice> paired;
  RecordingStatus status;
};

/// A hub and a loop that the test ticks; the clock goes with the ticks.
class HubTest : public testing::Test {
 protected:
  HubTest() : HubTest(kServedApp) {}
  explicit HubTest(const std::string& text, const char* scene = kPairScene,
                   const Parts& parts = test_parts())
      : folder(scene, parts), app(folder.app(text)), loop(app), hub(HubOptions{"life"}, services) {
    hub.set_loop(loop);
  }

  int say(int client, const Json& message) {
    hub.text(client, message.dump(), now);
    return client;
  }
  int join(FakeConnection& connection, const std::string& name, const std::string& role,
           const Visitor& visitor = Visitor()) {
    const int client = hub.add(connection, visitor, now);
    return say(client,
               {{"type", "hello"}, {"protocol", kProtocol}, {"name", name}, {"role", role}});
  }
  /// The reason of the answer to a request; "" when it was done.
  std::string ask(int client, const FakeConnection& connection, Json message) {
    message["id"] = ++request;
    say(client, message);
    const Json answer = connection.last("answer");
    if (answer.is_null() || answer["to"] != request) return "no answer";
    EXPECT_EQ(answer["ok"].get<bool>(), !answer.contains("reason"));
    return answer.value("reason", "");
  }
  void tick(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      loop.between_ticks({});
      loop.session.tick();
      now += loop.session.base_period();
      if (now >= next) next = hub.poll(now);
    }
  }
  Json status(FakeConnection& connection) {
    tick(110);
    return connection.last("status");
  }
  SampleMessage sample(bool closed, double along = 0.0) {
    const DeviceLayout& layout = headset_layout();
    DeviceSample made("headset", layout);
    for (std::size_t p = 0; p < layout.poses.size(); ++p)
      made.set_pose(p, TrackedAs::kController, {-0.2, 1.0, -0.3 - along},
                    Eigen::Quaterniond::Identity());
    for (std::size_t a = 0; a < layout.axes.size(); ++a) made.set_axis(a, closed ? 1.0 : 0.0);
    for (std::size_t b = 0; b < layout.buttons.size(); ++b) made.set_button(b, false);
    SampleMessage message;
    message.sequence = ++sequence;
    message.offset = 1000.0;
    message.stamp = seconds(now) - message.offset;
    const auto values = made.input().values();
    message.numbers.assign(values.begin(), values.end());
    return message;
  }
  void give(int client, const SampleMessage& message) {
    hub.bytes(client, encode_sample(message), now);
  }
  /// So many samples, 10 ms apart.
  void give(int client, bool closed, int samples, double speed = 0.0) {
    for (int i = 0; i < samples; ++i) {
      forward += 0.01 * speed;
      give(client, sample(closed, forward));
      tick(10);
    }
  }
  bool holds() {
    return loop.session.arbiter().holding(loop.session.arbiter().find_reference("hand"));
  }

  AppFolder folder;
  App app;
  FakeServices services;
  LiveLoop loop;
  Hub hub;
  Nanoseconds now = 5000 * kSecond, next = 0;
  std::uint32_t sequence = 0;
  int request = 0;
  double forward = 0.0;
};

}  // namespace handspan::test
