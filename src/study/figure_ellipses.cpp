#include "study/figure_ellipses.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <boost/math/distributions/chi_squared.hpp>
#include <numbers>

#include "study/figure_rows.hpp"
#include "study/figure_theme.hpp"
#include "study/study_outcome.hpp"

namespace handspan {
namespace {

using Json = nlohmann::json;

// Where something should be: a rectangle in the columns' units.
struct TargetArea {
  Eigen::Vector2d middle = Eigen::Vector2d::Zero(), size = Eigen::Vector2d::Zero();  // SI
  std::string text;
};

struct EllipsesConfig : FigureConfig {
  std::string x, y;
  double level = 0.95;
  bool equal = true;
  std::vector<TargetArea> areas;
};

constexpr int kCorners = 72;  // of an ellipse

// The ellipse that has `level` of a normal distribution with the mean and covariance of the
// samples: (p - m)^T S^-1 (p - m) = the quantile of chi-square with two degrees of freedom.
std::vector<Eigen::Vector2d> ellipse(const std::vector<double>& x, const std::vector<double>& y,
                                     double level) {
  const auto n = static_cast<Eigen::Index>(x.size());
  Eigen::MatrixX2d p(n, 2);
  p.col(0) = Eigen::Map<const Eigen::VectorXd>(x.data(), n);
  p.col(1) = Eigen::Map<const Eigen::VectorXd>(y.data(), n);
  const Eigen::RowVector2d mean = p.colwise().mean();
  p.rowwise() -= mean;
  const Eigen::Matrix2d covariance = p.transpose() * p / static_cast<double>(n - 1);
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> axes(covariance);
  const double radius = std::sqrt(boost::math::quantile(boost::math::chi_squared(2.0), level));
  const Eigen::Matrix2d shape =
      axes.eigenvectors() * axes.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal();
  std::vector<Eigen::Vector2d> corners;
  for (int i = 0; i <= kCorners; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / kCorners;
    corners.emplace_back(mean.transpose() +
                         radius * (shape * Eigen::Vector2d(std::cos(angle), std::sin(angle))));
  }
  return corners;
}

class EllipsesFigure : public StudyFigure {
 public:
  explicit EllipsesFigure(const EllipsesConfig& config) : config_(config) {}

  const FigureConfig& config() const override { return config_; }
  std::vector<FigureName> names() const override {
    return {{FigureName::Kind::kColumn, "x", config_.x},
            {FigureName::Kind::kColumn, "y", config_.y}};
  }

  Drawing draw(const FigureContext& context) const override {
    const FigureRows rows = rows_of(context, {config_.x, config_.y}, config_.cells);
    const Results& results = context.outcome.results;
    const bool single = rows.rows.size() <= kMostRows;
    FigureExtent wide, high;
    Json points = Json::array(), lines = Json::array(), middles = Json::array();
    for (const FigureRow& row : rows.rows) {
      wide.add(row.values[0]);
      high.add(row.values[1]);
      if (single)
        points.push_back({{"cell", rows.cells[row.cell]},
                          {"x", row.values[0]},
                          {"y", row.values[1]},
                          {"run", row.run},
                          {"seed", row.seed},
                          {"good", row.good}});
    }
    for (std::size_t c = 0; c < rows.cells.size(); ++c) {
      const auto x = rows.samples(0, c), y = rows.samples(1, c);
      if (x.empty()) continue;
      const Estimate mean_x = estimate(StatisticKind::kMean, x);
      const Estimate mean_y = estimate(StatisticKind::kMean, y);
      middles.push_back(
          {{"cell", rows.cells[c]}, {"x", mean_x.value}, {"y", mean_y.value}, {"n", x.size()}});
      if (x.size() < 3) continue;
      const auto corners = ellipse(x, y, config_.level);
      for (std::size_t i = 0; i < corners.size(); ++i) {
        wide.add(corners[i].x());
        high.add(corners[i].y());
        lines.push_back(
            {{"cell", rows.cells[c]}, {"x", corners[i].x()}, {"y", corners[i].y()}, {"i", i}});
      }
    }
    const Json areas = areas_of(context, wide, high);
    Drawing drawing;
    drawing.csv = rows_csv(rows);
    drawing.note = rows.note();
    if (!single)
      drawing.note += fmt::format(" {} runs are shown by their ellipses alone.", rows.rows.size());
    drawing.spec = spec_of(rows, results, wide, high, points, lines, middles, areas);
    return drawing;
  }

 private:
  // in shown units
  Json areas_of(const FigureContext& context, FigureExtent& wide, FigureExtent& high) const {
    const double fx = shown_unit(context.outcome.results.unit(config_.x)).factor;
    const double fy = shown_unit(context.outcome.results.unit(config_.y)).factor;
    Json areas = Json::array();
    for (const TargetArea& area : config_.areas) {
      const Eigen::Vector2d low = area.middle - 0.5 * area.size,
                            top = area.middle + 0.5 * area.size;
      areas.push_back({{"x", fx * low.x()},
                       {"x2", fx * top.x()},
                       {"y", fy * low.y()},
                       {"y2", fy * top.y()},
                       {"text", area.text}});
      for (const Eigen::Vector2d& corner : {low, top}) {
        wide.add(fx * corner.x());
        high.add(fy * corner.y());
      }
    }
    return areas;
  }

  Json spec_of(const FigureRows& rows, const Results& results, const FigureExtent& wide,
               const FigureExtent& high, const Json& points, const Json& lines, const Json& middles,
               const Json& areas) const {
    Json x = quantity("x", rows.titles[0]), y = quantity("y", rows.titles[1]);
    Json spec = {{"width", 420}, {"height", 300}};
    if (config_.equal && rows.units[0] == rows.units[1]) equal_axes(wide, high, 440.0, x, y, spec);
    const Json colour = cell_colours(results, rows.cells);
    Json layers = Json::array();
    if (!areas.empty()) {
      layers.push_back(
          {{"data", {{"values", areas}}},
           {"mark",
            {{"type", "rect"},
             {"fillOpacity", 0.0},
             {"stroke", "var(--fig-soft)"},
             {"strokeDash", {4, 3}}}},
           {"encoding",
            {{"x", x}, {"y", y}, {"x2", {{"field", "x2"}}}, {"y2", {{"field", "y2"}}}}}});
      layers.push_back({{"data", {{"values", areas}}},
                        {"mark",
                         {{"type", "text"},
                          {"align", "left"},
                          {"baseline", "bottom"},
                          {"dx", 3},
                          {"dy", -2},
                          {"color", "var(--fig-soft)"}}},
                        {"encoding", {{"x", x}, {"y", y}, {"text", {{"field", "text"}}}}}});
    }
    Json shown = x;
    Json point = {
        {"data", {{"values", points}}},
        {"mark", {{"type", "point"}, {"size", 34}, {"strokeWidth", 1.4}, {"opacity", 0.8}}},
        {"params", zoom_params()},
        {"encoding",
         {{"x", x},
          {"y", y},
          {"color", colour},
          {"fill", filled_if_good(colour)},
          {"tooltip", tooltip({{"run", "run"},
                               {"seed", "seed"},
                               {"cell", "cell"},
                               {"x", rows.titles[0]},
                               {"y", rows.titles[1]}})}}}};
    layers.push_back(std::move(point));
    layers.push_back(
        {{"data", {{"values", lines}}},
         {"mark", {{"type", "line"}, {"strokeWidth", 1.8}}},
         {"encoding", {{"x", x}, {"y", y}, {"color", colour}, {"order", {{"field", "i"}}}}}});
    layers.push_back({{"data", {{"values", middles}}},
                      {"mark",
                       {{"type", "point"},
                        {"shape", "cross"},
                        {"filled", true},
                        {"size", 90},
                        {"opacity", 1},
                        {"stroke", "var(--fig-paper)"},
                        {"strokeWidth", 1}}},
                      {"encoding",
                       {{"x", x},
                        {"y", y},
                        {"color", colour},
                        {"tooltip", tooltip({{"cell", "mean of"},
                                             {"n", "runs"},
                                             {"x", rows.titles[0]},
                                             {"y", rows.titles[1]}})}}}});
    spec["layer"] = std::move(layers);
    return spec;
  }

  EllipsesConfig config_;
};

}  // namespace

void register_ellipses_figure(FigureRegistry& registry) {
  using C = EllipsesConfig;
  const auto area = object<TargetArea>("Area", "a rectangle that is drawn with the runs")
                        .required("middle", &TargetArea::middle, vector<2>("m"), "x and y")
                        .required("size", &TargetArea::size, vector<2>("m"), "along x and y")
                        .optional("text", &TargetArea::text, text(), "in its corner");
  const auto schema =
      figure_object<C>("Ellipses")
          .required("x", &C::x, text(), "a column or a variation")
          .required("y", &C::y, text(), "likewise")
          .optional("level", &C::level, number().above(0).below(1),
                    "of the normal distribution, that is in an ellipse")
          .optional("equal", &C::equal, boolean(), "one scale for x and y when they have one unit")
          .optional("areas", &C::areas, list(area), "such as a target");
  registry.add("ellipses", schema,
               "each run as a point, each cell's mean and the ellipse of its covariance",
               [](const C& config) { return std::make_unique<EllipsesFigure>(config); });
}

}  // namespace handspan
