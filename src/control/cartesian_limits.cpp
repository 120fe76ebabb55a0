#include "control/cartesian_limits.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace handspan {
namespace {

constexpr double kAlong = 0.8;        // of the bound, along the last acceleration
constexpr double kLittle = 0.1;       // of the bound: below it there is no direction
constexpr double kShareOfBias = 0.8;  // of the bound, that dJ/dt v may take
constexpr double kReturnTime = 0.05;  // [s] in which excess speed goes

// orthonormal axes of the acceleration's box and its half edges
struct Box {
  Eigen::Matrix3d axes;  // rows
  Eigen::Vector3d half;
};

Box box_around(const Eigen::Vector3d& a, double bound) {
  Box box;
  const double length = a.norm();
  if (length < kLittle * bound) {
    box.axes.setIdentity();
    box.half.setConstant(bound / std::sqrt(3.0));
    return box;
  }
  const Eigen::Vector3d u = a / length, side = u.unitOrthogonal();
  box.axes << u.transpose(), side.transpose(), u.cross(side).transpose();
  const double across = bound * std::sqrt((1.0 - kAlong * kAlong) / 2.0);
  box.half << kAlong * bound, across, across;
  return box;
}

}  // namespace

CartesianSpeedLimits::CartesianSpeedLimits(const CartesianLimitsConfig& config,
                                           const ConstraintContext& context)
    : name_(config.frame), frame_(context.system.frame(config.frame)) {
  const Mechanism& m = context.system.mechanisms()[static_cast<std::size_t>(frame_.mechanism)];
  const auto chosen = [&](const std::optional<double>& own, double CartesianLimits::* maker) {
    if (own || !m.cartesian) return own;
    return std::optional<double>((*m.cartesian).*maker);
  };
  const Half linear{chosen(config.velocity, &CartesianLimits::velocity),
                    chosen(config.acceleration, &CartesianLimits::acceleration), 0, ""};
  const Half angular{chosen(config.angular_velocity, &CartesianLimits::angular_velocity),
                     chosen(config.angular_acceleration, &CartesianLimits::angular_acceleration), 3,
                     "angular "};
  for (const Half& half : {linear, angular})
    if (half.velocity || half.acceleration) halves_.push_back(half);
  if (halves_.empty())
    throw InputError(fmt::format(
        "cartesian_limits of '{}' limit nothing: the robot's limits.yaml has no cartesian limits; "
        "give velocity or acceleration",
        config.frame));
  offset_ = m.offset;
  J_ = mean_J_ = Matrix6Xd::Zero(6, m.model->nv());
}

std::vector<ConstraintRow> CartesianSpeedLimits::rows() const {
  std::vector<ConstraintRow> rows;
  for (const auto& half : halves_) {
    const double scale = half.acceleration.value_or(10.0);
    rows.push_back(
        {fmt::format("{}speed limit {}", half.name, name_), ConstraintKind::kCartesian, scale});
    if (half.acceleration)
      for (const char* axis : {"along", "across", "across too"})
        rows.push_back({fmt::format("{}acceleration limit {} ({})", half.name, name_, axis),
                        ConstraintKind::kCartesian, scale});
  }
  return rows;
}

void CartesianSpeedLimits::update(const ControlSystem& system, ControlState& state, RowBlock rows) {
  const auto m = static_cast<std::size_t>(frame_.mechanism);
  const Mechanism& mechanism = system.mechanisms()[m];
  MechanismState& s = state.mechanisms[m];
  if (!s.due) return;
  const RobotModel& model = *mechanism.model;
  // first what J was before, then how it went since, then its mean
  mean_J_ = J_;
  const Vector6d bias_before = bias_;
  frame_jacobian(model, s.data, frame_.frame, J_);
  const Vector6d V = frame_velocity(model, s.data, frame_.frame);
  bias_ = frame_bias_acceleration(model, s.data, frame_.frame);
  const Vector6d last = J_ * s.qdd + bias_;
  // mean_J_ q'' + mean_bias is the mean acceleration over the step
  Vector6d mean_bias = bias_;
  if (known_) {
    mean_J_ = J_ - mean_J_;
    mean_bias += 0.5 * (bias_ - bias_before);
    mean_bias.noalias() -= mean_J_ * s.qdd;
    mean_J_ = J_ + 1.5 * mean_J_;
  } else {
    mean_J_ = J_;
  }
  known_ = true;
  const Vector6d V_next = V + s.dt * (mean_J_ * s.qdd + mean_bias);
  Eigen::Index row = 0;
  for (const auto& half : halves_) {
    const Eigen::Vector3d v = V.segment<3>(half.first), b = bias_.segment<3>(half.first);
    const Eigen::Vector3d v_next = V_next.segment<3>(half.first);
    const double speed = v.norm(), speed_next = v_next.norm(), bias_size = b.norm();
    auto row_of = [&](const Eigen::Vector3d& n, const Matrix6Xd& J) {
      rows.A.row(row).segment(mechanism.offset, J.cols()).noalias() =
          n.transpose() * J.middleRows<3>(half.first);
    };
    double most = half.velocity.value_or(kNoBound);
    bool by_bias = false;
    if (half.acceleration && bias_size > 1e-9) {
      const double kept = speed * std::sqrt(kShareOfBias * *half.acceleration / bias_size);
      by_bias = kept < most;
      most = std::min(most, kept);
    }
    if (speed > 1e-9 && speed_next > 1e-9 && most < kNoBound) {
      const Eigen::Vector3d u = v_next / speed_next;
      row_of(u, mean_J_);
      const double room = most - speed;
      double bound =
          room >= 0.0 && !by_bias ? room / s.horizon : room / std::max(kReturnTime, s.horizon);
      // what the excess asks for must itself be within what the frame may do
      if (half.acceleration) bound = std::max(bound, -0.5 * *half.acceleration);
      // what of v is not along u is not lost when v turns
      rows.upper[row] = bound + (speed - u.dot(v)) / s.dt - u.dot(mean_bias.segment<3>(half.first));
    }
    ++row;
    if (!half.acceleration) continue;
    const Box box = box_around(last.segment<3>(half.first), *half.acceleration);
    for (int axis = 0; axis < 3; ++axis) {
      const Eigen::Vector3d n = box.axes.row(axis);
      row_of(n, J_);
      rows.lower[row] = -box.half[axis] - n.dot(b);
      rows.upper[row] = box.half[axis] - n.dot(b);
      ++row;
    }
  }
}

bool CartesianSpeedLimits::limit_holds(int row, const Eigen::VectorXd& x) const {
  int first = 0;  // row of the half
  for (const auto& half : halves_) {
    const int count = half.acceleration ? 4 : 1;
    // the speed's row is its limit
    if (row == first) return false;
    if (row < first + count) {
      const Eigen::Vector3d a = J_.middleRows<3>(half.first) * x.segment(offset_, J_.cols()) +
                                bias_.segment<3>(half.first);
      return a.norm() <= (1.0 + kQpTolerance) * *half.acceleration;
    }
    first += count;
  }
  return false;
}

void register_cartesian_limits(ConstraintRegistry& registry) {
  registry.add(
      "cartesian_limits",
      object<CartesianLimitsConfig>("CartesianLimits",
                                    "speed and acceleration of one frame; what "
                                    "is left out is as in limits.yaml")
          .required("frame", &CartesianLimitsConfig::frame, text(), "such as left.flange")
          .optional("velocity", &CartesianLimitsConfig::velocity, number("m/s").above(0))
          .optional("acceleration", &CartesianLimitsConfig::acceleration, number("m/s^2").above(0))
          .optional("angular_velocity", &CartesianLimitsConfig::angular_velocity,
                    number("rad/s").above(0))
          .optional("angular_acceleration", &CartesianLimitsConfig::angular_acceleration,
                    number("rad/s^2").above(0)),
      "speed and acceleration of one frame",
      [](const CartesianLimitsConfig& config, const ConstraintContext& context) {
        return std::make_unique<CartesianSpeedLimits>(config, context);
      });
}

}  // namespace handspan
