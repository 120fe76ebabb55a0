#include "scene/scene_frame.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/suggest.hpp"

namespace handspan {

Pose scene_frame(const Scene& scene, std::string_view name) {
  std::vector<std::string> names;
  for (const auto& [frame, X] : scene.frames) {
    if (frame == name) return Pose::from(X.p, X.q);
    names.push_back(frame);
  }
  const std::string text(name);
  throw InputError(fmt::format(
      "the scene has no frame '{}'{}", shown(text),
      names.empty() ? std::string("; it has none") : "; " + did_you_mean(text, names, "it has")));
}

}  // namespace handspan
