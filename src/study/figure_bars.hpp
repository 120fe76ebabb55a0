#pragma once
// A statistic of columns by cell as bars, with whiskers, and stars where cells differ.
#include "study/figure.hpp"

namespace handspan {

void register_bars_figure(FigureRegistry& registry);

}  // namespace handspan
