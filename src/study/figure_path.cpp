#include "study/figure_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "study/figure_rows.hpp"
#include "study/figure_series.hpp"
#include "study/figure_views.hpp"
#include "study/study_outcome.hpp"

namespace handspan {
namespace {

using Json = nlohmann::json;

struct PathConfig : FigureConfig {
  std::vector<std::pair<std::string, std::string>> paths;  // their names, and the series of a point
  std::vector<FigureView> views = {FigureView::kAbove, FigureView::kBeside, FigureView::kSlanted};
  std::vector<FigureRun> runs;
  std::string log;
  std::vector<std::string> events;
  std::vector<FigureBox> boxes;
  std::optional<double> from, to;  // [s]
};

// One way of one run.
struct Way {
  const ShownRun* run = nullptr;
  std::string path;
  std::vector<double> times;
  std::vector<Eigen::Vector3d> p_W;  // [mm]
};

class PathFigure : public StudyFigure {
 public:
  explicit PathFigure(const PathConfig& config) : config_(config) {}

  const FigureConfig& config() const override { return config_; }
  std::vector<FigureName> names() const override {
    return series_names(config_.runs, config_.log, config_.events);
  }

  Drawing draw(const FigureContext& context) const override {
    const auto runs = shown_runs(context, config_.runs, config_.log, config_.cells);
    Drawing drawing;
    drawing.csv = "run,path,time [s],x [mm],y [mm],z [mm]\n";
    std::vector<Way> ways;
    for (const ShownRun& run : runs)
      for (const auto& [path, series] : config_.paths) {
        ways.push_back(way_of(run, path, series));
        const Way& way = ways.back();
        for (std::size_t i = 0; i < way.times.size(); ++i)
          drawing.csv += fmt::format("{},{},{},{},{},{}\n", csv_cell(run.name), csv_cell(path),
                                     way.times[i], way.p_W[i].x(), way.p_W[i].y(), way.p_W[i].z());
      }
    std::vector<Json> views;
    for (const FigureView view : config_.views) views.push_back(view_of(context, view, ways, runs));
    drawing.spec = panels(std::move(views));
    return drawing;
  }

 private:
  Way way_of(const ShownRun& run, const std::string& path, const std::string& name) const {
    const SeriesOfRun* axes[3] = {};
    for (int k = 0; k < 3; ++k) axes[k] = &run.series(fmt::format("{}[{}]", name, k));
    Way way{&run, path, {}, {}};
    const std::size_t n = axes[0]->values.size();
    for (int k = 1; k < 3; ++k)
      if (axes[k]->values.size() != n)
        throw InputError(fmt::format("of {} '{}' has {} values and '{}' has {}", run.name,
                                     axes[0]->name, n, axes[k]->name, axes[k]->values.size()));
    if (axes[0]->unit != shown_unit("m").unit)
      throw InputError(
          fmt::format("'{}' has the unit '{}'; a path is of lengths", name, axes[0]->unit));
    for (std::size_t i = 0; i < n; ++i) {
      const double t = axes[0]->times[i];
      const Eigen::Vector3d p_W(axes[0]->values[i], axes[1]->values[i], axes[2]->values[i]);
      if (t < config_.from.value_or(t) || t > config_.to.value_or(t) || !p_W.allFinite()) continue;
      way.times.push_back(t);
      way.p_W.push_back(p_W);
    }
    if (way.times.empty())
      throw InputError(
          fmt::format("'{}' of {} has no finite place in the time that is shown", name, run.name));
    return way;
  }

  // a mark on each way at the time that a column says
  Json marks_of(const FigureContext& context, FigureView view, const std::vector<Way>& ways) const {
    Json marks = Json::array();
    for (const std::string& event : config_.events)
      for (const Way& way : ways) {
        const double time = column_of_run(context, *way.run, event);
        const auto after = std::ranges::lower_bound(way.times, time);
        if (!std::isfinite(time) || after == way.times.end() || time < way.times.front()) continue;
        const auto i = static_cast<std::size_t>(after - way.times.begin());
        const Eigen::Vector2d p = on_paper(view, way.p_W[i]);
        marks.push_back({{"x", p.x()},
                         {"y", p.y()},
                         {"event", event},
                         {"run", way.run->name},
                         {"path", way.path},
                         {"cell", way.run->cell}});
      }
    return marks;
  }

  Json view_of(const FigureContext& context, FigureView view, const std::vector<Way>& ways,
               const std::vector<ShownRun>& runs) const {
    FigureExtent wide, high;
    Json lines = Json::array(), ends = Json::array();
    for (std::size_t w = 0; w < ways.size(); ++w) {
      const Way& way = ways[w];
      const std::size_t every = way.p_W.size() / 600 + 1;
      for (std::size_t i = 0; i < way.p_W.size(); ++i) {
        if (i % every != 0 && i + 1 != way.p_W.size()) continue;
        const Eigen::Vector2d p = on_paper(view, way.p_W[i]);
        wide.add(p.x());
        high.add(p.y());
        Json row = {{"x", p.x()},           {"y", p.y()},           {"way", w},
                    {"time", way.times[i]}, {"run", way.run->name}, {"cell", way.run->cell},
                    {"path", way.path}};
        if (i == 0) ends.push_back(row);
        lines.push_back(std::move(row));
      }
    }
    Json edges = edges_on_paper(view, config_.boxes, wide, high);
    const auto titles = paper_axes(view, "mm");
    Json x = quantity("x", titles[0]), y = quantity("y", titles[1]);
    if (titles[0].empty()) x["axis"] = y["axis"] = nullptr;
    Json spec = {{"title", fmt::format("from {}",
                                       view == FigureView::kFront ? "the front" : name_of(view))}};
    if (view == FigureView::kSlanted) spec["title"] = "slanted";
    equal_axes(wide, high, 360.0, x, y, spec);
    const std::vector<std::string> cells = cells_of(runs);
    std::vector<std::string> paths;
    for (const auto& [path, series] : config_.paths) paths.push_back(path);
    Json encoding = {
        {"x", x},
        {"y", y},
        {"detail", {{"field", "way"}}},
        {"order", {{"field", "time"}}},
        {"tooltip", tooltip({{"run", "run"}, {"path", "path"}, {"time", "time [s]"}})}};
    Json colour = category("path", paths);
    if (cells.size() > 1) {
      colour = cell_colours(context.outcome.results, cells);
      if (paths.size() > 1) encoding["strokeDash"] = category("path", paths);
    } else if (paths.size() == 1) {
      colour["legend"] = nullptr;
    }
    encoding["color"] = colour;
    Json layers = Json::array();
    if (!edges.empty()) layers.push_back(edges_layer(std::move(edges), x, y));
    layers.push_back({{"data", {{"values", std::move(lines)}}},
                      {"mark", {{"type", "line"}, {"strokeWidth", 1.6}, {"clip", true}}},
                      {"encoding", encoding}});
    layers.push_back({{"data", {{"values", std::move(ends)}}},
                      {"mark", {{"type", "point"}, {"size", 40}, {"filled", true}, {"opacity", 1}}},
                      {"encoding",
                       {{"x", x},
                        {"y", y},
                        {"color", colour},
                        {"tooltip", tooltip({{"run", "begin of"}, {"path", "path"}})}}}});
    Json marks = marks_of(context, view, ways);
    if (!marks.empty()) {
      std::vector<std::string> events = config_.events;
      layers.push_back(
          {{"data", {{"values", std::move(marks)}}},
           {"mark",
            {{"type", "point"},
             {"size", 70},
             {"opacity", 1},
             {"strokeWidth", 1.6},
             {"color", "var(--fig-ink)"}}},
           {"encoding",
            {{"x", x},
             {"y", y},
             {"shape", category("event", events)},
             {"tooltip", tooltip({{"event", "event"}, {"run", "run"}, {"path", "path"}})}}}});
    }
    spec["layer"] = std::move(layers);
    return spec;
  }

  PathConfig config_;
};

}  // namespace

void register_path_figure(FigureRegistry& registry) {
  using C = PathConfig;
  const auto schema =
      figure_object<C>("Path")
          .required("paths", &C::paths, dictionary(text()),
                    "by name: the series whose elements [0], [1], [2] are a place in the world")
          .optional("views", &C::views, list(figure_view_schema()).min_size(1),
                    "a panel each; left out: above, beside, slanted")
          .optional("runs", &C::runs, list(figure_run_schema()).min_size(1),
                    "else the first of each cell")
          .optional("log", &C::log, text(), "a log of the study in place of runs")
          .optional("events", &C::events, list(text()), "columns in s: a mark where it was then")
          .optional("boxes", &C::boxes, list(figure_box_schema()),
                    "what stands around, by its edges")
          .optional("from", &C::from, number("s"))
          .optional("to", &C::to, number("s"));
  registry.add("path", schema, "ways in space from above, beside, the front and slanted",
               [](const C& config) { return std::make_unique<PathFigure>(config); });
}

}  // namespace handspan
