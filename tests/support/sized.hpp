#pragma once
// Sizes of long runs.
#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace handspan::test {

/// A size of a long run: all of it with HANDSPAN_LONG=1, else a twentieth, at least 1.
inline int sized(int size) {
  const char* wanted = std::getenv("HANDSPAN_LONG");
  return wanted && std::strcmp(wanted, "1") == 0 ? size : std::max(1, size / 20);
}

}  // namespace handspan::test
