#include "session/loop.hpp"

#include <algorithm>
#include <chrono>

namespace handspan {

using WallClock = std::chrono::steady_clock;

Loop::Loop(const App& app) : app_(app), plant_(app.scene) {
  for (const auto& robot : app.scene.robots)
    models_.emplace_back(
        robot.name, std::make_unique<RobotModel>(robot.description, app.scene.physics.gravity));
  const PlantLayout& layout = plant_.layout();
  command_ = Command::zero(layout);
  std::vector<Rate> rates = {Rate::from_period(layout.period)};
  for (std::size_t g = 0; g < layout.groups.size(); ++g) {
    const GroupLayout& group_layout = layout.groups[g];
    const RobotInstance& robot = *app.scene.robot(group_layout.robot);
    const GroupState& state = plant_.read().groups[g];
    Group group;
    group.rate = group_layout.rate;
    group.summary.name = group_layout.name;
    group.q_start = state.q;
    group.torque_limit = Eigen::VectorXd::Ones(group_layout.size());
    for (std::size_t j = 0; j < group_layout.joints.size(); ++j)
      group.torque_limit[static_cast<Eigen::Index>(j)] =
          robot.limits.find(group_layout.joints[j])->torque;
    for (const auto& [name, part] : app.controllers) {
      if (name != group_layout.name) continue;
      const auto& model =
          std::ranges::find(models_, robot.name, [](const auto& m) { return m.first; })->second;
      group.controller = part.make(GroupContext{*model, robot.limits, group_layout});
      group.controller->start(state);
    }
    rates.push_back(group.rate);
    groups_.push_back(std::move(group));
  }
  base_ = handspan::base_period(rates);
  if (app.whole_arm) {
    whole_arm_ = std::make_unique<WholeArm>(*app.whole_arm, app.scene, layout, base_);
    whole_arm_->start(plant_.read());
    for (const auto& goals : app.goals) goals_.emplace_back(goals, *whole_arm_, app.seed);
  }
  declare_channels();
}

void Loop::declare_channels() {
  const PlantLayout& layout = plant_.layout();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const auto& name = layout.groups[g].name;
    const auto& joints = layout.groups[g].joints;
    const auto n = static_cast<std::size_t>(layout.groups[g].size());
    const bool suction = layout.groups[g].kind == GroupKind::kSuction;
    const Rate rate = Rate::from_period(layout.period);
    groups_[g].q =
        channels_.vector(name + ".q", n, suction ? "" : "rad", rate, "measured positions", joints);
    groups_[g].v = channels_.vector(name + ".v", n, suction ? "" : "rad/s", rate,
                                    "measured velocities", joints);
    groups_[g].tau =
        channels_.vector(name + ".tau", n, suction ? "" : "N m", rate, "drive torques", joints);
    groups_[g].command = channels_.vector(name + ".command", n, "", groups_[g].rate,
                                          "as the controller gave it", joints);
  }
  for (const auto& sensor : layout.sensors)
    wrenches_.push_back(
        channels_.vector(sensor.name + ".wrench", 6, "N, N m", Rate::from_period(layout.period),
                         "force and torque on the tool beyond the sensor, in the sensor's frame",
                         {"fx", "fy", "fz", "tx", "ty", "tz"}));
  if (whole_arm_) whole_arm_->declare(channels_, Rate::from_period(base_));
  channels_.seal();
}

void Loop::publish() {
  const Observation& observation = plant_.read();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    const GroupState& state = observation.groups[g];
    channels_.write(group.q, state.q, observation.stamp);
    channels_.write(group.v, state.v, observation.stamp);
    channels_.write(group.tau, state.tau, observation.stamp);
    GroupSummary& s = group.summary;
    if (plant_.layout().groups[g].kind == GroupKind::kSuction) continue;
    s.worst_deviation =
        std::max(s.worst_deviation, (state.q - group.q_start).lpNorm<Eigen::Infinity>());
    s.worst_velocity = std::max(s.worst_velocity, state.v.lpNorm<Eigen::Infinity>());
    s.worst_effort = std::max(
        s.worst_effort, state.tau.cwiseQuotient(group.torque_limit).lpNorm<Eigen::Infinity>());
  }
  for (std::size_t s = 0; s < wrenches_.size(); ++s)
    channels_.write(wrenches_[s], observation.wrenches[s], observation.stamp);
}

void Loop::control(const Observation& observation) {
  const auto start = WallClock::now();
  for (auto& goals : goals_) goals.update(tick_ * base_);
  whole_arm_->update(observation, tick_, command_);
  const auto end = WallClock::now();
  if (control_times_.size() < control_times_.capacity())
    control_times_.push_back(std::chrono::duration<double>(end - start).count());
  whole_arm_->publish(channels_, observation.stamp);
}

void Loop::tick() {
  const Observation& observation = plant_.read();
  if (whole_arm_) control(observation);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    if (!due(tick_, group.rate, base_)) continue;
    if (group.controller) group.controller->update(observation.groups[g], command_.groups[g]);
    channels_.write(group.command, command_.groups[g], observation.stamp);
  }
  // the physics may be finer than no tick, never coarser: the base divides its period
  if ((tick_ * base_) % plant_.layout().period == 0) {
    plant_.write(command_);
    plant_.advance();
    publish();
  }
  ++tick_;
}

namespace {

double quantile(std::vector<double>& values, double share) {
  if (values.empty()) return 0.0;
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

}  // namespace

ControlSummary Loop::control_summary() {
  ControlSummary s;
  ControlProblem& problem = whole_arm_->problem();
  problem.conflicts().flush();
  s.counts = problem.counts();
  s.conflicts = problem.conflicts().entries();
  s.conflicts_passed_over = problem.conflicts().passed_over();
  for (const auto& task : problem.tasks()) s.rejected_references += task->rejected();
  for (std::size_t a = 0; a < whole_arm_->arms(); ++a)
    s.not_finite += whole_arm_->drive(static_cast<int>(a)).not_finite();
  for (const auto& goals : goals_) s.goals += goals.goals();
  s.tick_p50 = quantile(control_times_, 0.5);
  s.tick_p99 = quantile(control_times_, 0.99);
  return s;
}

LoopSummary Loop::run(Nanoseconds until, const std::function<void(Nanoseconds)>& progress) {
  LoopSummary summary;
  const std::int64_t ticks = (until + base_ - 1) / base_;
  std::vector<double> durations;
  durations.reserve(static_cast<std::size_t>(ticks));
  if (whole_arm_) {
    control_times_.clear();
    control_times_.reserve(static_cast<std::size_t>(ticks));
  }
  const auto start = WallClock::now();
  auto last = start, shown = start;
  for (std::int64_t t = 0; t < ticks; ++t) {
    tick();
    const auto now = WallClock::now();
    durations.push_back(std::chrono::duration<double>(now - last).count());
    last = now;
    if (progress && now - shown > std::chrono::milliseconds(250)) {
      progress(tick_ * base_);
      shown = last = WallClock::now();
    }
  }
  summary.wall = std::chrono::duration<double>(WallClock::now() - start).count();
  summary.ticks = ticks;
  summary.simulated = ticks * base_;
  summary.tick_p50 = quantile(durations, 0.5);
  summary.tick_p99 = quantile(durations, 0.99);
  summary.tick_max = quantile(durations, 1.0);
  for (const auto& group : groups_) summary.groups.push_back(group.summary);
  summary.faults = plant_.faults();
  summary.contacts = plant_.contacts().size();
  if (whole_arm_) summary.control = control_summary();
  return summary;
}

}  // namespace handspan
