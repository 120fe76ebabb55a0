#include "study/figure_time_series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "study/figure_rows.hpp"
#include "study/figure_series.hpp"
#include "study/figure_theme.hpp"
#include "study/study_outcome.hpp"

namespace handspan {
namespace {

using Json = nlohmann::json;

struct TimeSeriesConfig : FigureConfig {
  std::vector<std::string> series, events;
  std::vector<FigureRun> runs;
  std::string log;
  std::optional<double> from, to;  // [s]
};

class TimeSeriesFigure : public StudyFigure {
 public:
  explicit TimeSeriesFigure(const TimeSeriesConfig& config) : config_(config) {}

  const FigureConfig& config() const override { return config_; }
  std::vector<FigureName> names() const override {
    auto names = series_names(config_.runs, config_.log);
    for (const FigureName& event : column_names_of("events", config_.events))
      names.push_back(event);
    return names;
  }

  Drawing draw(const FigureContext& context) const override {
    const auto runs = shown_runs(context, config_.runs, config_.log, config_.cells);
    Drawing drawing;
    drawing.csv = "run,series,unit,time [s],value\n";
    // a panel for each unit, since one axis has one
    std::vector<std::string> units;
    std::vector<Json> values;
    std::vector<std::vector<std::string>> names;
    for (const std::string& name : config_.series)
      for (const ShownRun& run : runs) {
        const SeriesOfRun& series = run.series(name);
        const auto at =
            static_cast<std::size_t>(std::ranges::find(units, series.unit) - units.begin());
        if (at == units.size()) {
          units.push_back(series.unit);
          values.push_back(Json::array());
          names.emplace_back();
        }
        if (std::ranges::count(names[at], name) == 0) names[at].push_back(name);
        add(run, cut(run, series), values[at], drawing);
      }
    const Json events = events_of(context, runs);
    Json views = Json::array();
    for (std::size_t u = 0; u < units.size(); ++u)
      views.push_back(view_of(context, runs, names[u], units[u], std::move(values[u]), events,
                              u + 1 == units.size()));
    drawing.spec = {{"vconcat", std::move(views)}, {"spacing", 10}};
    return drawing;
  }

 private:
  // the part of a series that is shown, its finite values
  SeriesOfRun cut(const ShownRun& run, const SeriesOfRun& series) const {
    SeriesOfRun part{series.name, series.unit, {}, {}};
    for (std::size_t i = 0; i < series.times.size(); ++i) {
      const double t = series.times[i];
      if (t < config_.from.value_or(t) || t > config_.to.value_or(t)) continue;
      if (!std::isfinite(series.values[i])) continue;
      part.times.push_back(t);
      part.values.push_back(series.values[i]);
    }
    if (part.times.empty())
      throw InputError(fmt::format("'{}' of {} has no finite value in the time that is shown",
                                   series.name, run.name));
    return part;
  }

  static void add(const ShownRun& run, const SeriesOfRun& part, Json& values, Drawing& drawing) {
    for (const std::size_t i : thinned(part.values))
      values.push_back({{"run", run.name},
                        {"cell", run.cell},
                        {"series", part.name},
                        {"time", part.times[i]},
                        {"value", part.values[i]}});
    for (std::size_t i = 0; i < part.times.size(); ++i)
      drawing.csv += fmt::format("{},{},{},{},{}\n", csv_cell(run.name), csv_cell(part.name),
                                 part.unit, part.times[i], part.values[i]);
  }

  Json events_of(const FigureContext& context, const std::vector<ShownRun>& runs) const {
    Json events = Json::array();
    for (const std::string& event : config_.events) {
      if (context.outcome.results.unit(event) != "s")
        throw InputError(fmt::format("'{}' has the unit '{}'; an event is a time", event,
                                     context.outcome.results.unit(event)));
      for (const ShownRun& run : runs) {
        const double time = column_of_run(context, run, event);
        if (std::isfinite(time))
          events.push_back(
              {{"time", time}, {"event", event}, {"run", run.name}, {"cell", run.cell}});
      }
    }
    return events;
  }

  Json view_of(const FigureContext& context, const std::vector<ShownRun>& runs,
               const std::vector<std::string>& names, const std::string& unit, Json values,
               const Json& events, bool last) const {
    const std::string title =
        names.size() == 1 ? (unit.empty() ? names[0] : fmt::format("{} [{}]", names[0], unit))
                          : fmt::format("[{}]", unit.empty() ? "1" : unit);
    Json x = quantity("time", last ? "time [s]" : "");
    if (!last) x["axis"] = {{"labels", false}, {"ticks", false}};
    x["scale"]["nice"] = false;
    Json y = quantity("value", title);
    Json encoding = {
        {"x", x},
        {"y", y},
        {"detail", {{"field", "run"}}},
        {"tooltip",
         tooltip({{"run", "run"}, {"series", "series"}, {"time", "time [s]"}, {"value", title}})}};
    // colours are of cells; of one run they tell its series apart
    std::vector<std::string> cells;
    for (const ShownRun& run : runs)
      if (std::ranges::count(cells, run.cell) == 0) cells.push_back(run.cell);
    if (runs.size() > 1) {
      encoding["color"] = cell_colours(context.outcome.results, cells);
      if (names.size() > 1) encoding["strokeDash"] = category("series", names);
    } else if (names.size() > 1) {
      encoding["color"] = category("series", names);
    }
    Json layers = Json::array();
    layers.push_back(
        {{"data", {{"values", std::move(values)}}},
         {"mark", {{"type", "line"}, {"strokeWidth", 1.5}, {"clip", true}, {"color", "var(--c0)"}}},
         {"encoding", encoding}});
    if (!events.empty()) {
      Json rule = {
          {"x", quantity("time", last ? "time [s]" : "")},
          {"tooltip", tooltip({{"event", "event"}, {"run", "run"}, {"time", "time [s]"}})}};
      layers.push_back(
          {{"data", {{"values", events}}},
           {"mark", {{"type", "rule"}, {"strokeDash", {4, 3}}, {"color", "var(--fig-soft)"}}},
           {"encoding", rule}});
      Json word = rule;
      word["text"] = {{"field", "event"}};
      word["y"] = {{"value", 3}};
      layers.push_back({{"data", {{"values", events}}},
                        {"mark",
                         {{"type", "text"},
                          {"align", "left"},
                          {"baseline", "top"},
                          {"dx", 3},
                          {"color", "var(--fig-soft)"}}},
                        {"encoding", word}});
    }
    return {{"width", 640}, {"height", 150}, {"layer", std::move(layers)}};
  }

  TimeSeriesConfig config_;
};

}  // namespace

void register_time_series_figure(FigureRegistry& registry) {
  using C = TimeSeriesConfig;
  const auto schema =
      figure_object<C>("TimeSeries")
          .required("series", &C::series, list(text()).min_size(1), "names, such as left.arm.q[0]")
          .optional("events", &C::events, list(text()), "columns in s: a line at each one's time")
          .optional("runs", &C::runs, list(figure_run_schema()).min_size(1),
                    "else the first of each cell")
          .optional("log", &C::log, text(), "a log of the study in place of runs")
          .optional("from", &C::from, number("s"))
          .optional("to", &C::to, number("s"));
  registry.add("time_series", schema, "series over time, a panel for each unit, with events",
               [](const C& config) { return std::make_unique<TimeSeriesFigure>(config); });
}

}  // namespace handspan
