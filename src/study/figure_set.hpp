#pragma once
// All figures of a study's report: those that the study names, and those that every report has.
#include <string>
#include <vector>

#include "study/figure.hpp"
#include "study/study_outcome.hpp"

namespace handspan {

/// A figure with its words; what could not be drawn says why.
struct DrawnFigure {
  std::string name;  // of its files
  std::string title, doc;
  bool own = true;  // false: every report has it
  Drawing drawing;
  std::string problem = "";  // "study.yaml:7: figures.x has nothing to show: ..."; "": none
  std::string svg = "";      // with colours by their names; "": not drawn
};

/// Before the first run. @throws ConfigError for names in figures that are no column, cell or log
void check_figures(const StudyConfig& study, const std::vector<Column>& columns,
                   const std::vector<std::string>& cells);

/// Figures of the study in their order, then boxes of each column that varies and, when the study
/// has a published table, ours beside it ("published").
/// @param folder of the results: series/ and logs/ are in it; empty: neither
std::vector<DrawnFigure> draw_figures(const StudyOutcome& outcome,
                                      const std::filesystem::path& folder);

}  // namespace handspan
