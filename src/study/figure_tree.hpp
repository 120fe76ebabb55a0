#pragma once
// How runs divide by the values of columns, as a tree of counts.
#include "study/figure.hpp"

namespace handspan {

void register_tree_figure(FigureRegistry& registry);

}  // namespace handspan
