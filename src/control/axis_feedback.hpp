#pragma once
// Feedback of a task of a frame axis by axis: a stiffness and a damping for each of six axes, those
// of the world, of the frame itself, of a contact or of any other frame; and the shares of position
// and velocity feedback that act now. Letters: W world, E the task's frame, G the gains' axes.
//
// With K = diag(k) and D = diag(d) in G the task asks for
//   a^d = A_ref + R D S_v R^T (V_ref - V) + R K S_p R^T e,  R = R_WG for both halves,
// S_p and S_v the shares. Nothing is added for axes that turn: it is the gain matrix of this tick.
#include <Eigen/Core>
#include <optional>
#include <string>

#include "control/system.hpp"
#include "core/object.hpp"
#include "core/values.hpp"

namespace handspan {

/// Gains of a task axis by axis; those of a task of three axes are of these.
struct AxisGainsConfig {
  std::optional<Eigen::VectorXd> stiffness;  // none: the task's own in all axes [1/s^2]
  // none: the damping ratio of the task in each axis [1/s]
  std::optional<Eigen::VectorXd> damping;
  std::string axes_of = "world";  // world, tool, contact, or a frame of the system
};

/// What of the feedback acts, axis by axis in G [0 ... 1].
struct FeedbackShares {
  Vector6d position = Vector6d::Ones(), velocity = Vector6d::Ones();
  bool operator==(const FeedbackShares&) const = default;
  void state(StateArchive& archive) { archive(position, velocity); }
};

/// Six numbers, each from 0 to 1.
bool is_sane(const FeedbackShares& shares);

class AxisFeedback {
 public:
  /// All axes alike.
  AxisFeedback() = default;
  /// Gains are kept as ratios to the task's own, which may change at run time.
  /// @param first of the six axes, to which the first number belongs: 0, or 3 for a rotation
  /// @param stiffness, damping of the task, as its file has them [1/s^2], [1/s]
  /// @throws InputError naming the task: gains beside a stiffness or a damping of 0, more or fewer
  /// numbers than axes, a frame that is not there
  AxisFeedback(const AxisGainsConfig& config, const ControlSystem& system, const std::string& task,
               int first, double stiffness, double damping);

  /// Shares are taken from the next tick on, at once. @return false: they are not sane
  bool set(const FeedbackShares& shares);
  const FeedbackShares& shares() const { return shares_; }
  /// All gains are the task's own and all feedback is whole: none of what follows changes anything.
  bool even() const { return even_; }

  /// Finds R_WG of this tick. @param state of the whole system, after update_state()
  void orient(const ControlSystem& system, const ControlState& state, int mechanism,
              const Eigen::Matrix3d& R_WE);
  const Eigen::Matrix3d& R_WG() const { return R_WG_; }

  // of six numbers in W, in W; each is to be taken times the gains of the task

  /// Of an error, that position feedback acts on.
  Vector6d position(const Vector6d& e) const { return scaled(stiffness_, shares_.position, e); }
  /// Of a velocity, that velocity feedback acts on.
  Vector6d velocity(const Vector6d& V) const { return scaled(damping_, shares_.velocity, V); }
  /// Of an error, by which the speed grows with which it is approached: stiffness by damping.
  Vector6d approach(const Vector6d& e) const { return scaled(approach_, shares_.position, e); }
  /// Of an error, that is to be brought to nothing: without axes that are free.
  Vector6d counted(const Vector6d& e) const { return scaled(counted_, shares_.position, e); }

  /// Shares and the axes of a contact.
  void state(StateArchive& archive);

 private:
  enum class Axes { kWorld, kTool, kContact, kFrame };
  Vector6d scaled(const Vector6d& ratio, const Vector6d& share, const Vector6d& x) const;
  void find_even();

  Axes axes_ = Axes::kWorld;
  ControlSystem::FrameOf frame_;  // of kFrame
  // to the task's own gains; approach: their quotient, 0 without damping
  Vector6d stiffness_ = Vector6d::Ones(), damping_ = Vector6d::Ones();
  Vector6d approach_ = Vector6d::Ones(), counted_ = Vector6d::Ones();
  FeedbackShares shares_;
  Eigen::Matrix3d R_WG_ = Eigen::Matrix3d::Identity();
  bool even_ = true;
};

/// `gains` of a task with so many axes: 3 or 6.
Schema<AxisGainsConfig> axis_gains_schema(int axes);

}  // namespace handspan
