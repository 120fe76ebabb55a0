#pragma once
// A statistic of a column over two others as colours; and the same on a face of a body.
#include "study/figure.hpp"

namespace handspan {

void register_heat_map_figure(FigureRegistry& registry);

}  // namespace handspan
