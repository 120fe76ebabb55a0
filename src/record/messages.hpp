#pragma once

// The messages of a log: structs, their ROS 2 definitions, and their bytes in CDR (little endian,
// with the encapsulation header; Fast-CDR behind it). Lengths in m, forces in N, torques in Nm,
// velocities in m/s and rad/s, quaternions x y z w; frames are named by frame_id, as in ROS.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.hpp"
#include "record/bytes.hpp"

namespace handspan {

/// A message's type: what an MCAP schema of encoding "ros2msg" says.
struct MessageType {
  std::string_view name;        // "sensor_msgs/msg/JointState"
  std::string_view definition;  // with those of the types in it
};

namespace messages {

/// std_msgs/Header. In CDR the stamp has 32 bits of seconds: it must be within +-2^31 s.
struct Header {
  Nanoseconds stamp = 0;
  std::string frame_id;
  bool operator==(const Header&) const = default;
};

/// std_msgs/String
struct String {
  std::string data;
  bool operator==(const String&) const = default;
};

/// sensor_msgs/JointState: each list as long as `name`, or empty.
struct JointState {
  Header header;
  std::vector<std::string> name;
  std::vector<double> position;  // [rad or m]
  std::vector<double> velocity;  // [rad/s or m/s]
  std::vector<double> effort;    // [Nm or N]
  bool operator==(const JointState&) const = default;
};

/// geometry_msgs/PoseStamped
struct PoseStamped {
  Header header;
  std::array<double, 3> position{};               // [m]
  std::array<double, 4> orientation{0, 0, 0, 1};  // x y z w
  bool operator==(const PoseStamped&) const = default;
};

/// geometry_msgs/TwistStamped
struct TwistStamped {
  Header header;
  std::array<double, 3> linear{};   // [m/s]
  std::array<double, 3> angular{};  // [rad/s]
  bool operator==(const TwistStamped&) const = default;
};

/// geometry_msgs/WrenchStamped
struct WrenchStamped {
  Header header;
  std::array<double, 3> force{};   // [N]
  std::array<double, 3> torque{};  // [Nm]
  bool operator==(const WrenchStamped&) const = default;
};

/// sensor_msgs/Joy
struct Joy {
  Header header;
  std::vector<float> axes;
  std::vector<std::int32_t> buttons;
  bool operator==(const Joy&) const = default;
};

/// geometry_msgs/TransformStamped: of child_frame_id in the header's frame.
struct TransformStamped {
  Header header;
  std::string child_frame_id;
  std::array<double, 3> translation{};         // [m]
  std::array<double, 4> rotation{0, 0, 0, 1};  // x y z w
  bool operator==(const TransformStamped&) const = default;
};

/// tf2_msgs/TFMessage
struct TFMessage {
  std::vector<TransformStamped> transforms;
  bool operator==(const TFMessage&) const = default;
};

/// handspan_msgs/Vector: a number, vector or pose of a channel.
struct Vector {
  Header header;
  std::vector<double> values;
  bool operator==(const Vector&) const = default;
};

/// handspan_msgs/Integer: an integer, boolean or choice of a channel.
struct Integer {
  Header header;
  std::int64_t value = 0;
  std::string word;  // the choice's; else empty
  bool operator==(const Integer&) const = default;
};

/// handspan_msgs/TickHashes: of each of `quantities` states the hashes of all ticks from the first
/// on, state after state; each 3 bytes, the lowest first.
struct TickHashes {
  std::uint64_t first_tick = 0;
  std::uint32_t quantities = 0;
  std::vector<std::uint8_t> hashes;
  bool operator==(const TickHashes&) const = default;
};

/// handspan_msgs/KeyFrame: a snapshot.
struct KeyFrame {
  std::uint64_t tick = 0;
  std::vector<std::uint8_t> state;
  bool operator==(const KeyFrame&) const = default;
};

/// handspan_msgs/Event: something that happened, with words about it.
struct Event {
  Header header;
  std::uint64_t tick = 0;
  std::string kind, name, text;
  std::vector<std::string> keys, values;
  bool operator==(const Event&) const = default;
};

/// handspan_msgs/Input: what crossed the loop's border at a tick.
struct Input {
  Header header;
  std::uint64_t tick = 0;
  std::string source, kind, text;
  std::vector<double> numbers;
  std::vector<std::int64_t> integers;
  bool operator==(const Input&) const = default;
};

}  // namespace messages

/// The type of M, one of the structs above but Header and TransformStamped, which are parts.
template <class M>
const MessageType& message_type();

/// All of them.
const std::vector<MessageType>& message_types();

/// The bytes of `message` in `out`, which loses what it had and keeps its memory. Throws InputError
/// when a stamp does not fit.
template <class M>
void encode(const M& message, Bytes& out);

/// The message of some bytes, of either endianness. Throws InputError (type, byte, cause) when they
/// are none of it; allocates in proportion to the bytes.
template <class M>
M decode(ByteSpan bytes);

/// Quicker than encode() of a messages::Vector without frame: straight from where the values lie.
void encode_vector(Nanoseconds stamp, std::span<const double> values, Bytes& out);

/// Decodes and forgets: whether the bytes are a message of the type of that name (a schema's).
/// Throws InputError as decode() does, and when there is no such type.
void check_message(std::string_view type_name, ByteSpan bytes);

}  // namespace handspan
