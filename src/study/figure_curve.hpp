#pragma once
// A column over another, by cell: means and their deviation; or a series over another.
#include "study/figure.hpp"

namespace handspan {

void register_curve_figure(FigureRegistry& registry);

}  // namespace handspan
