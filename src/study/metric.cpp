#include "study/metric.hpp"

#include "study/channel_metric.hpp"
#include "study/grab_metric.hpp"
#include "study/grabs_metric.hpp"
#include "study/object_metric.hpp"
#include "study/toss_metric.hpp"

namespace handspan {

MetricRegistry& metrics() {
  static MetricRegistry registry = [] {
    MetricRegistry built_in("metric");
    register_channel_metric(built_in);
    register_grab_metric(built_in);
    register_grabs_metric(built_in);
    register_object_metric(built_in);
    register_toss_metric(built_in);
    return built_in;
  }();
  return registry;
}

}  // namespace handspan
