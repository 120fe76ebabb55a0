#pragma once
// The hashes of a log, asked for tick by tick while it runs again.
#include <utility>
#include <vector>

#include "log/log_file.hpp"

namespace handspan {

class LoggedHashes {
 public:
  explicit LoggedHashes(std::vector<HashedTicks> runs) : runs_(std::move(runs)) {}

  /// Of a tick; null where they were lost. Quick while ticks rise; going back is allowed.
  const TickHashes* at(std::int64_t tick) noexcept {
    if (run_ == runs_.size() || tick < runs_[run_].first) run_ = 0;
    while (run_ < runs_.size() && tick >= runs_[run_].first + std::ssize(runs_[run_].rows)) ++run_;
    if (run_ == runs_.size() || tick < runs_[run_].first) return nullptr;
    return &runs_[run_].rows[static_cast<std::size_t>(tick - runs_[run_].first)];
  }

 private:
  std::vector<HashedTicks> runs_;
  std::size_t run_ = 0;  // in which the last one was
};

}  // namespace handspan
