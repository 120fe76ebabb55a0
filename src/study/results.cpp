#include "study/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/error.hpp"
#include "core/named.hpp"

namespace handspan {
namespace {

constexpr char kGoodName[] = "good";

// where a name's numbers are
struct Found {
  enum class Kind { kColumn, kVariation, kGood } kind = Kind::kColumn;
  std::size_t index = 0;
};

Found find(const Results& results, const std::string& of) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < results.columns.size(); ++c) {
    if (results.columns[c].name == of) return {Found::Kind::kColumn, c};
    names.push_back(results.columns[c].name);
  }
  for (std::size_t v = 0; v < results.variations.size(); ++v) {
    if (results.variations[v].name == of) return {Found::Kind::kVariation, v};
    names.push_back(results.variations[v].name);
  }
  if (results.judged) {
    if (of == kGoodName) return {Found::Kind::kGood, 0};
    names.emplace_back(kGoodName);
  }
  throw_not_found("the study", "column", of, names);
}

// RFC 4180
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string number_text(double x) { return std::isfinite(x) ? fmt::format("{}", x) : ""; }

}  // namespace

namespace {

// NaN: there is none
double value_of_run(const RunRecord& run, const Found& found) {
  if (found.kind == Found::Kind::kGood) return run.good.value_or(false) ? 1.0 : 0.0;
  if (!run.failure.empty()) return NAN;
  return found.kind == Found::Kind::kColumn ? run.values[found.index]
                                            : run.drawn[found.index].number;
}

void check_cell(const Results& results, const std::string& cell) {
  const auto known = [&](const RunRecord& run) { return run.cell == cell; };
  if (!cell.empty() && !std::ranges::count(results.cells, cell) &&
      std::ranges::none_of(results.runs, known))
    throw_not_found("the study", "cell", cell, results.cells);
}

// @param failed whether "good" has those that failed
std::vector<double> samples_of(const Results& results, const std::string& of,
                               const std::string& cell, bool failed) {
  const std::vector<std::string>& cells = results.cells;
  const std::vector<RunRecord>& runs = results.runs;
  const Found found = find(results, of);
  check_cell(results, cell);
  std::vector<double> x;
  for (const RunRecord& run : runs) {
    const bool wanted = cell.empty() ? std::ranges::count(cells, run.cell) > 0 : run.cell == cell;
    if (!wanted) continue;
    if (!run.failure.empty() && !(failed && found.kind == Found::Kind::kGood)) continue;
    x.push_back(value_of_run(run, found));
  }
  return x;
}

}  // namespace

std::vector<double> Results::samples(const std::string& of, const std::string& cell) const {
  return samples_of(*this, of, cell, true);
}

std::vector<std::vector<double>> Results::samples_together(const std::vector<std::string>& of,
                                                           const std::string& cell) const {
  std::vector<std::vector<double>> all;
  for (const std::string& name : of) all.push_back(samples_of(*this, name, cell, false));
  return all;
}

MatchedSamples matched_samples(const std::vector<CellOf>& cells, const std::string& of) {
  // by seed, the values of its runs in their order
  std::vector<std::map<std::uint64_t, std::vector<double>>> by_seed(cells.size());
  std::vector<std::uint64_t> seeds;  // of the first cell
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const Results& results = *cells[c].results;
    const Found found = find(results, of);
    check_cell(results, cells[c].cell);
    for (const RunRecord& run : results.runs) {
      if (run.cell != cells[c].cell) continue;
      std::vector<double>& values = by_seed[c][run.seed];
      if (c == 0 && values.empty()) seeds.push_back(run.seed);
      values.push_back(value_of_run(run, found));
    }
  }
  MatchedSamples matched;
  matched.of.resize(cells.size());
  for (const std::uint64_t seed : seeds) {
    if (!std::ranges::all_of(by_seed, [&](const auto& cell) { return cell.contains(seed); }))
      continue;
    ++matched.common;
    const std::size_t n = by_seed[0].at(seed).size();
    for (std::size_t c = 1; c < cells.size(); ++c)
      if (by_seed[c].at(seed).size() != n)
        throw InputError(fmt::format(
            "the seed {} has {} runs in the cell '{}' and {} in '{}', so that it is not clear "
            "which go together; compare cells with the same grids",
            seed, n, shown(cells[0].cell), by_seed[c].at(seed).size(), shown(cells[c].cell)));
    for (std::size_t i = 0; i < n; ++i) {
      if (!std::ranges::all_of(by_seed,
                               [&](const auto& cell) { return std::isfinite(cell.at(seed)[i]); })) {
        ++matched.left_out;
        continue;
      }
      for (std::size_t c = 0; c < cells.size(); ++c)
        matched.of[c].push_back(by_seed[c].at(seed)[i]);
    }
  }
  if (matched.common == 0) {
    std::vector<std::string> names;
    for (const CellOf& cell : cells) names.push_back("'" + shown(cell.cell) + "'");
    throw InputError(fmt::format(
        "the cells {} have no seed in common, and are compared seed by seed; take cells of the "
        "study, which all have the same seeds",
        joined(names)));
  }
  if (matched.of[0].empty())
    throw InputError(
        fmt::format("'{}' has no value in any run that the cells have in common; see the column "
                    "'failure' of results.csv, or take another column",
                    shown(of)));
  return matched;
}

std::string Results::unit(const std::string& of) const {
  const Found found = find(*this, of);
  switch (found.kind) {
    case Found::Kind::kColumn:
      return columns[found.index].unit;
    case Found::Kind::kVariation:
      return variations[found.index].unit;
    case Found::Kind::kGood:
      break;
  }
  return "";
}

bool Results::is_flag(std::size_t column) const {
  return columns[column].unit.empty() && std::ranges::all_of(runs, [&](const RunRecord& run) {
           const double x = run.values[column];
           return !std::isfinite(x) || x == 0.0 || x == 1.0;
         });
}

std::size_t Results::failed() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(runs, [](const RunRecord& run) { return !run.failure.empty(); }));
}

std::vector<std::string> groups_of(const Results& results) {
  std::vector<std::string> groups = results.cells;
  for (const RunRecord& run : results.runs)
    if (!std::ranges::count(groups, run.cell)) groups.push_back(run.cell);
  return groups;
}

std::string csv_row(const RunRecord& run) {
  std::string out = fmt::format("{},{},{},{}", run.number, quoted(run.cell), run.repeat, run.seed);
  for (const DrawnValue& drawn : run.drawn) out += "," + quoted(drawn.text);
  for (const double value : run.values) out += "," + number_text(value);
  if (run.good) out += *run.good ? ",1" : ",0";
  return out + "," + quoted(run.failure);
}

std::string results_csv(const Results& results) {
  std::string out = "run,cell,repeat,seed";
  for (const auto& variation : results.variations) out += "," + quoted(variation.name);
  for (const Column& column : results.columns) out += "," + quoted(column.name);
  if (results.judged) out += ",good";
  out += ",failure\n";
  for (const RunRecord& run : results.runs) out += csv_row(run) + "\n";
  return out;
}

}  // namespace handspan
