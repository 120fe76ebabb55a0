#include "study/evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/relation.hpp"
#include "core/suggest.hpp"

namespace handspan {
namespace {

using schema_detail::Relation;
using schema_detail::sign;

bool holds(double value, Relation relation, double limit) {
  switch (relation) {
    case Relation::kAtLeast:
      return value >= limit;
    case Relation::kAtMost:
      return value <= limit;
    case Relation::kAbove:
      return value > limit;
    case Relation::kBelow:
      break;
  }
  return value < limit;
}

class NameCheck {
 public:
  NameCheck(const StudyConfig& study, const std::vector<Column>& columns,
            const std::vector<std::string>& cells)
      : study_(study) {
    results_.columns = columns;
    results_.cells = cells;
    results_.judged = !study.good.empty();
    for (const auto& [name, variation] : study.vary) results_.variations.push_back({name, ""});
  }

  void check(const StatisticConfig& what, const std::string& key) {
    try {
      if (!what.statistic) {
        const std::string stage = what.of.substr(0, what.of.find('.'));
        std::vector<std::string> names;
        for (const auto& [name, part] : study_.stages) names.push_back(name);
        if (!std::ranges::count(names, stage))
          throw InputError(fmt::format(
              "it has no statistic, and '{}' is not a stage; give a statistic, or {}",
              shown(what.of),
              names.empty() ? "a stage that is there" : did_you_mean(stage, names, "name one of")));
        return;
      }
      const bool staged = std::ranges::any_of(
          study_.stages, [&](const auto& stage) { return stage.first == what.cell; });
      results_.samples(what.of, staged ? "" : what.cell);
    } catch (const InputError& error) {
      issues.push_back({what.place, key, "cannot be measured: " + std::string(error.what()), ""});
    }
  }

  void check_stages() {
    Results with_stages = results_;
    for (const auto& [name, part] : study_.stages) with_stages.cells.push_back(name);
    for (const auto& [name, part] : study_.stages) try {
        part.make()->check(with_stages);
      } catch (const InputError& error) {
        issues.push_back(
            {part.place, "stages." + name, "cannot be done: " + std::string(error.what()), ""});
      }
  }

  std::vector<Issue> issues;

 private:
  const StudyConfig& study_;
  Results results_;
};

}  // namespace

void check_names(const StudyConfig& study, const std::vector<Column>& columns,
                 const std::vector<std::string>& cells) {
  NameCheck names(study, columns, cells);
  std::vector<std::string> known;
  for (const Column& column : columns) known.push_back(column.name);
  for (const auto& [name, rule] : study.good)
    if (!std::ranges::count(known, name))
      names.issues.push_back({rule.place, "good",
                              fmt::format("has '{}', which is not a column", shown(name)),
                              did_you_mean(name, known, "there are")});
  names.check_stages();
  for (std::size_t e = 0; e < study.expect.size(); ++e) {
    const std::string key = fmt::format("expect[{}]", e);
    names.check(study.expect[e].what, key);
    if (const auto* other = std::get_if<StatisticConfig>(&study.expect[e].limit))
      names.check(*other, key);
  }
  if (study.published)
    for (std::size_t r = 0; r < study.published->rows.size(); ++r)
      names.check(study.published->rows[r].what, fmt::format("published.rows[{}]", r));
  if (!names.issues.empty()) throw ConfigError(std::move(names.issues));
}

const StageValue& stage_value(const std::vector<StageOutcome>& stages, const std::string& name) {
  std::vector<std::string> names;
  for (const StageOutcome& stage : stages)
    for (const StageValue& value : stage.values) {
      names.push_back(stage.name + "." + value.name);
      if (names.back() == name) return value;
    }
  if (names.empty())
    throw InputError(fmt::format("no stage gave '{}', nor anything else", shown(name)));
  throw InputError(
      fmt::format("no stage gave '{}'; {}", shown(name), did_you_mean(name, names, "they gave")));
}

std::string text_of(const StatisticConfig& what) {
  if (!what.statistic) return what.of;
  std::string text = name_of(*what.statistic);
  if (what.statistic == StatisticKind::kQuantile)
    text = fmt::format("{:g} % quantile", 100.0 * what.p);
  text += " of " + what.of;
  if (!what.cell.empty()) text += " in " + what.cell;
  if (what.interval == ShareInterval::kWilson) text += " (Wilson)";
  return text;
}

Measured measure(const StatisticConfig& what, const StudyOutcome& outcome) {
  Measured m{what, text_of(what), "", {}};
  if (!what.statistic) {
    try {
      const StageValue& value = stage_value(outcome.stages, what.of);
      m.unit = value.unit;
      m.estimate = {value.value, value.value, value.value, 0};
    } catch (const InputError& error) {
      throw ConfigError({{what.place, what.of, error.what(), ""}});
    }
    return m;
  }
  m.estimate = estimate(*what.statistic, outcome.results.samples(what.of, what.cell), what.p,
                        what.interval.value_or(ShareInterval::kClopperPearson));
  if (what.statistic != StatisticKind::kShare && what.statistic != StatisticKind::kCount)
    m.unit = outcome.results.unit(what.of);
  return m;
}

void evaluate(StudyOutcome& outcome) {
  for (const Expectation& expectation : outcome.study.expect) {
    ExpectationOutcome e{expectation, measure(expectation.what, outcome), 0.0, "", false};
    const Estimate& ours = e.measured.estimate;
    const ShownUnit unit = shown_unit(e.measured.unit);
    const std::string times =
        expectation.times == 1.0 ? "" : fmt::format("{:g} x ", expectation.times);
    if (const auto* other = std::get_if<StatisticConfig>(&expectation.limit)) {
      const Measured limit = measure(*other, outcome);
      e.limit = expectation.times * limit.estimate.value;
      e.limit_text =
          fmt::format("{} {}{}, {:.4g}{}{}", sign(expectation.relation), times, limit.text,
                      e.limit * unit.factor, unit.unit.empty() ? "" : " ", unit.unit);
    } else {
      e.limit = expectation.times * std::get<double>(expectation.limit);
      e.limit_text = fmt::format("{} {:.4g}{}{}", sign(expectation.relation), e.limit * unit.factor,
                                 unit.unit.empty() ? "" : " ", unit.unit);
    }
    const double value = expectation.bound == Bound::kLower   ? ours.lower
                         : expectation.bound == Bound::kUpper ? ours.upper
                                                              : ours.value;
    e.holds = holds(value, expectation.relation, e.limit);
    outcome.expectations.push_back(std::move(e));
  }
  if (!outcome.study.published) return;
  for (const PublishedRow& row : outcome.study.published->rows) {
    PublishedOutcome p{row, measure(row.what, outcome), {}};
    const Estimate& ours = p.measured.estimate;
    if (row.what.statistic) {
      const auto samples = outcome.results.samples(row.what.of, row.what.cell);
      p.comparison =
          compare(*row.what.statistic, ours, estimate(StatisticKind::kDeviation, samples).value,
                  row.value, row.n, row.deviation);
    } else {
      // a stage's value stands alone
      p.comparison = compare(StatisticKind::kCount, ours, NAN, row.value, {}, {});
    }
    outcome.published.push_back(std::move(p));
  }
}

}  // namespace handspan
