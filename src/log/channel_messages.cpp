#include "log/channel_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "core/error.hpp"
#include "core/escape.hpp"

namespace handspan {
namespace {

std::span<const double> values_of(const LogSample& sample) {
  return {reinterpret_cast<const double*>(sample.raw.data()), sample.raw.size() / sizeof(double)};
}

// messages of two arrays after one another
template <class M, class A, class B>
ChannelMessage pair_message(std::string frame, A M::* first, B M::* second) {
  return {message_type<M>(),
          [frame = std::move(frame), first, second](const LogSample& sample, Bytes& out) {
            const auto x = values_of(sample);
            M m;
            m.header = {sample.source_stamp, frame};
            auto& a = m.*first;
            auto& b = m.*second;
            std::copy_n(x.begin(), a.size(), a.begin());
            std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(a.size()), b.size(), b.begin());
            encode(m, out);
          }};
}

template <class M, class A, class B>
void read_pair(ByteSpan bytes, A M::* first, B M::* second, std::vector<double>& values) {
  const M m = decode<M>(bytes);
  values.assign((m.*first).begin(), (m.*first).end());
  values.insert(values.end(), (m.*second).begin(), (m.*second).end());
}

}  // namespace

ChannelMessage message_of(const ChannelInfo& info) {
  switch (info.type) {
    case ChannelType::kPose:
      return pair_message("world", &messages::PoseStamped::position,
                          &messages::PoseStamped::orientation);
    case ChannelType::kTwist:
      return pair_message(info.frame, &messages::TwistStamped::linear,
                          &messages::TwistStamped::angular);
    case ChannelType::kWrench:
      return pair_message(info.frame, &messages::WrenchStamped::force,
                          &messages::WrenchStamped::torque);
    case ChannelType::kNumber:
    case ChannelType::kVector:
      return {message_type<messages::Vector>(), [](const LogSample& sample, Bytes& out) {
                encode_vector(sample.source_stamp, values_of(sample), out);
              }};
    case ChannelType::kInteger:
    case ChannelType::kBoolean:
    case ChannelType::kChoice:
      break;
  }
  return {message_type<messages::Integer>(),
          [words = info.choices](const LogSample& sample, Bytes& out) {
            messages::Integer m;
            m.header.stamp = sample.source_stamp;
            std::memcpy(&m.value, sample.raw.data(), sizeof m.value);
            if (m.value >= 0 && static_cast<std::size_t>(m.value) < words.size())
              m.word = words[static_cast<std::size_t>(m.value)];
            encode(m, out);
          }};
}

ChannelMessage joint_message(std::vector<std::string> joints) {
  // without torques that list stays empty, as ROS has it
  return {message_type<messages::JointState>(),
          [names = std::move(joints), m = messages::JointState()](const LogSample& sample,
                                                                  Bytes& out) mutable {
            const auto x = values_of(sample);
            const auto n = static_cast<std::ptrdiff_t>(names.size());
            m.header.stamp = sample.source_stamp;
            m.name = names;
            m.position.assign(x.begin(), x.begin() + n);
            m.velocity.assign(x.begin() + n, x.begin() + 2 * n);
            m.effort.assign(x.begin() + 2 * n, x.end());
            encode(m, out);
          }};
}

void read_channel(const std::string& schema, ByteSpan bytes, std::vector<double>& values,
                  std::string& word) {
  word.clear();
  const auto is = [&](const MessageType& type) { return type.name == schema; };
  if (is(message_type<messages::Vector>())) {
    values = decode<messages::Vector>(bytes).values;
  } else if (is(message_type<messages::PoseStamped>())) {
    read_pair(bytes, &messages::PoseStamped::position, &messages::PoseStamped::orientation, values);
  } else if (is(message_type<messages::TwistStamped>())) {
    read_pair(bytes, &messages::TwistStamped::linear, &messages::TwistStamped::angular, values);
  } else if (is(message_type<messages::WrenchStamped>())) {
    read_pair(bytes, &messages::WrenchStamped::force, &messages::WrenchStamped::torque, values);
  } else if (is(message_type<messages::Integer>())) {
    const auto m = decode<messages::Integer>(bytes);
    values.assign(1, static_cast<double>(m.value));
    word = m.word;
  } else {
    throw InputError(fmt::format("no channel is recorded as {}; another program wrote this topic",
                                 shown(schema)));
  }
}

}  // namespace handspan
