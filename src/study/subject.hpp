#pragma once
// What a worker of a study does: one run after the other, each a function of its changes, repeat
// and seed alone.
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "study/column.hpp"
#include "study/run_plan.hpp"

namespace handspan {

struct RunOutcome {
  std::vector<double> values;  // by column
  std::vector<TimeSeries> series;
  double simulated = 0.0;  // [s]
  double inner = 0.0;      // wall time in physics, control and metrics, or in a trial [s]
};

class StudySubject {
 public:
  virtual ~StudySubject() = default;
  StudySubject(const StudySubject&) = delete;
  StudySubject& operator=(const StudySubject&) = delete;
  StudySubject() = default;

  /// What runs give; from a run that is begun and not done.
  /// @throws ConfigError or InputError when it cannot begin
  virtual std::vector<Column> prepare(std::span<const KeyChange> changes, std::uint64_t seed) = 0;
  /// @throws InputError or std::runtime_error: the run has failed
  virtual RunOutcome run(std::span<const KeyChange> changes, int repeat, std::uint64_t seed) = 0;
};

}  // namespace handspan
