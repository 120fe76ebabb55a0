#include "plant/plant_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>

#include "core/error.hpp"
#include "core/state_archive.hpp"
#include "core/suggest.hpp"
#include "plant/world.hpp"

namespace handspan {
namespace {

constexpr std::size_t kNobody = std::numeric_limits<std::size_t>::max();

template <class T>
std::vector<std::string> names_of(const std::vector<T>& things) {
  std::vector<std::string> names;
  for (const auto& thing : things) names.push_back(thing.name);
  return names;
}

std::string quoted(const PlantMember& member) { return fmt::format("plant '{}'", member.name); }

// a driver that breaks its word about sizes must not reach the heap
void copy(const Eigen::VectorXd& from, Eigen::VectorXd& to) {
  if (from.size() == to.size()) to = from;
}

}  // namespace

PlantSet::PlantSet(const PlantLayout& whole, std::vector<PlantMember> members)
    : members_(std::move(members)),
      group_member_(whole.groups.size(), kNobody),
      sensor_member_(whole.sensors.size(), kNobody),
      layout_(whole) {
  if (members_.empty()) throw InputError("a set of plants has none; give it one");
  layout_.period = 0;
  for (std::size_t m = 0; m < members_.size(); ++m) place(m, whole);
  for (std::size_t g = 0; g < whole.groups.size(); ++g)
    if (group_member_[g] == kNobody)
      throw InputError(
          fmt::format("no plant gives the group '{}' of the robot '{}'; the plant that drives a "
                      "robot must give all of its groups",
                      whole.groups[g].name, whole.groups[g].robot));
  for (std::size_t s = 0; s < whole.sensors.size(); ++s)
    if (sensor_member_[s] == kNobody)
      throw InputError(
          fmt::format("no plant gives the sensor '{}'; the plant that drives a robot must give all "
                      "of its sensors",
                      whole.sensors[s].name));
  if (world_ != nullptr)
    for (std::size_t i = 0; i < world_->shown().size(); ++i)
      for (std::size_t g = 0; g < whole.groups.size(); ++g)
        if (whole.groups[g].name == world_->shown()[i].name) shown_.push_back({i, g});
  for (const auto& group : layout_.groups) {
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(group.states());
    observation_.groups.push_back({zero, zero, zero});
  }
  observation_.wrenches.assign(whole.sensors.size(), Vector6d::Zero());
  unite();
  for (const PlantMember& member : members_)
    if (member.plant->simulated()) {
      member.plant->snapshot(member_bytes_);
      // contacts may grow
      member_bytes_.reserve(2 * member_bytes_.size() + (1U << 16U));
    }
}

void PlantSet::place(std::size_t m, const PlantLayout& whole) {
  PlantMember& member = members_[m];
  const PlantLayout& layout = member.plant->layout();
  const auto bad = [&](const std::string& cause, const std::string& hint) {
    return InputError(fmt::format("{} {}; {}", quoted(member), cause, hint));
  };
  if (layout.period <= 0)
    throw bad(fmt::format("has a period of {} ns", layout.period), "it must be > 0");
  layout_.period = std::gcd(layout_.period, layout.period);
  if (member.clock) {
    if (clock_ >= 0)
      throw bad(fmt::format("is the clock, and plant '{}' is too",
                            members_[static_cast<std::size_t>(clock_)].name),
                "let one of them be it");
    if (member.plant->simulated())
      throw bad("is the clock, but a simulation has no time of its own",
                "let a real plant be it, or use another clock");
    clock_ = static_cast<int>(m);
  }
  for (const GroupLayout& group : layout.groups) {
    const auto found = std::ranges::find(whole.groups, group.name, &GroupLayout::name);
    if (found == whole.groups.end())
      throw bad(fmt::format("gives the group '{}', which the scene does not have", group.name),
                did_you_mean(group.name, names_of(whole.groups), "it has"));
    const auto g = static_cast<std::size_t>(found - whole.groups.begin());
    if (group_member_[g] != kNobody)
      throw bad(fmt::format("gives the group '{}', and plant '{}' gives it too", group.name,
                            members_[group_member_[g]].name),
                "let one of them drive the robot");
    if (group.joints != found->joints ||
        (group.kind == GroupKind::kSuction) != (found->kind == GroupKind::kSuction))
      throw bad(fmt::format("gives the group '{}' with the joints {}", group.name,
                            group.joints.empty() ? "none" : joined(group.joints)),
                fmt::format("the robot's folder has {}",
                            found->joints.empty() ? "none" : joined(found->joints)));
    group_member_[g] = m;
    const auto gripper = found->gripper;
    layout_.groups[g] = group;
    if (!group.gripper) layout_.groups[g].gripper = gripper;
    member.groups.push_back(static_cast<int>(g));
  }
  for (const SensorLayout& sensor : layout.sensors) {
    const auto found = std::ranges::find(whole.sensors, sensor.name, &SensorLayout::name);
    if (found == whole.sensors.end())
      throw bad(fmt::format("gives the sensor '{}', which the scene does not have", sensor.name),
                did_you_mean(sensor.name, names_of(whole.sensors), "it has"));
    const auto s = static_cast<std::size_t>(found - whole.sensors.begin());
    if (sensor_member_[s] != kNobody)
      throw bad(fmt::format("gives the sensor '{}', and plant '{}' gives it too", sensor.name,
                            members_[sensor_member_[s]].name),
                "let one of them drive the robot");
    sensor_member_[s] = m;
    layout_.sensors[s] = sensor;
    member.sensors.push_back(static_cast<int>(s));
  }
  const Observation& observation = member.plant->read();
  if (observation.groups.size() != layout.groups.size() ||
      observation.wrenches.size() != layout.sensors.size())
    throw bad(fmt::format("observes {} groups and {} sensors and says that it has {} and {}",
                          observation.groups.size(), observation.wrenches.size(),
                          layout.groups.size(), layout.sensors.size()),
              "its driver must give one state a group and one wrench a sensor from the start on");
  commands_.push_back(Command::zero(layout));
  if (World* world = member.plant->world()) {
    if (world_ != nullptr)
      throw bad("is a simulation of the scene, and there is one already", "take one of them away");
    world_ = world;
  }
}

std::unique_ptr<PlantSet> PlantSet::of(std::unique_ptr<Plant> plant) {
  if (auto* set = dynamic_cast<PlantSet*>(plant.get())) {
    plant.release();
    return std::unique_ptr<PlantSet>(set);
  }
  const PlantLayout layout = plant->layout();
  const bool clock = !plant->simulated();
  std::vector<PlantMember> members;
  members.push_back({"", std::move(plant), clock, {}, {}});
  return std::make_unique<PlantSet>(layout, std::move(members));
}

bool PlantSet::begins(std::size_t member) const {
  return ticks_ * layout_.period % period(member) == 0;
}

void PlantSet::write(const Command& command) {
  for (std::size_t m = 0; m < members_.size(); ++m) {
    if (!begins(m)) continue;
    const PlantMember& member = members_[m];
    for (std::size_t i = 0; i < member.groups.size(); ++i) {
      const auto g = static_cast<std::size_t>(member.groups[i]);
      Eigen::VectorXd& to = commands_[m].groups[i];
      if (g < command.groups.size() && command.groups[g].size() == to.size())
        to = command.groups[g];
      else
        to.setConstant(std::numeric_limits<double>::quiet_NaN());
    }
    member.plant->write(commands_[m]);
  }
}

bool PlantSet::wait() {
  if (clock_ < 0 || !begins(static_cast<std::size_t>(clock_))) return true;
  waited_ = true;
  return members_[static_cast<std::size_t>(clock_)].plant->wait();
}

void PlantSet::advance() {
  const Nanoseconds next = (ticks_ + 1) * layout_.period;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    Plant& plant = *members_[m].plant;
    const bool waited = waited_ && static_cast<int>(m) == clock_;
    if (!plant.simulated() && !waited) plant.poll(next);
  }
  waited_ = false;
  show_observed();
  for (std::size_t m = 0; m < members_.size(); ++m)
    if (members_[m].plant->simulated() && begins(m)) members_[m].plant->advance();
  ++ticks_;
  unite();
}

void PlantSet::show_observed() {
  for (const Shown& shown : shown_) {
    const PlantMember& member = members_[group_member_[shown.group]];
    const auto at = std::ranges::find(member.groups, static_cast<int>(shown.group));
    const GroupState& state =
        member.plant->read().groups[static_cast<std::size_t>(at - member.groups.begin())];
    world_->show(shown.at, state.q, state.v);
  }
}

void PlantSet::unite() {
  observation_.stamp = std::numeric_limits<Nanoseconds>::min();
  observation_.sequence = static_cast<std::uint64_t>(ticks_);
  observation_.status = PlantStatus::kRunning;
  faults_ = {};
  for (const PlantMember& member : members_) {
    const Observation& from = member.plant->read();
    observation_.stamp = std::max(observation_.stamp, from.stamp);
    if (observation_.status == PlantStatus::kRunning) observation_.status = from.status;
    for (std::size_t i = 0; i < member.groups.size() && i < from.groups.size(); ++i) {
      GroupState& to = observation_.groups[static_cast<std::size_t>(member.groups[i])];
      copy(from.groups[i].q, to.q);
      copy(from.groups[i].v, to.v);
      copy(from.groups[i].tau, to.tau);
    }
    for (std::size_t i = 0; i < member.sensors.size() && i < from.wrenches.size(); ++i)
      observation_.wrenches[static_cast<std::size_t>(member.sensors[i])] = from.wrenches[i];
    const CommandFaults& faults = member.plant->faults();
    faults_.not_finite += faults.not_finite;
    faults_.clamped += faults.clamped;
    faults_.rate_limited += faults.rate_limited;
  }
}

bool PlantSet::simulated() const {
  return std::ranges::all_of(members_, [](const auto& m) { return m.plant->simulated(); });
}

void PlantSet::tare(int sensor) {
  const PlantMember& member = members_[sensor_member_[static_cast<std::size_t>(sensor)]];
  const auto at = std::ranges::find(member.sensors, sensor);
  assert(at != member.sensors.end());
  member.plant->tare(static_cast<int>(at - member.sensors.begin()));
  unite();
}

bool PlantSet::recover() {
  bool all = true;
  for (const PlantMember& member : members_)
    if (member.plant->read().status != PlantStatus::kRunning) all = member.plant->recover() && all;
  unite();
  return all;
}

void PlantSet::snapshot(std::vector<std::byte>& into) const {
  into.clear();
  StateArchive archive(into);
  archive.part("plants");
  std::int64_t ticks = ticks_;
  archive(ticks);
  for (const PlantMember& member : members_) {
    if (!member.plant->simulated()) continue;
    archive.part("plant", member.name);
    member.plant->snapshot(member_bytes_);
    archive.sized(member_bytes_);
  }
}

void PlantSet::restore(std::span<const std::byte> bytes) {
  StateArchive archive(bytes);
  archive.part("plants");
  archive(ticks_);
  for (const PlantMember& member : members_) {
    if (!member.plant->simulated()) continue;
    archive.part("plant", member.name);
    archive.sized(member_bytes_);
    member.plant->restore(member_bytes_);
  }
  archive.finish();
  for (const PlantMember& member : members_)
    if (!member.plant->simulated()) member.plant->poll(ticks_ * layout_.period);
  waited_ = false;
  unite();
}

}  // namespace handspan
