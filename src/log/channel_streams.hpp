#pragma once
// Channels as topics of a log, and when one is due. Channels of one joint state (NAME.q, NAME.v and
// NAME.tau) are one sensor_msgs/JointState under /NAME/joint_states; log/channel_messages.hpp says
// what the others are.
#include <cstddef>
#include <span>
#include <vector>

#include "log/channel_messages.hpp"
#include "record/log_writer.hpp"

namespace handspan {

/// What a log says of a channel beside its messages: its name, type, unit, labels and explanation.
McapMap channel_about(const ChannelInfo& info);

class ChannelStreams {
 public:
  /// Adds their topics. @param every_write also what stays as it is: a log in full
  /// @throws InputError when the log cannot be written or a topic is taken
  ChannelStreams(const ChannelTable& table, LogWriter& writer, bool every_write);

  /// In a tick: what was written since the last push, and unless `every_write` is another value.
  /// @param tick that the values are of, at `now` [ns] @param all what was recorded already, too
  void push(const ChannelTable& table, std::int64_t tick, Nanoseconds now, bool all) noexcept;

 private:
  struct Stream {
    StreamId id;
    std::vector<ChannelId> channels;  // of doubles: any number; else one
    bool doubles = true;
    std::uint64_t seen = 0;       // writes of the first channel
    std::vector<std::byte> last;  // as recorded last
  };

  void add(const std::string& topic, ChannelMessage message, const McapMap& about,
           const ChannelTable& table, std::vector<ChannelId> channels);

  static void copy(const Stream& stream, const ChannelTable& table,
                   std::span<std::byte> to) noexcept;

  LogWriter& writer_;
  bool every_write_;
  std::vector<Stream> streams_;
  std::vector<std::byte> raw_;  // of one stream
};

}  // namespace handspan
