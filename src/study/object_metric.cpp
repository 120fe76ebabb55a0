#include "study/object_metric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/suggest.hpp"
#include "core/values.hpp"
#include "study/session_lookup.hpp"

namespace handspan {
namespace {

struct ObjectMetricConfig {
  std::string object, in;
  double rest_speed = 0.0, rest_time = 0.1;
};

class ObjectMetric : public Metric {
 public:
  ObjectMetric(const ObjectMetricConfig& config, const MetricContext& context)
      : config_(config),
        world_(world_of(context.session)),
        object_(body_of(world_, config.object)) {
    if (config.in.empty()) return;
    const auto& frames = context.session.app().scene.frames;
    std::vector<std::string> names;
    for (const auto& [name, X_WF] : frames) {
      if (name == config.in) {
        X_FW_ = X_WF.pose().inverse();
        return;
      }
      names.push_back(name);
    }
    if (names.empty())
      throw InputError(
          fmt::format("the scene has no frame '{}', nor any other: name one under "
                      "frames",
                      shown(config.in)));
    throw InputError(fmt::format("the scene has no frame '{}'; {}", shown(config.in),
                                 did_you_mean(config.in, names, "it has")));
  }

  std::vector<Column> columns() const override {
    return {{"x", "m", "of its origin, in the frame"},
            {"y", "m", ""},
            {"z", "m", ""},
            {"yaw", "rad", "of its x axis in the frame's x-y plane"},
            {"tilt", "rad", "of its z axis from the frame's"},
            {"time", "s", "at the end of the run"}};
  }

  void after_tick(Session& session) noexcept override {
    if (config_.rest_speed <= 0.0) return;
    if (world_.body_velocity(object_).head<3>().norm() > config_.rest_speed) moved_ = session.now();
  }

  std::optional<bool> done() const noexcept override {
    if (config_.rest_speed <= 0.0) return std::nullopt;
    return moved_ > 0 && seconds(world_.time() - moved_) > config_.rest_time;
  }

  void values(Session& session, std::span<double> into) override {
    const Pose X_FB = X_FW_ * world_.body_pose(object_);
    for (int i = 0; i < 3; ++i) into[static_cast<std::size_t>(i)] = X_FB.p[i];
    into[3] = std::atan2(X_FB.R(1, 0), X_FB.R(0, 0));
    into[4] = std::acos(std::clamp(X_FB.R(2, 2), -1.0, 1.0));
    into[5] = seconds(session.now());
  }

 private:
  ObjectMetricConfig config_;
  const World& world_;
  int object_;
  Pose X_FW_;
  Nanoseconds moved_ = 0;
};

}  // namespace

void register_object_metric(MetricRegistry& registry) {
  const auto schema =
      object<ObjectMetricConfig>("ObjectMetric")
          .required("object", &ObjectMetricConfig::object, text(), "an object of the scene")
          .optional("in", &ObjectMetricConfig::in, text(), "a frame of the scene; else the world")
          .optional("rest_speed", &ObjectMetricConfig::rest_speed, number("m/s").min(0),
                    "the run ends when it has moved and is slower than this; 0: it does not")
          .optional("rest_time", &ObjectMetricConfig::rest_time, number("s").min(0),
                    "for how long it must be");
  registry.add("object", schema, "where an object is at the end of the run",
               [](const ObjectMetricConfig& config, const MetricContext& context) {
                 return std::make_unique<ObjectMetric>(config, context);
               });
}

}  // namespace handspan
