#include "study/figure_heat_map.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>

#include "study/figure_rows.hpp"
#include "study/figure_theme.hpp"
#include "study/study_outcome.hpp"

namespace handspan {
namespace {

using Json = nlohmann::json;

struct HeatMapConfig : FigureConfig {
  std::string x, y, of;
  StatisticKind statistic = StatisticKind::kMean;
  std::optional<std::int64_t> bins;
  std::optional<Eigen::Vector2d> size;  // of a face, its middle being 0 [m]
};

// Where a value falls: its own place when there are no bins.
struct Bins {
  double low = 0.0, width = 0.0;  // of all; of one: 0 for none
  std::int64_t count = 0;
  double start(double value) const {
    if (count == 0) return value;
    const double i = std::floor((value - low) / width);
    return low + width * std::clamp(i, 0.0, static_cast<double>(count - 1));
  }
};

class HeatMapFigure : public StudyFigure {
 public:
  explicit HeatMapFigure(const HeatMapConfig& config) : config_(config) {}

  const FigureConfig& config() const override { return config_; }
  std::vector<FigureName> names() const override {
    return {{FigureName::Kind::kColumn, "x", config_.x},
            {FigureName::Kind::kColumn, "y", config_.y},
            {FigureName::Kind::kColumn, "of", config_.of}};
  }

  Drawing draw(const FigureContext& context) const override {
    const FigureRows rows = rows_of(context, {config_.x, config_.y, config_.of}, config_.cells);
    const double face = config_.size ? shown_unit("m").factor : 1.0;
    const Bins across = bins_of(rows, 0, face), up = bins_of(rows, 1, face);
    std::map<std::array<double, 3>, std::vector<double>> at;  // by cell, x, y
    for (const FigureRow& row : rows.rows)
      at[{static_cast<double>(row.cell), across.start(row.values[0]), up.start(row.values[1])}]
          .push_back(row.values[2]);
    const bool counted =
        config_.statistic == StatisticKind::kShare || config_.statistic == StatisticKind::kCount;
    const std::string title = fmt::format("{} of {}", name_of(config_.statistic),
                                          counted ? rows.columns[2] : rows.titles[2]);
    Drawing drawing;
    drawing.note = rows.note();
    drawing.csv = fmt::format("cell,{},{},n,{}\n", csv_cell(rows.titles[0]),
                              csv_cell(rows.titles[1]), csv_cell(title));
    std::vector<Json> values(rows.cells.size(), Json::array());
    for (const auto& [key, samples] : at) {
      const double value = estimate(config_.statistic, samples).value;
      const auto cell = static_cast<std::size_t>(key[0]);
      drawing.csv +=
          fmt::format("{},{},{},{},{}\n", csv_cell(rows.cells[cell]), key[1], key[2],
                      samples.size(), std::isfinite(value) ? fmt::format("{}", value) : "");
      if (!std::isfinite(value)) continue;
      values[cell].push_back({{"x", key[1]},
                              {"x2", key[1] + across.width},
                              {"y", key[2]},
                              {"y2", key[2] + up.width},
                              {"value", value},
                              {"n", samples.size()}});
    }
    std::vector<Json> views;
    for (std::size_t c = 0; c < rows.cells.size(); ++c)
      if (!values[c].empty())
        views.push_back(view_of(rows, c, title, std::move(values[c]), across, up));
    drawing.spec = panels(std::move(views));
    return drawing;
  }

 private:
  Bins bins_of(const FigureRows& rows, std::size_t column, double face) const {
    if (!config_.bins) return {};
    FigureExtent extent;
    for (const FigureRow& row : rows.rows) extent.add(row.values[column]);
    if (config_.size) {
      const double half = 0.5 * face * (*config_.size)[static_cast<Eigen::Index>(column)];
      extent.add(-half);
      extent.add(half);
    }
    if (extent.size() <= 0.0) extent = extent.with_room();
    return {extent.low, extent.size() / static_cast<double>(*config_.bins), *config_.bins};
  }

  Json view_of(const FigureRows& rows, std::size_t cell, const std::string& title, Json values,
               const Bins& across, const Bins& up) const {
    Json view = {{"width", 320}, {"height", 260}};
    const bool binned = across.count > 0;
    Json x = quantity("x", rows.titles[0]), y = quantity("y", rows.titles[1]);
    if (!binned) {
      x["type"] = "ordinal";
      y["type"] = "ordinal";
      x.erase("scale");
      y.erase("scale");
      x["axis"] = {{"labelAngle", 0}, {"format", ".4~g"}};
      y["axis"] = {{"format", ".4~g"}};
      y["sort"] = "descending";
    } else {
      x["scale"] = {
          {"domain", {across.low, across.low + across.width * static_cast<double>(across.count)}},
          {"nice", false}};
      y["scale"] = {{"domain", {up.low, up.low + up.width * static_cast<double>(up.count)}},
                    {"nice", false}};
    }
    if (config_.size) {
      FigureExtent wide, high;
      for (const double side : {-0.5, 0.5}) {
        wide.add(side * 1000.0 * config_.size->x());
        high.add(side * 1000.0 * config_.size->y());
      }
      equal_axes(wide, high, 320.0, x, y, view);
    }
    const Json colour = {{"field", "value"},
                         {"type", "quantitative"},
                         {"title", title},
                         {"scale", {{"scheme", "viridis"}, {"zero", false}}},
                         {"legend",
                          {{"orient", "right"},
                           {"gradientLength", 180},
                           {"titleLimit", 260},
                           {"titleOrient", "right"}}}};
    Json encoding = {
        {"x", x},
        {"y", y},
        {"color", colour},
        {"tooltip",
         tooltip({{"x", rows.titles[0]}, {"y", rows.titles[1]}, {"n", "runs"}, {"value", title}})}};
    if (binned) {
      encoding["x2"] = {{"field", "x2"}};
      encoding["y2"] = {{"field", "y2"}};
    }
    Json layers = Json::array();
    layers.push_back({{"data", {{"values", std::move(values)}}},
                      {"mark", {{"type", "rect"}}},
                      {"encoding", encoding}});
    if (config_.size) {
      const double w = 500.0 * config_.size->x(), h = 500.0 * config_.size->y();
      layers.push_back(
          {{"data", {{"values", {{{"x", -w}, {"x2", w}, {"y", -h}, {"y2", h}}}}}},
           {"mark",
            {{"type", "rect"},
             {"fillOpacity", 0.0},
             {"stroke", "var(--fig-ink)"},
             {"strokeWidth", 1.5}}},
           {"encoding",
            {{"x", x}, {"y", y}, {"x2", {{"field", "x2"}}}, {"y2", {{"field", "y2"}}}}}});
    }
    view["layer"] = std::move(layers);
    if (rows.cells.size() > 1) view["title"] = rows.cells[cell];
    return view;
  }

  HeatMapConfig config_;
};

}  // namespace

void register_heat_map_figure(FigureRegistry& registry) {
  using C = HeatMapConfig;
  const auto keys = [](const char* name) {
    return figure_object<C>(name)
        .required("x", &C::x, text(), "a column or a variation")
        .required("y", &C::y, text(), "likewise")
        .required("of", &C::of, text(), "whose statistic is the colour")
        .optional("statistic", &C::statistic, statistic_kind_schema())
        .optional("bins", &C::bins, integer().min(1).max(200),
                  "along each axis; left out: a field for each value");
  };
  registry.add("heat_map", keys("HeatMap"),
               "a panel for each cell: a statistic over two columns as colours",
               [](const C& config) { return std::make_unique<HeatMapFigure>(config); });
  const auto face = keys("FaceMap").required("size", &C::size, vector<2>("m"),
                                             "of the face, whose middle is x = y = 0");
  registry.add("face_map", face, "the same on the face of a body: x and y are places on it",
               [](C config) {
                 if (!config.bins) config.bins = 12;
                 return std::make_unique<HeatMapFigure>(config);
               });
}

}  // namespace handspan
