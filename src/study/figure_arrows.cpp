#include "study/figure_arrows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "study/figure_rows.hpp"
#include "study/figure_views.hpp"
#include "study/study_outcome.hpp"

namespace handspan {
namespace {

using Json = nlohmann::json;

// A column, or a number that is the same in all runs.
struct ArrowNumber {
  std::string column;  // "": the number
  double number = 0.0;
};

struct Arrow {
  std::string name;
  std::vector<ArrowNumber> at, vector;  // three each, in the body's frame
};

struct ArrowsConfig : FigureConfig {
  Eigen::Vector3d body = Eigen::Vector3d::Zero();  // its size [m]
  std::vector<std::pair<std::string, Arrow>> arrows;
  std::vector<FigureView> views = {FigureView::kSlanted};
  double longest = 0.1;  // how long the longest arrow is on the body [m]
  bool mean = true;
};

Schema<ArrowNumber> arrow_number_schema() {
  return text().map([](const std::string& written) {
    ArrowNumber number;
    if (const auto value = parse_number_with_unit(written))
      number.number = value->value;
    else
      number.column = written;
    return number;
  });
}

// One arrow as it is drawn.
struct DrawnArrow {
  std::string name, cell, run;
  Eigen::Vector3d at, vector;  // [mm], and in the vector's shown unit
};

class ArrowsFigure : public StudyFigure {
 public:
  explicit ArrowsFigure(const ArrowsConfig& config) : config_(config) {}

  const FigureConfig& config() const override { return config_; }
  std::vector<FigureName> names() const override {
    std::vector<FigureName> names;
    for (const auto& [name, arrow] : config_.arrows)
      for (const auto& [key, numbers] : {std::pair{"at", &arrow.at}, {"vector", &arrow.vector}})
        for (std::size_t k = 0; k < numbers->size(); ++k)
          if (!(*numbers)[k].column.empty())
            names.push_back({FigureName::Kind::kColumn,
                             fmt::format("arrows.{}.{}[{}]", name, key, k), (*numbers)[k].column});
    return names;
  }

  Drawing draw(const FigureContext& context) const override {
    Drawing drawing;
    drawing.csv = "arrow,cell,run,at x [mm],at y [mm],at z [mm],x,y,z\n";
    std::vector<DrawnArrow> arrows;
    std::vector<std::string> cells;
    std::string unit;
    for (const auto& [name, arrow] : config_.arrows) {
      add(context, name, arrow, arrows, cells, drawing);
      for (const ArrowNumber& number : arrow.vector)
        if (!number.column.empty())
          unit = shown_unit(context.outcome.results.unit(number.column)).unit;
    }
    double most = 0.0;
    for (const DrawnArrow& arrow : arrows) {
      most = std::max(most, arrow.vector.norm());
      drawing.csv +=
          fmt::format("{},{},{},{},{},{},{},{},{}\n", csv_cell(arrow.name), csv_cell(arrow.cell),
                      arrow.run, arrow.at.x(), arrow.at.y(), arrow.at.z(), arrow.vector.x(),
                      arrow.vector.y(), arrow.vector.z());
    }
    if (most <= 0.0) throw InputError("all of its arrows have length 0");
    drawing.note +=
        fmt::format("The longest arrow is {:.3g}{}{}.", most, unit.empty() ? "" : " ", unit);
    std::vector<Json> views;
    for (const FigureView view : config_.views)
      views.push_back(view_of(context, view, arrows, cells, 1000.0 * config_.longest / most));
    drawing.spec = panels(std::move(views));
    return drawing;
  }

 private:
  // an arrow for each run, or for each cell its mean
  void add(const FigureContext& context, const std::string& name, const Arrow& arrow,
           std::vector<DrawnArrow>& arrows, std::vector<std::string>& cells,
           Drawing& drawing) const {
    std::vector<std::string> columns;
    for (const auto* numbers : {&arrow.at, &arrow.vector})
      for (const ArrowNumber& number : *numbers)
        if (!number.column.empty()) columns.push_back(number.column);
    if (columns.empty()) throw InputError(fmt::format("the arrow {} has no column", name));
    const FigureRows rows = rows_of(context, columns, config_.cells);
    if (!rows.note().empty()) drawing.note += name + ": " + rows.note() + " ";
    for (const std::string& cell : rows.cells)
      if (std::ranges::count(cells, cell) == 0) cells.push_back(cell);
    const auto made = [&](const std::vector<double>& values, std::size_t cell,
                          const std::string& run) {
      DrawnArrow drawn{name, rows.cells[cell], run, {}, {}};
      std::size_t i = 0;
      for (int k = 0; k < 3; ++k) {
        const ArrowNumber& number = arrow.at[static_cast<std::size_t>(k)];
        drawn.at[k] = number.column.empty() ? 1000.0 * number.number : values[i++];
      }
      for (int k = 0; k < 3; ++k) {
        const ArrowNumber& number = arrow.vector[static_cast<std::size_t>(k)];
        drawn.vector[k] = number.column.empty() ? number.number : values[i++];
      }
      arrows.push_back(drawn);
    };
    if (!config_.mean) {
      for (const FigureRow& row : rows.rows) made(row.values, row.cell, std::to_string(row.run));
      return;
    }
    for (std::size_t c = 0; c < rows.cells.size(); ++c) {
      std::vector<double> means;
      for (std::size_t k = 0; k < columns.size(); ++k)
        means.push_back(estimate(StatisticKind::kMean, rows.samples(k, c)).value);
      if (std::ranges::all_of(means, [](double x) { return std::isfinite(x); }))
        made(means, c, "mean");
    }
  }

  Json view_of(const FigureContext& context, FigureView view, const std::vector<DrawnArrow>& arrows,
               const std::vector<std::string>& cells, double scale) const {
    FigureExtent wide, high;
    FigureBox body;
    body.size = config_.body;
    Json edges = edges_on_paper(view, {body}, wide, high);
    Json lines = Json::array(), words = Json::array();
    for (std::size_t a = 0; a < arrows.size(); ++a) {
      const DrawnArrow& arrow = arrows[a];
      const Eigen::Vector2d from = on_paper(view, arrow.at);
      const Eigen::Vector2d to = on_paper(view, arrow.at + scale * arrow.vector);
      const Eigen::Vector2d along = to - from;
      const Eigen::Vector2d back = -0.18 * along;
      const Eigen::Vector2d aside = 0.35 * Eigen::Vector2d(-back.y(), back.x());
      const Eigen::Vector2d corners[] = {from, to, to + back + aside, to + back - aside, to};
      for (int i = 0; i < 5; ++i) {
        wide.add(corners[i].x());
        high.add(corners[i].y());
        lines.push_back({{"x", corners[i].x()},
                         {"y", corners[i].y()},
                         {"i", i},
                         {"arrow", a},
                         {"cell", arrow.cell},
                         {"name", arrow.name},
                         {"run", arrow.run},
                         {"length", arrow.vector.norm()}});
      }
      if (config_.mean)
        words.push_back({{"x", to.x()}, {"y", to.y()}, {"name", arrow.name}, {"cell", arrow.cell}});
    }
    const auto titles = paper_axes(view, "mm");
    Json x = quantity("x", titles[0]), y = quantity("y", titles[1]), spec = Json::object();
    if (titles[0].empty()) x["axis"] = y["axis"] = nullptr;
    equal_axes(wide, high, 360.0, x, y, spec);
    const Json colour = cell_colours(context.outcome.results, cells);
    Json layers = Json::array();
    layers.push_back(edges_layer(std::move(edges), x, y));
    layers.push_back(
        {{"data", {{"values", std::move(lines)}}},
         {"mark", {{"type", "line"}, {"strokeWidth", 1.6}, {"opacity", config_.mean ? 1.0 : 0.5}}},
         {"encoding",
          {{"x", x},
           {"y", y},
           {"color", colour},
           {"detail", {{"field", "arrow"}}},
           {"order", {{"field", "i"}}},
           {"tooltip",
            tooltip(
                {{"name", "arrow"}, {"cell", "cell"}, {"run", "run"}, {"length", "length"}})}}}});
    layers.push_back(
        {{"data", {{"values", std::move(words)}}},
         {"mark", {{"type", "text"}, {"align", "left"}, {"dx", 5}, {"dy", -5}}},
         {"encoding", {{"x", x}, {"y", y}, {"text", {{"field", "name"}}}, {"color", colour}}}});
    spec["layer"] = std::move(layers);
    return spec;
  }

  ArrowsConfig config_;
};

}  // namespace

void register_arrows_figure(FigureRegistry& registry) {
  using C = ArrowsConfig;
  const auto arrow = object<Arrow>("Arrow", "from a place on the body")
                         .required("at", &Arrow::at, list(arrow_number_schema()).size(3),
                                   "x, y, z in the body: columns, or numbers in m")
                         .required("vector", &Arrow::vector, list(arrow_number_schema()).size(3),
                                   "x, y, z in the body: columns, or numbers");
  const auto schema =
      figure_object<C>("Arrows")
          .required("body", &C::body, vector<3>("m"), "the size of the box; its middle is 0")
          .required("arrows", &C::arrows, dictionary(arrow), "by name")
          .optional("views", &C::views, list(figure_view_schema()).min_size(1), "a panel each")
          .optional("longest", &C::longest, number("m").above(0), "the longest arrow, on the body")
          .optional("mean", &C::mean, boolean(), "of each cell; false: an arrow for each run");
  registry.add("arrows", schema, "arrows on a box, such as forces where it is held",
               [](const C& config) { return std::make_unique<ArrowsFigure>(config); });
}

}  // namespace handspan
