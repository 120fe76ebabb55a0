// What a channel is recorded as, and read back.
#include "log/channel_messages.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "core/error.hpp"

namespace handspan {
namespace channel_messages_test {

const Rate kRate = Rate::of(1000);

// the values after a way through the message of the channel
std::vector<double> there_and_back(const ChannelInfo& info, const std::vector<double>& values,
                                   std::string& schema, std::string& word) {
  const ChannelMessage message = message_of(info);
  Bytes bytes;
  std::vector<std::byte> raw(sizeof(double) * values.size());
  if (holds_doubles(info.type)) {
    std::memcpy(raw.data(), values.data(), raw.size());
  } else {
    const auto whole = static_cast<std::int64_t>(values[0]);
    std::memcpy(raw.data(), &whole, sizeof whole);
  }
  message.encode({5, 3, 1, raw}, bytes);
  schema = message.type.name;
  std::vector<double> read;
  read_channel(schema, bytes, read, word);
  return read;
}

TEST(ChannelMessages, EveryTypeComesBack) {
  ChannelTable table;
  table.number("a", "m", kRate);
  table.vector("b", 3, "m", kRate);
  table.pose("c", kRate);
  table.twist("d", "world", kRate);
  table.wrench("e", "wrist", kRate);
  table.integer("f", "", kRate);
  table.boolean("g", kRate);
  table.choice("h", {"rest", "move"}, kRate);
  const std::vector<std::string> schemas = {
      "handspan_msgs/msg/Vector",        "handspan_msgs/msg/Vector",
      "geometry_msgs/msg/PoseStamped",   "geometry_msgs/msg/TwistStamped",
      "geometry_msgs/msg/WrenchStamped", "handspan_msgs/msg/Integer",
      "handspan_msgs/msg/Integer",       "handspan_msgs/msg/Integer"};
  for (std::size_t i = 0; i < table.channels().size(); ++i) {
    const ChannelInfo& info = table.channels()[i];
    std::vector<double> values(info.size, 1.0);
    for (std::size_t e = 0; e < values.size() && holds_doubles(info.type); ++e)
      values[e] = 0.1 * static_cast<double>(e + 1);
    std::string schema, word;
    EXPECT_EQ(there_and_back(info, values, schema, word), values) << info.name;
    EXPECT_EQ(schema, schemas[i]) << info.name;
    EXPECT_EQ(word, info.name == "h" ? "move" : "") << info.name;
  }
}

TEST(ChannelMessages, ATwistAndAWrenchSayTheirFrame) {
  ChannelTable table;
  table.wrench("wrist.wrench", "wrist", kRate);
  table.twist("hand.velocity", "base", kRate);
  const std::vector<double> x = {1, 2, 3, 4, 5, 6};
  std::vector<std::byte> raw(sizeof(double) * x.size());
  std::memcpy(raw.data(), x.data(), raw.size());
  Bytes bytes;
  message_of(table.channels()[0]).encode({9, 7, 1, raw}, bytes);
  const auto wrench = decode<messages::WrenchStamped>(bytes);
  EXPECT_EQ(wrench.header.frame_id, "wrist");
  EXPECT_EQ(wrench.header.stamp, 7);
  EXPECT_EQ(wrench.torque[2], 6.0);
  message_of(table.channels()[1]).encode({9, 8, 1, raw}, bytes);
  const auto twist = decode<messages::TwistStamped>(bytes);
  EXPECT_EQ(twist.header.frame_id, "base");
  EXPECT_EQ(twist.angular[0], 4.0);
}

TEST(ChannelMessages, AJointStateHasEffortsWhereThereAre) {
  const std::vector<double> x = {1, 2, 3, 4, 5, 6};
  std::vector<std::byte> raw(sizeof(double) * x.size());
  std::memcpy(raw.data(), x.data(), raw.size());
  Bytes bytes;
  joint_message({"shoulder", "elbow"}).encode({0, 0, 0, raw}, bytes);
  auto m = decode<messages::JointState>(bytes);
  EXPECT_EQ(m.velocity, (std::vector<double>{3, 4}));
  EXPECT_EQ(m.effort, (std::vector<double>{5, 6}));
  joint_message({"a", "b", "c"}).encode({0, 0, 0, raw}, bytes);
  m = decode<messages::JointState>(bytes);
  EXPECT_EQ(m.position, (std::vector<double>{1, 2, 3}));
  EXPECT_TRUE(m.effort.empty());
}

TEST(ChannelMessages, CutBytesAndOthersMessagesAreNamed) {
  ChannelTable table;
  table.wrench("wrist.wrench", "wrist", kRate);
  const std::vector<double> x(6, 1.0);
  std::vector<std::byte> raw(sizeof(double) * x.size());
  std::memcpy(raw.data(), x.data(), raw.size());
  Bytes bytes;
  message_of(table.channels()[0]).encode({0, 0, 0, raw}, bytes);
  bytes.resize(bytes.size() / 2);
  std::vector<double> values;
  std::string word;
  EXPECT_THROW(read_channel("geometry_msgs/msg/WrenchStamped", bytes, values, word), InputError);
  try {
    read_channel("sensor_msgs/msg/Image", bytes, values, word);
    FAIL() << "an image is no channel";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("sensor_msgs/msg/Image"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("another program"), std::string::npos);
  }
}

}  // namespace channel_messages_test
}  // namespace handspan
