#include "record/messages.hpp"

#include <fastcdr/Cdr.h>
#include <fastcdr/FastBuffer.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "core/error.hpp"
#include "record/message_definitions.hpp"
#include "record/messages_impl.hpp"

namespace handspan {
namespace {

using eprosima::fastcdr::Cdr;
using eprosima::fastcdr::FastBuffer;
using namespace messages;

template <class T>
concept Number = std::is_arithmetic_v<T>;

// room that suffices, alignment included
struct SizeBound {
  std::size_t size = 4;  // the encapsulation header

  template <Number T>
  void operator()(const T&) {
    size += 2 * sizeof(T);
  }
  template <Number T, std::size_t N>
  void operator()(const std::array<T, N>&) {
    size += (N + 1) * sizeof(T);
  }
  void operator()(const std::string& text) { size += 8 + text.size(); }
  template <Number T>
  void operator()(const std::vector<T>& list) {
    size += 8 + (list.size() + 1) * sizeof(T);
  }
  template <class T>
  void operator()(const std::vector<T>& list) {
    size += 8;
    for (const T& element : list) (*this)(element);
  }
  void operator()(const Header& header) {
    size += 11;
    (*this)(header.frame_id);
  }
  void operator()(const TransformStamped& transform) { fields(*this, transform); }
};

struct RosTime {
  std::int32_t sec;
  std::uint32_t nanosec;
};

RosTime ros_time(Nanoseconds stamp) {
  Nanoseconds sec = stamp / kSecond, rest = stamp % kSecond;
  if (rest < 0) --sec, rest += kSecond;
  if (sec < std::numeric_limits<std::int32_t>::min() ||
      sec > std::numeric_limits<std::int32_t>::max())
    throw InputError(fmt::format(
        "stamp is {} ns; a ROS message's must be within +-2^31 s: count from a later start",
        stamp));
  return {static_cast<std::int32_t>(sec), static_cast<std::uint32_t>(rest)};
}

class Encoder {
 public:
  explicit Encoder(Cdr& cdr) : cdr_(cdr) {}

  template <Number T>
  void operator()(const T& value) {
    cdr_ << value;
  }
  template <Number T, std::size_t N>
  void operator()(const std::array<T, N>& values) {
    cdr_.serializeArray(values.data(), N);
  }
  // Fast-CDR's own ends a text at its first zero byte
  void operator()(const std::string& text) {
    count(text.size() + 1);
    cdr_.serializeArray(text.data(), text.size());
    cdr_ << char{0};
  }
  template <Number T>
  void operator()(const std::vector<T>& list) {
    count(list.size());
    if (!list.empty()) cdr_.serializeArray(list.data(), list.size());
  }
  template <class T>
  void operator()(const std::vector<T>& list) {
    count(list.size());
    for (const T& element : list) (*this)(element);
  }
  void operator()(const Header& header) {
    const RosTime time = ros_time(header.stamp);
    (*this)(time.sec), (*this)(time.nanosec), (*this)(header.frame_id);
  }
  void operator()(const TransformStamped& transform) { fields(*this, transform); }

 private:
  void count(std::size_t size) { cdr_ << static_cast<std::uint32_t>(size); }

  Cdr& cdr_;
};

// reads what Encoder writes; Fast-CDR checks the end, this checks counts before it makes room
class Decoder {
 public:
  Decoder(Cdr& cdr, std::size_t size) : cdr_(cdr), size_(size) {}

  template <Number T>
  void operator()(T& value) {
    cdr_ >> value;
  }
  template <Number T, std::size_t N>
  void operator()(std::array<T, N>& values) {
    cdr_.deserializeArray(values.data(), N);
  }
  void operator()(std::string& text) {
    const std::uint32_t size = count(1);
    text.resize(size);
    if (size != 0) cdr_.deserializeArray(text.data(), size);
    if (size != 0 && text.back() != '\0') throw BytesError("a text does not end with a zero byte");
    if (size != 0) text.pop_back();
  }
  template <Number T>
  void operator()(std::vector<T>& list) {
    list.resize(count(sizeof(T)));
    if (!list.empty()) cdr_.deserializeArray(list.data(), list.size());
  }
  template <class T>
  void operator()(std::vector<T>& list) {
    // a text has at least its length, a transform more
    for (std::uint32_t left = count(4); left > 0; --left) (*this)(list.emplace_back());
  }
  void operator()(Header& header) {
    RosTime time{};
    (*this)(time.sec), (*this)(time.nanosec);
    if (time.nanosec >= kSecond)
      throw BytesError(
          fmt::format("a stamp has {} ns beside its seconds; at most 999999999", time.nanosec));
    header.stamp = time.sec * kSecond + time.nanosec;
    (*this)(header.frame_id);
  }
  void operator()(TransformStamped& transform) { fields(*this, transform); }

  std::size_t left() const { return size_ - std::min(size_, cdr_.getSerializedDataLength()); }

 private:
  std::uint32_t count(std::size_t least_bytes) {
    std::uint32_t size = 0;
    cdr_ >> size;
    if (size > left() / least_bytes)
      throw BytesError(fmt::format("a list or text of {} elements does not fit the {} bytes left",
                                   size, left()));
    return size;
  }

  Cdr& cdr_;
  std::size_t size_;
};

[[noreturn]] void refuse(const MessageType& type, std::size_t byte, const std::string& cause) {
  throw InputError(fmt::format("message {}: byte {}: {}; it is damaged or of another type",
                               type.name, byte, cause));
}

MessageType make_type(std::string_view name, const std::string& own) {
  // lives as long as the program: channels and logs keep views of it
  static std::vector<std::unique_ptr<const std::string>> texts;
  texts.push_back(std::make_unique<const std::string>(full_definition(own)));
  return {name, *texts.back()};
}

struct Types {
  MessageType string = make_type("std_msgs/msg/String", "string data\n");
  MessageType joint_state =
      make_type("sensor_msgs/msg/JointState",
                "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\n"
                "float64[] effort\n");
  MessageType pose = make_type("geometry_msgs/msg/PoseStamped",
                               "std_msgs/Header header\ngeometry_msgs/Pose pose\n");
  MessageType twist = make_type("geometry_msgs/msg/TwistStamped",
                                "std_msgs/Header header\ngeometry_msgs/Twist twist\n");
  MessageType wrench = make_type("geometry_msgs/msg/WrenchStamped",
                                 "std_msgs/Header header\ngeometry_msgs/Wrench wrench\n");
  MessageType joy =
      make_type("sensor_msgs/msg/Joy", "std_msgs/Header header\nfloat32[] axes\nint32[] buttons\n");
  MessageType tf =
      make_type("tf2_msgs/msg/TFMessage", "geometry_msgs/TransformStamped[] transforms\n");
  MessageType vector =
      make_type("handspan_msgs/msg/Vector", "std_msgs/Header header\nfloat64[] values\n");
  MessageType integer =
      make_type("handspan_msgs/msg/Integer", "std_msgs/Header header\nint64 value\nstring word\n");
  MessageType hashes = make_type("handspan_msgs/msg/TickHashes",
                                 "uint64 first_tick\nuint32 quantities\nuint8[] hashes\n");
  MessageType key_frame = make_type("handspan_msgs/msg/KeyFrame", "uint64 tick\nuint8[] state\n");
  MessageType event =
      make_type("handspan_msgs/msg/Event",
                "std_msgs/Header header\nuint64 tick\nstring kind\nstring name\nstring text\n"
                "string[] keys\nstring[] values\n");
  MessageType input =
      make_type("handspan_msgs/msg/Input",
                "std_msgs/Header header\nuint64 tick\nstring source\nstring kind\nstring text\n"
                "float64[] numbers\nint64[] integers\n");
};

const Types& types() {
  static const Types all;
  return all;
}

template <class M>
const MessageType& type_of();
// clang-format off
template <> const MessageType& type_of<String>() { return types().string; }
template <> const MessageType& type_of<JointState>() { return types().joint_state; }
template <> const MessageType& type_of<PoseStamped>() { return types().pose; }
template <> const MessageType& type_of<TwistStamped>() { return types().twist; }
template <> const MessageType& type_of<WrenchStamped>() { return types().wrench; }
template <> const MessageType& type_of<Joy>() { return types().joy; }
template <> const MessageType& type_of<TFMessage>() { return types().tf; }
template <> const MessageType& type_of<Vector>() { return types().vector; }
template <> const MessageType& type_of<Integer>() { return types().integer; }
template <> const MessageType& type_of<TickHashes>() { return types().hashes; }
template <> const MessageType& type_of<KeyFrame>() { return types().key_frame; }
template <> const MessageType& type_of<Event>() { return types().event; }
template <> const MessageType& type_of<Input>() { return types().input; }
// clang-format on

// every message: what the list of types, the checks and the instances below are made of
template <class... M>
struct All {
  static std::vector<MessageType> list() { return {type_of<M>()...}; }
  static bool check(std::string_view name, ByteSpan bytes) {
    return ((type_of<M>().name == name ? (decode<M>(bytes), true) : false) || ...);
  }
};
using EveryMessage = All<String, JointState, PoseStamped, TwistStamped, WrenchStamped, Joy,
                         TFMessage, Vector, Integer, TickHashes, KeyFrame, Event, Input>;

}  // namespace

template <class M>
const MessageType& message_type() {
  return type_of<M>();
}

template <class M>
void encode(const M& message, Bytes& out) {
  SizeBound bound;
  fields(bound, message);
  out.resize(bound.size);
  FastBuffer buffer(reinterpret_cast<char*>(out.data()), out.size());
  Cdr cdr(buffer, Cdr::LITTLE_ENDIANNESS, Cdr::DDS_CDR);
  cdr.serialize_encapsulation();
  Encoder encoder(cdr);
  fields(encoder, message);
  out.resize(cdr.getSerializedDataLength());
}

template <class M>
M decode(ByteSpan bytes) {
  constexpr std::size_t kEncapsulation = 4, kPadding = 3;
  const MessageType& type = type_of<M>();
  if (bytes.size() < kEncapsulation) refuse(type, bytes.size(), "ends within its first 4 bytes");
  // plain CDR of either endianness: parameter lists and XCDR2 are of other systems
  if (bytes[0] != std::byte{0} || bytes[1] > std::byte{1})
    refuse(type, 0,
           fmt::format("its representation is {:02x}{:02x}, not plain CDR",
                       static_cast<unsigned>(bytes[0]), static_cast<unsigned>(bytes[1])));
  // Fast-CDR takes bytes to write, and only reads them here
  FastBuffer buffer(const_cast<char*>(reinterpret_cast<const char*>(bytes.data())), bytes.size());
  Cdr cdr(buffer, Cdr::DEFAULT_ENDIAN, Cdr::DDS_CDR);
  M message;
  Decoder decoder(cdr, bytes.size());
  try {
    cdr.read_encapsulation();
    fields(decoder, message);
  } catch (const eprosima::fastcdr::exception::Exception&) {
    refuse(type, bytes.size() - decoder.left(), "it ends within a field");
  } catch (const BytesError& error) {
    refuse(type, bytes.size() - decoder.left(), error.what());
  }
  if (decoder.left() > kPadding)
    refuse(type, bytes.size() - decoder.left(),
           fmt::format("{} bytes follow its last field", decoder.left()));
  return message;
}

const std::vector<MessageType>& message_types() {
  static const std::vector<MessageType> all = EveryMessage::list();
  return all;
}

void check_message(std::string_view type_name, ByteSpan bytes) {
  if (!EveryMessage::check(type_name, bytes))
    throw InputError(
        fmt::format("message type {} is not known; those of a log are std_msgs/msg/"
                    "String and the others of record/messages.hpp",
                    shown(std::string(type_name))));
}

void encode_vector(Nanoseconds stamp, std::span<const double> values, Bytes& out) {
  const RosTime time = ros_time(stamp);
  out.clear();
  put(out, std::uint32_t{0x100});  // encapsulation: little-endian CDR
  put(out, time.sec);
  put(out, time.nanosec);
  // an empty text is its zero byte; the rest aligns the next field
  put(out, std::uint32_t{1});
  put(out, std::uint32_t{0});
  put(out, static_cast<std::uint32_t>(values.size()));
  if (!values.empty()) put(out, std::uint32_t{0});
  put_bytes(out, std::as_bytes(values));
}

#define HANDSPAN_MESSAGE(M)                      \
  template const MessageType& message_type<M>(); \
  template void encode<M>(const M&, Bytes&);     \
  template M decode<M>(ByteSpan)

HANDSPAN_MESSAGE(String);
HANDSPAN_MESSAGE(JointState);
HANDSPAN_MESSAGE(PoseStamped);
HANDSPAN_MESSAGE(TwistStamped);
HANDSPAN_MESSAGE(WrenchStamped);
HANDSPAN_MESSAGE(Joy);
HANDSPAN_MESSAGE(TFMessage);
HANDSPAN_MESSAGE(Vector);
HANDSPAN_MESSAGE(Integer);
HANDSPAN_MESSAGE(TickHashes);
HANDSPAN_MESSAGE(KeyFrame);
HANDSPAN_MESSAGE(Event);
HANDSPAN_MESSAGE(Input);
#undef HANDSPAN_MESSAGE

}  // namespace handspan
