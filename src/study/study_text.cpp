#include "study/study_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace handspan {
namespace {

constexpr std::size_t kMostFailures = 5;  // that are shown

// a stage's value has no interval
std::string ratio_text(const Comparison& c) {
  return fmt::format("{:.3g}", c.ratio) +
         (c.ratio_lower < c.ratio_upper
              ? fmt::format(" [{:.3g}, {:.3g}]", c.ratio_lower, c.ratio_upper)
              : "");
}

}  // namespace

std::string duration_text(double seconds) {
  if (!(seconds >= 0.0)) return "?";
  const auto s = static_cast<long>(std::ceil(seconds));
  if (s >= 3600) return fmt::format("{} h {} min", s / 3600, s % 3600 / 60);
  if (s >= 60) return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} s", s);
}

std::string number_text(double value, const std::string& unit) {
  const double shown = value * shown_unit(unit).factor;
  if (!std::isfinite(shown)) return "-";
  // large ones without an exponent
  return std::abs(shown) >= 1e4 && std::abs(shown) < 1e9 ? fmt::format("{:.0f}", shown)
                                                         : fmt::format("{:.4g}", shown);
}

std::string value_text(double value, const std::string& unit) {
  const ShownUnit shown = shown_unit(unit);
  return number_text(value, unit) + (shown.unit.empty() ? "" : " " + shown.unit);
}

std::string estimate_text(const Estimate& e, const std::string& unit) {
  std::string text = value_text(e.value, unit);
  if (std::isfinite(e.lower) && std::isfinite(e.upper) && e.lower < e.upper)
    text += fmt::format(" [{}, {}]", number_text(e.lower, unit), number_text(e.upper, unit));
  return text;
}

StageTable stage_table(const StageOutcome& stage) {
  std::vector<std::string> rows, columns;
  // of a column whose values all have it; none: they differ
  std::vector<std::optional<std::string>> units;
  for (const StageValue& value : stage.values) {
    if (value.row.empty()) continue;
    if (!std::ranges::count(rows, value.row)) rows.push_back(value.row);
    const std::string column = value.name.substr(value.row.size() + 1);
    const auto known = std::ranges::find(columns, column);
    if (known == columns.end()) {
      columns.push_back(column);
      units.emplace_back(value.unit);
    } else if (auto& unit = units[static_cast<std::size_t>(known - columns.begin())];
               unit != value.unit) {
      unit.reset();
    }
  }
  StageTable table;
  table.has_head = !rows.empty();
  if (table.has_head) table.lines.push_back({""});
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::string unit = units[c] ? shown_unit(*units[c]).unit : "";
    table.lines[0].push_back(columns[c] + (unit.empty() ? "" : " [" + unit + "]"));
  }
  for (const std::string& row : rows) {
    std::vector<std::string> line = {row};
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const auto value = std::ranges::find_if(stage.values, [&](const StageValue& v) {
        return v.row == row && v.name == row + "." + columns[c];
      });
      line.push_back(value == stage.values.end() ? ""
                     : units[c]                  ? number_text(value->value, value->unit)
                                                 : value_text(value->value, value->unit));
    }
    table.lines.push_back(std::move(line));
  }
  for (const StageValue& value : stage.values)
    if (value.row.empty()) table.lines.push_back({value.name, value_text(value.value, value.unit)});
  return table;
}

std::string text_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c == widths.size()) widths.push_back(0);
      widths[c] = std::max(widths[c], row[c].size());
    }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c)
      line += c == 0 ? fmt::format("{:<{}}", row[c], widths[c])
                     : fmt::format("  {:>{}}", row[c], widths[c]);
    while (line.ends_with(' ')) line.pop_back();
    out += line + "\n";
  }
  return out;
}

std::string study_heading(const StudyRunner& runner) {
  const StudyConfig& study = runner.study();
  const std::size_t runs = runner.plan().runs().size(), cells = runner.plan().cells().size();
  return fmt::format("{}: {}\n{} run{}{}, seeds from {}\n", study.name, study.title, runs,
                     runs == 1 ? "" : "s", cells > 1 ? fmt::format(" in {} cells", cells) : "",
                     study.seed);
}

// One function, since it is one section of the text after the other.
std::string workers_text(const StudyOutcome& outcome) {
  if (outcome.workers == 0) return "workers of " + outcome.options.scheduler;
  return fmt::format("{} worker{}", outcome.workers, outcome.workers == 1 ? "" : "s");
}

std::string study_text(const StudyOutcome& outcome) {
  const Results& results = outcome.results;
  const auto groups = groups_of(results);
  std::string out;
  for (const std::string& cell : groups) {
    if (groups.size() > 1) out += fmt::format("\n{}\n", cell);
    std::vector<std::vector<std::string>> rows = {
        {"", "n", "mean", "deviation", "least", "median", "largest"}};
    for (std::size_t c = 0; c < results.columns.size(); ++c) {
      const Column& column = results.columns[c];
      const auto x = results.samples(column.name, cell);
      const auto value = [&](StatisticKind kind) { return estimate(kind, x); };
      const Estimate mean = value(StatisticKind::kMean);
      const std::string unit = shown_unit(column.unit).unit;
      std::vector<std::string> row = {column.name + (unit.empty() ? "" : " [" + unit + "]"),
                                      std::to_string(mean.n)};
      if (results.is_flag(c)) {
        row.push_back(fmt::format("{} of {}", value(StatisticKind::kCount).value, mean.n));
      } else {
        for (const StatisticKind kind :
             {StatisticKind::kMean, StatisticKind::kDeviation, StatisticKind::kMinimum,
              StatisticKind::kMedian, StatisticKind::kMaximum})
          row.push_back(number_text(value(kind).value, column.unit));
      }
      rows.push_back(std::move(row));
    }
    out += text_table(rows);
    if (!results.judged) continue;
    const auto good = results.samples("good", cell);
    const Estimate share = estimate(StatisticKind::kShare, good);
    out += fmt::format("good: {} of {}, {:.1f} % [{:.1f}, {:.1f}]\n",
                       estimate(StatisticKind::kCount, good).value, share.n, 100.0 * share.value,
                       100.0 * share.lower, 100.0 * share.upper);
  }
  if (const std::size_t failed = results.failed(); failed > 0) {
    out += fmt::format("\n{} of {} runs failed:\n", failed, results.runs.size());
    std::size_t shown = 0;
    for (const RunRecord& run : results.runs)
      if (!run.failure.empty() && shown++ < kMostFailures)
        out += fmt::format("  run {}: {}\n", run.number, run.failure);
  }
  for (const StageOutcome& stage : outcome.stages) {
    out += fmt::format("\n{}:\n", stage.name);
    auto lines = stage_table(stage).lines;
    for (auto& line : lines) line[0] = "  " + line[0];
    out += text_table(lines);
  }
  if (!outcome.published.empty()) {
    out += fmt::format("\npublished: {}\n", outcome.study.published->source);
    std::vector<std::vector<std::string>> rows = {{"", "published", "ours", "ours / published"}};
    for (const PublishedOutcome& p : outcome.published)
      rows.push_back({p.measured.text, value_text(p.row.value, p.measured.unit),
                      estimate_text(p.measured.estimate, p.measured.unit),
                      ratio_text(p.comparison)});
    out += text_table(rows);
  }
  if (!outcome.expectations.empty()) out += "\n";
  for (const ExpectationOutcome& e : outcome.expectations)
    out += fmt::format("{}  {}: {}, asked {}\n", e.holds ? "holds " : "FAILS ",
                       (e.expectation.bound == Bound::kLower   ? "lower bound of "
                        : e.expectation.bound == Bound::kUpper ? "upper bound of "
                                                               : "") +
                           e.measured.text,
                       estimate_text(e.measured.estimate, e.measured.unit), e.limit_text);
  out +=
      fmt::format("\n{} runs in {:.1f} s by {}", outcome.done, outcome.wall, workers_text(outcome));
  if (outcome.resumed > 0) out += fmt::format(", {} were there already", outcome.resumed);
  if (outcome.simulated > 0.0)
    out +=
        fmt::format("; {:.{}f} s simulated", outcome.simulated, outcome.simulated < 10.0 ? 1 : 0);
  return out + "\n";
}

std::string run_text(const StudyConfig& study, const std::vector<Column>& columns,
                     const RunRecord& run) {
  std::string out = fmt::format("{} run {}: cell {}, repeat {}, seed {}\n", study.name, run.number,
                                run.cell, run.repeat, run.seed);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t v = 0; v < study.vary.size(); ++v) {
    const DrawnValue& drawn = run.drawn[v];
    rows.push_back(
        {"  " + study.vary[v].first, std::isfinite(drawn.number)
                                         ? value_text(drawn.number, study.vary[v].second.unit)
                                         : drawn.text});
  }
  for (std::size_t c = 0; c < columns.size(); ++c)
    rows.push_back({"  " + columns[c].name, value_text(run.values[c], columns[c].unit)});
  if (run.good) rows.push_back({"  good", *run.good ? "yes" : "no"});
  return out + text_table(rows);
}

}  // namespace handspan
