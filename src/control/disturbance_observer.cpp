#include "control/disturbance_observer.hpp"

#include <cmath>

namespace handspan {

DisturbanceObserver::DisturbanceObserver(Eigen::Index coordinates, double bandwidth)
    : bandwidth_(bandwidth), M_(Eigen::MatrixXd::Zero(coordinates, coordinates)) {
  r_ = h_ = v_ = change_ = inertia_ = Eigen::VectorXd::Zero(coordinates);
}

void DisturbanceObserver::start() {
  r_.setZero();
  first_ = true;
}

void DisturbanceObserver::update(const Eigen::MatrixXd& M, const Eigen::VectorXd& h,
                                 const Eigen::VectorXd& v, const Eigen::VectorXd& tau, double dt) {
  if (!first_) {
    change_ = v - v_;
    inertia_.noalias() = M * change_;
    inertia_.noalias() += M_ * change_;
    // the exact gain of a first-order filter whose input is constant over the tick
    const double gain = 1.0 - std::exp(-bandwidth_ * dt);
    r_ += gain * (0.5 / dt * inertia_ + 0.5 * (h + h_) - tau - r_);
  }
  first_ = false;
  M_ = M;
  h_ = h;
  v_ = v;
}

}  // namespace handspan
