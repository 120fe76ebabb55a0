#pragma once
// What nobody asked the arms to do, on what the plants measure: a joint that is not where its
// commands should have brought it, faster than it may be, beyond its stop; a measurement that is no
// number or does not come; a tool that presses harder than it may. Each is an event with its joint,
// value and limit, and stops every arm until somebody resumes.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/channel.hpp"
#include "core/fixed_text.hpp"
#include "core/schema.hpp"
#include "plant/plant.hpp"
#include "reference/event.hpp"
#include "session/arm_force.hpp"

namespace handspan {

struct WatchConfig {
  double deviation = 0.3;        // of a joint from where its commands should have brought it [rad]
  double deviation_time = 0.05;  // that it lasts [s]
  double speed = 1.1;            // measured, over the joint's limit
  double speed_time = 0.02;      // that it lasts: the jump of an impact is counted alone [s]
  double beyond_stop = 0.02;     // of a position limit; at once [rad]
  double silence = 0.05;         // without a measurement that is a number [s]
};

Schema<WatchConfig> watch_schema();

/// What was seen of one group's joints.
struct ArmWatchSummary {
  std::string group;
  std::uint64_t deviations = 0, overspeeds = 0, beyond_stops = 0, silences = 0, forces = 0;
  std::uint64_t jumps = 0;       // of the speed that ended before they stopped an arm
  std::uint64_t peaks = 0;       // of the force
  std::uint64_t not_finite = 0;  // measurements that were no numbers
  double worst_deviation = 0.0;  // [rad]
  double worst_speed = 0.0;      // measured, over its limit
  double worst_beyond = 0.0;     // beyond a position limit [rad]
  double worst_force = 0.0;      // mean over its window; 0: not looked at [N]
  std::uint64_t stops() const { return deviations + overspeeds + beyond_stops + silences + forces; }
};

class ArmWatch {
 public:
  /// Watches every group that has joints. @param arms none: no deviations. All outlive it.
  /// @param limp groups that torques drive and nobody commands: they hang, and are not watched
  ArmWatch(const WatchConfig& config, const Scene& scene, const PlantLayout& layout, WholeArm* arms,
           const WholeArmConfig* arm_config, Nanoseconds base, const std::vector<bool>& limp = {});

  // in a tick; nothing allocates, locks or throws

  /// At the groups' ticks, before they are commanded: adds an event for whatever is new since it
  /// was armed. @param stamps of what each group measured [ns]
  /// @return whether there is something new
  bool update(const Observation& observation, std::span<const Nanoseconds> stamps,
              std::int64_t tick, EventList& events);
  /// Groups that have something new in this tick, and why the arms stop, in words.
  bool tripped(std::size_t group) const { return groups_[group].tripped; }
  std::string_view reason() const { return reason_; }
  /// A group's tool still presses harder than it may after that was told: its servo is wound up
  /// against a contact. At the group's ticks, for no more than a second.
  bool still_presses(std::size_t group) const { return groups_[group].still_presses; }
  /// Of a group that presses.
  const ArmForce& force(std::size_t group) const { return *groups_[group].force; }
  /// Whether anything was seen of a group since the watch was armed.
  bool told(std::size_t group) const;
  /// Looks anew: somebody resumed. A joint that is beyond its stop may come back from there.
  void arm(const Observation& observation);

  std::vector<ArmWatchSummary> summary() const;
  void state(StateArchive& archive);

 private:
  struct Joint {
    const JointLimits* limits;
    const char* unit;                     // "rad" or "m"
    double deviates = 0.0, speeds = 0.0;  // for how long, less how long since [s]
    double allowed = 0.0;                 // beyond its stop, since it was armed there
    bool told_deviation = false, told_speed = false, told_stop = false;
    void state(StateArchive& archive) {
      archive(deviates, speeds, allowed, told_deviation, told_speed, told_stop);
    }
  };
  struct Group {
    const GroupLayout* layout = nullptr;
    std::vector<Joint> joints;  // in the group's order; none: a cup
    int arm = -1;               // of the whole-arm controller
    std::optional<ArmForce> force;
    double most_force = 0.0;  // [N]
    double silence = 0.0;     // [s]
    double gave_way = 0.0;    // for how long, since it was told [s]
    bool pressing = false, told_force = false, told_silence = false, tripped = false;
    bool still_presses = false;
    Nanoseconds stamp = 0, heard = 0;  // of the last measurement that was a number; when it came
    ArmWatchSummary seen;
    void state(StateArchive& archive);
  };

  void joint(Group& group, std::size_t j, double q, double v, double expected, double dt,
             EventList& events);
  template <class... Args>
  void tell(Group& group, std::string_view name, EventList& events, const char* format,
            const Args&... args);

  WatchConfig config_;
  Nanoseconds base_;
  WholeArm* arms_;
  std::vector<Group> groups_;
  FixedText<126> reason_;
};

}  // namespace handspan
