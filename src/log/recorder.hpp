#pragma once
// Records a session: inputs, events, key frames and hashes of every tick, from which the run can be
// run again bit for bit, and channels as ROS 2 messages for people and their tools. The tick copies
// bytes into a ring; log_writer.hpp does the rest on its own thread. A recording that fails ends
// with a message; the session goes on.
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "record/log_writer.hpp"
#include "session/session.hpp"

namespace handspan {

/// A session that runs in another thread while its recorder is made.
struct RunningSession {
  std::size_t snapshot_bytes = 0;  // of one of its snapshots
  /// The tick at which the recorder will be given to Session::watch(), exactly; called when all
  /// that takes long is done.
  std::function<std::int64_t()> first_tick;
};

struct RecorderOptions {
  RecordExtent extent = RecordExtent::kDefault;
  Nanoseconds key_frame_period = kSecond;
  std::optional<RunningSession> running;  // none: it is between ticks, and watched from here on
  bool may_wait = false;  // for the disk, between ticks: a session without a clock loses nothing
  // of chunks, by extent: a log in full is a dozen times as much to pack
  int default_level = 16, full_level = 3;
  // larger chunks pack better; kill -9 loses no more than a second of wall time
  LogOptions log = {.flush_period = kSecond * 4 / 5,
                    .file = {.chunk_time = kSecond, .by_channel = true, .twice = true}};
};

class Recorder : public SessionWatcher {
 public:
  /// Writes what is known before the first tick. @throws InputError when the file cannot be written
  Recorder(Session& session, const std::filesystem::path& file,
           const RecorderOptions& options = {});
  ~Recorder() override;

  void begin(Session& session) override;
  void after_tick(Session& session) noexcept override;
  void end(Session& session) override;

  LogStatus status() const;
  /// How much of the ring waits to be written, 0 to 1.
  double waiting() const;
  /// Ends the recording. @return whether all of it is in the file
  bool close();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace handspan
