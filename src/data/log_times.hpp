#pragma once
// The one time base of a log's tables: seconds since the run's beginning. Beside it stands the
// world's time, so that they can be joined with the logs of others.
#include <optional>

#include "log/log_file.hpp"

namespace handspan {

class LogTimes {
 public:
  explicit LogTimes(const LogFile& log);

  /// Of a tick's beginning [ns since the run's].
  Nanoseconds run(std::int64_t tick) const { return tick * base_; }
  /// An input's stamp [ns since the run's beginning]: those of devices count from the machine's
  /// start, and those of a script from the run's. It is the one of the two that is nearer to the
  /// tick that used the input.
  Nanoseconds stamp(const LoggedInput& input) const;
  /// The world's time of a time of the run [ns since 1970]; none: the log is of an older format.
  std::optional<std::int64_t> unix_ns(Nanoseconds run) const;

 private:
  Nanoseconds base_ = 0;
  std::optional<std::int64_t> unix_start_, steady_start_;
};

}  // namespace handspan
