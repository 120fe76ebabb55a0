#pragma once
// Which message of a log shows a channel of which type, and back: the one place that knows both.
#include <string>
#include <vector>

#include "core/channel.hpp"
#include "record/log_writer.hpp"
#include "record/messages.hpp"

namespace handspan {

/// How a channel is recorded: a pose as geometry_msgs/PoseStamped, a twist or wrench as
/// TwistStamped or WrenchStamped in its frame, other doubles as handspan_msgs/Vector, the rest as
/// handspan_msgs/Integer.
struct ChannelMessage {
  MessageType type;
  LogEncoder encode;  // of the channel's values as ChannelTable holds them
};
ChannelMessage message_of(const ChannelInfo& info);

/// The same of a joint state of these joints: positions, velocities, and efforts where there are.
ChannelMessage joint_message(std::vector<std::string> joints);

/// The values of a recorded channel (of a joint state see messages::JointState), in the order of
/// its channel. @param schema the name of the message's type @param[out] word of a choice, else ""
/// @throws InputError when the bytes are damaged, or no channel is recorded so
void read_channel(const std::string& schema, ByteSpan bytes, std::vector<double>& values,
                  std::string& word);

}  // namespace handspan
