#pragma once
// What a study was done with, and what came of it.
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "study/comparison.hpp"
#include "study/results.hpp"
#include "study/run_plan.hpp"
#include "study/stage.hpp"
#include "study/statistic.hpp"
#include "study/study.hpp"

namespace handspan {

struct RunnerProgress {
  int done = 0, total = 0;    // runs; of this stage and those before
  double seconds_left = 0.0;  // < 0: not known yet
};

struct RunnerOptions {
  int workers = 0;  // threads; 0: one for each core
  std::optional<int> n;
  std::optional<std::uint64_t> seed;
  std::vector<ParameterOverride> parameters;
  std::filesystem::path data;  // of a trial
  std::filesystem::path out;   // the journal and time series are there; empty: neither
  bool fresh = false;          // forgets the runs of an interrupted study
  /// Address of a dask scheduler whose workers do the runs; "": threads of this process do.
  std::string scheduler = "";
  std::vector<std::string> worker = {};  // the command that makes one of its workers' processes
  /// From any thread, one at a time.
  std::function<void(const RunnerProgress&)> progress;
  /// While logs are recorded: the log's name, simulated time [ns].
  std::function<void(const std::string&, Nanoseconds)> log_progress;
  /// When it becomes true, runs that are going on are finished and no other begins.
  const std::atomic<bool>* stop = nullptr;
};

struct StageOutcome {
  std::string name;
  std::vector<StageValue> values;
  std::string doc = "";  // what stages of its type do
};

/// A statistic with its value, as tables show it.
struct Measured {
  StatisticConfig what;
  std::string text;  // "deviation of x in short"
  std::string unit;
  Estimate estimate;
};

struct ExpectationOutcome {
  Expectation expectation;
  Measured measured;
  double limit = 0.0;
  std::string limit_text;
  bool holds = false;
};

struct PublishedOutcome {
  PublishedRow row;
  Measured measured;
  Comparison comparison;
};

struct StudyOutcome {
  StudyConfig study;
  RunnerOptions options;
  Results results;
  std::vector<StageOutcome> stages;
  std::vector<ExpectationOutcome> expectations;
  std::vector<PublishedOutcome> published;
  std::optional<StudyComparison> comparison;  // with earlier results
  bool complete = false;                      // false: stopped
  int resumed = 0;                            // runs that were there already
  int workers = 0;
  double wall = 0.0, inner = 0.0, simulated = 0.0;  // [s], the latter two summed over the runs done
  int done = 0;                                     // here
  /// What was asked: all expectations, and that no run of an app failed; without expectations that
  /// all runs are good and none failed.
  bool holds() const;
};

/// Whether a run is good by the study's rule; none: it has no rule.
std::optional<bool> judged(const StudyConfig& study, const std::vector<Column>& columns,
                           const RunRecord& run);

}  // namespace handspan
