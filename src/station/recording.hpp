#pragma once
// Recordings of a loop that runs, started and ended while it ticks. What takes time (files, memory,
// threads, the thumbnail) is done by another thread; the loop takes a finished recorder between two
// ticks, at a tick that was said beforehand, and its first key frame is all that this costs it.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "log/recorder.hpp"
#include "station/disk_watch.hpp"
#include "station/records.hpp"

namespace handspan {

/// How another thread hands recorders to a loop.
class RecorderGate {
 public:
  /// Sizes what the loop copies. Before it runs
  explicit RecorderGate(Session& session);

  // the loop's thread; nothing allocates, locks or throws

  void between_ticks(Session& session) noexcept;
  /// No tick follows, and Session::finish() was called.
  void close() noexcept;

  // another one

  std::int64_t ticks() const { return ticks_.load(std::memory_order_relaxed); }
  std::size_t snapshot_bytes() const { return snapshot_bytes_; }
  bool closed() const { return closed_.load(std::memory_order_acquire); }
  /// Waits until the recorder watches. @return false when that tick has passed or the loop ended
  bool begin(Recorder& recorder, std::int64_t tick);
  /// Waits until it watches no more, its last key frame written.
  void end(Recorder& recorder);
  /// The plant's state at the last end(), empty when the loop had ended by then.
  const std::vector<std::byte>& plant_state() const { return plant_state_; }

 private:
  enum class Errand : std::uint8_t { kNone, kBegin, kEnd, kDone, kMissed };
  bool wait();
  void save_plant(Session& session) noexcept;

  std::atomic<std::int64_t> ticks_{0};
  std::atomic<Errand> errand_{Errand::kNone};
  std::atomic<bool> closed_{false};
  Recorder* recorder_ = nullptr;  // these are the loop's while errand_ is kBegin or kEnd
  std::int64_t tick_ = 0;
  std::vector<std::byte> plant_state_;
  std::size_t snapshot_bytes_ = 0;
};

struct RecordingStatus {
  bool on = false;
  std::string file;  // the present or the last one's name
  double seconds = 0.0;
  bool failed = false;                // nothing more is written: stop() is wanted
  std::string message;                // why it ended by itself, and what of it is kept
  std::string kept;                   // the latter alone; empty while it is on
  std::optional<std::uint64_t> free;  // room on the folder's disk [bytes]; none: it does not say
  std::optional<double> left;         // how long that lasts, as fast as it was filled last [s]
};

/// One recording at a time. Used by one thread; status() by any but the loop's.
class Recording {
 public:
  explicit Recording(Records& records) : records_(records), disk_(records.folder()) {}
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// The loop that start() is about; none: there is none. Both outlive it
  void set_loop(Session* session, RecorderGate* gate);
  /// @param wish part of the file's name; empty: that of the app  @param running false: the loop
  /// has not begun to tick, and the recording begins with its first
  /// @throws InputError with the cause: one is being recorded, the file cannot be written ...
  void start(const std::string& wish, bool running = true);
  /// Ends it; writes the thumbnail. Of one that failed, the message says what is kept.
  /// @throws InputError when nothing is being recorded
  void stop();
  RecordingStatus status() const;

 private:
  void write_thumbnail(const std::vector<std::byte>& plant_state);

  Records& records_;
  DiskWatch disk_;
  Session* session_ = nullptr;
  RecorderGate* gate_ = nullptr;
  mutable std::mutex mutex_;  // of what follows; held for moments
  std::unique_ptr<Recorder> recorder_;
  RecordingStatus status_;
  std::int64_t first_tick_ = 0;
  std::chrono::steady_clock::time_point begun_;
  std::uint64_t first_bytes_ = 0;  // in the file when it was begun
  mutable double rate_ = 0.0;      // of the present or last recording [bytes/s]; 0: none yet
};

}  // namespace handspan
