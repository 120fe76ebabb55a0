#pragma once
// How another thread hands inputs to the loop, which takes what has come at the beginning of a
// tick.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/ring.hpp"
#include "reference/input.hpp"

namespace handspan {

class Mailbox {
 public:
  /// @param capacity rounded up to a power of two
  explicit Mailbox(std::size_t capacity = 64) : ring_(std::max<std::size_t>(capacity, 2)) {}

  /// From one thread at a time. @return false when it is full: the input is lost and counted
  bool post(const Input& input) noexcept { return ring_.push(input); }
  /// From the loop. @return false when nothing is there
  bool take(Input& input) noexcept { return ring_.take(input); }
  /// From the loop: what is there is not wanted, and does not count as lost.
  void discard() noexcept { ring_.discard(); }
  std::uint64_t lost() const noexcept { return ring_.lost(); }

 private:
  Ring<Input> ring_;
};

}  // namespace handspan
