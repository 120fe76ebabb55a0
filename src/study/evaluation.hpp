#pragma once
// What is asked of a study's results, and what was published, against what came out.
#include <stdexcept>

#include "study/study_outcome.hpp"

namespace handspan {

/// A stage asked for runs and the study was stopped.
struct StudyStopped : std::runtime_error {
  StudyStopped() : std::runtime_error("the study was stopped") {}
};

/// @throws ConfigError for names in good, stages, expect and published that are no column
/// or cell
void check_names(const StudyConfig& study, const std::vector<Column>& columns,
                 const std::vector<std::string>& cells);

/// "STAGE.VALUE". @throws InputError with those there are
const StageValue& stage_value(const std::vector<StageOutcome>& stages, const std::string& name);

/// "deviation of x in short".
std::string text_of(const StatisticConfig& what);

/// @throws ConfigError when a stage gave no such value
Measured measure(const StatisticConfig& what, const StudyOutcome& outcome);

/// Fills expectations and published rows. @throws as measure()
void evaluate(StudyOutcome& outcome);

}  // namespace handspan
