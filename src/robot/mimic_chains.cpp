#include "robot/mimic_chains.hpp"

#include <algorithm>

namespace handspan {

void resolve_mimic_chains(ModelDescription& description) {
  auto& mimics = description.mimics;
  const auto before = mimics;
  const auto of = [&](const std::string& joint) {
    return std::ranges::find(before, joint, &MimicDescription::joint);
  };
  for (auto& mimic : mimics) {
    MimicDescription whole = mimic;
    std::size_t steps = 0;
    for (auto up = of(whole.master); up != before.end() && steps <= before.size();
         up = of(whole.master), ++steps) {
      whole.offset += whole.multiplier * up->offset;
      whole.multiplier *= up->multiplier;
      whole.master = up->master;
    }
    if (steps <= before.size()) mimic = whole;
  }
}

}  // namespace handspan
