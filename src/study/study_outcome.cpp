#include "study/study_outcome.hpp"

#include <algorithm>
#include <cmath>

namespace handspan {

bool StudyOutcome::holds() const {
  if (!complete) return false;
  // a run of an app that broke off was not measured
  if (study.subject.app && results.failed() > 0) return false;
  if (!expectations.empty())
    return std::ranges::all_of(expectations, [](const auto& e) { return e.holds; });
  return results.failed() == 0 &&
         (!results.judged || std::ranges::all_of(results.runs, [](const RunRecord& r) {
           return r.good.value_or(true);
         }));
}

std::optional<bool> judged(const StudyConfig& study, const std::vector<Column>& columns,
                           const RunRecord& run) {
  if (study.good.empty()) return std::nullopt;
  if (!run.failure.empty()) return false;
  for (const auto& [name, rule] : study.good)
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (columns[c].name != name) continue;
      const double x = run.values[c];
      // what did not happen is not good
      if (!std::isfinite(x) || (rule.at_least && !(x >= *rule.at_least)) ||
          (rule.at_most && !(x <= *rule.at_most)) || (rule.above && !(x > *rule.above)) ||
          (rule.below && !(x < *rule.below)))
        return false;
    }
  return true;
}

}  // namespace handspan
