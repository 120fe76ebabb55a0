#include "session/fall_watch.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace handspan {
namespace {

// below what is lowest at the start [m]: a second of falling
constexpr double kFar = 5.0;

}  // namespace

FallWatch::FallWatch(const World& world, const Scene& scene)
    : world_(world), ground_(scene.ground.has_value()) {
  for (const auto& object : scene.objects)
    objects_.push_back({object.name, world.body(object.name)});
  for (int body = 1; body < static_cast<int>(world.bodies().size()); ++body)
    below_ = std::min(below_, world.body_pose(body).p.z());
  if (ground_) below_ = std::min(below_, scene.ground->height);
  below_ -= kFar;
}

void FallWatch::update(EventList& events) {
  for (Object& object : objects_) {
    const double z = world_.body_pose(object.body).p.z();
    const bool fallen = z < below_;
    if (fallen && !object.fallen) {
      char text[166];
      const auto end = fmt::format_to_n(
          text, sizeof text, "falls out of the scene: it is at a height of {:.1f} m; {}", z,
          ground_ ? "it came through the ground: a smaller physics.timestep helps"
                  : "the scene has no ground: take out its 'ground: none', or put a fixture there");
      events.add("scene", object.name, {text, std::min(end.size, sizeof text)});
    }
    object.fallen = fallen;
  }
}

void FallWatch::state(StateArchive& archive) {
  for (Object& object : objects_) archive(object);
}

}  // namespace handspan
