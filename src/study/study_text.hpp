#pragma once
// What the terminal shows of a study.
#include <string>
#include <vector>

#include "study/runner.hpp"

namespace handspan {

/// "1 h 5 min", "2 min 10 s", "12 s"; "?" when it is below 0.
std::string duration_text(double seconds);

/// A value in its shown unit, without it; "-": none.
std::string number_text(double value, const std::string& unit);
/// A value in its shown unit with as many digits as its interval has sense for: "12.3 mm".
std::string value_text(double value, const std::string& unit);
/// "12.3 mm [10.1, 15.2]"; without the bracket where there is no interval.
std::string estimate_text(const Estimate& estimate, const std::string& unit);

/// A stage's values as lines of cells. Those that have a row make a table, with names over its
/// columns.
struct StageTable {
  bool has_head = false;  // the first line
  std::vector<std::vector<std::string>> lines;
};
StageTable stage_table(const StageOutcome& stage);

/// Rows of cells in columns as wide as they must be; the first is left, the others right.
std::string text_table(const std::vector<std::vector<std::string>>& rows);

std::string study_heading(const StudyRunner& runner);
/// Who did the runs: "2 workers", or those of a scheduler.
std::string workers_text(const StudyOutcome& outcome);
/// Table of the columns by cell, what was asked, what was published, times.
std::string study_text(const StudyOutcome& outcome);
/// One run: what was drawn and what came out.
std::string run_text(const StudyConfig& study, const std::vector<Column>& columns,
                     const RunRecord& run);

}  // namespace handspan
