#include "scene/uniform_object.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "scene/mesh_integrals.hpp"

namespace handspan {

Inertial uniform_object(const std::string& name, const BodyEntry& entry) {
  std::vector<Shape> simple;
  std::vector<PlacedSurface> surfaces;
  std::vector<Issue> issues;
  for (std::size_t i = 0; i < entry.shapes.size(); ++i) {
    const auto& solid = entry.shapes[i].solid;
    if (!solid) {
      const auto& shapes = entry.shapes[i].shapes;
      simple.insert(simple.end(), shapes.begin(), shapes.end());
      continue;
    }
    if (const auto fault = mesh_fault(solid->placed.surface))
      issues.push_back({solid->place, fmt::format("objects.{}.shapes[{}].file", name, i),
                        fmt::format("is {}, which {}", solid->file, fault->cause), fault->hint});
    surfaces.push_back(solid->placed);
  }
  if (!issues.empty()) throw ConfigError(std::move(issues));
  return uniform_inertial(simple, *entry.mass, surfaces);
}

}  // namespace handspan
