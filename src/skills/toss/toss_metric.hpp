#pragma once
// toss: where an object comes to rest on a belt after a cup let go of it, how it met the belt, and
// whether that is a good toss by the rule of van Gorp 2022, section 4.3.
#include "study/metric.hpp"

namespace handspan {

void register_toss_metric(MetricRegistry& registry);

}  // namespace handspan
