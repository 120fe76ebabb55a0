#pragma once
// Figures as pictures: Vega draws their specifications as SVG, in one process of Node.js for all of
// a report.
#include <filesystem>
#include <string>
#include <vector>

#include "study/figure_set.hpp"

namespace handspan {

/// The parts of Vega that set-up builds, and who runs them.
struct VegaPrograms {
  std::filesystem::path draw;  // figures-draw.mjs; "": it is not there
  std::filesystem::path node;  // Node.js; "": it is not there
  std::string page;            // figures-page.js, as the report embeds it; "": it is not there
};

/// Node.js is set-up's, else the one in $PATH.
/// @param page the folder web/dist of the source tree or of the installation
VegaPrograms find_vega(const std::filesystem::path& page);

/// Fills DrawnFigure::svg, and its problem where Vega refuses a specification.
/// @return why there are no pictures at all; "" when there are
std::string draw_pictures(const VegaPrograms& vega, std::vector<DrawnFigure>& figures);

/// FOLDER/NAME.csv and NAME.svg of each figure, and NAME.pdf of the study's own when librsvg's
/// rsvg-convert is there. @throws InputError when one cannot be written
void write_figures(const std::vector<DrawnFigure>& figures, const std::filesystem::path& folder);

}  // namespace handspan
