#pragma once
// How near a robot is to what it must not touch, and which motions of its frame E bring it nearer:
// of the pairs that the whole-arm controller's collision constraints keep apart. Those stop an arm;
// this slows down who drives it, before. Does not move anything, and knows no obstacle that no
// constraint names.
#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "control/whole_arm.hpp"
#include "robot/distance.hpp"

namespace handspan {

struct SlowDownConfig {
  double from = 0.15;     // nearer than this it slows down [m]
  double to = 0.03;       // and at this is at its slowest [m]
  double slowest = 0.05;  // of the full speed
};

Schema<SlowDownConfig> slow_down_schema();

class Obstacles {
 public:
  /// @param frame E, of a robot that `arms` moves; `arms` outlives this
  /// @throws InputError when there is no such frame, or no collision constraint names its robot
  Obstacles(const SlowDownConfig& config, WholeArm& arms, const std::string& frame);

  /// Slows down what of V_WE [m/s, rad/s] brings a pair nearer that is nearer than `from`: full
  /// speed there, less in proportion to the distance, down to `slowest` at `to`. A pair's distance
  /// d changes with g V_WE, where g^T = (J J^T + l^2 1)^-1 J (dd/dq)^T: the joints move by the
  /// least speeds that move E so, lightly damped near singular poses. Linear and angular part are
  /// slowed apart, each along its part of g and only where it brings the pair nearer: so no turn
  /// comes from a translation, and E slides along a wall at full speed. Pairs come one after the
  /// other: in a corner one may undo some of what another did. Allocates nothing.
  void slow_down(Vector6d& V_WE);

  /// Least distance at the last slow_down(), at most `from` [m].
  double nearest() const { return nearest_; }
  void state(StateArchive& archive) { archive(nearest_); }

 private:
  struct Set {  // of one constraint
    std::unique_ptr<DistanceModel> model;
    std::unique_ptr<DistanceData> data;
    std::vector<const RobotData*> robots;
  };

  SlowDownConfig config_;
  WholeArm* arms_;
  ControlSystem::FrameOf frame_;
  std::vector<Set> sets_;
  std::vector<RobotData> data_;  // one a mechanism; a snapshot has none of the controller's own
  std::vector<bool> needed_;     // by a pair
  Matrix6Xd J_;
  Eigen::RowVectorXd row_;
  double nearest_;
};

}  // namespace handspan
