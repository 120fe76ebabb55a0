#pragma once
// A picture from a file.
#include "study/figure.hpp"

namespace handspan {

void register_picture_figure(FigureRegistry& registry);

}  // namespace handspan
