#include "control/hold.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/values.hpp"

namespace handspan {
namespace {

void require_kind(const GroupContext& context, GroupKind kind, const char* controller,
                  const char* driven) {
  if (context.group.kind != kind)
    throw InputError(fmt::format("{} needs a {} group; '{}' is another", controller, driven,
                                 context.group.name));
}

// of a joint spring [rad a tick]
constexpr double kFastestPole = 0.2;

// How fast a small deviation grows in a tick with torques -K q - D v that are held over it; 1 or
// less: it does not. The largest magnitude of the eigenvalues of the step of (q, v).
// @param W inverse of the mass matrix of the joints
double growth(const Eigen::MatrixXd& W, const Eigen::VectorXd& K, const Eigen::VectorXd& D,
              double dt) {
  const Eigen::Index n = K.size();
  const Eigen::MatrixXd aq = -W * K.asDiagonal(), av = -W * D.asDiagonal();
  Eigen::MatrixXd step = Eigen::MatrixXd::Identity(2 * n, 2 * n);
  step.topLeftCorner(n, n) += 0.5 * dt * dt * aq;
  step.topRightCorner(n, n) = dt * (Eigen::MatrixXd::Identity(n, n) + 0.5 * dt * av);
  step.bottomLeftCorner(n, n) = dt * aq;
  step.bottomRightCorner(n, n) += dt * av;
  return step.eigenvalues().cwiseAbs().maxCoeff();
}

}  // namespace

Eigen::VectorXd default_stiffness(const GroupContext& context) {
  Eigen::VectorXd stiffness(context.group.size());
  for (Eigen::Index i = 0; i < stiffness.size(); ++i)
    stiffness[i] =
        0.2 * context.limits.find(context.group.joints[static_cast<std::size_t>(i)])->torque / 0.1;
  return stiffness;
}

JointSprings::JointSprings(const JointSpringsConfig& config, const GroupContext& context)
    : context_(context),
      data_(context.model),
      q_(context.model.neutral()),
      damping_ratio_(config.damping_ratio),
      asked_(config.stiffness.has_value()) {
  require_kind(context, GroupKind::kTorque, "joint_springs", "torque-driven");
  for (const auto& joint : context.group.joints) slots_.push_back(context.model.joint(joint));
  stiffness_ = config.stiffness.value_or(default_stiffness(context));
  if (stiffness_.size() != context.group.size())
    throw InputError(fmt::format("stiffness has {} values for the {} joints of '{}'",
                                 stiffness_.size(), context.group.size(), context.group.name));
  damping_ = q_start_ = Eigen::VectorXd::Zero(stiffness_.size());
}

void JointSprings::start(const GroupState& state) {
  q_start_ = state.q;
  for (std::size_t i = 0; i < slots_.size(); ++i)
    q_[slots_[i].q] = state.q[static_cast<Eigen::Index>(i)];
  const auto n = stiffness_.size();
  const Eigen::MatrixXd inverse = Eigen::MatrixXd(mass_matrix(context_.model, data_, q_)).inverse();
  const Eigen::MatrixXd M = mass_matrix(context_.model, data_, q_);
  Eigen::MatrixXd W(n, n);  // of the group's joints, the others free
  Eigen::VectorXd inertia(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const int v = slots_[static_cast<std::size_t>(i)].v;
    inertia[i] = M(v, v);
    for (Eigen::Index j = 0; j < n; ++j)
      W(i, j) = inverse(v, slots_[static_cast<std::size_t>(j)].v);
  }
  const double dt = 1.0 / context_.group.rate.hz();
  const auto damped = [&](const Eigen::VectorXd& K) {
    return Eigen::VectorXd(2.0 * damping_ratio_ * (K.array() * inertia.array()).sqrt());
  };
  if (!asked_) {
    // by a fast pole of a tenth of a turn a tick: what a delay of one takes is left
    for (Eigen::Index i = 0; i < n; ++i)
      stiffness_[i] = std::min(stiffness_[i], std::pow(kFastestPole / dt, 2) / W(i, i));
    while (growth(W, stiffness_, damped(stiffness_), dt) > 1.0) stiffness_ *= 0.5;
  } else if (growth(W, stiffness_, damped(stiffness_), dt) > 1.0) {
    // the one that bears least of what it was given
    Eigen::Index worst = 0;
    (stiffness_.array() * W.diagonal().array()).maxCoeff(&worst);
    Eigen::VectorXd bearable = stiffness_;
    while (growth(W, bearable, damped(bearable), dt) > 1.0) bearable *= 0.9;
    throw InputError(fmt::format(
        "stiffness of {} N m/rad on joint '{}' bursts with a command every {:.3g} ms: the joint "
        "moves {:.3g} kg m^2; give at most {:.3g} there, or leave the stiffness out",
        stiffness_[worst], context_.group.joints[static_cast<std::size_t>(worst)], 1e3 * dt,
        1.0 / W(worst, worst), bearable[worst]));
  }
  damping_ = damped(stiffness_);
}

void JointSprings::update(const GroupState& state, Eigen::Ref<Eigen::VectorXd> command) {
  for (std::size_t i = 0; i < slots_.size(); ++i)
    q_[slots_[i].q] = state.q[static_cast<Eigen::Index>(i)];
  const Eigen::VectorXd& gravity = gravity_forces(context_.model, data_, q_);
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    command[k] = stiffness_[k] * (q_start_[k] - state.q[k]) - damping_[k] * state.v[k];
    if (!context_.group.gravity_compensated) command[k] += gravity[slots_[i].v];
  }
}

ZeroVelocity::ZeroVelocity(const GroupContext& context) {
  require_kind(context, GroupKind::kVelocity, "zero_velocity", "velocity-driven");
}

HoldPosition::HoldPosition(const GroupContext& context)
    : q_start_(Eigen::VectorXd::Zero(context.group.size())) {
  if (context.group.kind != GroupKind::kPosition && context.group.kind != GroupKind::kSuction)
    throw InputError(
        fmt::format("hold_position needs a position-driven or suction group; '{}' is another",
                    context.group.name));
}

void register_hold_controllers(ControllerRegistry& registry) {
  registry.add(
      "joint_springs",
      object<JointSpringsConfig>("JointSprings",
                                 "tau = K (q_start - q) - D v + g(q), for torque-driven groups")
          .optional("stiffness", &JointSpringsConfig::stiffness, dynamic_vector("N m/rad").above(0),
                    "one a joint; left out: a fifth of the torque limit at 0.1 rad, less where the "
                    "joint's inertia and the tick bear less")
          .optional("damping_ratio", &JointSpringsConfig::damping_ratio, number().min(0).max(10)),
      "joint springs and gravity compensation",
      [](const JointSpringsConfig& config, const GroupContext& context) {
        return std::make_unique<JointSprings>(config, context);
      });
  struct Nothing {};
  registry.add("zero_velocity", object<Nothing>("ZeroVelocity"),
               "commands no velocity, for velocity-driven groups",
               [](const Nothing&, const GroupContext& context) {
                 return std::make_unique<ZeroVelocity>(context);
               });
  registry.add("hold_position", object<Nothing>("HoldPosition"),
               "keeps the positions it starts at, for position-driven groups",
               [](const Nothing&, const GroupContext& context) {
                 return std::make_unique<HoldPosition>(context);
               });
}

}  // namespace handspan
