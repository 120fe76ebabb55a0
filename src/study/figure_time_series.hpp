#pragma once
// Series of single runs or of a log over time, with events.
#include "study/figure.hpp"

namespace handspan {

void register_time_series_figure(FigureRegistry& registry);

}  // namespace handspan
