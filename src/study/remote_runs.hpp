#pragma once
// Runs of a study that other programs do: handed to a scheduler of dask's, whose workers may be on
// other computers. A run needs nothing but the study and its number in the plan, so any worker may
// do any run, and one that was lost is done again elsewhere.
#include <atomic>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "study/results.hpp"
#include "study/run_plan.hpp"
#include "study/subject.hpp"

namespace handspan {

/// A run that was done elsewhere.
struct RemoteRun {
  RunRecord record;                     // number, values and failure
  std::vector<TimeSeries> series = {};  // those that the study keeps of this run
  double simulated = 0.0, inner = 0.0;  // [s]
};

struct RemoteOptions {
  std::string scheduler;             // "tcp://10.0.0.1:8786"
  std::vector<std::string> command;  // that makes a worker of this study: handspan study ... --work
  std::string fingerprint;           // of the study and this build: a worker must have the same
  const std::atomic<bool>* stop = nullptr;  // when it becomes true, what is not back is left
};

/// Hands the runs over and waits for them. @param done called for each as it comes back, in any
/// order, in this thread
/// @throws InputError naming the scheduler or the worker, with cause and hint: no dask here, no
/// scheduler there, one that died, a worker of another build, a run at which workers die
void do_remotely(const RemoteOptions& options, const std::vector<RunSpec>& specs,
                 const std::function<void(RemoteRun)>& done);

/// The other side: a worker's process. Says its fingerprint and build in a first line, then does a
/// run for each line that comes in, until there are no more.
/// @param keeps_series whether the study keeps the series of a run
void serve_runs(const std::string& fingerprint, const RunPlan& plan, StudySubject& subject,
                std::size_t columns, const std::function<bool(const RunSpec&)>& keeps_series,
                std::istream& in, std::ostream& out);

}  // namespace handspan
