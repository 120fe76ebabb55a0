#pragma once
// Figures as a report has them in its page.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "study/figure_set.hpp"

namespace handspan {

/// The study's own figures and ours against the published ones; "" for none.
/// @param no_pictures why there are no pictures; "": there are @param moves the page has the script
std::string own_figures_html(const std::vector<DrawnFigure>& figures,
                             const std::string& no_pictures, bool moves);

/// A figure for each column, and one quantity against another where the page has the script.
std::string column_figures_html(const StudyOutcome& outcome,
                                const std::vector<DrawnFigure>& figures,
                                const std::string& no_pictures, bool moves);

/// What the script shows of one quantity against another.
nlohmann::json explored(const Results& results);

}  // namespace handspan
