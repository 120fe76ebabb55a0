#pragma once

#include <cstddef>

namespace handspan {

/// An index of a library that counts in int, as one of a container. \p i is not negative.
constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace handspan
