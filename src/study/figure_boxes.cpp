#include "study/figure_boxes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "study/figure_rows.hpp"
#include "study/figure_theme.hpp"
#include "study/study_outcome.hpp"

namespace handspan {
namespace {

using Json = nlohmann::json;

// single runs are drawn when no more than these are in a panel
constexpr std::size_t kMostPoints = 400;
constexpr double kHalf = 0.28;  // the width of a box, cells being 1 apart

struct BoxesConfig : FigureConfig {
  std::vector<std::string> of;
  bool points = true;
};

// Quartiles, and whiskers to the last samples within 1.5 of their distance (Tukey 1977).
Json box_of(std::vector<double> x) {
  const auto at = [&](double p) { return estimate(StatisticKind::kQuantile, x, p).value; };
  const double q1 = at(0.25), middle = at(0.5), q3 = at(0.75), reach = 1.5 * (q3 - q1);
  double low = q1, high = q3;
  for (const double value : x) {
    if (value >= q1 - reach) low = std::min(low, value);
    if (value <= q3 + reach) high = std::max(high, value);
  }
  return {{"low", low}, {"q1", q1},     {"median", middle},
          {"q3", q3},   {"high", high}, {"n", x.size()}};
}

// -0.25 to 0.25, always the same for the same run (Knuth's multiplicative hash)
double jitter(int run) {
  return (static_cast<double>((static_cast<std::uint32_t>(run) * 2654435761U) >> 22U) / 1023.0 -
          0.5) *
         0.5;
}

class BoxesFigure : public StudyFigure {
 public:
  explicit BoxesFigure(const BoxesConfig& config) : config_(config) {}

  const FigureConfig& config() const override { return config_; }
  std::vector<FigureName> names() const override { return column_names_of("of", config_.of); }

  Drawing draw(const FigureContext& context) const override {
    Drawing drawing;
    std::vector<Json> views;
    drawing.csv = "column,cell,n,low,q1,median,q3,high\n";
    // a run may have one of the columns and not another
    for (const std::string& column : config_.of) {
      const FigureRows rows = rows_of(context, {column}, config_.cells);
      if (config_.of.size() == 1 || rows.left_out > 0)
        drawing.note = rows.note().empty() ? drawing.note : column + ": " + rows.note();
      views.push_back(view_of(context, rows, drawing));
    }
    drawing.spec = panels(std::move(views));
    return drawing;
  }

 private:
  Json view_of(const FigureContext& context, const FigureRows& rows, Drawing& drawing) const {
    Json boxes = Json::array(), points = Json::array();
    for (std::size_t c = 0; c < rows.cells.size(); ++c) {
      const auto x = rows.samples(0, c);
      if (x.empty()) continue;
      Json box = box_of(x);
      box["cell"] = rows.cells[c];
      const double middle = static_cast<double>(c);
      box["at"] = middle;
      box["left"] = middle - kHalf;
      box["right"] = middle + kHalf;
      drawing.csv +=
          fmt::format("{},{},{}", csv_cell(rows.titles[0]), csv_cell(rows.cells[c]), x.size());
      for (const char* key : {"low", "q1", "median", "q3", "high"})
        drawing.csv += fmt::format(",{}", box[key].get<double>());
      drawing.csv += "\n";
      boxes.push_back(std::move(box));
    }
    const bool single = config_.points && rows.rows.size() <= kMostPoints;
    for (const FigureRow& row : rows.rows) {
      const Json& box = *std::ranges::find_if(
          boxes, [&](const Json& b) { return b["cell"] == rows.cells[row.cell]; });
      const double y = row.values[0];
      const bool outside = y < box["low"].get<double>() || y > box["high"].get<double>();
      if (!single && (!outside || points.size() >= kMostPoints)) continue;
      // beside one another the same way in every report
      const double aside = single ? jitter(row.run) : 0.0;
      points.push_back({{"cell", rows.cells[row.cell]},
                        {"y", y},
                        {"at", static_cast<double>(row.cell) + aside},
                        {"run", row.run},
                        {"seed", row.seed},
                        {"good", row.good}});
    }
    return spec_of(context.outcome.results, rows, boxes, points);
  }

  static Json spec_of(const Results& results, const FigureRows& rows, const Json& boxes,
                      const Json& points) {
    // cells are places on a line of numbers, so that runs can stand beside one another
    Json x = quantity("at", "");
    Json places = Json::array();
    for (std::size_t c = 0; c < rows.cells.size(); ++c) places.push_back(c);
    x["scale"] = {{"domain", {-0.5, static_cast<double>(rows.cells.size()) - 0.5}},
                  {"nice", false},
                  {"zero", false}};
    x["axis"] = {{"values", places},      {"labelExpr", Json(rows.cells).dump() + "[datum.value]"},
                 {"grid", false},         {"labelAngle", rows.cells.size() > 3 ? -25 : 0},
                 {"labelOverlap", false}, {"labelLimit", 140}};
    Json left = x;
    left["field"] = "left";
    Json colour = cell_colours(results, rows.cells);
    colour["legend"] = nullptr;
    const std::string& title = rows.titles[0];
    const Json shown = tooltip({{"cell", "cell"},
                                {"n", "runs"},
                                {"median", "median"},
                                {"q1", "quartile"},
                                {"q3", "quartile"},
                                {"low", "low"},
                                {"high", "high"}});
    Json whisker = {{"x", x}, {"y", quantity("low", title)}, {"y2", {{"field", "high"}}}};
    Json box = {{"x", left},
                {"x2", {{"field", "right"}}},
                {"y", quantity("q1", title)},
                {"y2", {{"field", "q3"}}},
                {"stroke", colour},
                {"tooltip", shown}};
    Json median = {{"x", left}, {"x2", {{"field", "right"}}}, {"y", quantity("median", title)}};
    for (Json* encoding : {&whisker, &box, &median}) (*encoding)["color"] = colour;
    const Json values = {{"values", boxes}};
    Json layers = Json::array();
    layers.push_back({{"data", values},
                      {"mark", {{"type", "rule"}, {"strokeWidth", 1.2}}},
                      {"encoding", std::move(whisker)}});
    layers.push_back({{"data", values},
                      {"mark", {{"type", "rect"}, {"fillOpacity", 0.18}, {"strokeWidth", 1.2}}},
                      {"encoding", std::move(box)}});
    layers.push_back({{"data", values},
                      {"mark", {{"type", "rule"}, {"strokeWidth", 2.2}}},
                      {"encoding", std::move(median)}});
    layers.push_back(
        {{"data", {{"values", points}}},
         {"mark", {{"type", "point"}, {"size", 18}, {"strokeWidth", 1.2}, {"opacity", 0.75}}},
         {"encoding",
          {{"x", x},
           {"y", quantity("y", title)},
           {"color", colour},
           {"fill", filled_if_good(colour)},
           {"tooltip",
            tooltip({{"run", "run"}, {"seed", "seed"}, {"cell", "cell"}, {"y", title}})}}}});
    const double width = std::clamp(56.0 * static_cast<double>(rows.cells.size()), 160.0, 440.0);
    return {{"width", width}, {"height", 220}, {"layer", std::move(layers)}};
  }

  BoxesConfig config_;
};

}  // namespace

std::unique_ptr<StudyFigure> boxes_figure(const std::string& column) {
  BoxesConfig config;
  config.of = {column};
  return std::make_unique<BoxesFigure>(config);
}

void register_boxes_figure(FigureRegistry& registry) {
  using C = BoxesConfig;
  const auto schema =
      figure_object<C>("Boxes")
          .required("of", &C::of, list(text()).min_size(1), "columns: a panel each")
          .optional("points", &C::points, boolean(), "each run too, when they are few enough");
  registry.add("boxes", schema,
               "a panel for each column, a box for each cell: quartiles, median, whiskers",
               [](const C& config) { return std::make_unique<BoxesFigure>(config); });
}

}  // namespace handspan
