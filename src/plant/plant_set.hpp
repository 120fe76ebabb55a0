#pragma once
// Several plants as one: each drives some robots of a scene, and together they have the scene's
// groups and sensors in the scene's order. One of them may be the clock, which is waited for; of
// the other real ones the newest observation is taken, whenever it came. What a simulation does not
// drive it shows where it was observed.
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plant/plant.hpp"

namespace handspan {

struct PlantMember {
  std::string name;  // "left"; of a plant that is alone it may be empty
  std::unique_ptr<Plant> plant;
  bool clock = false;  // it is waited for
  // filled by the set: its groups and sensors among those of the whole
  std::vector<int> groups, sensors;
};

/// Observations of the whole: the newest stamp of any member (whose clocks may have begun at
/// different times: see group_stamp()), the count of advances as sequence, and the first status
/// that is not running. Faults are sums.
class PlantSet : public Plant {
 public:
  /// @param whole names the groups and sensors there are, in order; their kinds and rates are as
  /// the members say
  /// @throws InputError when a member gives what is not in the whole, or another one gives too, or
  /// with other joints; when something of the whole is given by none; when two are the clock, or a
  /// simulation is
  PlantSet(const PlantLayout& whole, std::vector<PlantMember> members);
  /// A plant as a set: itself when it is one, else the one member without a name, and the clock.
  static std::unique_ptr<PlantSet> of(std::unique_ptr<Plant> plant);

  /// Of the member that has one.
  World* world() override { return world_; }
  const PlantLayout& layout() const override { return layout_; }
  const Observation& read() override { return observation_; }
  /// To every member whose period begins now; a vector of another size than the group's counts as
  /// not finite.
  void write(const Command& command) override;
  /// Waits for the member that is the clock, when its period begins now; the others do not wait.
  bool wait() override;
  /// One period of the whole: real members that were not waited for are polled, then simulations
  /// whose period begins now advance.
  void advance() override;
  /// Whether all members are.
  bool simulated() const override;
  const CommandFaults& faults() const override { return faults_; }
  void tare(int sensor) override;
  /// Of every member that does not run. @return whether all of them do then
  bool recover() override;
  using Plant::snapshot;
  /// Of the simulated members. Those that are not, are where they are: after restore() they are
  /// polled for that time.
  void snapshot(std::vector<std::byte>& into) const override;
  void restore(std::span<const std::byte> bytes) override;

  std::span<const PlantMember> members() const { return members_; }
  /// Whether a member is waited for.
  bool has_clock() const { return clock_ >= 0; }
  /// Of the plant that observes this: its stamp [ns] and its period [ns].
  Nanoseconds group_stamp(std::size_t group) const { return stamp(group_member_[group]); }
  Nanoseconds sensor_stamp(std::size_t sensor) const { return stamp(sensor_member_[sensor]); }
  Nanoseconds group_period(std::size_t group) const { return period(group_member_[group]); }
  Nanoseconds sensor_period(std::size_t sensor) const { return period(sensor_member_[sensor]); }

 private:
  void place(std::size_t member, const PlantLayout& whole);
  bool begins(std::size_t member) const;
  Nanoseconds stamp(std::size_t member) const { return members_[member].plant->read().stamp; }
  Nanoseconds period(std::size_t member) const { return members_[member].plant->layout().period; }
  void show_observed();
  void unite();

  std::vector<PlantMember> members_;
  std::vector<Command> commands_;  // of each member
  std::vector<std::size_t> group_member_, sensor_member_;
  struct Shown {
    std::size_t at;     // in World::shown()
    std::size_t group;  // of the whole
  };
  std::vector<Shown> shown_;
  World* world_ = nullptr;  // a member's; none: nothing is simulated
  PlantLayout layout_;
  Observation observation_;
  CommandFaults faults_;
  std::int64_t ticks_ = 0;  // advances
  int clock_ = -1;
  bool waited_ = false;  // since the last advance
  mutable std::vector<std::byte> member_bytes_;
};

}  // namespace handspan
