#include "study/report_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/escape.hpp"
#include "study/figure_rows.hpp"
#include "study/figure_theme.hpp"

namespace handspan {
namespace {

using Json = nlohmann::json;

// in a page of HTML, which needs no name space
std::string inline_svg(std::string svg) {
  for (const char* const space :
       {" xmlns=\"http://www.w3.org/2000/svg\"", " xmlns:xlink=\"http://www.w3.org/1999/xlink\""}) {
    const std::size_t at = svg.find(space);
    if (at != std::string::npos) svg.erase(at, std::char_traits<char>::length(space));
  }
  return svg;
}

std::string missing_html(const std::string& why) {
  return fmt::format("<p class=missing>{}</p>\n", escaped(why));
}

std::string figure_html(const DrawnFigure& figure, bool moves) {
  std::string out = fmt::format("<figure id=\"figure-{}\">\n<figcaption>{}</figcaption>\n",
                                escaped(figure.name), escaped(figure.title));
  if (!figure.problem.empty()) return out + missing_html(figure.problem) + "</figure>\n";
  out += figure.drawing.html;
  if (!figure.drawing.spec.is_null() && (moves || !figure.svg.empty()))
    out += fmt::format("<div class=drawing{}><div class=still>{}</div></div>\n",
                       moves ? fmt::format(" data-figure=\"{}\"", escaped(figure.name)) : "",
                       inline_svg(figure.svg));
  const std::string words = figure.doc + (figure.doc.empty() ? "" : " ") + figure.drawing.note;
  if (words.find_first_not_of(' ') != std::string::npos)
    out += fmt::format("<p class=soft>{}</p>\n", escaped(words));
  std::string files;
  const auto link = [&](const char* end, const char* what) {
    files += fmt::format("{}<a href=\"figures/{}.{}\">{}</a>", files.empty() ? "" : ", ",
                         escaped(figure.name), end, what);
  };
  if (!figure.drawing.csv.empty()) link("csv", "data");
  if (!figure.svg.empty()) link("svg", "picture");
  if (!files.empty()) out += fmt::format("<p class=\"soft files\">{}</p>\n", files);
  return out + "</figure>\n";
}

std::string explain(const std::string& no_pictures, bool moves) {
  if (!no_pictures.empty())
    return missing_html("Figures are not drawn as pictures: " + no_pictures +
                        ". What they show is in figures/ as CSV.");
  return moves ? "<p class=\"soft moves\">Point at a mark to see what it is. Drag to move a "
                 "figure with axes, Shift and the wheel zoom, a double click shows all.</p>\n"
               : "";
}

}  // namespace

std::string own_figures_html(const std::vector<DrawnFigure>& figures,
                             const std::string& no_pictures, bool moves) {
  const auto shown = [](const DrawnFigure& f) { return f.own || f.name == "published"; };
  if (std::ranges::none_of(figures, shown)) return "";
  std::string out = "<h2>Figures</h2>\n" + explain(no_pictures, moves);
  for (const DrawnFigure& figure : figures)
    if (shown(figure)) out += figure_html(figure, moves);
  return out;
}

std::string column_figures_html(const StudyOutcome& outcome,
                                const std::vector<DrawnFigure>& figures,
                                const std::string& no_pictures, bool moves) {
  std::string out = "<h2>Each column</h2>\n";
  out += no_pictures.empty()
             ? "<p class=soft>Box: quartiles and median; whiskers: as far as 1.5 times their "
               "distance. Each point is a run, or one beyond the whiskers where runs are many; "
               "hollow: not good.</p>\n"
             : explain(no_pictures, moves);
  out += "<div class=plots>\n";
  for (const DrawnFigure& figure : figures)
    if (!figure.own && figure.name != "published") out += figure_html(figure, moves);
  out += "</div>\n";
  if (!moves) return out;
  if (outcome.results.runs.size() > kMostRows)
    return out + fmt::format(
                     "<p class=soft>Of {} runs a page shows summaries; the runs are in "
                     "results.csv.</p>\n",
                     outcome.results.runs.size());
  return out +
         "<div class=moves><h3>One against another</h3>\n<p><label>across <select "
         "id=across></select></label><label>up <select id=up></select></label></p>\n<div "
         "id=explore></div></div>\n";
}

Json explored(const Results& results) {
  const auto title = [](const std::string& name, const std::string& unit) {
    const std::string shown = shown_unit(unit).unit;
    return shown.empty() ? name : fmt::format("{} [{}]", name, shown);
  };
  Json quantities = Json::array(), runs = Json::array(), cells = Json::array();
  for (const auto& v : results.variations)
    quantities.push_back({{"title", title(v.name, v.unit)}, {"values", Json::array()}});
  for (const Column& c : results.columns)
    quantities.push_back({{"title", title(c.name, c.unit)}, {"values", Json::array()}});
  if (quantities.empty()) return nullptr;
  const auto number = [](double value, const std::string& unit) {
    return std::isfinite(value) ? Json(value * shown_unit(unit).factor) : Json(nullptr);
  };
  for (const RunRecord& run : results.runs) {
    if (!run.failure.empty()) continue;
    runs.push_back(fmt::format("{}, seed {}", run.number, run.seed));
    cells.push_back(run.cell);
    const std::size_t drawn = results.variations.size();
    for (std::size_t v = 0; v < drawn; ++v)
      quantities[v]["values"].push_back(number(run.drawn[v].number, results.variations[v].unit));
    for (std::size_t c = 0; c < results.columns.size(); ++c)
      quantities[drawn + c]["values"].push_back(number(run.values[c], results.columns[c].unit));
  }
  const std::size_t up = std::min(results.variations.size(), quantities.size() - 1);
  return {{"quantities", std::move(quantities)},
          {"runs", std::move(runs)},
          {"cells", std::move(cells)},
          {"across", 0},
          {"up", up},
          {"colours", cell_colours(results, groups_of(results))},
          {"config", figure_settings()}};
}

}  // namespace handspan
