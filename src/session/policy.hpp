#pragma once
// The source that another program moves, asked with observations and answering with poses ahead in
// time: policy. docs/policies.md has its messages.
#include "reference/source.hpp"

namespace handspan {

void register_policy(SourceRegistry& registry);

}  // namespace handspan
