#pragma once
// What the joints of a driven group should read after the commands that they were given: a delay of
// whole ticks, then a first-order lag (plant/drive.hpp's servo, without its limits). The part of a
// measurement that this does not explain is drift, a load or contact.
#include <Eigen/Core>

#include "core/state_archive.hpp"
#include "plant/plant.hpp"

namespace handspan {

class ServoModel {
 public:
  /// @param lag time constant [s], 0 for none; of torque-driven groups it means nothing
  /// @param delay ticks before a command acts
  ServoModel(GroupKind kind, Eigen::Index joints, double lag, int delay);

  /// At rest at q [rad]; commands on their way are forgotten.
  void start(const Eigen::VectorXd& q);
  /// Moving at v [rad/s] there, as if it had been commanded to.
  void start(const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  /// One tick of dt [s], at whose begin this command is given. Velocity drives [rad/s]: the
  /// velocity follows it with the lag, integrated exactly. Position drives [rad]: the position
  /// does. Torque drives [rad]: where the torque should have brought the joint by the tick's end.
  void step(const Eigen::VectorXd& command, double dt);
  /// Moves the prediction and the positions that are on their way [rad].
  void shift(const Eigen::VectorXd& by);

  const Eigen::VectorXd& q() const { return q_; }
  const Eigen::VectorXd& v() const { return v_; }
  double lag() const { return lag_; }
  Eigen::Index delay() const { return delayed_.cols() - 1; }  // [ticks]
  void state(StateArchive& archive) { archive(q_, v_, delayed_, next_); }

 private:
  GroupKind kind_;
  double lag_;
  Eigen::VectorXd q_, v_;
  Eigen::MatrixXd delayed_;  // joints x (delay + 1), a ring
  Eigen::Index next_ = 0;    // column of the next command
};

}  // namespace handspan
