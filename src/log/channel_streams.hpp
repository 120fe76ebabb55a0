#pragma once
// Channels of a session as topics of its log: which message shows which channels, and when one is
// due. Positions, velocities and drive torques of the same joints (NAME.q, NAME.v, NAME.tau) are
// one sensor_msgs/JointState under /NAME/joint_states, a pose is a geometry_msgs/PoseStamped, a
// wrench (of a sensor, or a reference) a WrenchStamped in its frame; all else is a
// handspan_msgs/Vector or Integer.
#include <cstddef>
#include <span>
#include <vector>

#include "record/log_writer.hpp"
#include "session/session.hpp"

namespace handspan {

class ChannelStreams {
 public:
  /// Adds their topics. @param every_write also what stays as it is: a log in full
  /// @throws InputError when the log cannot be written or a topic is taken
  ChannelStreams(Session& session, LogWriter& writer, bool every_write);

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

  void add_joints(const ChannelTable& table, const std::vector<ChannelId>& channels);
  void add_channel(Session& session, ChannelId channel);
  void add(const std::string& topic, const MessageType& type, const McapMap& about,
           LogEncoder encoder, const ChannelTable& table, std::vector<ChannelId> channels);

  static void copy(const Stream& stream, const ChannelTable& table,
                   std::span<std::byte> to) noexcept;

  LogWriter& writer_;
  bool every_write_;
  std::vector<Stream> streams_;
  std::vector<std::byte> raw_;  // of one stream
};

}  // namespace handspan
