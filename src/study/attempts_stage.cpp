#include "study/attempts_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/named.hpp"
#include "core/values.hpp"
#include "study/statistic.hpp"
#include "study/variation.hpp"

namespace handspan {
namespace {

// SI, by name
using Numbers = std::vector<std::pair<std::string, double>>;
using NamedNumbers = std::vector<std::pair<std::string, Numbers>>;

struct AttemptsConfig {
  NamedNumbers cells;    // how far a column may be from its target
  NamedNumbers targets;  // columns
  NamedNumbers rows;     // values of variations
  NamedNumbers correct;  // by variation, of columns: its change for a miss of 1
  std::int64_t max = 10, persons = 1;
};

const double* number_of(const Numbers& numbers, const std::string& name) {
  const auto found = std::ranges::find(numbers, name, &Numbers::value_type::first);
  return found == numbers.end() ? nullptr : &found->second;
}

template <class Named>
std::size_t index_of(const std::vector<Named>& all, const std::string& name, const char* what) {
  return find_named("the study", what, name, all,
                    [](const Named& one) -> const std::string& { return one.name; });
}

// What one person does in one cell for one target, with the values of one row.
struct Series {
  std::size_t row = 0, cell = 0, target = 0;
  int person = 0;
  int attempts = 0;
  bool reached = false;
  Numbers corrected;  // variations, for the next attempt
};

class AttemptsStage : public Stage {
 public:
  explicit AttemptsStage(const AttemptsConfig& config) : config_(config) {}

  std::vector<StageValue> run(const StageContext& context) override {
    const Results& results = context.results;
    find_names(results);
    // fresh seeds, the same in each row and in each such stage
    int first = 0;
    for (const RunRecord& run : results.runs)
      if (std::ranges::count(results.cells, run.cell)) first = std::max(first, run.repeat + 1);
    std::vector<Series> all;
    for (std::size_t row = 0; row < config_.rows.size(); ++row)
      for (std::size_t cell = 0; cell < config_.cells.size(); ++cell)
        for (std::size_t target = 0; target < config_.targets.size(); ++target)
          for (int person = 0; person < config_.persons; ++person)
            all.push_back({row, cell, target, person, 0, false, {}});
    for (;;) {
      std::vector<Series*> trying;
      std::vector<RunRequest> requests;
      for (Series& series : all) {
        if (series.reached || series.attempts == config_.max) continue;
        trying.push_back(&series);
        requests.push_back(request(series, first));
      }
      if (trying.empty()) break;
      const auto indices = context.run(requests);
      for (std::size_t i = 0; i < trying.size(); ++i)
        learn(*trying[i], results, results.runs[indices[i]]);
    }
    return counts(all);
  }

 private:
  void find_names(const Results& results) {
    for (const auto& [cell, within] : config_.cells) index_of_cell(results, cell);
    for (const auto& [target, columns] : config_.targets)
      for (const auto& [name, value] : columns) index_of(results.columns, name, "column");
    for (const auto& [row, values] : config_.rows)
      for (const auto& [name, value] : values) index_of(results.variations, name, "variation");
    for (const auto& [name, columns] : config_.correct)
      index_of(results.variations, name, "variation");
  }

  static void index_of_cell(const Results& results, const std::string& name) {
    find_named("the study", "cell", name, results.cells);
  }

  RunRequest request(const Series& series, int first) const {
    const auto cells = static_cast<int>(config_.cells.size());
    const auto targets = static_cast<int>(config_.targets.size());
    const int before = (series.person * cells + static_cast<int>(series.cell)) * targets +
                       static_cast<int>(series.target);
    RunRequest request{config_.cells[series.cell].first,
                       first + before * static_cast<int>(config_.max) + series.attempts,
                       config_.rows[series.row].second};
    request.values.insert(request.values.end(), series.corrected.begin(), series.corrected.end());
    return request;
  }

  // whether it was reached, and what to do otherwise next time
  void learn(Series& series, const Results& results, const RunRecord& run) const {
    ++series.attempts;
    const auto missed_by = [&](const std::string& column) {
      const std::size_t c = index_of(results.columns, column, "column");
      const double* target = number_of(config_.targets[series.target].second, column);
      return run.failure.empty() ? run.values[c] - *target : NAN;
    };
    series.reached =
        run.failure.empty() && run.good.value_or(true) &&
        std::ranges::all_of(config_.cells[series.cell].second, [&](const auto& within) {
          return std::abs(missed_by(within.first)) <= within.second;
        });
    Numbers next;
    for (const auto& [variation, gains] : config_.correct) {
      // from what it was; a miss that was not measured corrects nothing
      double value = run.drawn[index_of(results.variations, variation, "variation")].number;
      for (const auto& [column, gain] : gains) {
        const double miss = missed_by(column);
        if (std::isfinite(miss)) value += gain * miss;
      }
      if (std::isfinite(value)) next.emplace_back(variation, value);
    }
    series.corrected = std::move(next);
  }

  std::vector<StageValue> counts(const std::vector<Series>& all) const {
    const auto persons = static_cast<double>(config_.persons);
    std::vector<StageValue> found;
    for (std::size_t row = 0; row < config_.rows.size(); ++row) {
      std::vector<double> of_person(static_cast<std::size_t>(config_.persons), 0.0);
      std::vector<double> in_cell(config_.cells.size(), 0.0), at(config_.targets.size(), 0.0);
      double missed = 0.0;
      for (const Series& series : all) {
        if (series.row != row) continue;
        of_person[static_cast<std::size_t>(series.person)] += series.attempts;
        in_cell[series.cell] += series.attempts / persons;
        at[series.target] += series.attempts / persons;
        missed += (series.reached ? 0.0 : 1.0) / persons;
      }
      const std::string& name = config_.rows[row].first;
      const auto add = [&](const std::string& column, double value) {
        found.push_back({name + "." + column, value, "", name});
      };
      add("attempts", estimate(StatisticKind::kMean, of_person).value);
      if (of_person.size() > 1)
        add("deviation", estimate(StatisticKind::kDeviation, of_person).value);
      add("missed", missed);
      for (std::size_t c = 0; c < in_cell.size(); ++c)
        add("in_" + config_.cells[c].first, in_cell[c]);
      for (std::size_t t = 0; t < at.size(); ++t) add("at_" + config_.targets[t].first, at[t]);
    }
    return found;
  }

  AttemptsConfig config_;
};

std::optional<Fault> fault_of(const AttemptsConfig& config) {
  const auto missing = [&](const std::string& column) -> std::optional<std::string> {
    for (const auto& [target, columns] : config.targets)
      if (number_of(columns, column) == nullptr) return target;
    return std::nullopt;
  };
  const auto fault = [](const std::string& column, const std::string& target, const char* key) {
    return Fault{fmt::format("has '{}', and the target '{}' does not say where that is to be",
                             shown(column), shown(target)),
                 fmt::format("give it to targets.{}", shown(target)), key};
  };
  for (const auto& [cell, within] : config.cells)
    for (const auto& [column, most] : within) {
      if (most < 0.0)
        return Fault{fmt::format("has {} for '{}' of '{}'", most, shown(column), shown(cell)),
                     "it must be >= 0", "cells"};
      if (const auto target = missing(column)) return fault(column, *target, "cells");
    }
  for (const auto& [variation, gains] : config.correct) {
    for (const auto& [column, gain] : gains)
      if (const auto target = missing(column)) return fault(column, *target, "correct");
    for (const auto& [row, values] : config.rows)
      if (number_of(values, variation) != nullptr)
        return Fault{
            fmt::format("has '{}', whose value the row '{}' gives", shown(variation), shown(row)),
            "take one of them away", "correct"};
  }
  return std::nullopt;
}

}  // namespace

void register_attempts_stage(StageRegistry& registry) {
  using C = AttemptsConfig;
  const auto numbers = dictionary(number_in_si());
  const auto schema =
      object<C>("Attempts")
          .required("cells", &C::cells, dictionary(numbers).min_size(1),
                    "of the study, and how far from the target each of their columns may be")
          .required("targets", &C::targets, dictionary(numbers).min_size(1),
                    "by name: where each column is to be")
          .required("rows", &C::rows, dictionary(numbers).min_size(1),
                    "by name: values of variations that are compared")
          .required("correct", &C::correct, dictionary(numbers).min_size(1),
                    "by variation and column: by how much it changes for a miss (column - target) "
                    "of 1; the first attempt is as drawn")
          .optional("max", &C::max, integer().min(1).max(1000),
                    "attempts; then the target is not reached")
          .optional("persons", &C::persons, integer().min(1).max(1000),
                    "who do all of it, each with seeds of their own; counts are their means")
          .check([](const C& c) { return fault_of(c); },
                 "each target has the columns of cells and correct");
  registry.add(
      "attempts", schema,
      "how often one must try for a target, corrected by what was missed each time",
      [](const AttemptsConfig& config) { return std::make_unique<AttemptsStage>(config); });
}

}  // namespace handspan
