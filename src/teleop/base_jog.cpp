#include "teleop/base_jog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "control/posture_task.hpp"
#include "control/whole_arm.hpp"
#include "core/error.hpp"
#include "core/object.hpp"
#include "core/suggest.hpp"
#include "core/values.hpp"
#include "device/devices.hpp"

namespace handspan {
namespace {

// the wanted place runs no farther ahead of the reference [m, rad]
constexpr double kBaseLead = 0.05;
// over which what is across the way of a rolling base is given up [s]
constexpr double kAcrossTime = 0.1;

const PostureTask& base_task(const std::string& name, const SourceContext& context) {
  if (context.arms == nullptr)
    throw InputError("a jog of a base needs a whole-arm controller, and there is none");
  const auto* posture = dynamic_cast<const PostureTask*>(&context.arms->task(name));
  if (posture == nullptr)
    throw InputError(fmt::format(
        "the task '{}' has no joints of its own; give a posture of the base's joints", name));
  const RobotModel& model =
      *context.arms->system().mechanisms()[static_cast<std::size_t>(posture->mechanism())].model;
  const auto type = [&](std::size_t row) { return model.joint(posture->joint_names()[row]).type; };
  if (posture->rows() != 3 || type(0) != JointType::kPrismatic ||
      type(1) != JointType::kPrismatic || type(2) != JointType::kRevolute)
    throw InputError(fmt::format(
        "the task '{}' is of the joints {}; a base has three, in this order: two that slide along "
        "x and y and one that turns (joints: [ROBOT.base_x, ROBOT.base_y, ROBOT.base_yaw])",
        name, joined(posture->joint_names())));
  return *posture;
}

}  // namespace

BaseJog::BaseJog(const BaseJogConfig& config, const SourceContext& context)
    : name_(context.name),
      config_(config),
      device_(&device_of(context, config.device)),
      arms_(context.arms),
      dead_man_(config.dead_man, *device_),
      scale_(config.scale, *device_) {
  const PostureTask& task = base_task(config.task, context);
  mechanism_ = static_cast<std::size_t>(task.mechanism());
  std::ranges::copy(task.q_indices(), q_index_.begin());
  rolls_ = !arms_->system().mechanisms()[mechanism_].model->description().rollings.empty();
  if (rolls_ && config.left)
    throw InputError(
        "left: the wheels of this base do not slip sideways (rolling: in robot.yaml); leave it "
        "out");
  const std::optional<RateBinding>* bindings[] = {&config.forward, &config.left, &config.turn};
  for (std::size_t i = 0; i < 3; ++i)
    if (*bindings[i]) inputs_[i].emplace(**bindings[i], *device_);
}

// what is held now was not meant for it
void BaseJog::take_up() {
  dead_man_.open();
  scale_.begin(*device_);
}

void BaseJog::base(const Motion& reference) {
  if (reference.q.size() != 3) return;
  q_ = reference.q;
  const double c = std::cos(q_[2]), s = std::sin(q_[2]);
  V_B_ << c * reference.v[0] + s * reference.v[1], c * reference.v[1] - s * reference.v[0],
      reference.v[2];
  if (rolls_) V_B_[1] = 0.0;
}

void BaseJog::start(const Moment& moment, const Motion& reference) {
  take_up();
  tick_ = moment.tick - 1;
  base(reference);
}

void BaseJog::resume(const Moment& moment, const Motion& reference) {
  // not asked for a while: it was stopped
  if (tick_ < moment.tick - 1) take_up();
  tick_ = moment.tick;
  base(reference);
}

SourceAnswer BaseJog::update(const Moment& moment, const Motion& reference, Motion& wanted) {
  tick_ = moment.tick;
  if (reference.q.size() != 3)
    return {SourceStatus::kLost, "it is made for the joints of another task", kAllAxes};
  scale_.update(*device_);
  Eigen::Vector3d rates = Eigen::Vector3d::Zero();
  for (std::size_t i = 0; i < 3; ++i)
    if (inputs_[i])
      rates[static_cast<Eigen::Index>(i)] = respond(inputs_[i]->value(*device_), config_.response);
  if (!dead_man_.update(*device_, rates.isZero(0.0))) {
    base(reference);
    return {SourceStatus::kSilent, dead_man_.reason(), kAllAxes};
  }
  // nothing winds up while the reference cannot follow
  if ((q_ - Eigen::Vector3d(reference.q)).cwiseAbs().maxCoeff() > kBaseLead) base(reference);
  const double dt = moment.dt;
  // a diagonal is no faster
  rates.head<2>() *= config_.speed / std::max(1.0, rates.head<2>().norm());
  rates[2] *= config_.angular_speed;
  const Eigen::Vector3d before = V_B_;
  const Eigen::Vector2d change = scale_.value() * rates.head<2>() - V_B_.head<2>();
  V_B_.head<2>() +=
      change * std::min(1.0, config_.acceleration * dt / std::max(1e-12, change.norm()));
  const double most = config_.angular_acceleration * dt;
  V_B_[2] += std::clamp(scale_.value() * rates[2] - V_B_[2], -most, most);

  // of the middle of the tick, so that a turn at constant speeds is a circle
  const double middle = q_[2] + 0.5 * dt * V_B_[2];
  q_[0] += dt * (std::cos(middle) * V_B_[0] - std::sin(middle) * V_B_[1]);
  q_[1] += dt * (std::sin(middle) * V_B_[0] + std::cos(middle) * V_B_[1]);
  q_[2] += dt * V_B_[2];
  const double c = std::cos(q_[2]), s = std::sin(q_[2]);
  if (rolls_) {
    const Eigen::VectorXd& q = arms_->state().mechanisms[mechanism_].q;
    const double across = -s * (q[q_index_[0]] - q_[0]) + c * (q[q_index_[1]] - q_[1]);
    const double step = std::min(1.0, dt / kAcrossTime) * across;
    q_[0] -= s * step;
    q_[1] += c * step;
  }
  const Eigen::Vector3d A_B = (V_B_ - before) / dt;
  wanted.q = q_;
  wanted.v << c * V_B_[0] - s * V_B_[1], s * V_B_[0] + c * V_B_[1], V_B_[2];
  // with what turning does to a velocity
  wanted.a << c * A_B[0] - s * A_B[1] - V_B_[2] * wanted.v[1],
      s * A_B[0] + c * A_B[1] + V_B_[2] * wanted.v[0], A_B[2];
  return {};
}

void BaseJog::declare(ChannelTable& channels, Rate rate) {
  const std::string name = "source." + name_;
  scale_channel_ = channels.number(name + ".scale", "", rate, "of the full speed");
  velocity_channel_ =
      channels.vector(name + ".velocity", 3, "m/s, rad/s", rate,
                      "that it asks for, in the base's axes", {"forward", "left", "turn"});
}

void BaseJog::publish(ChannelTable& channels, Nanoseconds stamp) const {
  channels.write(scale_channel_, scale_.value(), stamp);
  channels.write(velocity_channel_, V_B_, stamp);
}

void BaseJog::state(StateArchive& archive) { archive(dead_man_, scale_, tick_, q_, V_B_); }

void register_base_jog(SourceRegistry& registry) {
  const auto rate = rate_binding_schema();
  registry.add(
      "base_jog",
      object<BaseJogConfig>("BaseJog", "a base on wheels driven by rates in its own axes")
          .required("device", &BaseJogConfig::device, text())
          .required("task", &BaseJogConfig::task, text(),
                    "a posture of the base's joints: x, y, yaw")
          .optional("forward", &BaseJogConfig::forward, rate)
          .optional("left", &BaseJogConfig::left, rate, "where its wheels let it go there")
          .optional("turn", &BaseJogConfig::turn, rate, "to the left")
          .optional("response", &BaseJogConfig::response, response_schema())
          .optional("speed", &BaseJogConfig::speed, number("m/s").above(0).max(10),
                    "at full deflection")
          .optional("angular_speed", &BaseJogConfig::angular_speed,
                    number("rad/s").above(0).max(20))
          .optional("acceleration", &BaseJogConfig::acceleration, number("m/s^2").above(0).max(100))
          .optional("angular_acceleration", &BaseJogConfig::angular_acceleration,
                    number("rad/s^2").above(0).max(200))
          .optional("scale", &BaseJogConfig::scale, speed_scale_schema())
          .optional("dead_man", &BaseJogConfig::dead_man, text(),
                    "control of the device that must be held")
          .check(
              [](const BaseJogConfig& c) -> std::optional<Fault> {
                if (c.forward || c.left || c.turn) return std::nullopt;
                return Fault{"moves nothing", "give forward, left or turn"};
              },
              "forward, left or turn"),
      "a base on wheels driven by rates in its own axes",
      [](const BaseJogConfig& config, const SourceContext& context) {
        return std::make_unique<BaseJog>(config, context);
      });
}

}  // namespace handspan
