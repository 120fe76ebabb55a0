#include "skills/toss/toss_metric.hpp"

#include <algorithm>
#include <cmath>

#include "scene/scene_frame.hpp"
#include "skills/toss/toss_watch.hpp"
#include "study/session_lookup.hpp"

namespace handspan {
namespace {

struct TossMetricConfig : TossRule {
  std::string in;
};

class TossMetric : public Metric {
 public:
  TossMetric(const TossMetricConfig& config, const MetricContext& context)
      : watch_(config, context.session.app().scene, world_of(context.session)) {
    if (!config.in.empty()) X_FW_ = scene_frame(context.session.app().scene, config.in).inverse();
  }

  std::vector<Column> columns() const override {
    return {{"x", "m", "of its origin at rest, in the frame"},
            {"y", "m", ""},
            {"yaw", "rad", "of its x axis in the frame's x-y plane, at rest"},
            {"along", "m",
             "from where it was let go to where it rests, along the belt and against its surface"},
            {"across", "m", "the same across the belt, to its left"},
            {"off_along", "m", "from the middle of what it rests on, along its x axis"},
            {"off_across", "m", "the same along its y axis"},
            {"impact_tilt", "rad", "of its z axis from the belt's, when it meets the belt"},
            {"impact_speed", "m/s", "of its origin then"},
            {"max_tilt", "rad", "largest angle of these axes from then on"},
            {"flight", "s", "from when it was let go to when it met the belt"},
            {"slide", "s", "from then to rest"},
            {"rests", "", "1: it came to rest on the belt, within the time"},
            {"rest_tilt", "rad", "of its z axis from the belt's, at rest"},
            {"belt_yaw", "rad",
             "at rest, between the axis that leads and the belt's, either way; without one, of its "
             "sides"},
            {"judged", "",
             "1: it rests on its bottom, never tilted by more than max_tilt at and after the "
             "impact, with a yaw of less than max_yaw to the belt"}};
  }

  void after_tick(Session& session) noexcept override { watch_.update(session.now()); }

  std::optional<bool> done() const noexcept override { return watch_.toss().over; }

  void values(Session&, std::span<double> into) override {
    const Toss& toss = watch_.toss();
    std::ranges::fill(into, NAN);
    into[12] = toss.rests ? 1.0 : 0.0;
    into[15] = watch_.end() == TossEnd::kGood ? 1.0 : 0.0;
    if (toss.impact >= 0) {
      into[7] = toss.impact_tilt;
      into[8] = toss.impact_speed;
      into[9] = watch_.max_tilt();
      into[10] = seconds(toss.impact - toss.released);
    }
    if (!toss.rests) return;
    const Pose X_FB = X_FW_ * toss.X_WS_rest * toss.X_SB_rest;
    into[0] = X_FB.p.x();
    into[1] = X_FB.p.y();
    into[2] = std::atan2(X_FB.R(1, 0), X_FB.R(0, 0));
    into[3] = toss.p_rest.x() - toss.p_released.x();
    into[4] = toss.p_rest.y() - toss.p_released.y();
    into[5] = toss.X_SB_rest.p.x();
    into[6] = toss.X_SB_rest.p.y();
    into[11] = seconds(toss.rest - toss.impact);
    into[13] = TossWatch::tilt(toss.X_SB_rest);
    into[14] = watch_.yaw();
  }

 private:
  TossWatch watch_;
  Pose X_FW_;
};

}  // namespace

void register_toss_metric(MetricRegistry& registry) {
  using C = TossMetricConfig;
  const auto schema = with_toss_rule(object<C>("TossMetric"))
                          .optional("in", &C::in, text(),
                                    "a frame of the scene for the pose at rest; else the world");
  registry.add("toss", schema, "an object that a cup lets go of, on a belt",
               [](const TossMetricConfig& config, const MetricContext& context) {
                 return std::make_unique<TossMetric>(config, context);
               });
}

}  // namespace handspan
