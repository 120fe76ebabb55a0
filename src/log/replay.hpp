#pragma once
// Runs a log again. Closed: simulated plants run again, real ones give what
// they had observed, and every tick's hashes must be what they were. Open: the controller runs
// again on observations only; those of a simulation need a log in full.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "log/log_file.hpp"
#include "session/run.hpp"

namespace handspan {

struct ReplayOptions {
  bool verify = false;
  bool open = false;
  Nanoseconds from = 0;           // closed: from the last key frame at or before
  std::optional<Nanoseconds> to;  // none: to the log's end
  double tolerance = 1e-6;        // of values where bits cannot be compared, relative above 1
  /// About four times a second; false: stop here.
  std::function<bool(Nanoseconds now)> progress;
};

struct Difference {
  std::int64_t tick = 0;
  Quantity quantity = Quantity::kPlant;
  std::vector<std::string> channels;  // with values, where the log has them at that tick
};

/// What a replay did not run, since inputs of it were lost: ticks from `first` to before `resumed`,
/// which is the log's ticks() when nothing follows.
struct ReplayGap {
  std::int64_t first = 0, resumed = 0;
};

struct ReplayReport {
  std::int64_t first_tick = 0, ticks = 0;  // that were run
  std::vector<ReplayGap> gaps;             // over which it went to the next key frame
  std::int64_t compared = 0;               // ticks, or key frames where bits cannot be compared
  std::string other_machine;               // what is not as it was; "" when nothing
  bool by_values = false;                  // compared within the tolerance
  std::optional<Difference> difference;    // the first
  double worst = 0.0;                      // difference of values, by values
  RunSummary summary;
  bool same() const { return !difference; }
};

/// Where inputs were lost the run goes on at the next key frame, which is said in the report: past
/// them it would be a run that never happened. An open replay ends there.
/// @param parts what the log's app is made of
/// @throws InputError when the log does not have what is needed: key frames, hashes; open: every
/// tick's observations
ReplayReport replay(LogFile& log, const Parts& parts, const ReplayOptions& options);

}  // namespace handspan
