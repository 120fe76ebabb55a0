#pragma once
// What the issue "Whole-arm QP control" calls a limit that is exceeded and an arm that is stuck,
// for tests of whole sessions.
#include <fmt/format.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "session/session.hpp"

namespace handspan::test {

inline constexpr double kSlow = 1e-3;  // [m/s], of the weighted pose
inline constexpr double kFar = 0.02;   // [m], of the weighted pose error
inline constexpr double kRate = 1e-3;  // [m/s]: slower progress does not count as reducible
inline constexpr Nanoseconds kReversal = kSecond / 10;  // a reversal takes no longer
inline constexpr double kLasting = 0.1;                 // [s]: progress lasts at least as long
inline constexpr Nanoseconds kAfterRelaxation = kSecond / 10;
inline constexpr Nanoseconds kLook = kSecond / 100;  // between looks at the progress, at least

struct Findings {
  std::uint64_t ticks = 0, relaxed = 0, failed = 0, empty = 0;
  std::uint64_t looks = 0, stuck = 0,
                blocked = 0;  // looks; of them slow though reducible; obstacle
  std::uint64_t goals = 0;
  double position = 0.0, velocity = 0.0;  // worst excess of the commanded state [rad, rad/s]
  double step = 0.0;                      // of |dq'| over the acceleration limit, relative
  double cartesian = 0.0;                 // worst relative excess of speed and acceleration
  double plant_position = 0.0, plant_velocity = 0.0;
  std::string where;
};

// The least rate of a task's weighted pose error that joint velocities of its arm within limits and
// rows can give [m/s], all others staying as they are.
class Reducible {
 public:
  Reducible(const WholeArm& arms, int mechanism) : mechanism_(mechanism) {
    const Mechanism& m = arms.system().mechanisms()[static_cast<std::size_t>(mechanism)];
    for (const auto& limits : m.limits) viability_.emplace_back(limits);
  }

  double rate(WholeArm& arms, FrameTask& task, bool with_obstacles) {
    ControlProblem& problem = arms.problem();
    const Mechanism& m = arms.system().mechanisms()[static_cast<std::size_t>(mechanism_)];
    MechanismState& s = arms.state().mechanisms[static_cast<std::size_t>(mechanism_)];
    const int n = m.model->nv(), unknowns = problem.qp().unknowns();
    Matrix6Xd J(6, n);
    frame_jacobian(*m.model, s.data, task.frame().frame, J);
    Vector6d weighted = task.pose_error();
    weighted.tail<3>() *= task.orientation_weight();
    const double error = std::sqrt(weighted.dot(task.pose_error()));
    std::vector<int> rows;
    for (int row = 0; row < problem.qp().rows() && with_obstacles; ++row) {
      const int i = unknowns + row;
      if (problem.kind(i) == ConstraintKind::kCollision && problem.qp().lower[i] > -kNoBound)
        rows.push_back(row);
    }
    Qp qp(n, static_cast<int>(rows.size()));
    qp.H = 1e-6 * Eigen::MatrixXd::Identity(n, n);
    qp.f = -J.transpose() * weighted / error;
    // A velocity that can be had for kLasting at least: a joint 1e-6 rad before its end may do 2
    // mrad/s for half a millisecond, and that is not progress that an arm passes up.
    for (int j = 0; j < n; ++j) {
      const JointViability& viability = viability_[static_cast<std::size_t>(j)];
      qp.upper[j] = std::min(viability.upper_velocity(s.q[j]),
                             std::max(0.0, viability.upper_position() - s.q[j]) / kLasting);
      qp.lower[j] = std::max(viability.lower_velocity(s.q[j]),
                             std::min(0.0, viability.lower_position() - s.q[j]) / kLasting);
    }
    // a row on accelerations is one on the velocity that they lead to within the horizon, and by
    // that velocity c the gap that is left is c^2 / (2 a_d), a_d being the row's scale
    for (std::size_t r = 0; r < rows.size(); ++r) {
      qp.A.row(static_cast<int>(r)) = problem.qp().A.row(rows[r]).segment(m.offset, n);
      const int i = unknowns + rows[r];
      const double velocity =
          qp.A.row(static_cast<int>(r)).dot(s.v) + s.horizon * std::min(0.0, problem.qp().lower[i]);
      const double gap =
          0.5 * velocity * velocity / problem.rows()[static_cast<std::size_t>(i)].scale;
      qp.lower[n + static_cast<int>(r)] =
          velocity < 0.0 ? std::max(velocity, -gap / kLasting) : velocity;
    }
    const std::vector<QpRow> names(static_cast<std::size_t>(n) + rows.size(), {"row", 1, 1.0});
    QpSolver solver(n, qp.rows(), names);
    const QpSolution& solution = solver.solve(qp);
    return solution.status == QpStatus::kFailed ? 0.0 : qp.f.dot(solution.x);
  }

 private:
  int mechanism_;
  std::vector<JointViability> viability_;
};

// How far the weighted pose error of a task can be brought down from here with the joints inside
// their position limits, obstacles left aside: a damped Gauss-Newton descent on the arm's model.
inline double attainable_error(WholeArm& arms, FrameTask& task) {
  const auto i = static_cast<std::size_t>(task.frame().mechanism);
  const Mechanism& m = arms.system().mechanisms()[i];
  const RobotModel& model = *m.model;
  RobotData data(model);
  Eigen::VectorXd q = arms.state().mechanisms[i].q;
  const Eigen::VectorXd v = Eigen::VectorXd::Zero(model.nv());
  Vector6d w = Vector6d::Ones();
  w.tail<3>().setConstant(task.orientation_weight());
  Matrix6Xd J(6, model.nv());
  const auto error_at = [&](const Eigen::VectorXd& at, Vector6d& e) {
    update_kinematics(model, data, at, v);
    const Pose X = frame_pose(model, data, task.frame().frame);
    e << task.reference().X_WE.p - X.p, orientation_error(X.R, task.reference().X_WE.R);
    return std::sqrt(e.dot(w.cwiseProduct(e)));
  };
  Vector6d e;
  double error = error_at(q, e), damping = 1e-3;
  for (int step = 0; step < 200; ++step) {
    frame_jacobian(model, data, task.frame().frame, J);
    const Eigen::MatrixXd H = J.transpose() * w.asDiagonal() * J;
    const Eigen::VectorXd g = J.transpose() * w.cwiseProduct(e);
    const Eigen::VectorXd dq =
        (H + damping * Eigen::MatrixXd::Identity(q.size(), q.size())).ldlt().solve(g);
    Eigen::VectorXd next = q + dq;
    for (std::size_t j = 0; j < m.limits.size(); ++j) {
      const auto k = static_cast<Eigen::Index>(j);
      next[k] = std::clamp(next[k], m.limits[j].lower, m.limits[j].upper);
    }
    Vector6d e_next;
    const double error_next = error_at(next, e_next);
    if (error_next < error) {
      q = next;
      e = e_next;
      error = error_next;
      damping = std::max(1e-6, 0.3 * damping);
    } else {
      damping *= 5.0;
      if (damping > 1e6) break;
      error_at(q, e);
    }
  }
  return error;
}

/// Looks at every tick of a session with a whole-arm controller: limits of the commanded state and
/// of the plant; and whether a task's frame stands still though its error could be brought down.
class LimitWatch {
 public:
  /// @param tasks whose progress is looked at
  /// @param since when the goal of a task, by index, last jumped [ns]; may be empty: never
  explicit LimitWatch(Session& loop, std::vector<FrameTask*> tasks,
                      std::function<Nanoseconds(std::size_t)> since = {})
      : loop_(loop), arms_(*loop.whole_arm()), tasks_(std::move(tasks)), since_(std::move(since)) {
    for (const FrameTask* task : tasks_) {
      reducible_.emplace_back(arms_, task->frame().mechanism);
      last_fast_.push_back(0);
      next_look_.push_back(kLook);
    }
  }

  void after_tick(Nanoseconds now, Findings& f) {
    ControlProblem& problem = arms_.problem();
    const bool relaxed = problem.counts().relaxed + problem.counts().failed > relaxed_before_;
    relaxed_before_ = problem.counts().relaxed + problem.counts().failed;
    if (relaxed) last_relaxed_ = now;
    const bool excepted = now - last_relaxed_ < kAfterRelaxation && last_relaxed_ >= 0;
    limits(excepted, f);
    plant(f);
    progress(now, f);
  }

 private:
  void limits(bool excepted, Findings& f) {
    for (std::size_t i = 0; i < arms_.system().mechanisms().size(); ++i) {
      const Mechanism& m = arms_.system().mechanisms()[i];
      MechanismState& s = arms_.state().mechanisms[i];
      for (std::size_t j = 0; j < m.limits.size() && !excepted; ++j) {
        const auto k = static_cast<Eigen::Index>(j);
        excess(m.limits[j], s.q[k], s.v[k], f.position, f.velocity);
        if (s.due) f.step = std::max(f.step, std::abs(s.qdd[k]) / m.limits[j].acceleration - 1.0);
      }
      if (excepted || !m.cartesian) continue;
      const FrameId flange = m.model->frame(m.name + ".flange");
      const Vector6d V = frame_velocity(*m.model, s.data, flange);
      Matrix6Xd J(6, m.model->nv());
      frame_jacobian(*m.model, s.data, flange, J);
      const Vector6d A = J * s.qdd + frame_bias_acceleration(*m.model, s.data, flange);
      const CartesianLimits& c = *m.cartesian;
      for (const double share :
           {V.head<3>().norm() / c.velocity, V.tail<3>().norm() / c.angular_velocity,
            s.due ? A.head<3>().norm() / c.acceleration : 0.0,
            s.due ? A.tail<3>().norm() / c.angular_acceleration : 0.0})
        f.cartesian = std::max(f.cartesian, share - 1.0);
    }
  }

  static void excess(const JointLimits& limits, double q, double v, double& position,
                     double& velocity) {
    position = std::max({position, q - limits.upper, limits.lower - q});
    double upper = limits.velocity, lower = -limits.velocity;
    if (limits.velocity_curve) {
      upper = limits.velocity_curve->upper_velocity(q, limits.velocity);
      lower = limits.velocity_curve->lower_velocity(q, limits.velocity);
    }
    velocity = std::max({velocity, v - upper, lower - v});
  }

  void plant(Findings& f) {
    const Observation& o = loop_.plant().read();
    const PlantLayout& layout = loop_.plant().layout();
    for (std::size_t g = 0; g < layout.groups.size(); ++g)
      for (const auto& m : arms_.system().mechanisms())
        for (std::size_t j = 0; j < m.joint_names.size(); ++j)
          for (std::size_t k = 0; k < layout.groups[g].joints.size(); ++k)
            if (layout.groups[g].joints[k] == m.joint_names[j])
              excess(m.limits[j], o.groups[g].q[static_cast<Eigen::Index>(k)],
                     o.groups[g].v[static_cast<Eigen::Index>(k)], f.plant_position,
                     f.plant_velocity);
  }

  void progress(Nanoseconds now, Findings& f) {
    for (std::size_t g = 0; g < reducible_.size(); ++g) {
      FrameTask& task = *tasks_[g];
      const auto i = static_cast<std::size_t>(task.frame().mechanism);
      MechanismState& s = arms_.state().mechanisms[i];
      // a robot that takes no command in this tick has no rows against what stands around
      if (now < next_look_[g] || !s.due) continue;
      next_look_[g] = now + kLook;
      const Vector6d V =
          frame_velocity(*arms_.system().mechanisms()[i].model, s.data, task.frame().frame);
      const Vector6d& e = task.pose_error();
      const double ow = task.orientation_weight();
      const double speed = std::sqrt(V.head<3>().squaredNorm() + ow * V.tail<3>().squaredNorm());
      const double error = std::sqrt(e.head<3>().squaredNorm() + ow * e.tail<3>().squaredNorm());
      ++f.looks;
      if (speed >= kSlow || (since_ && now - since_(g) < kReversal)) last_fast_[g] = now;
      if (error <= kFar || now - last_fast_[g] < kReversal) continue;
      if (error - attainable_error(arms_, task) <= kFar) continue;
      // a way that is bound is named, and how to go on
      if (task.keeps_direction() && task.way().bound() != WayBound::kNone) continue;
      if (reducible_[g].rate(arms_, task, true) <= -kRate) {
        if (f.stuck++ == 0)
          f.where = fmt::format("{} at {:.3f} s, error {:.3f} m, rate {:.4f} m/s", task.name(),
                                seconds(now), error, reducible_[g].rate(arms_, task, true));
      } else if (reducible_[g].rate(arms_, task, false) <= -kRate) {
        ++f.blocked;
      }
    }
  }

  Session& loop_;
  WholeArm& arms_;
  std::vector<FrameTask*> tasks_;
  std::function<Nanoseconds(std::size_t)> since_;
  std::vector<Reducible> reducible_;
  std::vector<Nanoseconds> last_fast_, next_look_;
  std::uint64_t relaxed_before_ = 0;
  Nanoseconds last_relaxed_ = -1;
};

}  // namespace handspan::test
