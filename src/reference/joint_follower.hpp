#pragma once
// How joints follow what is wanted, each for itself, as a pose does (pose_follower.hpp), and within
// their position limits: a limit is something to stop at.
#include <Eigen/Core>
#include <vector>

#include "reference/follow_law.hpp"
#include "reference/motion.hpp"

namespace handspan {

/// One that is outside its position limits already may come back, not go on.
class JointFollower {
 public:
  /// One a joint; lower <= upper, both may be infinite [rad].
  JointFollower(Eigen::VectorXd lower, Eigen::VectorXd upper, std::vector<FollowLimits> limits);

  void start(const Eigen::VectorXd& q);
  /// It is there and moves so, whatever its limits say.
  void place(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a);
  void follow(const Eigen::VectorXd& q, const Eigen::VectorXd& v, double dt);
  void brake(double dt);

  /// The reference itself: its q, v and a count.
  const Motion& motion() const { return motion_; }
  const Eigen::VectorXd& q() const { return motion_.q; }
  const Eigen::VectorXd& v() const { return motion_.v; }
  const Eigen::VectorXd& a() const { return motion_.a; }
  bool at_rest() const { return motion_.v.isZero(kRest); }
  void state(StateArchive& archive) { archive(motion_, q_wanted_, v_wanted_, v_goal_); }

 private:
  void step(Eigen::Index joint, const MovingGoal<1>* goal, double dt);

  std::vector<FollowLimits> limits_;
  Eigen::VectorXd lower_, upper_;
  Motion motion_;
  Eigen::VectorXd q_wanted_, v_wanted_, v_goal_;  // of the tick before
};

}  // namespace handspan
