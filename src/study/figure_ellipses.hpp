#pragma once
// Runs as points of two columns, with an ellipse around each cell's.
#include "study/figure.hpp"

namespace handspan {

void register_ellipses_figure(FigureRegistry& registry);

}  // namespace handspan
