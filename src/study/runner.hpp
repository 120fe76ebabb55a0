#pragma once
// Does a study: its runs in threads, its stages after them, what is asked of the results.
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "study/run_plan.hpp"
#include "study/study.hpp"
#include "study/study_logs.hpp"
#include "study/study_outcome.hpp"

namespace handspan {

/// A study with the options applied and its keys resolved.
class StudyRunner {
 public:
  /// @param parts what apps and trials of the study are made of; outlives this
  /// @throws ConfigError or InputError: everything that is wrong with the study, its subject and
  /// the options, before the first run
  StudyRunner(StudyConfig study, const Parts& parts, RunnerOptions options);
  ~StudyRunner();

  const RunPlan& plan() const { return *plan_; }
  const StudyConfig& study() const { return study_; }
  const Parts& parts() const { return parts_; }
  const std::vector<Column>& columns() const { return columns_; }

  /// @throws InputError when the journal cannot be written, or a stage lacks something
  StudyOutcome run();

  /// Does runs of this study that come in as lines, for another process (remote_runs.hpp), until
  /// there are no more.
  void serve(std::istream& in, std::ostream& out) const;

  /// One of the runs, by its number; of those that stages asked for, when the study was done into
  /// options.out. @throws InputError for a number that there is not
  RunSpec spec(int number) const;

 private:
  std::string fingerprint() const;

  StudyConfig study_;
  const Parts& parts_;
  RunnerOptions options_;
  StudyLogs logs_;
  std::unique_ptr<RunPlan> plan_;
  std::vector<Column> columns_;
};

}  // namespace handspan
