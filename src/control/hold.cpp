#include "control/hold.hpp"

#include <fmt/format.h>

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
      damping_ratio_(config.damping_ratio) {
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
  const Eigen::MatrixXd& M = mass_matrix(context_.model, data_, q_);
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    damping_[k] = 2.0 * damping_ratio_ * std::sqrt(stiffness_[k] * M(slots_[i].v, slots_[i].v));
  }
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
  if (context.group.kind == GroupKind::kTorque || context.group.kind == GroupKind::kVelocity)
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
                    "one a joint; left out: a fifth of the torque limit at 0.1 rad")
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
