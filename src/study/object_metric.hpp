#pragma once
// object: where an object of the scene is at the end of a run.
#include "study/metric.hpp"

namespace handspan {

void register_object_metric(MetricRegistry& registry);

}  // namespace handspan
