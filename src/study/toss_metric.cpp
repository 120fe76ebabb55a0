#include "study/toss_metric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "core/error.hpp"
#include "core/suggest.hpp"
#include "core/values.hpp"
#include "scene/scene_frame.hpp"
#include "study/session_parts.hpp"

namespace handspan {
namespace {

// at rest: less than this of motion against the belt for so long (van Gorp 2022, section 4.3)
constexpr double kStill = 1e-3;  // [m]
constexpr Nanoseconds kStillFor = 500'000'000;

struct TossMetricConfig {
  std::string object, cup, belt, into, in;
  double longest = 3.0;                                // [s] after it was let go
  double most_tilt = 30.0 * std::numbers::pi / 180.0;  // [rad]
  std::optional<Eigen::Vector3d> leads;
  double most_yaw = 15.0 * std::numbers::pi / 180.0;  // [rad]
};

class TossMetric : public Metric {
 public:
  TossMetric(const TossMetricConfig& config, const MetricContext& context)
      : config_(config),
        plant_(simulation_of(context.session)),
        object_(body_of(plant_, config.object)) {
    const Scene& scene = context.session.app().scene;
    const PlantLayout& layout = plant_.layout();
    std::vector<std::string> cups, belts;
    for (std::size_t g = 0; g < layout.groups.size(); ++g) {
      if (layout.groups[g].kind != GroupKind::kSuction) continue;
      cups.push_back(layout.groups[g].name);
      if (cups.back() == config.cup) cup_ = g;
    }
    one_of_them("suction cup", config.cup, cups);
    for (std::size_t b = 0; b < scene.belts.size(); ++b) {
      belts.push_back(scene.belts[b].body.name);
      if (belts.back() == config.belt) X_WC_ = scene.belts[b].body.X_WB.pose();
    }
    one_of_them("belt", config.belt, belts);
    surface_ = body_of(plant_, config.into.empty() ? config.belt : config.into);
    if (surface_ == object_)
      throw InputError(
          fmt::format("'{}' is tossed, and cannot come to rest in itself; give 'into' "
                      "what it is to be tossed into, or leave it out for the belt",
                      shown(config.into)));
    if (!config.in.empty()) X_FW_ = scene_frame(scene, config.in).inverse();
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
            {"most_tilt", "rad", "largest angle of these axes from then on"},
            {"flight", "s", "from when it was let go to when it met the belt"},
            {"slide", "s", "from then to rest"},
            {"rests", "", "1: it came to rest on the belt, within the time"},
            {"rest_tilt", "rad", "of its z axis from the belt's, at rest"},
            {"belt_yaw", "rad",
             "at rest, between the axis that leads and the belt's, either way; without one, of its "
             "sides"},
            {"judged", "",
             "1: it rests on its bottom, never tilted by more than most_tilt at and after the "
             "impact, with a yaw of less than most_yaw to the belt"}};
  }

  void after_tick(Session& session) noexcept override {
    const Nanoseconds now = session.now();
    const bool held = plant_.read().groups[cup_].q[0] > 0.5;
    was_held_ = was_held_ || held;
    if (!was_held_ || (held && released_ < 0) || done_) return;
    const Pose X_WS = config_.into.empty() ? X_WC_ : plant_.body_pose(surface_);
    const Pose X_SB = X_WS.inverse() * plant_.body_pose(object_);
    const double dt = last_ < 0 ? 0.0 : seconds(now - last_);
    last_ = now;
    // of a point that the belt carries; what is on the belt is carried by itself
    if (config_.into.empty()) travel_ += dt * plant_.belt_speed(config_.belt);
    const Eigen::Vector3d p = X_SB.p - Eigen::Vector3d(travel_, 0.0, 0.0);
    if (released_ < 0) {
      released_ = now;
      p_released_ = p;
    }
    if (impact_ < 0 && touches_surface()) {
      // as it was a tick before: what it meets has not turned it yet
      impact_ = now;
      tilt_at_impact_ = tilt(X_SB_before_);
      speed_ = speed_before_;
    }
    X_SB_before_ = X_SB;
    speed_before_ = plant_.body_velocity(object_).head<3>().norm();
    if (impact_ < 0) return give_up(now);
    tilt_ = std::max(tilt_, tilt(X_SB));
    if (anchored_ < 0 || (p - p_anchor_).norm() > kStill) {
      anchored_ = now;
      p_anchor_ = p;
      X_WS_rest_ = X_WS;
      X_SB_rest_ = X_SB;
    } else if (now - anchored_ >= kStillFor) {
      rests_ = touches_surface();
      done_ = true;
      return;
    }
    give_up(now);
  }

  std::optional<bool> done() const noexcept override { return done_; }

  void values(Session&, std::span<double> into) override {
    std::ranges::fill(into, NAN);
    into[12] = rests_ ? 1.0 : 0.0;
    into[15] = 0.0;
    if (impact_ >= 0) {
      into[7] = tilt_at_impact_;
      into[8] = speed_;
      into[9] = std::max(tilt_, tilt_at_impact_);
      into[10] = seconds(impact_ - released_);
    }
    if (!rests_) return;
    const Pose X_FB = X_FW_ * X_WS_rest_ * X_SB_rest_;
    into[0] = X_FB.p.x();
    into[1] = X_FB.p.y();
    into[2] = std::atan2(X_FB.R(1, 0), X_FB.R(0, 0));
    into[3] = p_anchor_.x() - p_released_.x();
    into[4] = p_anchor_.y() - p_released_.y();
    into[5] = X_SB_rest_.p.x();
    into[6] = X_SB_rest_.p.y();
    into[11] = seconds(anchored_ - impact_);
    into[13] = tilt(X_SB_rest_);
    const Eigen::Vector3d axis = X_SB_rest_.R * config_.leads.value_or(Eigen::Vector3d::UnitX());
    const double turn = config_.leads ? std::numbers::pi : std::numbers::pi / 2.0;
    into[14] = std::abs(std::remainder(std::atan2(axis.y(), axis.x()), turn));
    into[15] = into[9] <= config_.most_tilt && into[14] < config_.most_yaw ? 1.0 : 0.0;
  }

 private:
  static void one_of_them(const char* what, const std::string& name,
                          const std::vector<std::string>& there) {
    if (std::ranges::count(there, name)) return;
    throw InputError(there.empty() ? fmt::format("the scene has no {}", what)
                                   : fmt::format("the scene has no {} '{}'; {}", what, shown(name),
                                                 did_you_mean(name, there, "it has")));
  }

  static double tilt(const Pose& X_SB) { return std::acos(std::clamp(X_SB.R(2, 2), -1.0, 1.0)); }

  bool touches_surface() const {
    return std::ranges::any_of(plant_.contacts(), [this](const Contact& c) {
      return (c.body_a == object_ && c.body_b == surface_) ||
             (c.body_b == object_ && c.body_a == surface_);
    });
  }

  void give_up(Nanoseconds now) { done_ = seconds(now - released_) > config_.longest; }

  TossMetricConfig config_;
  MujocoPlant& plant_;
  int object_, surface_ = 0;
  std::size_t cup_ = 0;
  Pose X_WC_, X_FW_;  // C: the belt. S: what it is to rest on or in, the belt unless told

  bool was_held_ = false, rests_ = false, done_ = false;
  Nanoseconds last_ = -1, released_ = -1, impact_ = -1, anchored_ = -1;
  double travel_ = 0.0;  // of the belt [m]
  double speed_ = 0.0, tilt_ = 0.0, tilt_at_impact_ = 0.0;
  Eigen::Vector3d p_released_ = Eigen::Vector3d::Zero(), p_anchor_ = Eigen::Vector3d::Zero();
  Pose X_SB_before_, X_SB_rest_, X_WS_rest_;
  double speed_before_ = 0.0;
};

}  // namespace

void register_toss_metric(MetricRegistry& registry) {
  using C = TossMetricConfig;
  const auto schema =
      object<C>("TossMetric")
          .required("object", &C::object, text(), "what is tossed")
          .required("cup", &C::cup, text(), "the suction group that lets it go")
          .required("belt", &C::belt, text(), "that it lands on")
          .optional("into", &C::into, text(),
                    "an object, such as a tray on that belt, in which it is to come to rest: all "
                    "that is against the belt is then against it")
          .optional("in", &C::in, text(),
                    "a frame of the scene for the pose at rest; else the world")
          .optional("longest", &C::longest, number("s").above(0),
                    "after it was let go; then it does not come to rest")
          .optional("leads", &C::leads, vector<3>(),
                    "axis of the object that is to lie along the belt; left out: any of its sides")
          .optional("most_tilt", &C::most_tilt, number("rad").above(0),
                    "of a toss that is judged good")
          .optional("most_yaw", &C::most_yaw, number("rad").above(0));
  registry.add("toss", schema, "an object that a cup lets go of, on a belt",
               [](const TossMetricConfig& config, const MetricContext& context) {
                 return std::make_unique<TossMetric>(config, context);
               });
}

}  // namespace handspan
