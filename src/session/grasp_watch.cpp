#include "session/grasp_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace handspan {
namespace {

// a gripper that moves by less in this time stands still
constexpr double kStill = 5e-4, kStillFor = 0.06;  // [m], [s]
// it is stopped by something when it is so much wider than it is to be
constexpr double kWider = 1e-3;  // [m]
// of the force that it may use: a jaw that its own friction holds back is not yet stopped by
// anything
constexpr double kPressed = 0.7;
// what is held slips out when it closes by so much more
constexpr double kSlipped = 3e-3;  // [m]

}  // namespace

GraspWatch::GraspWatch(const PlantLayout& layout, const Observation& start) {
  for (std::size_t g = 0; g < layout.groups.size(); ++g) {
    const GroupLayout& group = layout.groups[g];
    if (group.kind != GroupKind::kGripper) {
      places_.push_back(kNone);
      continue;
    }
    places_.push_back(grippers_.size());
    Gripper& gripper = grippers_.emplace_back();
    gripper.name = group.name;
    gripper.of = *group.gripper;
    gripper.measure(start.groups[g]);
    gripper.still_at = gripper.width;
  }
}

void GraspWatch::Gripper::measure(const GroupState& state) {
  const double share = of.share(state.q);
  width = of.width(share);
  force = of.force_of(state.tau, share);
}

void GraspWatch::declare(ChannelTable& channels, std::size_t group, Rate rate) {
  if (places_[group] == kNone) return;
  Gripper& g = grippers_[places_[group]];
  g.width_channel = channels.number(g.name + ".width", "m", rate, "between the pads");
  g.force_channel = channels.number(g.name + ".force", "N", rate,
                                    "at each pad, from the drives' torques; positive: it closes");
  g.grasped_channel =
      channels.boolean(g.name + ".grasped", rate, "something between the pads stops it");
}

void GraspWatch::update(const Observation& observation, const Command& command, double dt,
                        EventList& events) {
  for (std::size_t group = 0; group < places_.size(); ++group) {
    if (places_[group] == kNone) continue;
    Gripper& g = grippers_[places_[group]];
    g.measure(observation.groups[group]);
    if (std::abs(g.width - g.still_at) > kStill) {
      g.still_at = g.width;
      g.still = 0.0;
    } else {
      g.still += dt;
    }
    const Eigen::VectorXd& asked = command.groups[group];
    const bool closes = asked[0] < g.width - kWider;
    const bool shut = g.width < g.of.shut() + kWider;
    // what is as wide as the opening does not fit in: a jaw that has not moved is stuck
    const bool open = g.width > g.of.wide() - kWider;
    if (!g.grasped) {
      if (closes && !shut && !open && g.still >= kStillFor && g.force > 0.0 &&
          g.force >= kPressed * std::min(asked[2], g.of.force)) {
        g.grasped = true;
        g.grasped_at = g.width;
      }
      continue;
    }
    const bool slipped = shut || g.width < g.grasped_at - kSlipped;
    g.grasped = !slipped && asked[0] < g.grasped_at;
    if (slipped && closes) {
      char text[96];
      const auto end = fmt::format_to_n(
          text, sizeof text, "lost what it grasped: it was {:.1f} mm wide and closes to {:.1f} mm",
          1e3 * g.grasped_at, 1e3 * g.width);
      events.add("gripper", g.name, {text, std::min(end.size, sizeof text)});
    }
  }
}

void GraspWatch::publish(ChannelTable& channels, std::size_t group, Nanoseconds stamp) const {
  if (places_[group] == kNone) return;
  const Gripper& g = of(group);
  channels.write(g.width_channel, g.width, stamp);
  channels.write(g.force_channel, g.force, stamp);
  channels.write(g.grasped_channel, g.grasped, stamp);
}

void GraspWatch::Gripper::state(StateArchive& archive) {
  archive(width, force, still, still_at, grasped_at, grasped);
}

void GraspWatch::state(StateArchive& archive) {
  for (Gripper& gripper : grippers_) archive(gripper);
}

}  // namespace handspan
