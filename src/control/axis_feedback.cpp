#include "control/axis_feedback.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "control/contact_axes.hpp"
#include "control/task.hpp"
#include "core/error.hpp"

namespace handspan {
namespace {

template <int N>
Schema<Eigen::VectorXd> gains_of_axes(const char* unit, double most) {
  return vector<N>(unit).min(0).max(most).map(
      [](const Eigen::Matrix<double, N, 1>& x) { return Eigen::VectorXd(x); });
}

Schema<AxisGainsConfig> gains_schema(const Schema<Eigen::VectorXd>& stiffness,
                                     const Schema<Eigen::VectorXd>& damping) {
  using C = AxisGainsConfig;
  return object<C>("AxisGains", "gains of each axis")
      .optional("stiffness", &C::stiffness, stiffness,
                "along each axis, then about each; their ratio to the task's own stays when that "
                "changes")
      .optional("damping", &C::damping, damping, "left out: damped in each axis as the task is")
      .optional("axes_of", &C::axes_of, text(),
                "whose axes these are: world, tool (the task's frame), contact (z along the force "
                "that is felt, as it was last), or any frame");
}

}  // namespace

bool is_sane(const FeedbackShares& shares) {
  const auto good = [](double x) { return x >= 0.0 && x <= 1.0; };
  return std::ranges::all_of(shares.position, good) && std::ranges::all_of(shares.velocity, good);
}

AxisFeedback::AxisFeedback(const AxisGainsConfig& config, const ControlSystem& system,
                           const std::string& task, int first, double stiffness, double damping) {
  if (config.axes_of == "tool") {
    axes_ = Axes::kTool;
  } else if (config.axes_of == "contact") {
    axes_ = Axes::kContact;
  } else if (config.axes_of != "world") {
    axes_ = Axes::kFrame;
    try {
      frame_ = system.frame(config.axes_of);
    } catch (const InputError& error) {
      throw InputError(fmt::format(
          "the gains of the task '{}' have axes_of '{}', which is none of world, tool and contact: "
          "{}",
          task, shown(config.axes_of), error.what()));
    }
  }
  const auto ratios = [&](const Eigen::VectorXd& gains, double own, const char* what) {
    if (!(own > 0.0))
      throw InputError(
          fmt::format("the task '{}' has a {} of 0, to which those of its axes have no ratio; give "
                      "it one, such as the largest of them",
                      task, what));
    Vector6d ratio = Vector6d::Ones();
    ratio.segment(first, gains.size()) = gains / own;
    return ratio;
  };
  if (config.stiffness) {
    stiffness_ = ratios(*config.stiffness, stiffness, "stiffness");
    damping_ = stiffness_.cwiseSqrt();
  }
  if (config.damping) damping_ = ratios(*config.damping, damping, "damping");
  for (int axis = 0; axis < 6; ++axis)
    approach_[axis] = damping_[axis] > 0.0 ? stiffness_[axis] / damping_[axis] : 0.0;
  counted_ = stiffness_.cwiseMin(1.0);
  find_even();
}

void AxisFeedback::find_even() {
  even_ =
      stiffness_ == Vector6d::Ones() && damping_ == Vector6d::Ones() && shares_ == FeedbackShares{};
}

bool AxisFeedback::set(const FeedbackShares& shares) {
  if (!is_sane(shares)) return false;
  shares_ = shares;
  find_even();
  return true;
}

void AxisFeedback::orient(const ControlSystem& system, const ControlState& state, int mechanism,
                          const Eigen::Matrix3d& R_WE) {
  switch (axes_) {
    case Axes::kWorld:
      break;
    case Axes::kTool:
      R_WG_ = R_WE;
      break;
    case Axes::kContact:
      turn_to_contact(R_WG_, state.mechanisms[static_cast<std::size_t>(mechanism)].felt_force);
      break;
    case Axes::kFrame: {
      const auto m = static_cast<std::size_t>(frame_.mechanism);
      R_WG_ = frame_pose(*system.mechanisms()[m].model, state.mechanisms[m].data, frame_.frame).R;
      break;
    }
  }
}

Vector6d AxisFeedback::scaled(const Vector6d& ratio, const Vector6d& share,
                              const Vector6d& x) const {
  const Vector6d s = ratio.cwiseProduct(share);
  Vector6d y;
  y << R_WG_ * s.head<3>().cwiseProduct(R_WG_.transpose() * x.head<3>()),
      R_WG_ * s.tail<3>().cwiseProduct(R_WG_.transpose() * x.tail<3>());
  return y;
}

void AxisFeedback::state(StateArchive& archive) {
  archive(shares_, R_WG_);
  if (archive.loading()) find_even();
}

Schema<AxisGainsConfig> axis_gains_schema(int axes) {
  return axes == 3 ? gains_schema(gains_of_axes<3>("1/s^2", kMostStiffness),
                                  gains_of_axes<3>("1/s", kMostDamping))
                   : gains_schema(gains_of_axes<6>("1/s^2", kMostStiffness),
                                  gains_of_axes<6>("1/s", kMostDamping));
}

}  // namespace handspan
