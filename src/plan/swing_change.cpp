#include "plan/swing_change.hpp"

#include "math/minimum_jerk.hpp"
#include "math/so3.hpp"

namespace handspan {

void change_swing(std::span<TimedPose> poses, const SwingChange& change, double release) {
  if (poses.empty()) return;
  const TimedPose first = poses.front();
  const Eigen::Quaterniond turn = exp_quaternion({0.0, 0.0, change.turn});
  const double let_go = changed_release(change, release);
  for (TimedPose& pose : poses) {
    pose.time /= change.speed;
    pose.p = first.p + change.scale * (turn * (pose.p - first.p));
    if (change.lift != 0.0) pose.p.z() += change.lift * minimum_jerk(pose.time / let_go);
    // the turns of the demonstration happen about the new direction's axes
    const double done = minimum_jerk((pose.time - let_go) / change.flick_time + 0.5);
    pose.q = exp_quaternion(done * change.flick) * turn * pose.q * first.q.conjugate() *
             turn.conjugate() * first.q;
    pose.q.normalize();
  }
}

}  // namespace handspan
