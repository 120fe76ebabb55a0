#pragma once
// A posture: all or some actuated joints of a mechanism with a weight each, or one joint held
// stiffly (the grabbing thesis's choice, (2.33)).
#include "control/task.hpp"
#include "scene/joint_values.hpp"

namespace handspan {

struct PostureTaskConfig : TaskGains {
  std::string robot;
  std::optional<std::string> joint;        // this one alone
  std::vector<std::string> joints;         // these; empty: all
  std::optional<Eigen::VectorXd> weights;  // one a joint, times the task's weight
  std::optional<JointValues> q;            // reference; of what it leaves out: where the task
                                           // starts [rad, m]
  std::optional<double> speed;             // most that it asks for [rad/s]
};

class PostureTask : public Task {
 public:
  /// @throws InputError for a robot or joint that is not there, or weights or values of q of
  /// another number
  PostureTask(const PostureTaskConfig& config, const TaskContext& context);

  /// q, v, a: one a row [rad, rad/s, rad/s^2]. What is not finite or of another size is counted in
  /// rejected() and ignored.
  void set_reference(ConstVectorRef q, ConstVectorRef v, ConstVectorRef a);
  const Eigen::VectorXd& reference() const { return q_; }
  /// Of ControlSystem::mechanisms().
  int mechanism() const { return mechanism_; }
  /// Indices into the mechanism's q and v, one a row.
  const std::vector<int>& q_indices() const { return q_index_; }
  const std::vector<int>& v_indices() const { return v_index_; }
  /// One a row.
  const std::vector<std::string>& joint_names() const { return joint_names_; }
  /// Of the joints, one a row.
  const std::vector<JointLimits>& limits() const { return limits_; }
  /// Of the configured reference when there is one, else of where the joints are.
  std::vector<Row> error_rows() const override;
  std::string_view reference_kind() const override { return "joints"; }
  void hold(const ControlSystem& system, ControlState& state) override;
  void state(StateArchive& archive) override;

 protected:
  void fill(const ControlSystem& system, ControlState& state) override;

 private:
  PostureTaskConfig config_;
  int mechanism_ = 0;
  std::vector<int> v_index_, q_index_;  // of each row
  std::vector<JointLimits> limits_;
  std::vector<std::string> joint_names_;
  Eigen::VectorXd weights_, q_, v_, a_;
  std::vector<std::optional<double>> fixed_;  // references of the configuration, one a row
};

void register_posture_tasks(TaskRegistry& registry);

}  // namespace handspan
