#include "session/place_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "core/error.hpp"
#include "core/object.hpp"
#include "core/suggest.hpp"
#include "core/values.hpp"

namespace handspan {
namespace {

constexpr double kDegrees = 180.0 / std::numbers::pi;

struct PlaceConfig {
  std::string object;
  double within = 0.08;                               // [m]
  double tilt = 15.0 * std::numbers::pi / 180.0;      // [rad]
  std::optional<double> min_height, max_distance;     // [m]
  double max_tilt = 60.0 * std::numbers::pi / 180.0;  // [rad]
  double time = 1.0;                                  // [s]
};

// O is the object.
class PlaceJudge : public Judge {
 public:
  PlaceJudge(const PlaceConfig& config, const JudgeContext& context)
      : config_(config), world_(context.world) {
    std::vector<std::string> names;
    for (const auto& object : context.scene.objects) {
      names.push_back(object.name);
      if (object.name == config.object) X_WStart_ = object.X_WB.pose();
    }
    if (!std::ranges::count(names, config.object))
      throw InputError(
          names.empty() ? std::string("the scene has no free object whose place could be judged")
                        : fmt::format("the scene has no free object '{}'; {}", shown(config.object),
                                      did_you_mean(config.object, names, "it has")));
    object_ = world_.body(config.object);
    const auto& bodies = world_.bodies();
    for (const std::string& body : bodies)
      of_robot_.push_back(std::ranges::any_of(context.scene.robots, [&](const RobotInstance& r) {
        return body.starts_with(r.name + ".");
      }));
  }

  void update(Nanoseconds now) override {
    const Out out = look();
    if (out == Out::kNo) {
      state_ = {};
      return;
    }
    if (state_.since < 0) state_.since = now;
    if (state_.judged || seconds(now - state_.since) < config_.time) return;
    state_.judged = true;
    state_.out = out;
    state_.amount = amount(out);
  }
  Verdict verdict() const override { return state_.judged ? Verdict::kNotGood : Verdict::kGood; }
  VerdictText words() const override {
    if (!state_.judged) return "in its place, or on its way";
    char text[VerdictText::kMost];
    const auto said = [&](const auto& end) {
      return VerdictText(std::string_view(text, std::min(end.size, sizeof text)));
    };
    const std::size_t n = sizeof text;
    const std::string& name = config_.object;
    switch (state_.out) {
      case Out::kNo:
        return {};
      case Out::kLow:
        return said(fmt::format_to_n(text, n, "'{}' fell to {:.2f} m; min_height is {:.2f} m", name,
                                     state_.amount, config_.min_height.value_or(0.0)));
      case Out::kFar:
        return said(fmt::format_to_n(text, n,
                                     "'{}' is {:.2f} m from its place; max_distance is {:.2f} m",
                                     name, state_.amount, config_.max_distance.value_or(0.0)));
      case Out::kTumbled:
        return said(fmt::format_to_n(text, n, "'{}' is tilted by {:.0f} deg; at most {:.0f} deg",
                                     name, kDegrees * state_.amount, kDegrees * config_.max_tilt));
      case Out::kLeft:
        return said(fmt::format_to_n(text, n,
                                     "'{}' was left {:.2f} m from its place; within {:.2f} m", name,
                                     state_.amount, config_.within));
      case Out::kLeftTilted:
        return said(fmt::format_to_n(text, n,
                                     "'{}' was left tilted by {:.0f} deg; within {:.0f} deg", name,
                                     kDegrees * state_.amount, kDegrees * config_.tilt));
    }
    return {};
  }
  std::string text() const override {
    std::string out =
        fmt::format("not good when '{}' is for {:g} s ", config_.object, config_.time);
    if (config_.min_height) out += fmt::format("lower than {:g} m, ", *config_.min_height);
    if (config_.max_distance)
      out += fmt::format("farther than {:g} m from its place, ", *config_.max_distance);
    return out +
           fmt::format(
               "tilted by more than {:.0f} deg, or when it is left more than {:g} m or {:.0f} "
               "deg from its place",
               kDegrees * config_.max_tilt, config_.within, kDegrees * config_.tilt);
  }
  void state(StateArchive& archive) override {
    archive(state_.since, state_.judged, state_.out, state_.amount);
  }

 private:
  enum class Out : std::uint8_t { kNo, kLow, kFar, kTumbled, kLeft, kLeftTilted };
  struct State {
    Nanoseconds since = -1;  // it is out of place; -1: it is not [ns]
    bool judged = false;
    Out out = Out::kNo;
    double amount = 0.0;  // [m, rad]
  };

  Out look() const {
    const double far = amount(Out::kFar), tilt = amount(Out::kTumbled);
    if (config_.min_height && amount(Out::kLow) < *config_.min_height) return Out::kLow;
    if (config_.max_distance && far > *config_.max_distance) return Out::kFar;
    if (tilt > config_.max_tilt) return Out::kTumbled;
    if (amount(Out::kLeft) > config_.within) return held() ? Out::kNo : Out::kLeft;
    if (tilt > config_.tilt) return held() ? Out::kNo : Out::kLeftTilted;
    return Out::kNo;
  }
  double amount(Out out) const {
    const Pose X_WO = world_.body_pose(object_);
    const Eigen::Vector3d d = X_WO.p - X_WStart_.p;
    switch (out) {
      case Out::kNo:
        return 0.0;
      case Out::kLow:
        return X_WO.p.z();
      case Out::kFar:
        return d.head<2>().norm();
      case Out::kLeft:
        return d.norm();
      case Out::kTumbled:
      case Out::kLeftTilted:
        return std::acos(
            std::clamp(X_WO.R.col(2).dot(Eigen::Vector3d(X_WStart_.R.col(2))), -1.0, 1.0));
    }
    return 0.0;
  }
  // whether a robot touches it
  bool held() const {
    const auto robots = [&](int body) { return of_robot_[static_cast<std::size_t>(body)]; };
    return std::ranges::any_of(world_.contacts(), [&](const Contact& c) {
      return (c.body_a == object_ && robots(c.body_b)) || (c.body_b == object_ && robots(c.body_a));
    });
  }

  PlaceConfig config_;
  const World& world_;
  int object_ = 0;
  Pose X_WStart_;
  std::vector<bool> of_robot_;  // by body
  State state_;
};

}  // namespace

void register_place_judge(JudgeRegistry& registry) {
  using C = PlaceConfig;
  const auto schema =
      object<C>("PlaceJudge")
          .required("object", &C::object, text(), "a free one of the scene")
          .optional("within", &C::within, number("m").above(0),
                    "how far from its place at the start it may be left, touched by no robot")
          .optional("tilt", &C::tilt, number("rad").above(0),
                    "likewise, from its turn at the start")
          .optional("min_height", &C::min_height, number("m"),
                    "height of its origin, held or not; left out: any")
          .optional("max_distance", &C::max_distance, number("m").above(0),
                    "level, from its place, held or not; left out: any")
          .optional("max_tilt", &C::max_tilt, number("rad").above(0), "held or not")
          .optional("time", &C::time, number("s").min(0), "for which that lasts");
  registry.add("place", schema, "whether an object is where it belongs, or on its way",
               [](const PlaceConfig& config, const JudgeContext& context) {
                 return std::make_unique<PlaceJudge>(config, context);
               });
}

}  // namespace handspan
