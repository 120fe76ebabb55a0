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

// What is drawn over one axis.
struct Panel {
  std::string unit;
  std::vector<std::string> names;
  Json values;
  Json events, words;  // lines, and what they are called
};

class TimeSeriesFigure : public StudyFigure {
 public:
  explicit TimeSeriesFigure(const TimeSeriesConfig& config) : config_(config) {}

  const FigureConfig& config() const override { return config_; }
  std::vector<FigureName> names() const override {
    return series_names(config_.runs, config_.log, config_.events);
  }

  Drawing draw(const FigureContext& context) const override {
    const auto runs = shown_runs(context, config_.runs, config_.log, config_.cells);
    Drawing drawing;
    drawing.csv = "run,series,unit,time [s],value\n";
    // a panel for each unit, since one axis has one
    std::vector<Panel> shown;
    double from = INFINITY, to = -INFINITY;
    for (const std::string& name : config_.series)
      for (const ShownRun& run : runs) {
        const SeriesOfRun part = cut(run, run.series(name));
        from = std::min(from, part.times.front());
        to = std::max(to, part.times.back());
        auto panel = std::ranges::find(shown, part.unit, &Panel::unit);
        if (panel == shown.end())
          panel = shown.insert(shown.end(), {part.unit, {}, Json::array(), {}, {}});
        if (std::ranges::count(panel->names, name) == 0) panel->names.push_back(name);
        add(run, part, panel->values, drawing);
      }
    const Json events = events_of(context, runs);
    for (Panel& panel : shown) panel.events = events;
    shown.front().words = words_of(events, from, to);
    Json views = Json::array();
    for (const Panel& panel : shown)
      views.push_back(view_of(context, runs, panel, &panel == &shown.back()));
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

  // what each event is, once, where it was first; on that side of its line where there is room
  Json words_of(const Json& events, double from, double to) const {
    Json words = Json::array();
    for (const std::string& event : config_.events) {
      const Json* first = nullptr;
      for (const Json& each : events)
        if (each["event"] == event && (first == nullptr || each["time"] < (*first)["time"]))
          first = &each;
      if (first == nullptr) continue;
      words.push_back(*first);
      words.back()["late"] = (*first)["time"].get<double>() > 0.5 * (from + to);
    }
    return words;
  }

  // colours are of cells; of one run they tell its series apart
  static Json view_of(const FigureContext& context, const std::vector<ShownRun>& runs,
                      const Panel& panel, bool last) {
    const auto& [unit, names, values, events, words] = panel;
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
    const std::vector<std::string> cells = cells_of(runs);
    if (runs.size() > 1) {
      encoding["color"] = cell_colours(context.outcome.results, cells);
      if (names.size() > 1) encoding["strokeDash"] = category("series", names);
    } else if (names.size() > 1) {
      encoding["color"] = category("series", names);
    }
    Json layers = Json::array();
    layers.push_back(
        {{"data", {{"values", values}}},
         {"mark", {{"type", "line"}, {"strokeWidth", 1.5}, {"clip", true}, {"color", "var(--c0)"}}},
         {"encoding", encoding}});
    if (!events.empty()) {
      Json rule = {
          {"x", quantity("time", last ? "time [s]" : "")},
          {"tooltip", tooltip({{"event", "event"}, {"run", "run"}, {"time", "time [s]"}})}};
      Json word = rule;
      if (runs.size() > 1) rule["color"] = encoding["color"];
      layers.push_back(
          {{"data", {{"values", events}}},
           {"mark", {{"type", "rule"}, {"strokeDash", {4, 3}}, {"color", "var(--fig-soft)"}}},
           {"encoding", rule}});
      word["text"] = {{"field", "event"}};
      word["y"] = {{"value", 3}};
      for (const bool late : {false, true})
        layers.push_back({{"data", {{"values", words}}},
                          {"transform", {{{"filter", late ? "datum.late" : "!datum.late"}}}},
                          {"mark",
                           {{"type", "text"},
                            {"align", late ? "right" : "left"},
                            {"baseline", "top"},
                            {"dx", late ? -3 : 3},
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
