#include "reference/joint_follower.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace handspan {

JointFollower::JointFollower(Eigen::VectorXd lower, Eigen::VectorXd upper,
                             std::vector<FollowLimits> limits)
    : limits_(std::move(limits)), lower_(std::move(lower)), upper_(std::move(upper)) {
  motion_.q = motion_.v = motion_.a = q_wanted_ = v_wanted_ = v_goal_ =
      Eigen::VectorXd::Zero(lower_.size());
}

void JointFollower::start(const Eigen::VectorXd& q) {
  motion_.q = q_wanted_ = q;
  for (Eigen::VectorXd* x : {&motion_.v, &motion_.a, &v_wanted_, &v_goal_}) x->setZero();
}

void JointFollower::place(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                          const Eigen::VectorXd& a) {
  motion_.q = q_wanted_ = q;
  motion_.v = v_wanted_ = v_goal_ = v;
  motion_.a = a;
}

void JointFollower::follow(const Eigen::VectorXd& q, const Eigen::VectorXd& v, double dt) {
  using Vector1 = Eigen::Matrix<double, 1, 1>;
  for (Eigen::Index i = 0; i < motion_.q.size(); ++i) {
    Vector1 v_goal(v_goal_[i]);
    const MovingGoal<1> goal = moving_goal<1>(
        Vector1(q[i] - motion_.q[i]), Vector1(q[i] - q_wanted_[i]), Vector1(v_wanted_[i]),
        Vector1(v[i]), limits_[static_cast<std::size_t>(i)], dt, v_goal);
    v_goal_[i] = v_goal[0];
    step(i, &goal, dt);
    if (std::abs(motion_.q[i] - q[i]) < kSame) motion_.q[i] = q[i];
  }
  q_wanted_ = q;
  v_wanted_ = v;
}

void JointFollower::brake(double dt) {
  for (Eigen::Index i = 0; i < motion_.q.size(); ++i) step(i, nullptr, dt);
  q_wanted_ = motion_.q;
  v_wanted_ = v_goal_ = motion_.v;
}

void JointFollower::step(Eigen::Index i, const MovingGoal<1>* goal, double dt) {
  const PointMotion<1> now{Eigen::Matrix<double, 1, 1>(motion_.v[i]),
                           Eigen::Matrix<double, 1, 1>(motion_.a[i])};
  const double v = bounded_step(now, goal, std::min(lower_[i] - motion_.q[i], 0.0),
                                std::max(upper_[i] - motion_.q[i], 0.0),
                                limits_[static_cast<std::size_t>(i)], dt);
  motion_.a[i] = (v - motion_.v[i]) / dt;
  motion_.v[i] = v;
  motion_.q[i] += v * dt;
}

}  // namespace handspan
