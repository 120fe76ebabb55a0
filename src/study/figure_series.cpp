#include "study/figure_series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/error.hpp"
#include "core/suggest.hpp"
#include "core/values.hpp"
#include "data/series.hpp"
#include "study/figure_rows.hpp"
#include "study/series_file.hpp"
#include "study/study_outcome.hpp"

namespace handspan {
namespace {

constexpr std::size_t kStretches = 250;

void add_value(ShownRun& run, const std::string& name, const std::string& unit, double time,
               double value) {
  const ShownUnit shown = shown_unit(unit);
  SeriesOfRun& series = run.all[name];
  series.name = name;
  series.unit = shown.unit;
  series.times.push_back(time);
  series.values.push_back(value * shown.factor);
}

ShownRun run_of(const FigureContext& context, const RunRecord& record) {
  const auto file = series_file(context.folder, record.number);
  ShownRun run{
      fmt::format("{}{}run {}", record.cell, record.cell.empty() ? "" : ", ", record.number),
      record.cell,
      record.number,
      {}};
  if (context.folder.empty() || !std::filesystem::is_regular_file(file))
    throw InputError(fmt::format("there are no series of {}: its file is not there", run.name));
  for (const TimeSeries& series : read_series_file(file))
    for (std::size_t i = 0; i < series.time.size(); ++i)
      add_value(run, series.name, series.unit, series.time[i], series.values[i]);
  return run;
}

ShownRun log_of(const FigureContext& context, const std::string& name) {
  const auto file = context.folder / "logs" / (name + ".mcap");
  if (context.folder.empty() || !std::filesystem::is_regular_file(file))
    throw InputError(fmt::format("the log '{}' was not kept", name));
  const LogFile log(file);
  ShownRun run{name, "", 0, {}};
  for (const Series& series : series_of(log)) {
    const std::size_t size = series.columns.size();
    if (size == 0 || !series.words.empty()) continue;
    auto units = element_units(series.unit, size);
    // of a pose, whose quaternion has none
    for (std::size_t i = 3; i < size && series.type == ChannelType::kPose; ++i) units[i] = "";
    for (std::size_t row = 0; row < series.ticks.size(); ++row)
      for (std::size_t i = 0; i < size; ++i)
        add_value(run, size == 1 ? series.name : fmt::format("{}[{}]", series.name, i), units[i],
                  seconds(series.ticks[row] * log.base_period()), series.values[row * size + i]);
  }
  return run;
}

}  // namespace

Schema<FigureRun> figure_run_schema() {
  return object<FigureRun>("Run", "a run of a cell")
      .optional("cell", &FigureRun::cell, text(), "left out when there is one")
      .optional("index", &FigureRun::index, integer().min(0), "among the cell's runs, from 0");
}

std::string SeriesOfRun::title() const {
  return unit.empty() ? name : fmt::format("{} [{}]", name, unit);
}

const SeriesOfRun& ShownRun::series(const std::string& which) const {
  const auto found = all.find(which);
  if (found != all.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, series] : all) names.push_back(known);
  throw InputError(fmt::format("{} has no series '{}'; {}", name, shown(which),
                               did_you_mean(which, names, "it has")));
}

std::vector<ShownRun> shown_runs(const FigureContext& context, const std::vector<FigureRun>& runs,
                                 const std::string& log, const std::vector<std::string>& cells) {
  if (!log.empty()) return {log_of(context, log)};
  const Results& results = context.outcome.results;
  std::vector<FigureRun> wanted = runs;
  if (wanted.empty())
    for (const std::string& cell : cells.empty() ? results.cells : cells)
      wanted.push_back({cell, 0});
  std::vector<ShownRun> shown;
  for (const FigureRun& run : wanted) {
    std::string cell = run.cell;
    if (cell.empty() && results.cells.size() == 1) cell = results.cells.front();
    std::int64_t left = run.index;
    const auto found = std::ranges::find_if(
        results.runs, [&](const RunRecord& r) { return r.cell == cell && left-- == 0; });
    if (found == results.runs.end())
      throw InputError(fmt::format("there is no run {} of the cell '{}'", run.index, cell));
    shown.push_back(run_of(context, *found));
  }
  return shown;
}

double value_at(const SeriesOfRun& series, double time) {
  const auto after = std::ranges::upper_bound(series.times, time);
  if (after == series.times.begin() || series.times.empty()) return NAN;
  const auto i = static_cast<std::size_t>(after - series.times.begin());
  if (i == series.times.size()) return time > series.times.back() ? NAN : series.values.back();
  const double share = (time - series.times[i - 1]) / (series.times[i] - series.times[i - 1]);
  return series.values[i - 1] + share * (series.values[i] - series.values[i - 1]);
}

double column_of_run(const FigureContext& context, const ShownRun& run, const std::string& column) {
  const Results& results = context.outcome.results;
  for (const RunRecord& record : results.runs)
    if (record.number == run.number) {
      if (!record.failure.empty()) return NAN;
      Results one{results.cells, results.variations, results.columns, results.judged, {record}};
      return one.samples_together({column}, record.cell).front().front();
    }
  return NAN;
}

std::vector<std::string> cells_of(const std::vector<ShownRun>& runs) {
  std::vector<std::string> cells;
  for (const ShownRun& run : runs)
    if (std::ranges::count(cells, run.cell) == 0) cells.push_back(run.cell);
  return cells;
}

std::vector<FigureName> series_names(const std::vector<FigureRun>& runs, const std::string& log,
                                     const std::vector<std::string>& events) {
  std::vector<FigureName> names = column_names_of("events", events);
  if (!log.empty()) {
    names.push_back({FigureName::Kind::kLog, "log", log});
    return names;
  }
  names.push_back({FigureName::Kind::kSeries, "", ""});
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (!runs[i].cell.empty())
      names.push_back({FigureName::Kind::kCell, fmt::format("runs[{}].cell", i), runs[i].cell});
  return names;
}

std::vector<std::size_t> thinned(const std::vector<double>& values) {
  std::set<std::size_t> kept;
  const std::size_t n = values.size();
  const std::size_t stretch = n / kStretches + 1;
  for (std::size_t from = 0; from < n; from += stretch) {
    const std::size_t to = std::min(from + stretch, n);
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(from);
    const auto last = values.begin() + static_cast<std::ptrdiff_t>(to);
    const auto [low, high] = std::minmax_element(first, last);
    kept.insert({from, to - 1, static_cast<std::size_t>(low - values.begin()),
                 static_cast<std::size_t>(high - values.begin())});
  }
  return {kept.begin(), kept.end()};
}

}  // namespace handspan
