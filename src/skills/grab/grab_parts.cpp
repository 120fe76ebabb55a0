#include "skills/grab/grab_parts.hpp"

#include "skills/grab/grab_judge.hpp"
#include "skills/grab/grab_metric.hpp"
#include "skills/grab/grabs_metric.hpp"

namespace handspan {

void register_grab(Parts& parts) {
  MetricRegistry& metrics = parts.of<MetricRegistry>();
  register_grab_metric(metrics);
  register_grabs_metric(metrics);
  register_grab_judge(parts.of<JudgeRegistry>());
}

}  // namespace handspan
