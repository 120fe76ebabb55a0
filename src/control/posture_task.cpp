#include "control/posture_task.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/suggest.hpp"

namespace handspan {
namespace {

int rows_of(const PostureTaskConfig& config, const ControlSystem& system) {
  const auto m = static_cast<std::size_t>(system.mechanism(config.robot));
  return !config.joints.empty() ? static_cast<int>(config.joints.size())
         : config.joint         ? 1
                                : static_cast<int>(system.mechanisms()[m].actuated.size());
}

}  // namespace

PostureTask::PostureTask(const PostureTaskConfig& config, const TaskContext& context)
    : Task(context.name, rows_of(config, context.system), config),
      config_(config),
      mechanism_(context.system.mechanism(config.robot)),
      weights_(config.weights.value_or(Eigen::VectorXd::Ones(rows()))) {
  const Mechanism& m = context.system.mechanisms()[static_cast<std::size_t>(mechanism_)];
  const auto add = [&](std::size_t j) {
    limits_.push_back(m.limits[j]);
    joint_names_.push_back(m.joint_names[j]);
    v_index_.push_back(m.actuated[j]);
    q_index_.push_back(m.model->joint(m.joint_names[j]).q);
  };
  for (const auto& name : config.joints) {
    const auto found = std::ranges::find(m.joint_names, name);
    if (found == m.joint_names.end())
      throw InputError(
          fmt::format("the task '{}' names the joint '{}', which no group under control "
                      "moves; {}",
                      context.name, shown(name), did_you_mean(name, m.joint_names, "there are")));
    if (std::ranges::count(joint_names_, name))
      throw InputError(fmt::format("the task '{}' names the joint '{}' twice; leave one out",
                                   context.name, name));
    add(static_cast<std::size_t>(found - m.joint_names.begin()));
  }
  for (std::size_t j = 0; config.joints.empty() && j < m.actuated.size(); ++j)
    if (!config.joint || m.joint_names[j] == *config.joint) add(j);
  if (m.actuated.empty())
    throw InputError(fmt::format("the task '{}' pulls joints of '{}', which has no actuated joint",
                                 context.name, config.robot));
  if (v_index_.empty())
    throw InputError(
        fmt::format("the task '{}' holds the joint '{}', which is not an actuated joint "
                    "of '{}'; it has: {}",
                    context.name, config.joint.value_or(""), config.robot, joined(m.joint_names)));
  const auto require_size = [&](const std::optional<Eigen::VectorXd>& values, const char* what) {
    if (values && values->size() != rows())
      throw InputError(fmt::format("the task '{}' has {} {} for {} joints", context.name,
                                   values->size(), what, rows()));
  };
  require_size(config.weights, "weights");
  if (config.q) require_size(config.q->list, "values of q");
  fixed_.resize(joint_names_.size());
  q_ = Eigen::VectorXd::Zero(rows());
  if (config.q) q_ = values_for(*config.q, joint_names_, config.robot + ".", q_);
  for (std::size_t r = 0; config.q && r < fixed_.size(); ++r)
    if (config.q->list || config.q->find(joint_names_[r], config.robot + "."))
      fixed_[r] = q_[static_cast<Eigen::Index>(r)];
  v_ = a_ = Eigen::VectorXd::Zero(rows());
  blocks_.push_back({m.offset, Eigen::MatrixXd::Zero(rows(), m.model->nv())});
  for (std::size_t r = 0; r < v_index_.size(); ++r)
    blocks_[0].A(static_cast<Eigen::Index>(r), v_index_[r]) = 1.0;
}

void PostureTask::set_reference(ConstVectorRef q, ConstVectorRef v, ConstVectorRef a) {
  const bool good = q.size() == rows() && v.size() == rows() && a.size() == rows() &&
                    q.allFinite() && v.allFinite() && a.allFinite() &&
                    q.lpNorm<Eigen::Infinity>() < 1e3 && v.lpNorm<Eigen::Infinity>() < 1e3 &&
                    a.lpNorm<Eigen::Infinity>() < 1e5;
  if (!good) {
    ++rejected_;
    return;
  }
  q_ = q;
  v_ = v;
  a_ = a;
}

std::vector<Task::Row> PostureTask::error_rows() const {
  std::vector<Row> rows;
  for (const auto& joint : joint_names_) rows.push_back({joint, "rad"});
  return rows;
}

void PostureTask::hold(const ControlSystem&, ControlState& state) {
  const Eigen::VectorXd& q = state.mechanisms[static_cast<std::size_t>(mechanism_)].q;
  for (Eigen::Index r = 0; r < rows(); ++r) {
    const double now = q[q_index_[static_cast<std::size_t>(r)]];
    q_[r] = fixed_[static_cast<std::size_t>(r)].value_or(now);
    error_[r] = q_[r] - now;
  }
  v_.setZero();
  a_.setZero();
}

void PostureTask::state(StateArchive& archive) {
  Task::state(archive);
  archive(q_, v_, a_);
}

void PostureTask::fill(const ControlSystem&, ControlState& state) {
  const MechanismState& s = state.mechanisms[static_cast<std::size_t>(mechanism_)];
  const double gain = damping() > 0.0 ? stiffness() / damping() : 0.0;
  demand_ = 0.0;
  for (Eigen::Index r = 0; r < rows(); ++r) {
    const auto i = static_cast<std::size_t>(r);
    error_[r] = q_[r] - s.q[q_index_[i]];
    double pull = error_[r];
    if (config_.speed && gain * std::abs(pull) > *config_.speed)
      pull = std::copysign(*config_.speed / gain, pull);
    const double wanted = a_[r] + damping() * (v_[r] - s.v[v_index_[i]]) + stiffness() * pull;
    // beyond what a joint can do: see kMostTaskAcceleration
    b_[r] = std::clamp(wanted, -200.0, 200.0);
    w_[r] = weight() * weights_[r];
  }
}

void register_posture_tasks(TaskRegistry& registry) {
  registry.add(
      "posture",
      with_gains(object<PostureTaskConfig>("PostureTask", "pulls joints to a posture"))
          .required("robot", &PostureTaskConfig::robot, text(), "whose joints")
          .optional("joint", &PostureTaskConfig::joint, text(),
                    "this one alone, such as left.joint1; left out: all")
          .optional("joints", &PostureTaskConfig::joints, list(text()).min_size(1),
                    "these, of whatever groups of the robot: [left.lift, left.joint1]")
          .optional("weights", &PostureTaskConfig::weights, dynamic_vector().min(0), "one a joint")
          .optional("q", &PostureTaskConfig::q, joint_values(),
                    "left out: where the joints are at the start")
          .optional("speed", &PostureTaskConfig::speed, number("rad/s").above(0))
          .check(
              [](const PostureTaskConfig& c) -> std::optional<Fault> {
                if (!c.joint || c.joints.empty()) return std::nullopt;
                return Fault{"stands beside joint", "give one of them", "joints"};
              },
              "joint, or joints"),
      "pulls all joints of a robot, some of them, or one, to a posture",
      [](const PostureTaskConfig& config, const TaskContext& context) {
        return std::make_unique<PostureTask>(config, context);
      });
}

}  // namespace handspan
