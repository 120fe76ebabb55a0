#include "study/figure_bars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "core/error.hpp"
#include "study/figure_rows.hpp"
#include "study/figure_theme.hpp"
#include "study/study_outcome.hpp"

namespace handspan {
namespace {

using Json = nlohmann::json;

enum class Whiskers { kDeviation, kInterval, kNone };

struct StarPair {
  std::string cell, against;
};

struct BarsConfig : FigureConfig {
  std::vector<std::string> of;
  StatisticKind statistic = StatisticKind::kMean;
  Whiskers whiskers = Whiskers::kDeviation;
  std::vector<StarPair> stars;
};

// Of two means being equal, by Welch's t with the degrees of freedom of Welch and Satterthwaite,
// two-sided; NaN: too few samples.
double welch_p(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 2 || b.size() < 2) return NAN;
  const auto part = [](const std::vector<double>& x) {
    const double s = estimate(StatisticKind::kDeviation, x).value;
    return s * s / static_cast<double>(x.size());
  };
  const double va = part(a), vb = part(b);
  const double difference =
      estimate(StatisticKind::kMean, a).value - estimate(StatisticKind::kMean, b).value;
  if (va + vb <= 0.0) return difference == 0.0 ? 1.0 : 0.0;
  const double degrees =
      (va + vb) * (va + vb) /
      (va * va / static_cast<double>(a.size() - 1) + vb * vb / static_cast<double>(b.size() - 1));
  const double t = std::abs(difference) / std::sqrt(va + vb);
  return 2.0 * boost::math::cdf(boost::math::complement(boost::math::students_t(degrees), t));
}

const char* stars_of(double p) {
  if (std::isnan(p)) return "?";
  if (p < 0.001) return "***";
  if (p < 0.01) return "**";
  return p < 0.05 ? "*" : "n.s.";
}

struct Bar {
  std::size_t cell = 0;
  double value = NAN, low = NAN, high = NAN;
  std::size_t n = 0;
  double top() const { return std::isfinite(high) ? std::max(high, value) : value; }
};

class BarsFigure : public StudyFigure {
 public:
  explicit BarsFigure(const BarsConfig& config) : config_(config) {}

  const FigureConfig& config() const override { return config_; }
  std::vector<FigureName> names() const override {
    auto names = column_names_of("of", config_.of);
    for (std::size_t s = 0; s < config_.stars.size(); ++s) {
      names.push_back(
          {FigureName::Kind::kCell, fmt::format("stars[{}].cell", s), config_.stars[s].cell});
      names.push_back(
          {FigureName::Kind::kCell, fmt::format("stars[{}].against", s), config_.stars[s].against});
    }
    return names;
  }

  Drawing draw(const FigureContext& context) const override {
    Drawing drawing;
    drawing.csv = "column,statistic,cell,n,value,low,high\n";
    std::vector<Json> views;
    for (const std::string& column : config_.of) {
      const FigureRows rows = rows_of(context, {column}, config_.cells);
      if (!rows.note().empty()) drawing.note += column + ": " + rows.note() + " ";
      views.push_back(view_of(context, rows, drawing));
    }
    if (config_.whiskers == Whiskers::kDeviation && config_.statistic == StatisticKind::kMean)
      drawing.note += "Whiskers: one standard deviation. ";
    else if (config_.whiskers != Whiskers::kNone)
      drawing.note += "Whiskers: intervals at 95 %. ";
    if (!config_.stars.empty())
      drawing.note += "Welch's t of the means: *** p < 0.001, ** p < 0.01, * p < 0.05.";
    drawing.spec = panels(std::move(views));
    return drawing;
  }

 private:
  std::vector<Bar> bars_of(const FigureRows& rows) const {
    std::vector<Bar> bars;
    for (std::size_t c = 0; c < rows.cells.size(); ++c) {
      const auto x = rows.samples(0, c);
      if (x.empty()) continue;
      const Estimate e = estimate(config_.statistic, x);
      Bar bar{c, e.value, NAN, NAN, x.size()};
      if (config_.whiskers == Whiskers::kDeviation && config_.statistic == StatisticKind::kMean) {
        const double s = estimate(StatisticKind::kDeviation, x).value;
        bar.low = e.value - s;
        bar.high = e.value + s;
      } else if (config_.whiskers != Whiskers::kNone && std::isfinite(e.lower) &&
                 std::isfinite(e.upper)) {
        bar.low = e.lower;
        bar.high = e.upper;
      }
      bars.push_back(bar);
    }
    return bars;
  }

  // brackets over pairs of bars, one above the other
  void add_stars(const FigureRows& rows, const std::vector<Bar>& bars, Json& lines,
                 Json& words) const {
    double top = 0.0, low = 0.0;
    for (const Bar& bar : bars) {
      top = std::max(top, bar.top());
      low = std::min({low, bar.value, std::isfinite(bar.low) ? bar.low : bar.value});
    }
    const double step = 0.09 * (top - low > 0.0 ? top - low : 1.0);
    double at = top + step;
    for (std::size_t s = 0; s < config_.stars.size(); ++s) {
      const auto place = [&](const std::string& cell) {
        return static_cast<std::size_t>(std::ranges::find(rows.cells, cell) - rows.cells.begin());
      };
      const std::size_t a = place(config_.stars[s].cell), b = place(config_.stars[s].against);
      if (a == rows.cells.size() || b == rows.cells.size()) continue;
      const double p = welch_p(rows.samples(0, a), rows.samples(0, b));
      for (const auto& [cell, y] :
           {std::pair{a, at - 0.3 * step}, {a, at}, {b, at}, {b, at - 0.3 * step}})
        lines.push_back({{"cell", rows.cells[cell]}, {"y", y}, {"i", lines.size()}, {"pair", s}});
      words.push_back({{"cell", rows.cells[std::min(a, b)]},
                       {"bars_on", a < b ? b - a : a - b},
                       {"y", at},
                       {"text", stars_of(p)},
                       {"p", std::isfinite(p) ? Json(p) : Json(nullptr)}});
      at += 1.2 * step;
    }
  }

  // over the middle of its bracket, which a scale by name has no value for
  static Json word_of(const Json& word, const Json& x, const Json& y, double bar_width) {
    return {{"data", {{"values", Json::array({word})}}},
            {"mark",
             {{"type", "text"},
              {"baseline", "bottom"},
              {"dx", 0.5 * bar_width * word["bars_on"].get<double>()},
              {"dy", -1}}},
            {"encoding",
             {{"x", x},
              {"y", y},
              {"text", {{"field", "text"}}},
              {"tooltip", tooltip({{"text", "stars"}, {"p", "p"}})}}}};
  }

  Json view_of(const FigureContext& context, const FigureRows& rows, Drawing& drawing) const {
    const std::vector<Bar> bars = bars_of(rows);
    const bool counted =
        config_.statistic == StatisticKind::kShare || config_.statistic == StatisticKind::kCount;
    const std::string title = fmt::format("{} of {}", name_of(config_.statistic),
                                          counted ? rows.columns[0] : rows.titles[0]);
    Json values = Json::array(), lines = Json::array(), words = Json::array();
    for (const Bar& bar : bars) {
      Json value = {{"cell", rows.cells[bar.cell]}, {"y", bar.value}, {"n", bar.n}};
      drawing.csv +=
          fmt::format("{},{},{},{},{}", csv_cell(counted ? rows.columns[0] : rows.titles[0]),
                      name_of(config_.statistic), csv_cell(rows.cells[bar.cell]), bar.n, bar.value);
      if (std::isfinite(bar.low)) {
        value["low"] = bar.low;
        value["high"] = bar.high;
        drawing.csv += fmt::format(",{},{}\n", bar.low, bar.high);
      } else {
        drawing.csv += ",,\n";
      }
      values.push_back(std::move(value));
    }
    add_stars(rows, bars, lines, words);
    const Json x = category("cell", rows.cells);
    const Json y = quantity("y", title, true);
    Json colour = cell_colours(context.outcome.results, rows.cells);
    colour["legend"] = nullptr;
    const auto cells = static_cast<double>(rows.cells.size());
    const double width = std::clamp(56.0 * cells, 160.0, 440.0);
    Json layers = Json::array();
    layers.push_back({{"data", {{"values", values}}},
                      {"mark", {{"type", "bar"}, {"width", {{"band", 0.62}}}, {"opacity", 0.85}}},
                      {"encoding",
                       {{"x", x},
                        {"y", y},
                        {"color", colour},
                        {"tooltip", tooltip({{"cell", "cell"},
                                             {"n", "runs"},
                                             {"y", title},
                                             {"low", "from"},
                                             {"high", "to"}})}}}});
    Json low = quantity("low", title, true);
    layers.push_back(
        {{"data", {{"values", values}}},
         {"transform", {{{"filter", "isValid(datum.low)"}}}},
         {"mark", {{"type", "rule"}, {"strokeWidth", 1.4}, {"color", "var(--fig-ink)"}}},
         {"encoding", {{"x", x}, {"y", low}, {"y2", {{"field", "high"}}}}}});
    if (!lines.empty()) {
      layers.push_back(
          {{"data", {{"values", lines}}},
           {"mark", {{"type", "line"}, {"strokeWidth", 1}, {"color", "var(--fig-soft)"}}},
           {"encoding",
            {{"x", x}, {"y", y}, {"order", {{"field", "i"}}}, {"detail", {{"field", "pair"}}}}}});
      for (const Json& word : words) layers.push_back(word_of(word, x, y, width / cells));
    }
    return {{"width", width}, {"height", 220}, {"layer", std::move(layers)}};
  }

  BarsConfig config_;
};

}  // namespace

void register_bars_figure(FigureRegistry& registry) {
  using C = BarsConfig;
  const auto pair = object<StarPair>("Stars", "two cells whose means are compared")
                        .required("cell", &StarPair::cell, text())
                        .required("against", &StarPair::against, text());
  const auto schema =
      figure_object<C>("Bars")
          .required("of", &C::of, list(text()).min_size(1), "columns: a panel each")
          .optional("statistic", &C::statistic, statistic_kind_schema())
          .optional("whiskers", &C::whiskers,
                    choice<Whiskers>({{"deviation", Whiskers::kDeviation},
                                      {"interval", Whiskers::kInterval},
                                      {"none", Whiskers::kNone}}),
                    "deviation is of means; of another statistic it is the interval")
          .optional("stars", &C::stars, list(pair), "where means differ, by Welch's t")
          .check([](const C& c) -> std::optional<Fault> {
            if (c.stars.empty() || c.statistic == StatisticKind::kMean) return std::nullopt;
            return Fault{"compare means, and the bars are of another statistic",
                         "take them away, or take statistic: mean", "stars"};
          });
  registry.add("bars", schema, "a panel for each column, a bar for each cell",
               [](const C& config) { return std::make_unique<BarsFigure>(config); });
}

}  // namespace handspan
