#pragma once
// grab: whether an object that a scripted person takes between two bodies is lifted, and neither
// slips nor tilts while it is.
#include "study/metric.hpp"

namespace handspan {

void register_grab_metric(MetricRegistry& registry);

}  // namespace handspan
