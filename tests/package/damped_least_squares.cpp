// A whole-arm controller on the level of velocities, `whole_arm: {type: damped_least_squares}`: the
// damped least-squares inverse of the Jacobian (Wampler 1986; Nakamura and Hanafusa 1986),
//   v = (J^T W J + lambda^2 I)^-1 J^T W V_ref,
// for arms whose drives take velocities and tasks whose references are velocities of frames. It
// keeps the joints' velocity limits, by slowing down all joints in the same proportion. It does not
// know their position limits, nor what is in the way.
#include <Eigen/Cholesky>
#include <algorithm>
#include <handspan/control/arms_controller.hpp>
#include <handspan/core/object.hpp>
#include <handspan/core/parts.hpp>
#include <handspan/core/values.hpp>
#include <handspan/scene/scene.hpp>

using namespace handspan;

namespace {

// of a limit: what rounding must not be beyond
constexpr double kWithinLimit = 1.0 - 1e-9;

struct DampedLeastSquaresConfig {
  std::vector<std::string> arms;  // actuator groups: "left.arm"
  std::vector<std::pair<std::string, TaskRegistry::Part>> tasks;
  double damping = 0.01;  // lambda [m and rad, as the tasks' rows have them]
};

class DampedLeastSquares : public ArmsController {
 public:
  DampedLeastSquares(const DampedLeastSquaresConfig& config, const ArmsContext& context)
      : groups_(config.arms),
        base_(context.base),
        damping_(config.damping),
        system_(context.scene.physics.gravity) {
    for (const std::string& name : config.arms) check_group(name, context.layout);
    add_mechanisms(context);
    system_.seal();
    state_ = std::make_unique<ControlState>(system_);
    state_->dt = seconds(base_);
    add_joints(context.layout);
    add_tasks(config);
  }

  std::vector<std::string> groups() const override { return groups_; }
  std::vector<Task*> all_tasks() override {
    std::vector<Task*> all;
    for (const auto& task : tasks_) all.push_back(task.get());
    return all;
  }

  void start(const Observation& observation) override {
    observe(observation, 0);
    for (const auto& task : tasks_) task->hold(system_, *state_);
  }
  void observe(const Observation& observation, std::int64_t tick) override {
    tick_ = tick;
    for (const Joint& joint : joints_) {
      MechanismState& m = state_->mechanisms[static_cast<std::size_t>(joint.mechanism)];
      const GroupState& group = observation.groups[joint.group];
      // what is not a number leaves the joint where it was
      if (!std::isfinite(group.q[joint.index]) || !std::isfinite(group.v[joint.index])) continue;
      m.q[joint.q] = group.q[joint.index];
      m.v[joint.v] = group.v[joint.index];
    }
    for (std::size_t m = 0; m < state_->mechanisms.size(); ++m) {
      MechanismState& s = state_->mechanisms[m];
      update_kinematics(*system_.mechanisms()[m].model, s.data, s.q, s.v);
      v_.segment(system_.mechanisms()[m].offset, s.v.size()) = s.v;
    }
  }
  void solve(Command& command) override {
    J_.setZero();
    Eigen::Index row = 0;
    for (const auto& task : tasks_) {
      task->update(system_, *state_);
      const Eigen::Index n = task->rows();
      for (const TaskBlock& block : task->blocks())
        J_.block(row, block.offset, n, block.A.cols()) = block.A;
      V_.segment(row, n) = task->error();
      w_.segment(row, n) = task->weights();
      row += n;
    }
    // the error is of what moves now, to which our joints have a part: without it is what they are
    // to bring about, beside joints that others move
    for (const int column : others_) J_.col(column).setZero();
    V_.noalias() += J_ * v_;
    WJ_ = w_.asDiagonal() * J_;
    N_.noalias() = J_.transpose() * WJ_;
    N_.diagonal().array() += damping_ * damping_;
    wanted_.noalias() = WJ_.transpose() * V_;
    // positive definite, as the damping is more than zero
    cholesky_.compute(N_);
    cholesky_.solveInPlace(wanted_);
    share_ = 1.0;
    for (const Joint& joint : joints_)
      if (joint.ours && std::abs(wanted_[joint.column]) > joint.most)
        share_ = std::min(share_, kWithinLimit * joint.most / std::abs(wanted_[joint.column]));
    for (const Joint& joint : joints_)
      if (joint.ours && due(tick_, joint.rate, base_))
        command.groups[joint.group][joint.index] = share_ * wanted_[joint.column];
  }

  void declare_parameters(ParameterTable& table) override {
    for (const auto& task : tasks_) {
      PartParameters own(table, "task." + task->name());
      task->declare_parameters(own);
    }
    table.add(
        {"whole_arm.damping", "", 1e-4, 1.0, "of the inverse: more is slower near singular poses"},
        damping_);
  }
  void declare(ChannelTable& channels, Rate rate) override {
    for (const auto& task : tasks_) task->declare(channels, rate);
    share_channel_ = channels.number("whole_arm.share", "", rate,
                                     "of the velocities that the joints' limits leave; 1: all");
  }
  void publish(ChannelTable& channels, Nanoseconds stamp) const override {
    for (const auto& task : tasks_) task->publish(channels, stamp);
    channels.write(share_channel_, share_, stamp);
  }
  void publish_start(ChannelTable& channels, Nanoseconds stamp) const override {
    publish(channels, stamp);
  }
  void state(StateArchive& archive) override {
    // the table has the damping
    for (auto& mechanism : state_->mechanisms) archive(mechanism.q, mechanism.v);
    for (const auto& task : tasks_) archive(*task);
    archive(share_);
  }

 private:
  struct Joint {
    std::size_t group = 0;
    Eigen::Index index = 0;           // in it
    int mechanism = 0, q = 0, v = 0;  // where it stands there
    int column = 0;                   // of J
    bool ours = false;
    double most = 0.0;  // of ours: velocity limit [rad/s]
    Rate rate;
  };

  bool ours(const std::string& group) const {
    return std::ranges::find(groups_, group) != groups_.end();
  }

  static void check_group(const std::string& name, const PlantLayout& layout) {
    const auto group = std::ranges::find(layout.groups, name, &GroupLayout::name);
    if (group == layout.groups.end())
      throw InputError("arms names the group '" + shown(name) +
                       "', which the scene does not have; handspan check of the scene lists them");
    if (group->kind != GroupKind::kVelocity)
      throw InputError("the drive of '" + shown(name) +
                       "' takes no velocities; use the whole-arm QP for it");
  }

  // the robots that have one of our groups
  void add_mechanisms(const ArmsContext& context) {
    for (const RobotInstance& robot : context.scene.robots) {
      MechanismDescription mechanism{robot.name, robot.description, {}, {}, robot.limits, false};
      for (const GroupLayout& group : context.layout.groups)
        if (group.robot == robot.name)
          for (const std::string& joint : group.joints)
            (ours(group.name) ? mechanism.actuated : mechanism.held).push_back(joint);
      if (!mechanism.actuated.empty()) system_.add_mechanism(std::move(mechanism));
    }
  }

  void add_joints(const PlantLayout& layout) {
    std::vector<bool> is_ours(static_cast<std::size_t>(system_.unknowns()), false);
    for (std::size_t g = 0; g < layout.groups.size(); ++g) {
      const GroupLayout& group = layout.groups[g];
      const auto mechanism = std::ranges::find(system_.mechanisms(), group.robot, &Mechanism::name);
      if (mechanism == system_.mechanisms().end()) continue;
      for (std::size_t j = 0; j < group.joints.size(); ++j) {
        const JointSlot& slot = mechanism->model->joint(group.joints[j]);
        Joint& joint = joints_.emplace_back();
        joint.group = g;
        joint.index = static_cast<Eigen::Index>(j);
        joint.mechanism = static_cast<int>(mechanism - system_.mechanisms().begin());
        joint.q = slot.q;
        joint.v = slot.v;
        joint.column = mechanism->offset + slot.v;
        joint.rate = group.rate;
        joint.ours = ours(group.name);
        if (joint.ours) joint.most = limit(*mechanism, group.joints[j]);
        is_ours[static_cast<std::size_t>(joint.column)] = joint.ours;
      }
    }
    for (int column = 0; column < system_.unknowns(); ++column)
      if (!is_ours[static_cast<std::size_t>(column)]) others_.push_back(column);
  }
  static double limit(const Mechanism& mechanism, const std::string& joint) {
    const auto at = std::ranges::find(mechanism.joint_names, joint);
    return mechanism.limits[static_cast<std::size_t>(at - mechanism.joint_names.begin())].velocity;
  }

  void add_tasks(const DampedLeastSquaresConfig& config) {
    Eigen::Index rows = 0;
    for (const auto& [name, part] : config.tasks) {
      tasks_.push_back(part.make(TaskContext{system_, name}));
      const Task& task = *tasks_.back();
      if (task.reference_kind() != "frame_velocity")
        throw InputError("the task '" + name + "' is of type '" + part.name +
                         "', and this controller follows frame velocities only; give it tasks of "
                         "type frame_velocity");
      rows += task.rows();
    }
    const Eigen::Index n = system_.unknowns();
    J_ = WJ_ = Eigen::MatrixXd::Zero(rows, n);
    N_ = Eigen::MatrixXd::Zero(n, n);
    V_ = w_ = Eigen::VectorXd::Zero(rows);
    v_ = wanted_ = Eigen::VectorXd::Zero(n);
    cholesky_ = Eigen::LLT<Eigen::MatrixXd>(n);
  }

  std::vector<std::string> groups_;
  Nanoseconds base_;
  double damping_;
  ControlSystem system_;
  std::unique_ptr<ControlState> state_;
  std::vector<std::unique_ptr<Task>> tasks_;
  std::vector<Joint> joints_;  // of our robots, those that others command too
  std::vector<int> others_;    // columns that no joint of ours has
  Eigen::MatrixXd J_, WJ_, N_;
  Eigen::VectorXd V_, w_, v_, wanted_;
  Eigen::LLT<Eigen::MatrixXd> cholesky_;
  double share_ = 1.0;  // of the velocities that limits leave
  std::int64_t tick_ = 0;
  NumberChannel share_channel_;
};

}  // namespace

// Knows the tasks that are registered when it is called: after register_twist().
void register_damped_least_squares(Parts& parts) {
  using Config = DampedLeastSquaresConfig;
  parts.of<ArmsRegistry>().add(
      "damped_least_squares",
      object<Config>("DampedLeastSquares")
          .required("arms", &Config::arms, list(text()).min_size(1), "groups that it commands")
          .required("tasks", &Config::tasks, dictionary(parts.of<TaskRegistry>().schema()),
                    "by name; of type frame_velocity")
          .optional("damping", &Config::damping, number().min(1e-4).max(1),
                    "of the inverse: more is slower near singular poses"),
      "velocities by a damped inverse of the Jacobian",
      [](const Config& config, const ArmsContext& context) {
        return std::make_unique<DampedLeastSquares>(config, context);
      });
}
