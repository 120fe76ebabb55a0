#pragma once
// channel: a statistic over the run of what a channel says.
#include "study/metric.hpp"

namespace handspan {

void register_channel_metric(MetricRegistry& registry);

}  // namespace handspan
