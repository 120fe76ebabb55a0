#include "plant/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/error.hpp"
#include "core/named.hpp"

namespace handspan {

int World::body(std::string_view name) const {
  const auto& names = bodies();
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) throw std::out_of_range(not_found("the scene", "body", name, names));
  return static_cast<int>(found - names.begin());
}

}  // namespace handspan
