#pragma once
// Points an axis of a frame along a direction of the world: a camera, an elbow, a tool whose turn
// about its own axis is free.
#include "control/feedback_task.hpp"

namespace handspan {

struct DirectionTaskConfig : TaskGains {
  std::string frame;
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();       // in E; normalised
  Eigen::Vector3d direction = Eigen::Vector3d::UnitZ();  // in W; normalised
  std::optional<AxisGainsConfig> gains;                  // about each axis; none: all alike
};

/// With d = R axis and the turn e = d x d_ref, of length the angle between them:
///   P alpha = P (alpha_ref + kp e + kd (omega_ref - omega)),  P = I - d d^T.
/// At an angle of 180 degrees it turns about any axis across d. With gains of each axis kp and kd
/// are matrices; P leaves out what they would turn about d.
class DirectionTask : public FeedbackTask {
 public:
  /// @throws InputError when there is no such frame, or an axis has no length
  DirectionTask(const DirectionTaskConfig& config, const TaskContext& context);

  /// @param direction in W, of any length but zero  @param omega_W of the reference [rad/s]
  /// @param alpha_W its rate [rad/s^2]
  void set_reference(const Eigen::Vector3d& direction,
                     const Eigen::Vector3d& omega_W = Eigen::Vector3d::Zero(),
                     const Eigen::Vector3d& alpha_W = Eigen::Vector3d::Zero());
  std::string_view reference_kind() const override { return "direction"; }
  /// Where it should point, and where it did at the last update or hold(); unit vectors in W.
  const Eigen::Vector3d& direction() const { return direction_; }
  const Eigen::Vector3d& points() const { return points_; }
  std::vector<Row> error_rows() const override;
  void hold(const ControlSystem& system, ControlState& state) override;
  void state(StateArchive& archive) override;

 protected:
  void fill(const ControlSystem& system, ControlState& state) override;

 private:
  ControlSystem::FrameOf frame_;
  bool driven_ = false;  // by set_reference(); else the reference is what the file says, held too
  Eigen::Vector3d axis_, direction_, omega_ = Eigen::Vector3d::Zero();
  Eigen::Vector3d alpha_ = Eigen::Vector3d::Zero(), points_ = Eigen::Vector3d::UnitZ();
  Matrix6Xd J_;
};

void register_direction_task(TaskRegistry& registry);

}  // namespace handspan
