#pragma once
// A statistic of columns by cell, as a table.
#include "study/figure.hpp"

namespace handspan {

void register_table_figure(FigureRegistry& registry);

}  // namespace handspan
