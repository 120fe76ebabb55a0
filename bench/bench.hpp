#pragma once
// `handspan bench`: what handspan costs, beside what its engines cost when they are called
// directly, in the same run.
#include <filesystem>
#include <optional>
#include <string>

#include "core/parts.hpp"

namespace handspan {

struct BenchOptions {
  std::string filter;                         // regular expression on names of figures; empty: all
  std::optional<std::filesystem::path> json;  // where the report goes; none: the table only
  double min_time = 0.5;                      // measured time a figure and repetition [s]
  int repetitions = 1;                        // their batches count as one distribution
  std::filesystem::path root = ".";           // has robots/ and scenes/
};

/// Measures the figures that the filter names one after another, prints a table, and writes the
/// report:
///   {"machine": {"cpu", "cores", "compiler", "build", "mujoco", "pinocchio", "load"},
///    "figures": [{"name", "unit", "median", "p99", "n",
///                 "tracking_mm": farthest of a hand from its reference | null,
///                 "peers": [{"name", "median", "p99", "ratio": cost of ours over the peer's,
///                            "smaller_problem": its ratio is not a target,
///                            "tracking_mm", "overhead_us": of its calling language | null}
///                           | {"name", "skipped": why}],
///                 "real_time": simulated over real time | null,
///                 "target": text | null, "met": bool | null}]}
/// A batch is one sample; of n batches 99 % are at least as good as "p99", be the unit us,
/// steps/s or %. The ratio is the median over the batches of ours / peer, each against the peer's
/// batch beside it. Of a loop each tick is a sample, min_time does not count, and rivals that are
/// programs of their own run once before and once after it: theirs is the median of both, and the
/// ratio that of the medians. Takes one core; does not settle the clock's frequency.
/// @param parts what the apps and studies of the figures are made of
/// @return 0 when every target measured was met, 1 when one was not
/// @throws InputError for a filter that is not a regular expression or names no figure, a time or
/// number of repetitions that is not positive, a file that cannot be written; std::runtime_error
/// when ours and a peer's result differ, a loop does
/// not follow its reference, or a rival fails
int run_benchmarks(const BenchOptions& options, const Parts& parts);

}  // namespace handspan
