#pragma once
// Ways of points in space, as they are seen from above, from beside and slanted.
#include "study/figure.hpp"

namespace handspan {

void register_path_figure(FigureRegistry& registry);

}  // namespace handspan
