#include "skills/grab/grab_metric.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.hpp"
#include "core/values.hpp"
#include "person/person.hpp"
#include "study/session_lookup.hpp"

namespace handspan {
namespace {

// the box counts as put back when it is as high as it was [m]
constexpr double kPutBack = 0.02;
// farther than this from where it was held it is lost, and how far it falls tells nothing [m]
constexpr double kLost = 0.1;
// without a person's steps the lift is while it is higher than this over where it stood [m]
constexpr double kLifted = 0.005;

struct GrabMetricConfig {
  std::string object;
  std::vector<std::string> between;
  Eigen::Vector3d touch = Eigen::Vector3d::Zero();
  std::string device;  // "": nobody says in which step the lift is
  std::optional<int> lift, put_back;
};

std::optional<Fault> fault_of_grab(const GrabMetricConfig& config) {
  const bool person = !config.device.empty();
  if (person == config.lift.has_value() && person == config.put_back.has_value())
    return std::nullopt;
  return Fault{"has some of device, lift and put_back, and not all",
               "give all three for a scripted person, and none where a demonstration is repeated"};
}

class GrabMetric : public Metric {
 public:
  GrabMetric(const GrabMetricConfig& config, const MetricContext& context)
      : config_(config),
        world_(world_of(context.session)),
        person_(config.device.empty() ? nullptr : &person_of(context.session, config.device)),
        object_(body_of(world_, config.object)) {
    for (std::size_t side = 0; side < 2; ++side)
      touches_[side].body = body_of(world_, config.between[side]);
    z_start_ = world_.body_pose(object_).p.z();
  }

  std::vector<Column> columns() const override {
    return {{"lifted", "m", "highest over where it was when the lift began"},
            {"slip", "m",
             "farthest that one of the two points by which it is held is from the point of it that "
             "was there when the lift began, in the lift; more than 10 cm: it is lost, and the run "
             "ends"},
            {"tilt", "rad", "largest angle of its z axis from the world's, in the lift"},
            {"put_back", "", "1: it ended as high as it had been, within 2 cm"}};
  }

  void after_tick(Session&) noexcept override {
    const Pose X_WO = world_.body_pose(object_);
    if (person_ != nullptr) {
      const auto step = static_cast<int>(person_->step());
      // also when the person gave up, and begins anew
      done_ = lost_ || step > *config_.put_back || person_->round() > 0;
      if (done_ || step != *config_.lift) return;
    } else if (lost_ || X_WO.p.z() < z_start_ + kLifted) {
      return;
    }
    if (!held_) {
      held_ = true;
      for (Touch& touch : touches_) touch.p_O = X_WO.inverse() * p_W(touch);
      z_before_ = X_WO.p.z();
    }
    lifted_ = std::max(lifted_, X_WO.p.z() - z_before_);
    for (const Touch& touch : touches_)
      slip_ = std::max(slip_, (X_WO * touch.p_O - p_W(touch)).norm());
    done_ = lost_ = lost_ || slip_ > kLost;
    tilt_ = std::max(tilt_, std::acos(std::clamp(X_WO.R(2, 2), -1.0, 1.0)));
  }

  std::optional<bool> done() const noexcept override {
    // without a person it looks on until the machines are at their end
    if (person_ == nullptr) return std::nullopt;
    return done_;
  }

  void values(Session&, std::span<double> into) override {
    into[0] = lifted_;
    into[1] = held_ ? slip_ : NAN;
    into[2] = held_ ? tilt_ : NAN;
    const bool ended = person_ == nullptr ? held_ : done_ && person_->round() == 0;
    into[3] = ended && !lost_ && std::abs(world_.body_pose(object_).p.z() - z_start_) < kPutBack
                  ? 1.0
                  : 0.0;
  }

 private:
  struct Touch {
    int body = 0;
    Eigen::Vector3d p_O = Eigen::Vector3d::Zero();  // of the object, there when the lift began
  };

  Eigen::Vector3d p_W(const Touch& touch) const {
    return world_.body_pose(touch.body) * config_.touch;
  }

  GrabMetricConfig config_;
  const World& world_;
  const Person* person_;
  int object_;
  std::array<Touch, 2> touches_;
  double z_start_ = 0.0, z_before_ = 0.0, lifted_ = 0.0, slip_ = 0.0, tilt_ = 0.0;
  bool held_ = false, lost_ = false, done_ = false;
};

}  // namespace

void register_grab_metric(MetricRegistry& registry) {
  const auto schema =
      object<GrabMetricConfig>("GrabMetric")
          .required("object", &GrabMetricConfig::object, text(), "what is taken")
          .required("between", &GrabMetricConfig::between, list(text()).size(2),
                    "the two bodies that hold it")
          .optional("touch", &GrabMetricConfig::touch, vector<3>("m"),
                    "the point of each of them that touches it, in its frame")
          .optional("device", &GrabMetricConfig::device, text(),
                    "the scripted person; left out: the lift is while the object is more than 5 mm "
                    "higher than it stood, and the run goes on to its end")
          .optional("lift", &GrabMetricConfig::lift, integer().min(0),
                    "the step of the person's script that lifts it, from 0")
          .optional("put_back", &GrabMetricConfig::put_back, integer().min(0),
                    "the step that puts it back; the run ends after it")
          .check([](const GrabMetricConfig& config) { return fault_of_grab(config); });
  registry.add("grab", schema, "an object taken between two bodies, lifted and put back",
               [](const GrabMetricConfig& config, const MetricContext& context) {
                 return std::make_unique<GrabMetric>(config, context);
               });
}

}  // namespace handspan
