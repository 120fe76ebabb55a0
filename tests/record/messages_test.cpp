// Bytes of messages, and bytes that are none. That others read every field: readers_test.cpp.
#include "record/messages.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "record_support.hpp"

namespace handspan {
namespace messages_test {

using namespace messages;
using test::error_of;

std::string hex(ByteSpan bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

template <class M>
Bytes encoded(const M& message) {
  Bytes bytes;
  encode(message, bytes);
  return bytes;
}

const Header kHeader{5 * kSecond + 6, "w"};

// by hand from the CDR rules: header 00 01 00 00, numbers aligned from behind it, texts with a zero
TEST(Messages, BytesAreThoseOfCdr) {
  EXPECT_EQ(hex(encoded(String{"ab"})),
            "00010000"
            "03000000"
            "616200");
  EXPECT_EQ(hex(encoded(Vector{kHeader, {1.0}})),
            "00010000"
            "05000000"
            "06000000"
            "02000000"
            "7700"
            "0000"
            "01000000"
            "00000000"
            "000000000000f03f");
  EXPECT_EQ(hex(encoded(TickHashes{1, 2, {3}})),
            "00010000"
            "0100000000000000"
            "02000000"
            "01000000"
            "03");
  EXPECT_EQ(hex(encoded(Integer{{-1, ""}, -2, "a"})),
            "00010000"
            "ffffffff"
            "ffc99a3b"
            "01000000"
            "00"
            "000000"
            "feffffffffffffff"
            "02000000"
            "6100");
}

template <class M>
void expect_same_after(const M& message) {
  const Bytes bytes = encoded(message);
  EXPECT_EQ(decode<M>(bytes), message);
  check_message(message_type<M>().name, bytes);
  // every cut is an error with type, byte, cause and hint, and so is a byte too many
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::string said = error_of([&] { decode<M>(ByteSpan(bytes).first(size)); });
    EXPECT_TRUE(said.starts_with(fmt::format("message {}: byte ", message_type<M>().name)))
        << size << ": " << said;
    EXPECT_TRUE(said.ends_with("; it is damaged or of another type")) << said;
  }
  Bytes longer = bytes;
  longer.resize(bytes.size() + 4);
  EXPECT_NE(error_of([&] { decode<M>(longer); }).find("4 bytes follow its last field"),
            std::string::npos);
  longer.resize(bytes.size() + 3);  // padding
  EXPECT_EQ(decode<M>(longer), message);
}

TEST(Messages, EveryMessageComesBack) {
  const double inf = std::numeric_limits<double>::infinity();
  expect_same_after(String{std::string("a\0b", 3)});
  expect_same_after(String{});
  expect_same_after(JointState{kHeader, {"a", ""}, {1, inf}, {-0.0, 5e-324}, {3}});
  expect_same_after(PoseStamped{kHeader, {1, 2, 3}, {4, 5, 6, 7}});
  expect_same_after(TwistStamped{kHeader, {1, 2, 3}, {4, 5, 6}});
  expect_same_after(WrenchStamped{kHeader, {1, 2, 3}, {4, 5, 6}});
  expect_same_after(Joy{kHeader, {1.5F}, {-3, 4}});
  expect_same_after(TFMessage{{{kHeader, "c", {1, 2, 3}, {4, 5, 6, 7}}, {{-1, "x"}, "", {}, {}}}});
  expect_same_after(Vector{kHeader, {}});
  expect_same_after(Vector{{}, {1, 2}});
  expect_same_after(Integer{kHeader, std::numeric_limits<std::int64_t>::min(), "w"});
  expect_same_after(TickHashes{~std::uint64_t{0}, 2, {1, 2, 3, 4}});
  expect_same_after(KeyFrame{3, {0, 255}});
  expect_same_after(Event{kHeader, 1, "k", "n", "t", {"a", "b"}, {"c", ""}});
  expect_same_after(Input{kHeader, 1, "s", "k", "t", {1, 2}, {-3}});
}

TEST(Messages, StampsOfBothSignsComeBack) {
  for (const Nanoseconds stamp :
       {Nanoseconds{-1}, -kSecond, -kSecond - 1, kSecond, kSecond - 1,
        (Nanoseconds{1} << 31U) * kSecond - 1, -(Nanoseconds{1} << 31U) * kSecond})
    EXPECT_EQ(decode<Vector>(encoded(Vector{{stamp, ""}, {}})).header.stamp, stamp);
  const Nanoseconds late = (Nanoseconds{1} << 31U) * kSecond;
  EXPECT_EQ(
      error_of([&] { encoded(Vector{{late, ""}, {}}); }),
      "stamp is 2147483648000000000 ns; a ROS message's must be within +-2^31 s: count from a "
      "later start");
}

TEST(Messages, TheQuickVectorIsTheSame) {
  const std::vector<double> values = {1.5, -2.0, 1e-300};
  Bytes quick(99);
  encode_vector(-7, values, quick);
  EXPECT_EQ(quick, encoded(Vector{{-7, ""}, values}));
  encode_vector(3, {}, quick);
  EXPECT_EQ(quick, encoded(Vector{{3, ""}, {}}));
}

TEST(Messages, BigEndianIsRead) {
  const Bytes bytes = {std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0},   std::byte{0},
                       std::byte{0}, std::byte{0}, std::byte{2}, std::byte{'a'}, std::byte{0}};
  EXPECT_EQ(decode<String>(bytes), String{"a"});
}

TEST(Messages, SayWhatIsWrongWithTheirBytes) {
  Bytes bytes = encoded(String{"ab"});
  bytes[1] = std::byte{3};
  EXPECT_EQ(error_of([&] { decode<String>(bytes); }),
            "message std_msgs/msg/String: byte 0: its representation is 0003, not plain CDR; it is "
            "damaged or of another type");
  bytes = encoded(String{"ab"});
  bytes[10] = std::byte{1};
  EXPECT_NE(error_of([&] { decode<String>(bytes); }).find("a text does not end with a zero byte"),
            std::string::npos);
  bytes = encoded(Vector{{}, {1}});
  bytes[11] = std::byte{0xFF};
  EXPECT_NE(error_of([&] { decode<Vector>(bytes); }).find("at most 999999999"), std::string::npos);
  EXPECT_NE(
      error_of([&] { check_message("a/msg/B", {}); }).find("message type a/msg/B is not known"),
      std::string::npos);
}

// a count of 4 billion in a few bytes: said before anything is allocated for it
TEST(Messages, CountsThatDoNotFitAreRefused) {
  Bytes bytes;
  put(bytes, std::uint32_t{0x100});
  put(bytes, ~std::uint32_t{0});
  EXPECT_NE(error_of([&] {
              decode<TFMessage>(bytes);
            }).find("a list or text of 4294967295 elements does not fit the 0 bytes left"),
            std::string::npos);
  EXPECT_NE(error_of([&] { decode<String>(bytes); }).find("4294967295 elements"),
            std::string::npos);
}

TEST(Messages, TypesAreNamedAsRos2NamesThem) {
  EXPECT_EQ(message_types().size(), 13u);
  std::vector<std::string_view> names;
  for (const MessageType& type : message_types()) {
    names.push_back(type.name);
    EXPECT_NE(type.name.find("/msg/"), std::string_view::npos);
  }
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::unique(names).size(), 0u);
  EXPECT_EQ(message_type<Vector>().definition,
            "std_msgs/Header header\nfloat64[] values\n" + std::string(80, '=') +
                "\nMSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n" +
                std::string(80, '=') +
                "\nMSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n");
}

}  // namespace messages_test
}  // namespace handspan
