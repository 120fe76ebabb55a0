#pragma once
// Runs of a study as rows of a figure: some columns side by side, in the units that people see.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/object.hpp"
#include "core/values.hpp"
#include "data/csv_file.hpp"
#include "study/figure.hpp"
#include "study/results.hpp"

namespace handspan {

/// The most rows that a figure shows one by one; with more of them it shows summaries.
inline constexpr std::size_t kMostRows = 5000;

/// An object of a figure's keys, with those that all have.
template <class Config>
ObjectSchema<Config> figure_object(const std::string& name) {
  return object<Config>(name)
      .optional("title", &Config::title, text(), "over it; else as it is named")
      .optional("doc", &Config::doc, text(), "what it shows, below it")
      .optional("cells", &Config::cells, list(text()).min_size(1), "else all of the study");
}

struct FigureRow {
  int run = 0;
  std::uint64_t seed = 0;
  std::size_t cell = 0;  // of FigureRows::cells
  bool good = true;      // also when nobody judges
  std::vector<double> values;
};

struct FigureRows {
  std::vector<std::string> columns;
  std::vector<std::string> units;   // shown ones; "" for none
  std::vector<std::string> titles;  // "toss.x [mm]"
  std::vector<std::string> cells;   // in the study's order
  std::vector<FigureRow> rows;
  std::size_t left_out = 0;  // runs that failed or have a value that is not finite

  /// Of one cell.
  std::vector<double> samples(std::size_t column, std::size_t cell) const;
  /// "3 runs without a value are left out"; "" for none.
  std::string note() const;
};

/// Rows with all values finite, of the cells that the figure names or all of the study.
/// @param of columns, variations or "good" @throws InputError when there is no such row, or no such
/// column
FigureRows rows_of(const FigureContext& context, const std::vector<std::string>& of,
                   const std::vector<std::string>& cells);

/// "run,cell,seed,..." and a line for each row.
std::string rows_csv(const FigureRows& rows);

/// Names of columns as a figure takes them: key, or key[i] of several.
std::vector<FigureName> column_names_of(const std::string& key,
                                        const std::vector<std::string>& columns);

}  // namespace handspan
