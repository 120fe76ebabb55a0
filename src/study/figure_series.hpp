#pragma once
// Series over time that figures show: of single runs, as the study kept them, and of its logs.
#include <map>
#include <string>
#include <vector>

#include "core/object.hpp"
#include "study/figure.hpp"

namespace handspan {

/// Which run of a study a figure shows.
struct FigureRun {
  std::string cell;        // "": of the only one
  std::int64_t index = 0;  // of the cell's runs, from 0
};
Schema<FigureRun> figure_run_schema();

struct SeriesOfRun {
  std::string name, unit;             // the unit that people see; "" for none
  std::vector<double> times, values;  // [s], in that unit
  std::string title() const;          // "left.wrist.force [N]"
};

struct ShownRun {
  std::string name;  // "rough, run 3", or the log's
  std::string cell;  // "": of a log
  int number = 0;    // of the run; 0: a log
  std::map<std::string, SeriesOfRun> all;

  /// @throws InputError with the names there are
  const SeriesOfRun& series(const std::string& which) const;
};

/// The runs that a figure names, or the first of each cell when it names none, or a log.
/// @param cells of the figure; empty: all @throws InputError when there is no such run, or it has
/// no series
std::vector<ShownRun> shown_runs(const FigureContext& context, const std::vector<FigureRun>& runs,
                                 const std::string& log, const std::vector<std::string>& cells);

/// A value of a run at a time that one of its columns has, between rows on a line.
double value_at(const SeriesOfRun& series, double time);
/// A run's column in SI, NaN for a log. @throws InputError for no such column
double column_of_run(const FigureContext& context, const ShownRun& run, const std::string& column);

/// The cells of some runs, each once, in their order.
std::vector<std::string> cells_of(const std::vector<ShownRun>& runs);

/// What the study must have for them. @param events columns in s, under the key "events"
std::vector<FigureName> series_names(const std::vector<FigureRun>& runs, const std::string& log,
                                     const std::vector<std::string>& events = {});

/// Indices of at most some hundred values with which a line looks the same: of each stretch the
/// first, the least, the largest and the last.
std::vector<std::size_t> thinned(const std::vector<double>& values);

}  // namespace handspan
