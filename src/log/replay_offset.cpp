#include "log/replay_offset.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/named.hpp"
#include "core/object.hpp"
#include "core/values.hpp"

namespace handspan {

Schema<ReplayOffsetConfig> replay_offset_schema() {
  using Config = ReplayOffsetConfig;
  return object<Config>("ReplayOffset", "how a demonstration is moved")
      .optional("object", &Config::object, text(),
                "it is to this object, where that is when the state begins, as it was to it in the "
                "demonstration")
      .optional("position", &Config::position, vector<3>("m"), "it is moved by, in the world")
      .optional("rpy", &Config::rpy, vector<3>("rad"), "it is turned by, in the world")
      .optional("about", &Config::about, vector<3>("m"),
                "the point about which it is turned; left out: where the object is, or the world's "
                "origin")
      .check([](const Config& c) -> std::optional<Fault> {
        if (!c.object && c.position.isZero() && c.rpy.isZero())
          return Fault{"moves nothing", "give 'object', 'position' or 'rpy', or leave it out"};
        if (c.object && c.about)
          return Fault{"stands beside object", "leave it out: the turn is about the object",
                       "about"};
        return std::nullopt;
      });
}

ReplayOffset replay_offset(const ReplayOffsetConfig& config,
                           const LoggedDemonstration& demonstration, const Scene& scene,
                           const World* world) {
  ReplayOffset offset;
  offset.position = config.position;
  offset.R = rotation_from_rpy(config.rpy);
  offset.about = config.about.value_or(Eigen::Vector3d::Zero());
  if (!config.object) return offset;
  std::vector<std::string> objects;
  for (const auto& object : scene.objects) objects.push_back(object.name);
  if (!std::ranges::count(objects, *config.object))
    throw InputError("offset: " + not_found("", "object", *config.object, objects));
  if (world == nullptr)
    throw InputError(fmt::format(
        "offset: where the object '{}' is, a simulation knows and nothing else here; give "
        "'position' and 'rpy'",
        *config.object));
  offset.body = world->body(*config.object);
  const TimedPose& first = demonstration.objects.front().poses.front();
  offset.X_DO = Pose::from(first.p, first.q);
  return offset;
}

}  // namespace handspan
