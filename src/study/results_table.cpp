#include "study/results_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "record/parquet_file.hpp"

namespace handspan {
namespace {

template <class T, class F>
ParquetColumn column_of(const std::string& name, const Results& results, F value) {
  std::vector<T> values;
  values.reserve(results.runs.size());
  for (const RunRecord& run : results.runs) values.push_back(value(run));
  return {name, std::move(values)};
}

ParquetColumn seeds(const Results& results) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (std::ranges::any_of(results.runs, [](const RunRecord& run) { return run.seed > kMost; }))
    return column_of<std::string>("seed", results,
                                  [](const RunRecord& run) { return std::to_string(run.seed); });
  return column_of<std::int64_t>(
      "seed", results, [](const RunRecord& run) { return static_cast<std::int64_t>(run.seed); });
}

ParquetColumn drawn(const Results& results, std::size_t v) {
  const std::string& name = results.variations[v].name;
  const auto is_number = [v](const RunRecord& run) { return std::isfinite(run.drawn[v].number); };
  if (std::ranges::all_of(results.runs, is_number))
    return column_of<double>(name, results,
                             [v](const RunRecord& run) { return run.drawn[v].number; });
  return column_of<std::string>(name, results,
                                [v](const RunRecord& run) { return run.drawn[v].text; });
}

}  // namespace

void write_results_parquet(const std::filesystem::path& file, const Results& results) {
  std::vector<ParquetColumn> columns;
  std::map<std::string, std::string> units;
  columns.push_back(
      column_of<std::int64_t>("run", results, [](const RunRecord& r) { return r.number; }));
  columns.push_back(
      column_of<std::string>("cell", results, [](const RunRecord& r) { return r.cell; }));
  columns.push_back(
      column_of<std::int64_t>("repeat", results, [](const RunRecord& r) { return r.repeat; }));
  columns.push_back(seeds(results));
  for (std::size_t v = 0; v < results.variations.size(); ++v) {
    columns.push_back(drawn(results, v));
    units["unit " + results.variations[v].name] = results.variations[v].unit;
  }
  for (std::size_t c = 0; c < results.columns.size(); ++c) {
    const std::string& name = results.columns[c].name;
    columns.push_back(
        column_of<double>(name, results, [c](const RunRecord& run) { return run.values[c]; }));
    units["unit " + name] = results.columns[c].unit;
  }
  if (results.judged)
    columns.push_back(column_of<bool>(
        "good", results, [](const RunRecord& run) { return run.good.value_or(false); }));
  columns.push_back(
      column_of<std::string>("failure", results, [](const RunRecord& run) { return run.failure; }));
  write_parquet(file, columns, units);
}

}  // namespace handspan
