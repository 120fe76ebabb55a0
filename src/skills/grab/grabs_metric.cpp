#include "skills/grab/grabs_metric.hpp"

#include <algorithm>
#include <cmath>

#include "skills/grab/grab_watch.hpp"
#include "study/session_lookup.hpp"

namespace handspan {
namespace {

struct GrabsMetricConfig : GrabRule {
  double try_within = 60.0;  // [s]
};

class GrabsMetric : public Metric {
 public:
  GrabsMetric(const GrabsMetricConfig& config, const MetricContext& context)
      : config_(config), watch_(config, world_of(context.session)) {
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
    watch_.update(session.now());
    const bool over = watch_.grab().over;
    if (over && !was_over_) end(session);
    if (watch_.grab().touched && !over) failed_at_ = -1;
    was_over_ = over;
    if (failed_at_ >= 0 && seconds(session.now() - failed_at_) > config_.try_within) {
      ++left_;
      failed_at_ = -1;
    }
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
  struct Joint {
    std::size_t group;
    Eigen::Index index;
    double lower, upper;
  };
  struct Hand {
    ReferenceIndex reference;
    const FrameTask* task;
  };

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

  void end(const Session& session) noexcept {
    ++tries_;
    if (watch_.end() == GrabEnd::kGood) {
      ++good_;
      in_a_row_ = 0;
      return;
    }
    most_in_a_row_ = std::max(most_in_a_row_, ++in_a_row_);
    failed_at_ = session.now();
  }

  GrabsMetricConfig config_;
  GrabWatch watch_;
  std::vector<Joint> joints_;
  std::vector<Hand> hands_;
  bool was_over_ = false;
  Nanoseconds failed_at_ = -1;  // -1: a new one began, or none failed [ns]
  std::uint64_t tries_ = 0, good_ = 0, in_a_row_ = 0, most_in_a_row_ = 0, left_ = 0, put_back_ = 0,
                outside_ = 0;
  double reference_ = 0.0, reference_angle_ = 0.0;
};

}  // namespace

void register_grabs_metric(MetricRegistry& registry) {
  using C = GrabsMetricConfig;
  const auto schema = with_grab_rule(object<C>("GrabsMetric"))
                          .optional("try_within", &C::try_within, number("s").above(0),
                                    "a new grab begins so soon after one that was not good");
  registry.add("grabs", schema,
               "an object taken between two bodies, lifted and put back, again and again",
               [](const GrabsMetricConfig& config, const MetricContext& context) {
                 return std::make_unique<GrabsMetric>(config, context);
               });
}

}  // namespace handspan
