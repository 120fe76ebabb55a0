#include "study/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/error.hpp"
#include "core/suggest.hpp"
#include "study/correction.hpp"

namespace handspan {
namespace {

constexpr std::size_t kFewestForDeviation = 3;
constexpr double kComparisonRounding = 1e-12;  // of the largest sample: what is less is no change

using SeedCounts = std::map<std::uint64_t, std::size_t>;

SeedCounts seeds_of(const Results& results, const std::string& cell) {
  SeedCounts counts;
  for (const RunRecord& run : results.runs)
    if (run.cell == cell) ++counts[run.seed];
  return counts;
}

std::vector<std::string> names_in_both(const std::vector<std::string>& a,
                                       const std::vector<std::string>& b) {
  std::vector<std::string> both;
  for (const std::string& name : a)
    if (std::ranges::count(b, name)) both.push_back(name);
  return both;
}

std::vector<std::string> names_without(const std::vector<std::string>& a,
                                       const std::vector<std::string>& b) {
  std::vector<std::string> rest;
  for (const std::string& name : a)
    if (!std::ranges::count(b, name)) rest.push_back(name);
  return rest;
}

std::vector<std::string> column_names(const Results& results) {
  std::vector<std::string> names;
  for (const Column& column : results.columns) names.push_back(column.name);
  if (results.judged) names.emplace_back("good");
  return names;
}

bool is_share(const Results& results, const std::string& column) {
  for (std::size_t c = 0; c < results.columns.size(); ++c)
    if (results.columns[c].name == column) return results.is_flag(c);
  return true;  // good
}

Issue other_seeds(const StoredResults& there, const std::string& cell, const SeedCounts& theirs,
                  const SeedCounts& ours) {
  return {{(there.folder / "results.csv").string(), 0, 0},
          fmt::format("cell '{}'", shown(cell)),
          fmt::format("has seeds from {} to {}, and here from {} to {}: none in common",
                      theirs.begin()->first, theirs.rbegin()->first, ours.begin()->first,
                      ours.rbegin()->first),
          fmt::format("runs are compared seed by seed: give --seed {}", theirs.begin()->first)};
}

void add_notes(const Results& here,
               const std::vector<std::pair<std::string, std::string>>& overrides,
               const StoredResults& there, StudyComparison& found) {
  const auto say = [&](const std::string& what, const std::vector<std::string>& names,
                       const char* where) {
    if (!names.empty()) found.notes.push_back(fmt::format("{} {}: {}", what, where, joined(names)));
  };
  const auto ours = column_names(here), theirs = column_names(there.results);
  say("columns that are only", names_without(ours, theirs), "here");
  say("columns that are only", names_without(theirs, ours), "there");
  const auto cells = groups_of(here), their_cells = groups_of(there.results);
  say("cells that are only", names_without(cells, their_cells), "here");
  say("cells that are only", names_without(their_cells, cells), "there");
  for (const std::string& cell : names_in_both(cells, their_cells)) {
    const SeedCounts a = seeds_of(here, cell), b = seeds_of(there.results, cell);
    const auto both =
        std::ranges::count_if(a, [&](const auto& seed) { return b.contains(seed.first); });
    if (both != std::ssize(a) || both != std::ssize(b))
      found.notes.push_back(
          fmt::format("of the cell '{}' {} seeds are in common, of {} here and {} there",
                      shown(cell), both, a.size(), b.size()));
  }
  for (const auto& [key, value] : overrides)
    found.notes.push_back(fmt::format("here with --param {}={}", shown(key), shown(value)));
  for (const auto& [key, value] : there.overrides)
    found.notes.push_back(fmt::format("there with --param {}={}", shown(key), shown(value)));
}

ComparedStatistic compared(StatisticKind kind, const std::string& cell, const std::string& column,
                           const Results& here, const MatchedSamples& matched) {
  ComparedStatistic row;
  row.cell = cell;
  row.column = column;
  row.kind = kind;
  row.unit = kind == StatisticKind::kShare ? "" : here.unit(column);
  row.left_out = matched.left_out;
  row.same = matched.of[0] == matched.of[1];
  row.paired = paired_difference(kind, matched.of[0], matched.of[1]);
  double largest = 0.0;
  for (const auto& samples : matched.of)
    for (const double x : samples) largest = std::max(largest, std::abs(x));
  const Estimate& d = row.paired.difference;
  row.changed =
      (d.lower > 0.0 || d.upper < 0.0) && std::abs(d.value) > kComparisonRounding * largest;
  return row;
}

}  // namespace

void check_comparable(const Results& here, const StoredResults& there) {
  const std::string file = (there.folder / "results.csv").string();
  const auto ours = column_names(here), theirs = column_names(there.results);
  std::vector<Issue> issues;
  if (names_in_both(ours, theirs).empty())
    issues.push_back(
        {{file, 1, 0},
         "",
         "no column is in common with this study",
         fmt::format("it measures {}, and there are {}", joined(ours), joined(theirs))});
  const auto cells = names_in_both(groups_of(here), groups_of(there.results));
  if (cells.empty())
    issues.push_back({{file, 0, 0},
                      "",
                      "no cell is in common with this study",
                      fmt::format("it has {}, and there are {}", joined(groups_of(here)),
                                  joined(groups_of(there.results)))});
  for (const std::string& cell : cells) {
    const SeedCounts a = seeds_of(here, cell), b = seeds_of(there.results, cell);
    if (a.empty() || b.empty()) continue;
    bool any = false;
    for (const auto& [seed, runs] : a) {
      const auto found = b.find(seed);
      if (found == b.end()) continue;
      any = true;
      if (found->second == runs) continue;
      issues.push_back({{file, 0, 0},
                        fmt::format("cell '{}'", shown(cell)),
                        fmt::format("has {} runs of the seed {}, and here there are {}",
                                    found->second, seed, runs),
                        "the grids are not the same; compare studies with the same grids"});
      break;
    }
    if (!any) issues.push_back(other_seeds(there, cell, b, a));
  }
  if (!issues.empty()) throw ConfigError(std::move(issues));
}

StudyComparison compare_results(const Results& here,
                                const std::vector<std::pair<std::string, std::string>>& overrides,
                                const StoredResults& there) {
  check_comparable(here, there);
  StudyComparison found;
  found.folder = there.folder.string();
  found.build = there.build;
  add_notes(here, overrides, there, found);
  for (const std::string& cell : names_in_both(groups_of(here), groups_of(there.results)))
    for (const std::string& column :
         names_in_both(column_names(here), column_names(there.results))) {
      MatchedSamples matched;
      try {
        matched = matched_samples({{&here, cell}, {&there.results, cell}}, column);
      } catch (const InputError&) {
        // names and seeds were checked: no pair has a value on both sides
        found.notes.push_back(
            fmt::format("'{}' in the cell '{}' has no pair with values on both "
                        "sides",
                        shown(column), shown(cell)));
        continue;
      }
      if (is_share(here, column) && is_share(there.results, column)) {
        found.statistics.push_back(compared(StatisticKind::kShare, cell, column, here, matched));
        continue;
      }
      found.statistics.push_back(compared(StatisticKind::kMean, cell, column, here, matched));
      if (matched.of[0].size() >= kFewestForDeviation)
        found.statistics.push_back(
            compared(StatisticKind::kDeviation, cell, column, here, matched));
    }
  std::vector<double> p;
  for (const ComparedStatistic& row : found.statistics) p.push_back(row.paired.p);
  const auto all = corrected(Correction::kHolm, p);
  for (std::size_t i = 0; i < all.size(); ++i) {
    found.statistics[i].p_corrected = all[i];
    found.changed += found.statistics[i].changed ? 1 : 0;
  }
  return found;
}

}  // namespace handspan
