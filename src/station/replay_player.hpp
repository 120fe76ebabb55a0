#pragma once
// A recording run again for somebody who looks: a closed replay on a thread of its own, at a factor
// of the clock, from any time. What it shows is a tap's, as of the live loop.
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

#include "log/log_file.hpp"
#include "station/loop_tap.hpp"
#include "station/welcome.hpp"

namespace handspan {

class ReplayPlayer {
 public:
  /// Starts playing from the beginning. @param parts what the log's app is made of; may go
  /// afterwards @param shown what the clients were told
  /// @throws InputError when the log cannot be read, or is of another app or scene, so that its
  /// bodies, references or channels are not those
  ReplayPlayer(const std::filesystem::path& file, const Parts& parts, const ShownLayout& shown);
  ~ReplayPlayer();
  ReplayPlayer(const ReplayPlayer&) = delete;
  ReplayPlayer& operator=(const ReplayPlayer&) = delete;

  // from any thread

  /// To a time of the recording [s], kept within it.
  void seek(double time);
  /// Of the clock: 0 stands still.
  void set_factor(double factor);
  double start() const { return start_; }  // [s]
  double end() const { return end_; }      // [s]
  /// Why it ended early, or what of the recording is lost; "" while all is well. Where inputs are
  /// lost it goes on with the next key frame.
  std::string message() const;

  LoopTap& tap() { return *tap_; }

 private:
  void run() noexcept;
  void play();
  bool step();

  LogFile log_;
  App app_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<LoopTap> tap_;
  double start_ = 0.0, end_ = 0.0;
  std::atomic<double> factor_{1.0}, seek_{-1.0};
  std::atomic<bool> over_{false};
  std::int64_t resumed_ = -1;  // the key frame after what was lost
  mutable std::mutex mutex_;
  std::string message_;
  std::thread thread_;
};

inline constexpr double kMostReplayFactor = 20.0;

}  // namespace handspan
