#pragma once
// Arrows on a box: forces, velocities, where something was touched.
#include "study/figure.hpp"

namespace handspan {

void register_arrows_figure(FigureRegistry& registry);

}  // namespace handspan
