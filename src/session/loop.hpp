#pragma once
// The fixed-rate loop: observe, let each group's controller answer at its own rate, advance the
// plant; on a virtual clock, as fast as it goes. Deliberately small: sources, modes, the wall clock
// and recording belong to the session proper.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/channel.hpp"
#include "plant/mujoco_plant.hpp"
#include "session/app.hpp"

namespace handspan {

struct GroupSummary {
  std::string name;
  double worst_deviation = 0.0;  // from the position at the start [rad]
  double worst_velocity = 0.0;   // [rad/s]
  double worst_effort = 0.0;     // drive torque over its limit
};

/// What the whole-arm controller had to do.
struct ControlSummary {
  ProblemCounts counts;
  std::vector<ConflictReporter::Entry> conflicts;
  std::uint64_t conflicts_passed_over = 0;  // not explained, since others were being explained
  std::uint64_t rejected_references = 0;
  std::uint64_t not_finite = 0;  // measurements
  std::uint64_t goals = 0;
  double tick_p50 = 0.0, tick_p99 = 0.0;  // wall time of its update [s]
};

struct LoopSummary {
  Nanoseconds simulated = 0;  // [ns]
  double wall = 0.0;          // [s]
  std::int64_t ticks = 0;
  double tick_p50 = 0.0, tick_p99 = 0.0,
         tick_max = 0.0;  // wall time of one tick, physics included [s]
  std::vector<GroupSummary> groups;
  CommandFaults faults;
  std::size_t contacts = 0;  // at the end
  std::optional<ControlSummary> control;
  double real_time_factor() const { return wall > 0.0 ? seconds(simulated) / wall : 0.0; }
};

class Loop {
 public:
  /// @param app kept by reference. @throws InputError when a controller does not suit its group
  explicit Loop(const App& app);

  /// One base tick. Allocates nothing.
  void tick();
  /// Runs to `until` [ns] of simulated time. @param progress called about four times a second with
  /// simulated time
  LoopSummary run(Nanoseconds until, const std::function<void(Nanoseconds)>& progress = {});

  Nanoseconds base_period() const { return base_; }
  MujocoPlant& plant() { return plant_; }
  /// None: the app has none.
  WholeArm* whole_arm() { return whole_arm_.get(); }
  std::vector<RandomGoals>& goals() { return goals_; }
  /// Per group: q, v, tau and command; per sensor: wrench.
  const ChannelTable& channels() const { return channels_; }

 private:
  struct Group {
    std::unique_ptr<GroupController> controller;  // none: commanded zero
    Rate rate;
    Eigen::VectorXd q_start, torque_limit;
    VectorChannel q, v, tau, command;
    GroupSummary summary;
  };

  void declare_channels();
  void publish();
  void control(const Observation& observation);
  ControlSummary control_summary();

  const App& app_;
  MujocoPlant plant_;
  std::vector<std::pair<std::string, std::unique_ptr<RobotModel>>> models_;
  std::vector<Group> groups_;
  std::unique_ptr<WholeArm> whole_arm_;
  std::vector<RandomGoals> goals_;
  std::vector<double> control_times_;  // [s]; room is made by run()
  std::vector<VectorChannel> wrenches_;
  ChannelTable channels_;
  Command command_;
  Nanoseconds base_ = 0;
  std::int64_t tick_ = 0;
};

}  // namespace handspan
