#pragma once
// What a study may measure besides an app: a computation from parameters, a seed and data to
// numbers. Trials register by name with a schema; a study's variations change keys of that
// configuration.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/parts.hpp"
#include "core/registry.hpp"
#include "study/column.hpp"

namespace handspan {

/// What a trial is made with.
struct TrialContext {
  std::filesystem::path data;  // --data; empty when none was given
  const Parts& parts;          // that an app of the trial is made of; outlives it
};

/// One run of it.
struct TrialCase {
  int repeat = 0;          // from 0, less than cases() when that is more than 0
  std::uint64_t seed = 0;  // of everything random in it
};

struct TrialOutcome {
  std::vector<double> values;      // one a column; NaN for what did not happen
  std::vector<TimeSeries> series;  // may be empty
};

class Trial {
 public:
  static constexpr char kKind[] = "trial";

  virtual ~Trial() = default;
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  Trial() = default;

  /// The same whatever the configuration is.
  virtual std::vector<Column> columns() const = 0;
  /// How many cases its data has: as many runs as a study has without an n; 0: it has none.
  virtual int cases() const { return 0; }
  /// A function of configuration, data and case alone, whatever ran before. Called from one thread.
  /// @throws InputError for a case that cannot be: that run has failed
  virtual TrialOutcome run(const TrialCase& which) = 0;
};

/// Each worker makes its own, and one for each configuration that comes: what is costly and the
/// same for all, as data that was read, a factory keeps for itself.
using TrialRegistry = Registry<Trial, const TrialContext&>;

}  // namespace handspan
