#include "plant/posed_plant.hpp"

#include <algorithm>

#include "core/state_archive.hpp"
#include "plant/scene_layout.hpp"
#include "scene/mixed_drives.hpp"

namespace handspan {

PosedPlant::PosedPlant(const Scene& scene, const std::vector<std::string>& robots)
    : layout_(scene_layout(scene, robots)) {
  for (GroupLayout& group : layout_.groups) {
    if (group.kind != GroupKind::kSuction) group.kind = GroupKind::kPosition;
    GroupState state;
    state.q = state.v = state.tau = Eigen::VectorXd::Zero(group.states());
    if (group.kind == GroupKind::kPosition) {
      const RobotInstance& robot = *scene.robot(group.robot);
      const auto& first = robot.groups.front().joints;
      for (std::size_t j = 0; j < group.joints.size(); ++j) {
        const auto i = static_cast<Eigen::Index>(j);
        if (const auto at = std::ranges::find(first, group.joints[j]); at != first.end())
          state.q[i] = robot.q_start[at - first.begin()];
        for (const auto& [joint, q] : other_starts(robot))
          if (joint == group.joints[j]) state.q[i] = q;
      }
    }
    command_.groups.push_back(state.q);
    observation_.groups.push_back(std::move(state));
  }
  observation_.wrenches.assign(layout_.sensors.size(), Vector6d::Zero());
}

void PosedPlant::write(const Command& command) {
  for (std::size_t g = 0; g < command_.groups.size(); ++g) {
    if (g < command.groups.size() && command.groups[g].size() == command_.groups[g].size() &&
        command.groups[g].allFinite())
      command_.groups[g] = command.groups[g];
    else
      ++faults_.not_finite;
  }
}

void PosedPlant::advance() {
  observation_.stamp += layout_.period;
  ++observation_.sequence;
  for (std::size_t g = 0; g < command_.groups.size(); ++g)
    if (layout_.groups[g].kind == GroupKind::kPosition)
      observation_.groups[g].q = command_.groups[g];
}

void PosedPlant::state(StateArchive& archive) {
  archive(observation_.stamp, observation_.sequence, faults_);
  for (auto& values : command_.groups) archive(values);
  for (auto& group : observation_.groups) archive(group.q);
}

void PosedPlant::snapshot(std::vector<std::byte>& into) const {
  into.clear();
  StateArchive archive(into);
  // saving changes nothing
  const_cast<PosedPlant*>(this)->state(archive);
}

void PosedPlant::restore(std::span<const std::byte> bytes) {
  StateArchive archive(bytes);
  state(archive);
  archive.finish();
}

}  // namespace handspan
