// A source, `circle`: one round in the y-z plane, from wherever the reference is. Its radius is a
// live parameter.
#include <cmath>
#include <handspan/core/parts.hpp>
#include <handspan/core/values.hpp>
#include <handspan/reference/source.hpp>
#include <numbers>

using namespace handspan;

namespace {

struct CircleConfig {
  double radius = 0.05, period = 2.0;
};

class Circle : public Source {
 public:
  explicit Circle(const CircleConfig& config) : config_(config) {}

  void start(const Moment&, const Motion& reference) override {
    start_ = reference.pose.X_WE;
    t_ = 0.0;
  }
  SourceAnswer update(const Moment& moment, const Motion&, Motion& wanted) override {
    t_ += moment.dt;
    const double w = 2.0 * std::numbers::pi / config_.period, r = config_.radius;
    wanted.pose = {start_, Vector6d::Zero(), Vector6d::Zero()};
    wanted.pose.X_WE.p += r * Eigen::Vector3d(0.0, std::sin(w * t_), 1.0 - std::cos(w * t_));
    wanted.pose.V_WE.head<3>() = r * w * Eigen::Vector3d(0.0, std::cos(w * t_), std::sin(w * t_));
    return {t_ < config_.period ? SourceStatus::kActive : SourceStatus::kDone};
  }
  void declare_parameters(PartParameters& parameters) override {
    parameters.add({"radius", "m", 0.01, 0.2, "of the circle"}, config_.radius);
  }
  void state(StateArchive& archive) override { archive(start_.p, start_.R, t_); }

 private:
  CircleConfig config_;
  Pose start_;
  double t_ = 0.0;
};

}  // namespace

void register_circle(Parts& parts) {
  parts.of<SourceRegistry>().add(
      "circle",
      object<CircleConfig>("Circle")
          .optional("radius", &CircleConfig::radius, number("m").above(0))
          .optional("period", &CircleConfig::period, number("s").above(0)),
      "one round", [](const CircleConfig& config, const SourceContext&) {
        return std::make_unique<Circle>(config);
      });
}
