#include "bench/control/feature_loop.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "bench/control/two_arm_loop.hpp"
#include "control/control_parts.hpp"
#include "core/config.hpp"
#include "reference/frame_reference.hpp"

namespace handspan {
namespace {

constexpr Nanoseconds kFeatureStep = kSecond / 1000;
constexpr double kFeatureRadius = 0.1, kFeatureFrequency = 0.5;
constexpr int kFeatureWarmUp = 2000, kFeatureTicks = 20000;
constexpr double kLargestFeatureError = 1e-3;  // [m]

// the hands of the two-arm problem, with gains of each axis
constexpr const char* kFeatureTasks = R"(tasks:
  left_hand: {type: pose, frame: left.flange, stiffness: 400, gains: {stiffness: [400, 300, 200, 400, 300, 200], axes_of: tool}}
  right_hand: {type: pose, frame: right.flange, stiffness: 400, gains: {stiffness: [400, 300, 200, 400, 300, 200], axes_of: tool}}
  left_posture: {type: posture, robot: left, stiffness: 10, weight: 1.0e-5}
  right_posture: {type: posture, robot: right, stiffness: 10, weight: 1.0e-5}
)";

// A circle in the y-z plane, drawn from where the hand is. With features it announces each tick as
// a jump and gives shares of feedback that change from one tick to the next.
class Circle : public Source {
 public:
  explicit Circle(bool features) : features_(features) {}
  void start(const Moment&, const Motion& reference) override { start_ = reference.pose.X_WE; }
  bool jumps() const override { return features_; }
  bool shares_feedback() const override { return features_; }
  SourceAnswer update(const Moment& moment, const Motion&, Motion& wanted) override {
    const double w = 2.0 * std::numbers::pi * kFeatureFrequency,
                 t = 1e-3 * static_cast<double>(moment.tick), c = std::cos(w * t),
                 s = std::sin(w * t), r = kFeatureRadius;
    wanted.pose = {};
    wanted.pose.X_WE = start_;
    wanted.pose.X_WE.p += r * Eigen::Vector3d(0.0, c - 1.0, 0.5 * s * s);
    wanted.pose.V_WE.head<3>() = r * w * Eigen::Vector3d(0.0, -s, s * c);
    wanted.pose.A_WE.head<3>() = r * w * w * Eigen::Vector3d(0.0, -c, c * c - s * s);
    SourceAnswer answer;
    if (!features_) return answer;
    answer.jump = true;
    answer.feedback.emplace();
    answer.feedback->velocity[2] = moment.tick % 2 == 0 ? 0.9 : 1.0;
    return answer;
  }

 private:
  bool features_;
  Pose start_;
};

double seconds_of(std::chrono::steady_clock::duration d) {
  return std::chrono::duration<double>(d).count();
}

}  // namespace

FeatureLoop::FeatureLoop(bool features, const std::filesystem::path& root) {
  TwoArmSetup made = two_arm_setup(root, features ? kFeatureTasks : nullptr);
  scene_ = std::move(made.scene);
  layout_ = std::move(made.layout);
  observation_ = std::move(made.observation);
  command_ = Command::zero(layout_);
  Parts parts;
  register_control(parts);
  arms_ =
      std::make_unique<WholeArm>(parse_yaml(made.config, "two_arms.yaml", whole_arm_schema(parts)),
                                 scene_, layout_, kFeatureStep);
  arms_->start(observation_);
  arbiter_ = std::make_unique<Arbiter>(events_, arms_.get());
  moment_.observation = &observation_;
  PoseReferenceLimits limits;
  limits.jumps = features;
  std::vector<std::pair<ReferenceIndex, SourceIndex>> drives;
  for (const char* name : {"left_hand", "right_hand"}) {
    auto& task = dynamic_cast<FrameTask&>(arms_->task(name));
    hands_.push_back(&task);
    const ReferenceIndex reference =
        arbiter_->add(std::make_unique<FrameReference>(task, limits, arms_.get()));
    drives.emplace_back(reference, arbiter_->add_source(std::string("draws_") + name,
                                                        std::make_unique<Circle>(features)));
  }
  arbiter_->start();
  for (const auto& [reference, source] : drives) {
    const Authority authority{source};
    arbiter_->give_authority(reference, {&authority, 1}, moment_);
  }
}

void FeatureLoop::tick() {
  events_.clear(moment_.tick);
  arms_->observe(observation_, moment_.tick);
  arbiter_->update(moment_);
  arms_->solve(command_);
  ++moment_.tick;
  moment_.now += kFeatureStep;
}

void FeatureLoop::integrate() { integrate_two_arms(*arms_, layout_, command_, observation_); }

double FeatureLoop::error() const {
  double largest = 0.0;
  for (const FrameTask* hand : hands_)
    largest = std::max(largest, hand->pose_error().head<3>().norm());
  return largest;
}

TickSamples measure_features(const std::filesystem::path& root) {
  FeatureLoop without(false, root), with(true, root);
  const std::array<FeatureLoop*, 2> loops = {&without, &with};
  TickSamples samples;
  samples.seconds.reserve(kFeatureTicks);
  for (int k = 0; k < kFeatureWarmUp + kFeatureTicks; ++k) {
    std::array<double, 2> took{};
    for (int turn = 0; turn < 2; ++turn) {
      const auto which = static_cast<std::size_t>((k + turn) % 2);
      const auto begin = std::chrono::steady_clock::now();
      loops[which]->tick();
      took[which] = seconds_of(std::chrono::steady_clock::now() - begin);
      loops[which]->integrate();
    }
    if (k < kFeatureWarmUp) continue;
    samples.seconds.push_back(took[1] - took[0]);
    for (const FeatureLoop* loop : loops)
      samples.tracking = std::max(samples.tracking, loop->error());
  }
  for (const FeatureLoop* loop : loops) {
    const ProblemCounts& counts = loop->arms().problem().counts();
    if (counts.failed + counts.relaxed > 0)
      throw std::runtime_error(fmt::format("the QP failed in {} ticks and gave way in {}",
                                           counts.failed, counts.relaxed));
  }
  if (!(samples.tracking <= kLargestFeatureError))
    throw std::runtime_error(
        fmt::format("a hand was {:.3f} mm from its reference; {} mm is allowed",
                    1e3 * samples.tracking, 1e3 * kLargestFeatureError));
  return samples;
}

}  // namespace handspan
