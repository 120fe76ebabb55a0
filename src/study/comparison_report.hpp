#pragma once
// A comparison of studies as people and programs read it.
#include <string>

#include "study/comparison.hpp"

namespace handspan {

/// What changed beyond its interval, how much did not, and what is on one side only.
std::string comparison_text(const StudyComparison& comparison);

/// All of it, SI, what is not finite is null:
///   {"against", "build", "changed": count, "notes": [TEXT],
///    "statistics": [{"cell", "column", "unit", "statistic", "pairs", "left_out", "here", "there",
///                    "difference", "difference_interval", "ratio", "ratio_interval", "p",
///                    "p_holm", "changed", "same"}]}
std::string comparison_json(const StudyComparison& comparison);

/// A section of the report, with all statistics; those that changed are marked.
std::string comparison_html(const StudyComparison& comparison);

}  // namespace handspan
