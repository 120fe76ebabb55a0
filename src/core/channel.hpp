#pragma once

// Everything that is shown or recorded is a channel with a name, type, unit and rate.
// Modules declare channels at set-up and write them in a tick; recorder, station, studies and tests
// enumerate and read them. Writing and reading neither allocate, lock nor throw. A table belongs to
// one loop: other threads get copies of it between ticks.

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/state_archive.hpp"
#include "core/time.hpp"

namespace handspan {

enum class ChannelType {
  kNumber,   // double
  kVector,   // double (size)
  kPose,     // double (7): x y z [m], then the quaternion x y z w
  kTwist,    // double (6): linear [m/s], then angular velocity [rad/s], in the axes of `frame`
  kWrench,   // double (6): force [N], then torque [N m], in the axes of `frame`
  kInteger,  // int64
  kBoolean,  // int64, 0 or 1
  kChoice,   // int64, an index of `choices`
};

/// "number", "vector", "pose", "twist", "wrench", "integer", "boolean", "choice".
const char* name_of(ChannelType type);

/// The type of that name; kVector for a name that is none.
ChannelType channel_type(std::string_view name);

/// Whether its values are doubles, not one integer.
bool holds_doubles(ChannelType type);

/// What is known of a channel before it has a value.
struct ChannelInfo {
  std::string name;  // dotted identifiers: "task.left_hand.error"
  ChannelType type = ChannelType::kNumber;
  std::string unit;  // SI; "" for none
  Rate rate;         // how often its owner means to write it
  std::string doc;
  std::size_t size = 1;              // doubles of a vector, pose, twist or wrench, else 1
  std::vector<std::string> choices;  // the words of a kChoice
  std::vector<std::string> labels;   // of a vector's elements ("x", "joint1"); may be empty
  std::string frame;                 // of a twist or wrench: in whose axes it is
  std::string joints;                // the joint state that it is a part of; "" for none
};

/// A channel's index in its table, in the order of declaration.
struct ChannelId {
  std::size_t index = 0;
  bool operator==(const ChannelId&) const = default;
};

/// Handles to write with: the type is checked when compiling.
struct NumberChannel {
  ChannelId id;
};
struct VectorChannel {
  ChannelId id;
};
struct PoseChannel {
  ChannelId id;
};
struct IntegerChannel {
  ChannelId id;
};
struct BooleanChannel {
  ChannelId id;
};
struct ChoiceChannel {
  ChannelId id;
};
/// Of the same joints: NAME.q, NAME.v and NAME.tau.
struct JointChannels {
  VectorChannel q, v, tau;  // tau: declared with efforts only
};
/// What the parts of a joint state are called beside their unit.
struct JointWords {
  std::string q = "positions", v = "velocities", tau = "";  // tau "": there are no efforts
};

/// Whether `name` matches `pattern`, in which '*' is any text (dots too) and '?' any one character.
bool matches(std::string_view pattern, std::string_view name);

class ChannelTable {
 public:
  // declaration, at set-up: throws InputError when the name is taken or is not dotted identifiers
  // (parts of letters, digits, '_' and '-'), a vector has no size, a choice no words or one twice,
  // labels are not as many as elements, or the table is sealed

  NumberChannel number(std::string name, std::string unit, Rate rate, std::string doc = "");
  VectorChannel vector(std::string name, std::size_t size, std::string unit, Rate rate,
                       std::string doc = "", std::vector<std::string> labels = {});
  PoseChannel pose(std::string name, Rate rate, std::string doc = "");
  /// In the axes of `frame`, such as "world".
  VectorChannel twist(std::string name, std::string frame, Rate rate, std::string doc = "");
  VectorChannel wrench(std::string name, std::string frame, Rate rate, std::string doc = "");
  /// Three vectors (two without efforts) that belong together, of joints in their order.
  JointChannels joints(const std::string& name, const std::vector<std::string>& joints, Rate rate,
                       const JointWords& docs);
  IntegerChannel integer(std::string name, std::string unit, Rate rate, std::string doc = "");
  BooleanChannel boolean(std::string name, Rate rate, std::string doc = "");
  ChoiceChannel choice(std::string name, std::vector<std::string> choices, Rate rate,
                       std::string doc = "");

  /// Ends declaration: from here on the channels, and the memory of their values, stay as they are.
  void seal() { sealed_ = true; }
  bool sealed() const { return sealed_; }

  // writing, in a tick; the stamp [ns] is the source's

  void write(NumberChannel channel, double value, Nanoseconds stamp) {
    numbers_[touch(channel.id, stamp)] = value;
  }
  /// `value` has the channel's size.
  void write(VectorChannel channel, const Eigen::Ref<const Eigen::VectorXd>& value,
             Nanoseconds stamp) {
    assert(value.size() == static_cast<Eigen::Index>(infos_[channel.id.index].size));
    const std::size_t offset = touch(channel.id, stamp);
    Eigen::Map<Eigen::VectorXd>(numbers_.data() + offset, value.size()) = value;
  }
  void write(PoseChannel channel, const Eigen::Vector3d& p, const Eigen::Quaterniond& q,
             Nanoseconds stamp) {
    const std::size_t offset = touch(channel.id, stamp);
    Eigen::Map<Eigen::Matrix<double, 7, 1>> value(numbers_.data() + offset);
    value << p, q.coeffs();
  }
  void write(IntegerChannel channel, std::int64_t value, Nanoseconds stamp) {
    integers_[touch(channel.id, stamp)] = value;
  }
  /// Takes a bool only: a pointer or a number would convert to one.
  void write(BooleanChannel channel, std::same_as<bool> auto value, Nanoseconds stamp) {
    integers_[touch(channel.id, stamp)] = value ? 1 : 0;
  }
  /// `value` is an index of the channel's choices.
  void write(ChoiceChannel channel, std::size_t value, Nanoseconds stamp) {
    assert(value < infos_[channel.id.index].choices.size());
    integers_[touch(channel.id, stamp)] = static_cast<std::int64_t>(value);
  }

  // reading; zero (for a pose, the quaternion too) until the first write

  const std::vector<ChannelInfo>& channels() const { return infos_; }
  const ChannelInfo& info(ChannelId id) const { return infos_[id.index]; }

  /// The channel of that name. Throws InputError with the nearest name when there is none.
  ChannelId find(std::string_view name) const;

  /// The channels whose names match, in the order of declaration.
  std::vector<ChannelId> select(std::string_view pattern) const;

  /// The doubles of a number, vector, pose, twist or wrench.
  Eigen::Map<const Eigen::VectorXd> numbers(ChannelId id) const {
    assert(holds_doubles(infos_[id.index].type));
    return {numbers_.data() + slots_[id.index].offset,
            static_cast<Eigen::Index>(infos_[id.index].size)};
  }
  double number(ChannelId id) const { return numbers(id)[0]; }

  /// The value of an integer, boolean (0 or 1) or choice (its index).
  std::int64_t integer(ChannelId id) const {
    assert(!holds_doubles(infos_[id.index].type));
    return integers_[slots_[id.index].offset];
  }

  /// The stamp [ns] of the last write.
  Nanoseconds stamp(ChannelId id) const { return slots_[id.index].stamp; }

  /// Values, stamps and counts, for snapshots.
  void state(StateArchive& archive) {
    archive.part("channels");
    archive(slots_, numbers_, integers_);
  }

  /// How often it was written.
  std::uint64_t writes(ChannelId id) const { return slots_[id.index].writes; }

 private:
  struct Slot {
    std::size_t offset = 0;  // of its first value in numbers_ or integers_
    Nanoseconds stamp = 0;
    std::uint64_t writes = 0;
  };

  // notes a write; the offset of the value
  std::size_t touch(ChannelId id, Nanoseconds stamp) {
    Slot& slot = slots_[id.index];
    slot.stamp = stamp;
    ++slot.writes;
    return slot.offset;
  }

  ChannelId add(ChannelInfo info);

  std::vector<ChannelInfo> infos_;
  std::vector<Slot> slots_;
  std::vector<double> numbers_;
  std::vector<std::int64_t> integers_;
  std::unordered_set<std::string> names_;
  bool sealed_ = false;
};

/// The channels of a pattern, and which of them were written since this last looked.
class Subscription {
 public:
  /// Seals `table`, which must outlive this. Throws InputError when nothing matches.
  Subscription(ChannelTable& table, std::string_view pattern);

  const std::vector<ChannelId>& channels() const { return channels_; }

  /// Calls `visit(ChannelId)` for every channel written since the last call, in stable order.
  /// Several writes are one visit: the last value is what counts.
  template <class Visit>
  void poll(Visit visit) {
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      const std::uint64_t writes = table_->writes(channels_[i]);
      if (writes == seen_[i]) continue;
      seen_[i] = writes;
      visit(channels_[i]);
    }
  }

 private:
  const ChannelTable* table_;
  std::vector<ChannelId> channels_;
  std::vector<std::uint64_t> seen_;
};

}  // namespace handspan
