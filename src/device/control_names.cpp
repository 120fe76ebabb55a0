#include "device/control_names.hpp"

#include <fmt/format.h>

#include <set>

#include "core/error.hpp"

namespace handspan {

std::optional<Fault> named_twice(
    std::initializer_list<std::pair<const char*, const std::vector<std::string>*>> lists) {
  std::set<std::string> seen;
  for (const auto& [key, names] : lists)
    for (const std::string& name : *names)
      if (!seen.insert(name).second)
        return Fault{fmt::format("names '{}' twice", shown(name)),
                     "give each control a name of its own", key};
  return std::nullopt;
}

}  // namespace handspan
