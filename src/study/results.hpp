#pragma once
// What came of a study's runs: one record a run, in the order of their numbers, whatever the order
// in which they were done.
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "study/column.hpp"

namespace handspan {

/// A value that was drawn, without what stood behind it.
struct DrawnValue {
  double number = 0.0;  // SI; NaN: a word or a list
  std::string text;     // as in results.csv
};

struct RunRecord {
  int number = 0;    // from 1: what --rerun takes
  std::string cell;  // the study's, or the stage's that asked for it
  int repeat = 0;    // from 0, in the cell
  std::uint64_t seed = 0;
  std::vector<DrawnValue> drawn;  // by variation
  std::vector<double> values;     // by column; NaN: it did not happen
  std::optional<bool> good;       // none: the study has no rule
  std::string failure;            // why there are no values; "": there are
};

struct Results {
  struct Varied {
    std::string name, unit;
    double mean = NAN, deviation = NAN;  // that it was drawn with; NaN: it is not normal
  };

  std::vector<std::string> cells;  // those that the study names, else one without a name
  std::vector<Varied> variations;
  std::vector<Column> columns;
  bool judged = false;  // there is a rule for good runs
  std::vector<RunRecord> runs;

  /// Of a column, of a variation, or of "good" (1 and 0; a failed run is not good): its samples in
  /// a cell; "" for all cells of the study. Those of failed runs are left out.
  /// @throws InputError with the names there are
  std::vector<double> samples(const std::string& of, const std::string& cell) const;
  /// The same of several, side by side: the i-th of each is of one run. Runs that failed are left
  /// out, of "good" too.
  std::vector<std::vector<double>> samples_together(const std::vector<std::string>& of,
                                                    const std::string& cell) const;
  /// "" for none. @throws as above
  std::string unit(const std::string& of) const;
  std::size_t failed() const;
  /// Whether a column says yes or no: 1 and 0, without a unit.
  bool is_flag(std::size_t column) const;
};

/// A cell of some results.
struct CellOf {
  const Results* results = nullptr;
  std::string cell;
};

/// Samples of several cells side by side: the i-th of each is of runs with the same seed, in the
/// order of the first cell's runs.
struct MatchedSamples {
  std::vector<std::vector<double>> of;  // by cell; all of one size
  std::size_t common = 0;               // seeds that all cells have
  std::size_t left_out = 0;             // of them: a run failed or has no value
};

/// Of a column, of a variation, or of "good" (a failed run is not good). With grids a seed has
/// several runs in a cell, which go together in their order.
/// @throws InputError for names that are not there; when the cells have no common seed, or a seed
/// has other numbers of runs in them; when no value is left
MatchedSamples matched_samples(const std::vector<CellOf>& cells, const std::string& of);

/// The study's cells, and after them those of stages.
std::vector<std::string> groups_of(const Results& results);

/// A run's line, without its end.
std::string csv_row(const RunRecord& run);

/// One line a run after a line of names: run, cell, repeat, seed, variations, columns, good,
/// failure. Numbers have as many digits as give the same bits; what did not happen is empty.
std::string results_csv(const Results& results);

}  // namespace handspan
