#pragma once

// Records what a loop does without ever making it wait: the loop's thread copies raw bytes into a
// ring, a thread of its own makes messages of them and writes them to an MCAP file. A disk that is
// full ends the recording and is told in the status; the loop goes on.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "record/mcap.hpp"
#include "record/mcap_writer.hpp"
#include "record/messages.hpp"

namespace handspan {

struct LogOptions {
  std::size_t ring_bytes = 16U << 20U;     // rounded up to a power of two; 5 s of 3 kB at 1 kHz
  Nanoseconds flush_period = kSecond / 4;  // an open chunk is closed after this wall time [ns]
  McapOptions file;
};

/// A stream of a LogWriter.
struct StreamId {
  std::uint16_t index = 0;
  bool operator==(const StreamId&) const = default;
};

/// What push() put into the ring, as an encoder sees it.
struct LogSample {
  Nanoseconds log_time = 0;      // [ns]
  Nanoseconds source_stamp = 0;  // [ns]
  std::uint64_t tick = 0;
  ByteSpan raw;  // aligned to 8 bytes
};

/// Makes a message's bytes of a sample: `out` comes empty. Runs on the writer's thread. What it
/// throws ends the recording, with its words in the status.
using LogEncoder = std::function<void(const LogSample& sample, Bytes& out)>;

struct LogStatus {
  std::uint64_t bytes = 0;     // in the file
  std::uint64_t messages = 0;  // taken from the ring and given to the file
  std::uint64_t dropped = 0;   // pushes that returned false
  bool failed = false;         // the recording has ended; the file so far can be read
  std::string_view message;    // why (path, cause, hint); lives as long as the LogWriter
};

class LogWriter {
 public:
  /// Throws InputError when the file cannot be made.
  explicit LogWriter(const std::filesystem::path& path, const LogOptions& options = {});

  /// Ends as close() does.
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  /// A stream of messages of `type` under `topic`; before start(). Throws InputError when the topic
  /// is taken or the file cannot be written.
  StreamId add(const std::string& topic, const MessageType& type, const McapMap& metadata,
               LogEncoder encoder);

  /// Before start() or after stop(). Throws InputError when the file cannot be written.
  void attach(const McapAttachment& attachment);
  void metadata(const std::string& name, const McapMap& map);

  /// Starts the writer's thread. Called once.
  void start();

  // In a tick, by one thread: wait-free; neither allocates, locks nor throws.

  /// Takes a copy of `raw`. @return false when the ring has no room or the recording has failed;
  /// the sample is then counted as dropped. Times are >= 0, as MCAP's are: others end the
  /// recording.
  bool push(StreamId stream, Nanoseconds log_time, Nanoseconds source_stamp, std::uint64_t tick,
            ByteSpan raw) noexcept;

  /// The same in two parts, so that values are copied once: `size` bytes to fill (aligned to 8
  /// bytes), which commit() hands over. A span whose data() is null: dropped, nothing to commit.
  std::span<std::byte> reserve(StreamId stream, Nanoseconds log_time, Nanoseconds source_stamp,
                               std::uint64_t tick, std::size_t size) noexcept;
  void commit() noexcept;

  /// May be asked by any thread at any time; neither allocates nor locks.
  LogStatus status() const noexcept;

  /// How much of the ring waits to be written, 0 to 1: a loop without a clock may wait for the
  /// disk.
  double waiting() const noexcept;

  /// Waits until all that was pushed is in the file, and ends the thread. No push afterwards.
  void stop();

  /// stop(), then the file's summary. @return whether all that was pushed is in the file; if not,
  /// status() has what was dropped, or why it failed. Never throws.
  bool close() noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace handspan
