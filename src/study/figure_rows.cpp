#include "study/figure_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "study/study_outcome.hpp"

namespace handspan {

std::vector<double> FigureRows::samples(std::size_t column, std::size_t cell) const {
  std::vector<double> x;
  for (const FigureRow& row : rows)
    if (row.cell == cell) x.push_back(row.values[column]);
  return x;
}

std::string FigureRows::note() const {
  if (left_out == 0) return "";
  return left_out == 1 ? "One run without a value is left out."
                       : fmt::format("{} runs without a value are left out.", left_out);
}

FigureRows rows_of(const FigureContext& context, const std::vector<std::string>& of,
                   const std::vector<std::string>& cells) {
  const Results& results = context.outcome.results;
  FigureRows out;
  out.columns = of;
  std::vector<double> factors;
  for (const std::string& name : of) {
    const ShownUnit unit = shown_unit(results.unit(name));
    factors.push_back(unit.factor);
    out.units.push_back(unit.unit);
    out.titles.push_back(unit.unit.empty() ? name : fmt::format("{} [{}]", name, unit.unit));
  }
  for (const std::string& cell : groups_of(results)) {
    const bool ours = std::ranges::count(results.cells, cell) > 0;
    if (cells.empty() ? ours : std::ranges::count(cells, cell) > 0) out.cells.push_back(cell);
  }
  for (std::size_t c = 0; c < out.cells.size(); ++c) {
    const auto samples = results.samples_together(of, out.cells[c]);
    std::size_t i = 0;
    for (const RunRecord& run : results.runs) {
      if (run.cell != out.cells[c]) continue;
      if (!run.failure.empty()) {
        ++out.left_out;
        continue;
      }
      FigureRow row{run.number, run.seed, c, run.good.value_or(true), {}};
      bool finite = true;
      for (std::size_t k = 0; k < of.size(); ++k) {
        row.values.push_back(samples[k][i] * factors[k]);
        finite = finite && std::isfinite(row.values.back());
      }
      ++i;
      if (finite)
        out.rows.push_back(std::move(row));
      else
        ++out.left_out;
    }
  }
  if (out.rows.empty())
    throw InputError(out.left_out == 0
                         ? fmt::format("there are no runs of {}", fmt::join(cells, ", "))
                         : fmt::format("none of {} runs has finite values of {}", out.left_out,
                                       fmt::join(of, ", ")));
  return out;
}

std::string rows_csv(const FigureRows& rows) {
  std::string out = "run,cell,seed";
  for (const std::string& title : rows.titles) out += "," + csv_cell(title);
  out += "\n";
  for (const FigureRow& row : rows.rows) {
    out += fmt::format("{},{},{}", row.run, csv_cell(rows.cells[row.cell]), row.seed);
    for (const double value : row.values) out += fmt::format(",{}", value);
    out += "\n";
  }
  return out;
}

std::vector<FigureName> column_names_of(const std::string& key,
                                        const std::vector<std::string>& columns) {
  std::vector<FigureName> names;
  for (std::size_t i = 0; i < columns.size(); ++i)
    names.push_back({FigureName::Kind::kColumn,
                     columns.size() == 1 ? key : fmt::format("{}[{}]", key, i), columns[i]});
  return names;
}

}  // namespace handspan
