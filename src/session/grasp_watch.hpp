#pragma once
// What grippers do, from what is measured of them: how wide they are, how hard they press, and
// whether there is something between the pads.
#include <string>
#include <vector>

#include "core/channel.hpp"
#include "core/state_archive.hpp"
#include "plant/plant.hpp"
#include "reference/event.hpp"

namespace handspan {

class GraspWatch {
 public:
  /// @param start what is observed first
  GraspWatch(const PlantLayout& layout, const Observation& start);

  /// Channels of a gripper: GROUP.width [m], GROUP.force [N] and GROUP.grasped.
  /// @param rate at which the group is observed
  void declare(ChannelTable& channels, std::size_t group, Rate rate);
  /// After a tick of \p dt seconds: what is grasped, and events of what is lost. In a tick; nothing
  /// allocates, locks or throws.
  void update(const Observation& observation, const Command& command, double dt, EventList& events);
  void publish(ChannelTable& channels, std::size_t group, Nanoseconds stamp) const;

  // of groups that are grippers

  /// Whether something between the pads stops the gripper from closing further.
  bool grasped(std::size_t group) const { return of(group).grasped; }
  /// Between the pads [m].
  double width(std::size_t group) const { return of(group).width; }
  /// At each pad [N], from the drives' torques; positive when it closes.
  double force(std::size_t group) const { return of(group).force; }
  /// For how long it has stood still [s].
  double rests(std::size_t group) const { return of(group).still; }

  void state(StateArchive& archive);

 private:
  struct Gripper {
    std::string name;
    GripperDescription of;
    double width = 0.0, force = 0.0;          // measured
    double still = 0.0;                       // for how long its width has been about still_at [s]
    double still_at = 0.0, grasped_at = 0.0;  // [m]
    bool grasped = false;
    NumberChannel width_channel, force_channel;
    BooleanChannel grasped_channel;

    void measure(const GroupState& state);
    void state(StateArchive& archive);
  };
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  const Gripper& of(std::size_t group) const { return grippers_[places_[group]]; }

  std::vector<Gripper> grippers_;
  std::vector<std::size_t> places_;  // in grippers_, of a group
};

}  // namespace handspan
