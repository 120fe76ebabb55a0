#pragma once
// Names of a device's controls: each is of one of them only.
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/schema.hpp"

namespace handspan {

/// The first name that stands twice among all of these lists.
/// @param lists with the key of the configuration that each one is of; "" for the whole object
std::optional<Fault> named_twice(
    std::initializer_list<std::pair<const char*, const std::vector<std::string>*>> lists);

}  // namespace handspan
