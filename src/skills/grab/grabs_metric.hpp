#pragma once
// Grabs by a scripted person, one after the other for as long as a run lasts.
#include "study/metric.hpp"

namespace handspan {

/// grabs.
void register_grabs_metric(MetricRegistry& registry);

}  // namespace handspan
