#include "skills/grab/grabs_metric.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/error.hpp"
#include "core/values.hpp"
#include "person/person.hpp"
#include "study/session_lookup.hpp"

namespace handspan {
namespace {

struct GrabsMetricConfig {
  std::string object, device;
  std::vector<std::string> between;
  Eigen::Vector3d touch = Eigen::Vector3d::Zero();
  int begin = 1, lift = 0, put_back = 0;
  double lifted = 0.15;                           // [m]
  double slip = 0.005;                            // [m]
  double tilt = 15.0 * std::numbers::pi / 180.0;  // [rad]
  double put_back_within = 0.02;                  // [m]
  double try_within = 60.0;                       // [s]
};

class GrabsMetric : public Metric {
 public:
  GrabsMetric(const GrabsMetricConfig& config, const MetricContext& context)
      : config_(config),
        world_(world_of(context.session)),
        person_(person_of(context.session, config.device)),
        object_(body_of(world_, config.object)) {
    for (std::size_t side = 0; side < 2; ++side)
      touches_[side].body = body_of(world_, config.between[side]);
    z_start_ = world_.body_pose(object_).p.z();
    const PlantLayout& layout = context.session.plant().layout();
    for (std::size_t g = 0; g < layout.groups.size(); ++g)
      for (std::size_t j = 0; j < layout.groups[g].joints.size(); ++j) {
        const RobotInstance& robot = *context.session.app().scene.robot(layout.groups[g].robot);
        const JointLimits* limits = robot.limits.find(layout.groups[g].joints[j]);
        if (limits != nullptr && !limits->continuous)
          joints_.push_back({g, static_cast<Eigen::Index>(j), limits->lower, limits->upper});
      }
    const Arbiter& arbiter = context.session.arbiter();
    for (const ReferenceIndex r : arbiter.references())
      if (const auto* task = dynamic_cast<const FrameTask*>(&arbiter.reference(r).task()))
        hands_.push_back({r, task});
  }

  std::vector<Column> columns() const override {
    return {{"tries", "", "grabs that came to an end, good or not"},
            {"good", "", "lifted and put back, within slip and tilt"},
            {"share", "", "of good ones"},
            {"in_a_row", "", "most failures one after the other"},
            {"left", "", "failures after which no new grab began in time"},
            {"put_back", "", "times that the app put the scene back"},
            {"outside", "", "ticks in which a measured joint was beyond its limits"},
            {"reference", "m", "largest distance of a followed reference from its frame"},
            {"reference_angle", "rad", "likewise"}};
  }

  void after_tick(Session& session) noexcept override {
    watch_limits(session);
    for (const Event& event : session.events().events())
      if (event.kind == "scene" && event.name == "put back") ++put_back_;
    const auto step = static_cast<int>(person_.step());
    const bool new_round = person_.round() != round_;
    // what was begun ends when the person begins anew, or has put it back
    if (grab_.open && (new_round || step > config_.put_back)) end(session, !new_round);
    if (new_round) {
      round_ = person_.round();
      grab_ = {};
    }
    if (!grab_.open && !grab_.ended && step >= config_.begin && step <= config_.put_back) {
      grab_.open = true;
      failed_at_ = -1;
    }
    if (failed_at_ >= 0 && seconds(session.now() - failed_at_) > config_.try_within) {
      ++left_;
      failed_at_ = -1;
    }
    if (grab_.open && step == config_.lift) watch_lift();
  }

  void values(Session&, std::span<double> into) override {
    const auto number = [](std::uint64_t n) { return static_cast<double>(n); };
    into[0] = number(tries_);
    into[1] = number(good_);
    into[2] = tries_ > 0 ? number(good_) / number(tries_) : NAN;
    into[3] = number(most_in_a_row_);
    into[4] = number(left_);
    into[5] = number(put_back_);
    into[6] = number(outside_);
    into[7] = reference_;
    into[8] = reference_angle_;
  }

 private:
  struct Touch {
    int body = 0;
    Eigen::Vector3d p_O = Eigen::Vector3d::Zero();  // of the object, there when the lift began
  };
  struct Joint {
    std::size_t group;
    Eigen::Index index;
    double lower, upper;
  };
  struct Hand {
    ReferenceIndex reference;
    const FrameTask* task;
  };
  struct Grab {
    bool open = false, ended = false, held = false;
    double z_before = 0.0, lifted = 0.0, slip = 0.0, tilt = 0.0;
  };

  Eigen::Vector3d p_W(const Touch& touch) const {
    return world_.body_pose(touch.body) * config_.touch;
  }

  void watch_lift() noexcept {
    const Pose X_WO = world_.body_pose(object_);
    if (!grab_.held) {
      grab_.held = true;
      grab_.z_before = X_WO.p.z();
      for (Touch& touch : touches_) touch.p_O = X_WO.inverse() * p_W(touch);
    }
    grab_.lifted = std::max(grab_.lifted, X_WO.p.z() - grab_.z_before);
    for (const Touch& touch : touches_)
      grab_.slip = std::max(grab_.slip, (X_WO * touch.p_O - p_W(touch)).norm());
    grab_.tilt = std::max(grab_.tilt, std::acos(std::clamp(X_WO.R(2, 2), -1.0, 1.0)));
  }

  void watch_limits(Session& session) noexcept {
    const Observation& observation = session.plant().read();
    outside_ += std::ranges::any_of(joints_, [&](const Joint& j) {
      const double q = observation.groups[j.group].q[j.index];
      return q < j.lower || q > j.upper;
    });
    const Arbiter& arbiter = session.arbiter();
    for (const Hand& hand : hands_) {
      if (arbiter.holding(hand.reference)) continue;
      const Pose &X = *arbiter.reference(hand.reference).pose(), X_arm = hand.task->X_WE();
      reference_ = std::max(reference_, (X.p - X_arm.p).norm());
      reference_angle_ = std::max(reference_angle_, angle_between(X.R, X_arm.R));
    }
  }

  void end(const Session& session, bool to_its_end) noexcept {
    const bool good =
        to_its_end && grab_.lifted > config_.lifted && grab_.slip < config_.slip &&
        grab_.tilt < config_.tilt &&
        std::abs(world_.body_pose(object_).p.z() - z_start_) < config_.put_back_within;
    grab_.open = false;
    grab_.ended = true;
    ++tries_;
    if (good) {
      ++good_;
      in_a_row_ = 0;
      return;
    }
    most_in_a_row_ = std::max(most_in_a_row_, ++in_a_row_);
    failed_at_ = session.now();
  }

  GrabsMetricConfig config_;
  const World& world_;
  const Person& person_;
  int object_;
  std::array<Touch, 2> touches_;
  std::vector<Joint> joints_;
  std::vector<Hand> hands_;
  double z_start_ = 0.0;
  std::uint64_t round_ = 0;
  Grab grab_;
  Nanoseconds failed_at_ = -1;  // -1: a new one began, or none failed [ns]
  std::uint64_t tries_ = 0, good_ = 0, in_a_row_ = 0, most_in_a_row_ = 0, left_ = 0, put_back_ = 0,
                outside_ = 0;
  double reference_ = 0.0, reference_angle_ = 0.0;
};

}  // namespace

void register_grabs_metric(MetricRegistry& registry) {
  using C = GrabsMetricConfig;
  const auto schema =
      object<C>("GrabsMetric")
          .required("object", &C::object, text(), "what is taken")
          .required("between", &C::between, list(text()).size(2), "the two bodies that hold it")
          .optional("touch", &C::touch, vector<3>("m"),
                    "the point of each of them that touches it, in its frame")
          .required("device", &C::device, text(), "the scripted person")
          .optional("begin", &C::begin, integer().min(0),
                    "the step of the person's script with which a grab begins, from 0")
          .required("lift", &C::lift, integer().min(0), "the step that lifts it")
          .required("put_back", &C::put_back, integer().min(0), "the step that puts it back")
          .optional("lifted", &C::lifted, number("m").above(0), "a good one is lifted by more")
          .optional("slip", &C::slip, number("m").above(0), "and slips in the lift by less")
          .optional("tilt", &C::tilt, number("rad").above(0), "and tilts in it by less")
          .optional("put_back_within", &C::put_back_within, number("m").above(0),
                    "and ends as high as it was at the run's start, within this")
          .optional("try_within", &C::try_within, number("s").above(0),
                    "a new grab begins so soon after one that was not good");
  registry.add("grabs", schema,
               "an object taken between two bodies, lifted and put back, again and again",
               [](const GrabsMetricConfig& config, const MetricContext& context) {
                 return std::make_unique<GrabsMetric>(config, context);
               });
}

}  // namespace handspan
