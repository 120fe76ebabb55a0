#include "study/figure_curve.hpp"

#include <fmt/format.h>

#include <map>

#include "core/error.hpp"
#include "study/figure_rows.hpp"
#include "study/figure_series.hpp"
#include "study/figure_theme.hpp"
#include "study/study_outcome.hpp"

namespace handspan {
namespace {

using Json = nlohmann::json;

struct CurveConfig : FigureConfig {
  std::string x, y;
  std::vector<FigureRun> runs;
  std::string log;
};

class CurveFigure : public StudyFigure {
 public:
  explicit CurveFigure(const CurveConfig& config) : config_(config) {}

  const FigureConfig& config() const override { return config_; }
  std::vector<FigureName> names() const override {
    if (of_rows())
      return {{FigureName::Kind::kColumn, "x", config_.x},
              {FigureName::Kind::kColumn, "y", config_.y}};
    return series_names(config_.runs, config_.log);
  }

  Drawing draw(const FigureContext& context) const override {
    return of_rows() ? of_columns(context) : of_series(context);
  }

 private:
  bool of_rows() const { return config_.runs.empty() && config_.log.empty(); }

  // by cell and value of x: the mean of y, and its deviation where there are several
  Drawing of_columns(const FigureContext& context) const {
    const FigureRows rows = rows_of(context, {config_.x, config_.y}, config_.cells);
    std::map<std::pair<std::size_t, double>, std::vector<double>> at;
    for (const FigureRow& row : rows.rows) at[{row.cell, row.values[0]}].push_back(row.values[1]);
    Drawing drawing;
    drawing.note = rows.note();
    drawing.csv = fmt::format("cell,{},n,mean of {},deviation\n", csv_cell(rows.titles[0]),
                              csv_cell(rows.titles[1]));
    Json values = Json::array();
    bool several = false;
    for (const auto& [key, y] : at) {
      const double mean = estimate(StatisticKind::kMean, y).value;
      const double s = y.size() > 1 ? estimate(StatisticKind::kDeviation, y).value : 0.0;
      several = several || y.size() > 1;
      values.push_back({{"cell", rows.cells[key.first]},
                        {"x", key.second},
                        {"y", mean},
                        {"low", mean - s},
                        {"high", mean + s},
                        {"n", y.size()}});
      drawing.csv += fmt::format("{},{},{},{},{}\n", csv_cell(rows.cells[key.first]), key.second,
                                 y.size(), mean, y.size() > 1 ? fmt::format("{}", s) : "");
    }
    if (several) drawing.note += " Band: one standard deviation.";
    const Json colour = cell_colours(context.outcome.results, rows.cells);
    const Json x = quantity("x", rows.titles[0]), y = quantity("y", rows.titles[1]);
    Json band = quantity("low", rows.titles[1]);
    Json layers = Json::array();
    if (several)
      layers.push_back(
          {{"mark", {{"type", "area"}, {"opacity", 0.18}}},
           {"encoding", {{"x", x}, {"y", band}, {"y2", {{"field", "high"}}}, {"color", colour}}}});
    layers.push_back({{"mark",
                       {{"type", "line"},
                        {"strokeWidth", 1.8},
                        {"point", at.size() <= 200 ? Json{{"size", 28}} : Json(false)}}},
                      {"params", zoom_params()},
                      {"encoding",
                       {{"x", x},
                        {"y", y},
                        {"color", colour},
                        {"tooltip", tooltip({{"cell", "cell"},
                                             {"n", "runs"},
                                             {"x", rows.titles[0]},
                                             {"y", rows.titles[1]}})}}}});
    drawing.spec = {
        {"width", 460}, {"height", 280}, {"data", {{"values", values}}}, {"layer", layers}};
    return drawing;
  }

  Drawing of_series(const FigureContext& context) const {
    Drawing drawing;
    drawing.csv = "cell,run,x,y\n";
    Json values = Json::array();
    std::vector<std::string> shown;
    std::string x_title, y_title;
    for (const ShownRun& run : shown_runs(context, config_.runs, config_.log, config_.cells)) {
      const SeriesOfRun& x = run.series(config_.x);
      const SeriesOfRun& y = run.series(config_.y);
      if (x.values.size() != y.values.size())
        throw InputError(
            fmt::format("of {} '{}' has {} values and '{}' has {}, so that there is no "
                        "curve of one over the other; take series of one rate",
                        run.name, config_.x, x.values.size(), config_.y, y.values.size()));
      x_title = x.title();
      y_title = y.title();
      shown.push_back(run.cell);
      for (const std::size_t i : thinned(y.values)) {
        values.push_back({{"cell", run.cell},
                          {"run", run.name},
                          {"x", x.values[i]},
                          {"y", y.values[i]},
                          {"time", y.times[i]}});
      }
      for (std::size_t i = 0; i < y.values.size(); ++i)
        drawing.csv += fmt::format("{},{},{},{}\n", csv_cell(run.cell), csv_cell(run.name),
                                   x.values[i], y.values[i]);
    }
    std::sort(shown.begin(), shown.end());
    shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
    drawing.spec = {
        {"width", 460},
        {"height", 280},
        {"data", {{"values", values}}},
        {"mark", {{"type", "line"}, {"strokeWidth", 1.6}}},
        {"params", zoom_params()},
        {"encoding",
         {{"x", quantity("x", x_title)},
          {"y", quantity("y", y_title)},
          {"color", cell_colours(context.outcome.results, shown)},
          {"detail", {{"field", "run"}}},
          {"order", {{"field", "time"}}},
          {"tooltip",
           tooltip({{"run", "run"}, {"time", "time [s]"}, {"x", x_title}, {"y", y_title}})}}}};
    return drawing;
  }

  CurveConfig config_;
};

}  // namespace

void register_curve_figure(FigureRegistry& registry) {
  using C = CurveConfig;
  const auto schema =
      figure_object<C>("Curve")
          .required("x", &C::x, text(), "a column or variation; with runs or log a series")
          .required("y", &C::y, text(), "likewise")
          .optional("runs", &C::runs, list(figure_run_schema()).min_size(1),
                    "of whose series: y over x as time goes on")
          .optional("log", &C::log, text(), "of whose channels: a log of the study");
  registry.add("curve", schema,
               "a line for each cell: the mean of y at each x with its deviation, or a series over "
               "another",
               [](const C& config) { return std::make_unique<CurveFigure>(config); });
}

}  // namespace handspan
