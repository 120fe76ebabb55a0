// The protocol against the fixtures that the page is tested against too. HANDSPAN_WRITE_FIXTURES=1
// writes them anew: a change of the protocol, which the page's tests must then follow.
#include "station/protocol.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "station/station_support.hpp"

namespace handspan {
namespace protocol_test {

using test::FakeConnection;
using test::HubTest;
using test::Json;

const std::filesystem::path kFixtures =
    std::filesystem::path(HANDSPAN_SOURCE_DIR) / "tests/station/fixtures";

bool writes() { return std::getenv("HANDSPAN_WRITE_FIXTURES") != nullptr; }

std::vector<std::uint8_t> read_bytes(const std::string& name) {
  std::ifstream in(kFixtures / name, std::ios::binary);
  EXPECT_TRUE(in) << name;
  return {std::istreambuf_iterator<char>(in), {}};
}

void expect_bytes(const std::string& name, const std::vector<std::uint8_t>& bytes) {
  if (writes())
    std::ofstream(kFixtures / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  EXPECT_EQ(read_bytes(name), bytes) << name;
}

void expect_json(const std::string& name, const Json& json) {
  if (writes()) std::ofstream(kFixtures / name) << json.dump(1) << '\n';
  std::ifstream in(kFixtures / name);
  ASSERT_TRUE(in) << name;
  EXPECT_EQ(Json::parse(in), json) << name;
}

// no robot: its numbers may change without the protocol
const char* const kBeltScene = R"(name: belt
objects:
  parcel: {pose: {position: [0.1, 0.0, 0.6]}, mass: 0.5, shapes: [{type: box, size: [0.3, 0.2, 0.1], rgba: [0.8, 0.6, 0.4, 1.0]}]}
  ball: {pose: {position: [0.5, 0.0, 0.8]}, mass: 0.1, shapes: [{type: sphere, radius: 0.05}]}
fixtures:
  post: {pose: {position: [1.0, 0.0, 0.25]}, shapes: [{type: cylinder, radius: 0.1, length: 0.5}]}
belts:
  belt: {pose: {position: [0.0, 0.0, 0.5]}, size: [2.0, 0.4, 0.1], speed: 0.2 m/s}
frames:
  drop: {position: [1.0, 2.0, 3.0], rpy: [0.0, 0.0, 180 deg]}
views:
  overview: {eye: [2.0, 2.0, 2.0], target: [0.0, 0.0, 0.5]}
)";

class ProtocolTest : public HubTest {
 protected:
  ProtocolTest() : HubTest("devices: {headset: {driver: {type: headset}}}\n", kBeltScene) {}
};

TEST_F(ProtocolTest, WelcomeAndStatusAreTheFixtures) {
  FakeConnection page;
  const int client = join(page, "Ann", "operator");
  Json welcome = page.last("welcome");
  welcome["version"] = "0.1.0";
  expect_json("welcome.json", welcome);
  ask(client, page, {{"type", "operate"}});
  Json s = status(page);
  expect_json("status.json", s);
}

TEST_F(ProtocolTest, AFrameIsTheFixture) {
  LoopState state = loop.tap.latest().value();
  const std::size_t bodies = state.poses.size();
  ASSERT_EQ(bodies, 5U);
  state.tick = 0x0102030405;
  state.time = 1'500'000'000;
  state.taken = 2'250'000'000;
  state.stopped = true;
  for (std::size_t b = 0; b < bodies; ++b)
    state.poses[b] = {static_cast<float>(b), 0.5F, -0.25F, 0.0F, 0.0F, 0.0F, 1.0F};
  state.references.assign(2, {});
  state.references[0] = {false, {1.0F, 2.0F, 3.0F, 0.5F, 0.5F, 0.5F, 0.5F}, ""};
  state.contacts.assign(1, {1, 2, {0.1F, 0.2F, 0.3F}, {-1.0F, 0.0F, 9.5F}});
  const ChannelTable& table = loop.session.channels();
  const std::size_t pose = table.find("object.parcel.pose").index,
                    present = table.find("device.headset.present").index;
  for (std::size_t i = 0; i < 7; ++i)
    state.numbers[loop.tap.first(pose) + i] = static_cast<double>(i) / 8.0;
  state.integers[loop.tap.first(present)] = 1;
  std::vector<std::size_t> channels = {pose, present};
  std::ranges::sort(channels);
  std::vector<std::uint8_t> bytes;
  encode_frame({kRecordingFlag, 7}, state, loop.tap, table.channels(), channels, bytes);
  EXPECT_EQ(bytes.size(), 32U + 28U * bodies + 2U + 2U * 29U + 2U + 28U + 2U + 2U * 4U + 8U * 4U);
  expect_bytes("frame.bin", bytes);
  Json poses = Json::array();
  for (const auto& X : state.poses) poses.push_back(X);
  Json values = Json::array();
  for (const std::size_t c : channels)
    values.push_back(
        {{"index", c},
         {"values", c == pose ? Json({0.0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75}) : Json({1.0})}});
  expect_json("frame.json", {{"kind", kFrameKind},
                             {"flags", kRecordingFlag | kStoppedFlag},
                             {"sequence", 7},
                             {"tick", state.tick},
                             {"time", 1.5},
                             {"server", 2.25},
                             {"bodies", poses},
                             {"references",
                              {{{"holding", false}, {"pose", state.references[0].pose}},
                               {{"holding", true}, {"pose", state.references[1].pose}}}},
                             {"contacts",
                              {{{"a", 1},
                                {"b", 2},
                                {"position", state.contacts[0].p_W},
                                {"force", state.contacts[0].f_W}}}},
                             {"channels", values}});
}

TEST(Protocol, ASampleIsTheFixture) {
  SampleMessage sample;
  sample.device = 2;
  sample.sequence = 0x01020304;
  sample.stamp = 12.5;
  sample.offset = 1000.25;
  sample.numbers = {1.0, 0.1, 0.2, 0.3, 0.0, 0.0, 0.0, 1.0, -0.5, 1.0};
  expect_bytes("sample.bin", encode_sample(sample));
  expect_json("sample.json", {{"device", sample.device},
                              {"sequence", sample.sequence},
                              {"stamp", sample.stamp},
                              {"offset", sample.offset},
                              {"numbers", sample.numbers}});
  std::string cause;
  const auto decoded = decode_sample(read_bytes("sample.bin"), cause);
  ASSERT_TRUE(decoded) << cause;
  EXPECT_EQ(decoded->device, 2);
  EXPECT_EQ(decoded->sequence, 0x01020304U);
  EXPECT_EQ(decoded->stamp, 12.5);
  EXPECT_EQ(decoded->offset, 1000.25);
  EXPECT_EQ(decoded->numbers, sample.numbers);
}

}  // namespace protocol_test
}  // namespace handspan
