#include "plant/plant.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

namespace handspan {

const char* name_of(PlantStatus status) {
  constexpr const char* kNames[] = {"running", "reflex", "protective stop", "packet loss"};
  return kNames[static_cast<std::size_t>(status)];
}

int PlantLayout::group(std::string_view name) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].name == name) return static_cast<int>(i);
    names.push_back(groups[i].name);
  }
  throw std::out_of_range(
      fmt::format("the plant has no group '{}'; it has {}", name, fmt::join(names, ", ")));
}

Command Command::zero(const PlantLayout& layout) {
  Command command;
  for (const auto& group : layout.groups)
    command.groups.push_back(Eigen::VectorXd::Zero(group.size()));
  return command;
}

}  // namespace handspan
