#pragma once
// Columns by cell as boxes: quartiles, whiskers, single runs.
#include <memory>

#include "study/figure.hpp"

namespace handspan {

/// Of one column, as every report has it.
std::unique_ptr<StudyFigure> boxes_figure(const std::string& column);

void register_boxes_figure(FigureRegistry& registry);

}  // namespace handspan
