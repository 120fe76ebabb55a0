#include "study/comparison_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/escape.hpp"
#include "study/study_text.hpp"

namespace handspan {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson number_json(double x) { return std::isfinite(x) ? OrderedJson(x) : OrderedJson(); }

std::string name_of_row(const ComparedStatistic& row) {
  return fmt::format("{} of {} in {}", name_of(row.kind), row.column, row.cell);
}

std::string p_text(double p) {
  return std::isfinite(p) ? fmt::format("{:.2g}", p) : std::string("-");
}

std::size_t same_rows(const StudyComparison& comparison) {
  return static_cast<std::size_t>(
      std::ranges::count_if(comparison.statistics, [](const auto& row) { return row.same; }));
}

std::string verdict(const StudyComparison& c) {
  return fmt::format(
      "{} of {} statistics changed beyond their 95 % intervals; {} have the same "
      "bits in every run",
      c.changed, c.statistics.size(), same_rows(c));
}

}  // namespace

std::string comparison_text(const StudyComparison& comparison) {
  std::string out = fmt::format("\nagainst {} ({}):\n", comparison.folder, comparison.build);
  if (comparison.changed > 0) {
    std::vector<std::vector<std::string>> rows = {
        {"  changed", "pairs", "there", "here", "difference", "ratio", "p, Holm"}};
    for (const ComparedStatistic& row : comparison.statistics) {
      if (!row.changed) continue;
      const PairedDifference& d = row.paired;
      rows.push_back({"  " + name_of_row(row), std::to_string(d.difference.n),
                      value_text(d.b, row.unit), value_text(d.a, row.unit),
                      estimate_text(d.difference, row.unit), number_text(d.ratio.value, ""),
                      p_text(row.p_corrected)});
    }
    out += text_table(rows);
  }
  out += "  " + verdict(comparison) + "\n";
  for (const std::string& note : comparison.notes) out += "  " + note + "\n";
  return out;
}

std::string comparison_json(const StudyComparison& comparison) {
  OrderedJson json = {{"against", comparison.folder},
                      {"build", comparison.build},
                      {"changed", comparison.changed},
                      {"notes", comparison.notes},
                      {"statistics", OrderedJson::array()}};
  const auto pair_of = [](const Estimate& e) {
    return OrderedJson::array({number_json(e.lower), number_json(e.upper)});
  };
  for (const ComparedStatistic& row : comparison.statistics) {
    const PairedDifference& d = row.paired;
    json["statistics"].push_back({{"cell", row.cell},
                                  {"column", row.column},
                                  {"unit", row.unit},
                                  {"statistic", name_of(row.kind)},
                                  {"pairs", d.difference.n},
                                  {"left_out", row.left_out},
                                  {"here", number_json(d.a)},
                                  {"there", number_json(d.b)},
                                  {"difference", number_json(d.difference.value)},
                                  {"difference_interval", pair_of(d.difference)},
                                  {"ratio", number_json(d.ratio.value)},
                                  {"ratio_interval", pair_of(d.ratio)},
                                  {"p", number_json(d.p)},
                                  {"p_holm", number_json(row.p_corrected)},
                                  {"changed", row.changed},
                                  {"same", row.same}});
  }
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

std::string comparison_html(const StudyComparison& comparison) {
  std::string out = fmt::format(
      "<h2>Against earlier results</h2>\n<p class=soft>{}, done by {}. Runs are compared seed by "
      "seed. In brackets: 95 % intervals by the bootstrap (BCa) of the pairs.</p>\n<p>{}</p>\n",
      escaped(comparison.folder), escaped(comparison.build), verdict(comparison));
  for (const std::string& note : comparison.notes)
    out += fmt::format("<p class=soft>{}</p>\n", escaped(note));
  out +=
      "<div class=wide><table><tr><th class=text>of<th>pairs<th>there<th>here<th>difference"
      "<th>ratio<th>p<th>p, Holm<th class=text></tr>\n";
  for (const ComparedStatistic& row : comparison.statistics) {
    const PairedDifference& d = row.paired;
    out += fmt::format(
        "<tr><td class=text>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td class=text>{}</tr>\n",
        escaped(name_of_row(row)), d.difference.n, escaped(value_text(d.b, row.unit)),
        escaped(value_text(d.a, row.unit)), escaped(estimate_text(d.difference, row.unit)),
        escaped(estimate_text(d.ratio, "")), p_text(d.p), p_text(row.p_corrected),
        row.same      ? "same bits"
        : row.changed ? "changed"
                      : "");
  }
  return out + "</table></div>\n";
}

}  // namespace handspan
