#pragma once
// What a run was like: tracking, margins to limits, what gave way, tick times, input gaps.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "session/session.hpp"
#include "session/tick_times.hpp"

namespace handspan {

struct GripperSummary {
  std::uint64_t grasped = 0, lost = 0;  // times that it had something, and had it no longer
  double width = 0.0, force = 0.0;      // at the end [m], at each pad [N]
  bool holds = false;                   // at the end
};

struct GroupSummary {
  std::string name;
  GroupKind kind = GroupKind::kTorque;
  bool slides = false;           // all its joints do: [m] and [m/s] below
  double worst_deviation = 0.0;  // from the position at the start [rad or m]
  double worst_velocity = 0.0;   // [rad/s or m/s]
  double worst_effort = 0.0;     // drive torque over its limit
  // least room to a limit that any joint had, as a share of its range or limit; below 0: beyond
  double position_margin = 1.0, velocity_margin = 1.0;
  std::optional<GripperSummary> gripper;
};

/// How well a task followed its limited reference; and what was wanted before the limits.
struct TrackingSummary {
  std::string task;
  std::string kind;         // of the reference: "pose"
  ReferenceUnits units;     // of positions below: of joints [rad], of a wrench forces [N]
  std::uint64_t ticks = 0;  // in which it followed somebody
  double position_rms = 0.0, position_max = 0.0;    // of the arm against the reference [its unit]
  double angle_rms = 0.0, angle_max = 0.0;          // [rad]
  double lag_rms = 0.0, lag_max = 0.0;              // of the arm behind what was wanted
  double lag_angle_rms = 0.0, lag_angle_max = 0.0;  // [rad]
  std::uint64_t holds = 0;  // times that it held after it had followed: input gaps
  double held = 0.0;        // time in them [s]
  // what hands and jogs were ahead of the leash, all in all, which is dropped [m], [rad]
  double dropped = 0.0, dropped_angle = 0.0;
};

/// What a judge of the app says.
struct VerdictSummary {
  std::string judge, verdict, words;  // "placed", "not good", "it lies 0.12 m off"
};

/// What the whole-arm controller had to do.
struct ControlSummary {
  ProblemCounts counts;
  std::vector<ConflictReporter::Entry> conflicts;
  std::uint64_t conflicts_passed_over = 0;  // not explained, since others were being explained
  std::uint64_t rejected_references = 0;
  std::uint64_t not_finite = 0;  // measurements
  std::uint64_t goals = 0;
};

/// One of several plants, at the end.
struct PlantSummary {
  std::string name;
  bool simulated = false;
  PlantStatus status = PlantStatus::kRunning;
  std::uint64_t lost_observations = 0;
  CommandFaults faults;
};

/// A simulation whose numbers ran away: from there on it stands still, and nothing is true of it.
struct Divergence {
  Nanoseconds time = 0;  // of its last good observation [ns]
  std::string what;      // "the velocity of 'box' is not finite or too large"
};

/// What was wrong with a device's samples.
struct DeviceSummary {
  std::string name;
  std::uint64_t left_out = 0;      // single bad frames of poses
  std::uint64_t out_of_range = 0;  // axes and quaternions that were brought into their range
  std::uint64_t malformed = 0;     // samples that have not the device's numbers
};

/// How often the scene was put back for a reason.
struct PutBack {
  FixedText<166> why;
  std::uint64_t count = 0;
};
/// Reasons that are told apart; all beyond are counted as one, without words.
inline constexpr std::size_t kMostReasons = 16;

struct RunSummary {
  Nanoseconds simulated = 0;  // [ns]
  std::optional<Divergence> diverged;
  double wall = 0.0;  // [s]
  std::int64_t ticks = 0;
  double tick_p50 = 0.0, tick_p99 = 0.0, tick_max = 0.0;  // of a whole tick [s]
  double control_p50 = 0.0, control_p99 = 0.0;            // of the controllers' part [s]
  bool on_wall_clock = false, on_plant_clock = false;
  bool plant_ended = false;             // the plant's clock: it has no more observations
  std::uint64_t lost_observations = 0;  // by the plant's own count
  PacerCounts pacer;
  // of the wall clock's time before simulated time, after each tick; without what slipped [s]
  double behind_p50 = 0.0, behind_p999 = 0.0, behind_max = 0.0, behind_end = 0.0;
  RealTime real_time_thread;
  std::vector<GroupSummary> groups;
  std::vector<TrackingSummary> tracking;
  std::vector<std::pair<std::string, std::string>> machines;  // machine, its last state
  std::vector<std::pair<std::string, std::string>> holding;   // task that holds at the end, and why
  std::vector<std::pair<std::string, std::string>> waits;  // machine, and what it waited for unseen
  std::uint64_t episodes = 0, successes = 0, failures = 0, discarded = 0;
  std::vector<PutBack> put_back;   // why the scene was put back, most often first
  std::uint64_t not_put_back = 0;  // an arm was in the way, or the scene is not simulated
  std::uint64_t timeouts = 0;      // of states of machines
  std::uint64_t rejected_inputs = 0, lost_inputs = 0;
  std::vector<DeviceSummary> devices;
  CommandFaults faults;
  std::vector<PlantSummary> plants;  // those of the app
  std::size_t contacts = 0;          // at the end
  std::optional<ControlSummary> control;
  /// Why the run is none to rely on, one sentence each: it diverged, or control found no answer in
  /// some ticks and braked. Empty: it ran.
  std::vector<std::string> broken() const;
  std::vector<VerdictSummary> verdicts;     // as they stand at the end
  std::vector<ArmWatchSummary> watch;       // by group that has joints
  std::vector<UnreachedSummary> unreached;  // by pose reference
  double real_time_factor() const { return wall > 0.0 ? seconds(simulated) / wall : 0.0; }
};

/// Gathers the figures of a session tick by tick; allocates nothing in one.
class Summariser : public SessionWatcher {
 public:
  explicit Summariser(Session& session);
  void after_tick(Session& session) noexcept override;
  /// Everything but wall time, tick times and the pacer's.
  RunSummary summary(Session& session) const;

 private:
  struct Group {
    GroupSummary summary;
    Eigen::VectorXd q_start;
    std::vector<JointLimits> limits;
  };
  struct Tracking {
    TrackingSummary summary;
    ReferenceIndex reference;
    const FrameTask* frame = nullptr;  // of a reference that is of a frame
    // where the frame was measured at the tick's beginning, whatever the controller's feedback
    const Mechanism* mechanism = nullptr;
    std::unique_ptr<RobotData> data;
    std::vector<std::pair<std::size_t, Eigen::Index>> measured;  // group and index, one an actuated
    Eigen::VectorXd q, v;
    double position_sum = 0.0, angle_sum = 0.0, lag_sum = 0.0, lag_angle_sum = 0.0;  // of squares
    bool followed = false;
  };

  void measure(Tracking& tracking, const Observation& observation) noexcept;
  void count_events(const Session& session) noexcept;
  void count_put_back(const FixedText<166>& why) noexcept;

  std::vector<Group> groups_;
  static constexpr std::size_t kMostWaits = 8;
  std::vector<Tracking> tracking_;
  std::vector<std::pair<FixedText<62>, FixedText<166>>> waits_;  // without doubles
  std::optional<Nanoseconds> diverged_;
  std::int64_t ticks_ = 0;
  std::uint64_t episodes_ = 0, successes_ = 0, failures_ = 0, discarded_ = 0;
  std::vector<PutBack> put_back_;
  std::uint64_t not_put_back_ = 0, timeouts_ = 0;
};

}  // namespace handspan
