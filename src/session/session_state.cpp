// All that a run changes, as hashes of each tick and as snapshots. It is a file of its own beside
// session.cpp and has no header: both are the session's own.
#include <algorithm>
#include <utility>
// all of it inline: no library to link
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/error.hpp"
#include "session/session.hpp"

namespace handspan {
namespace {

class Hash {
 public:
  Hash() { XXH3_64bits_reset(&state_); }
  void bytes(const void* data, std::size_t n) {
    if (n > 0) XXH3_64bits_update(&state_, data, n);
  }
  template <class T>
  void value(const T& x) {
    static_assert(std::has_unique_object_representations_v<T>);
    bytes(&x, sizeof x);
  }
  void numbers(const auto& v) {
    bytes(v.data(), sizeof(double) * static_cast<std::size_t>(v.size()));
  }
  void text(std::string_view t) { bytes(t.data(), t.size()); }
  std::uint32_t result() const { return static_cast<std::uint32_t>(XXH3_64bits_digest(&state_)); }

 private:
  XXH3_state_t state_;
};

}  // namespace

const char* name_of(Quantity quantity) {
  constexpr const char* kNames[] = {"inputs", "references", "control", "commands", "plant"};
  return kNames[static_cast<std::size_t>(quantity)];
}

TickHashes Session::hashes() {
  TickHashes result;
  const auto set = [&](Quantity quantity, const Hash& hash) {
    result[static_cast<std::size_t>(quantity)] = hash.result();
  };
  Hash inputs;
  for (const Input& input : inputs_) {
    inputs.value(input.stamp);
    inputs.value(input.kind);
    inputs.text(input.to);
    inputs.text(input.text);
    inputs.numbers(input.values());
  }
  set(Quantity::kInputs, inputs);
  Hash references;
  for (const ReferenceIndex r : arbiter_->references()) {
    const Motion& motion = arbiter_->reference(r).motion();
    references.numbers(motion.pose.X_WE.p);
    references.numbers(motion.pose.X_WE.R);
    references.numbers(motion.pose.V_WE);
    references.numbers(motion.q);
    references.numbers(motion.v);
    references.numbers(motion.wrench);
  }
  for (const auto& machine : machines_) references.value(machine.current());
  set(Quantity::kReferences, references);
  Hash control;
  if (whole_arm_) {
    for (const auto& m : whole_arm_->state().mechanisms) {
      control.numbers(m.qdd);
      control.numbers(m.tau);
    }
    for (std::size_t a = 0; a < whole_arm_->arms(); ++a) {
      control.numbers(whole_arm_->drive(static_cast<int>(a)).commanded_q());
      control.numbers(whole_arm_->drive(static_cast<int>(a)).commanded_v());
    }
  }
  set(Quantity::kControl, control);
  Hash commands;
  for (const auto& group : command_.groups) commands.numbers(group);
  set(Quantity::kCommands, commands);
  Hash plant;
  const Observation& observation = plant_->read();
  plant.value(observation.stamp);
  for (const auto& group : observation.groups) {
    plant.numbers(group.q);
    plant.numbers(group.v);
    plant.numbers(group.tau);
  }
  for (const auto& wrench : observation.wrenches) plant.numbers(wrench);
  if (world_) {
    plant.numbers(world_->positions());
    plant.numbers(world_->velocities());
  }
  set(Quantity::kPlant, plant);
  return result;
}

void Session::state(StateArchive& archive, bool with_plant) {
  archive.part("session", app_.name);
  archive(tick_, rejected_inputs_, operator_, in_episode_, episode_task_, first_events_,
          waits_for_stop_device_, goals_stop_, answered_);
  archive(*grasps_);
  if (watch_) archive(*watch_);
  if (fall_watch_) archive(*fall_watch_);
  archive(*arm_watch_);
  if (unreached_) archive(*unreached_);
  if (with_plant) {
    if (!archive.loading()) plant_->snapshot(plant_bytes_);
    archive.sized(plant_bytes_);
    if (archive.loading()) plant_->restore(plant_bytes_);
  }
  archive(command_.groups, manual_.groups);
  if (arms_controller_) archive(*arms_controller_);
  for (auto& group : groups_)
    if (group.controller) group.controller->state(archive);
  for (auto& goals : goals_) archive(goals);
  archive(devices_);
  archive(*arbiter_);
  archive(judges_);
  for (auto& machine : machines_) archive(machine);
  archive(parameters_, versions_, history_);
  archive(channels_);
}

void Session::snapshot(std::vector<std::byte>& into) {
  into.clear();
  StateArchive archive(into);
  state(archive, true);
}

void Session::snapshot(std::vector<std::byte>& plant, std::vector<std::byte>& loop) {
  plant_->snapshot(plant);
  loop.clear();
  StateArchive archive(loop);
  state(archive, false);
}

void Session::restore(std::span<const std::byte> bytes) {
  StateArchive archive(bytes);
  state(archive, true);
  archive.finish();
  restored();
}

void Session::restore(std::span<const std::byte> plant, std::span<const std::byte> loop) {
  plant_->restore(plant);
  StateArchive archive(loop);
  state(archive, false);
  archive.finish();
  restored();
}

void Session::restored() {
  inputs_.clear();
  named_events_.clear();
  events_.clear(tick_);
  for (SessionWatcher* watcher : watchers_) watcher->begin(*this);
}

}  // namespace handspan
