#include "study/figure_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/suggest.hpp"
#include "study/figure_boxes.hpp"
#include "study/figure_rows.hpp"
#include "study/figure_theme.hpp"

namespace handspan {
namespace {

using Json = nlohmann::json;

// Names of figures against what the study has.
class FigureNames {
 public:
  FigureNames(const StudyConfig& study, const std::vector<Column>& columns,
              const std::vector<std::string>& cells)
      : study_(study), cells_(cells) {
    results_.columns = columns;
    results_.cells = cells;
    results_.judged = !study.good.empty();
    for (const auto& [name, variation] : study.vary) results_.variations.push_back({name, ""});
    for (const auto& [name, stage] : study.stages) cells_.push_back(name);
    for (const auto& [name, log] : study.logs) logs_.push_back(name);
  }

  // what is wrong, and what to do
  void check(const FigureName& used, const Place& place, const std::string& figure) {
    const std::string key = "figures." + figure + (used.key.empty() ? "" : "." + used.key);
    const auto report = [&](const std::string& cause, const std::string& hint) {
      issues.push_back({place, key, cause, hint});
    };
    switch (used.kind) {
      case FigureName::Kind::kColumn:
        try {
          results_.unit(used.name);
        } catch (const InputError& error) {
          report("cannot be drawn: " + std::string(error.what()), "");
        }
        break;
      case FigureName::Kind::kCell:
        // a stage may name the groups of its runs after itself
        if (std::ranges::none_of(cells_, [&](const std::string& cell) {
              return used.name == cell || (!cell.empty() && used.name.starts_with(cell + "_"));
            }))
          report(fmt::format("is '{}', which is not a cell", shown(used.name)),
                 did_you_mean(used.name, cells_, "there are"));
        break;
      case FigureName::Kind::kLog:
        if (std::ranges::count(logs_, used.name) == 0)
          report(fmt::format("is '{}', which is not a log of the study", shown(used.name)),
                 logs_.empty() ? "add it under logs" : did_you_mean(used.name, logs_, "there are"));
        break;
      case FigureName::Kind::kSeries:
        if (!study_.series)
          report("shows series of runs, and the study keeps none",
                 "add series: {channels: [...]} to the study");
        break;
    }
  }

  std::vector<Issue> issues;

 private:
  const StudyConfig& study_;
  std::vector<std::string> cells_, logs_;
  Results results_;
};

DrawnFigure drawn(const std::string& name, const StudyFigure& figure, const FigureContext& context,
                  const Place& place) {
  DrawnFigure out;
  out.name = name;
  out.title = figure.config().title.empty() ? name : figure.config().title;
  out.doc = figure.config().doc;
  try {
    out.drawing = figure.draw(context);
    if (!out.drawing.spec.is_null()) out.drawing.spec = themed(std::move(out.drawing.spec));
  } catch (const InputError& error) {
    out.problem = ConfigError({{place, "figures." + name,
                                "cannot be drawn: " + std::string(error.what()), ""}})
                      .what();
  }
  return out;
}

// what is the same in all runs but for rounding is in the table
bool varies(const Results& results, std::size_t column) {
  FigureExtent extent;
  for (const RunRecord& run : results.runs)
    if (run.failure.empty()) extent.add(run.values[column]);
  return extent.any && extent.size() > 1e-9 * std::max(std::abs(extent.low), std::abs(extent.high));
}

// ours / published, a line for each row of the table
DrawnFigure published_figure(const StudyOutcome& outcome) {
  const auto finite = [](double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); };
  DrawnFigure out;
  out.name = "published";
  out.title = "Ours, as a multiple of what was published";
  out.doc = "With intervals at 95 %.";
  out.own = false;
  out.drawing.csv = "of,ratio,lower,upper\n";
  Json values = Json::array();
  std::vector<std::string> order;
  for (const PublishedOutcome& p : outcome.published) {
    const Comparison& c = p.comparison;
    if (!std::isfinite(c.ratio)) continue;
    const std::string what = p.measured.text;
    order.push_back(what);
    values.push_back({{"of", what},
                      {"ratio", c.ratio},
                      {"low", finite(c.ratio_lower)},
                      {"high", finite(c.ratio_upper)},
                      {"one", 1.0}});
    out.drawing.csv +=
        fmt::format("{},{},{},{}\n", csv_cell(what), c.ratio, c.ratio_lower, c.ratio_upper);
  }
  if (values.empty()) {
    out.problem = "no number of the published table can be divided by its own";
    return out;
  }
  const std::string title = "ours / published";
  Json y = category("of", order);
  y["axis"] = {{"labelLimit", 300}};
  const Json x = quantity("ratio", title);
  out.drawing.spec = themed(
      {{"width", 440},
       {"height", {{"step", 24}}},
       {"data", {{"values", values}}},
       {"layer",
        {{{"mark", {{"type", "rule"}, {"strokeDash", {3, 3}}, {"color", "var(--fig-soft)"}}},
          {"encoding", {{"x", quantity("one", title)}}}},
         {{"transform", {{{"filter", "isValid(datum.low) && isValid(datum.high)"}}}},
          {"mark", {{"type", "rule"}, {"strokeWidth", 1.5}, {"color", "var(--c0)"}}},
          {"encoding", {{"x", quantity("low", title)}, {"x2", {{"field", "high"}}}, {"y", y}}}},
         {{"mark",
           {{"type", "point"},
            {"filled", true},
            {"size", 60},
            {"opacity", 1},
            {"color", "var(--c0)"}}},
          {"encoding",
           {{"x", x},
            {"y", y},
            {"tooltip",
             tooltip({{"of", "of"}, {"ratio", title}, {"low", "from"}, {"high", "to"}})}}}}}}});
  return out;
}

}  // namespace

void check_figures(const StudyConfig& study, const std::vector<Column>& columns,
                   const std::vector<std::string>& cells) {
  FigureNames names(study, columns, cells);
  for (const auto& [name, part] : study.figures) {
    const auto figure = part.make();
    for (const FigureName& used : figure->names()) names.check(used, part.place, name);
    const auto& chosen = figure->config().cells;
    for (std::size_t c = 0; c < chosen.size(); ++c)
      names.check({FigureName::Kind::kCell, fmt::format("cells[{}]", c), chosen[c]}, part.place,
                  name);
  }
  if (!names.issues.empty()) throw ConfigError(std::move(names.issues));
}

std::vector<DrawnFigure> draw_figures(const StudyOutcome& outcome,
                                      const std::filesystem::path& folder) {
  const FigureContext context{outcome, folder};
  std::vector<DrawnFigure> figures;
  for (const auto& [name, part] : outcome.study.figures)
    figures.push_back(drawn(name, *part.make(), context, part.place));
  for (std::size_t c = 0; c < outcome.results.columns.size(); ++c) {
    if (outcome.results.is_flag(c) || !varies(outcome.results, c)) continue;
    const std::string& column = outcome.results.columns[c].name;
    figures.push_back(drawn("column-" + column, *boxes_figure(column), context, {}));
    figures.back().title = column;
    figures.back().own = false;
  }
  if (!outcome.published.empty()) figures.push_back(published_figure(outcome));
  return figures;
}

}  // namespace handspan
