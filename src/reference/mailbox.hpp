#pragma once
// How another thread hands inputs to the loop: a ring with one writer and one reader, neither of
// which ever waits. The loop takes what has come at the beginning of a tick.
#include <atomic>
#include <cstdint>
#include <vector>

#include "reference/input.hpp"

namespace handspan {

class Mailbox {
 public:
  /// @param capacity rounded up to a power of two
  explicit Mailbox(std::size_t capacity = 64);

  /// From one thread at a time. @return false when it is full: the input is lost and counted
  bool post(const Input& input) noexcept;
  /// From the loop. @return false when nothing is there
  bool take(Input& input) noexcept;
  /// From the loop: what is there is not wanted, and does not count as lost.
  void discard() noexcept;
  std::uint64_t lost() const noexcept { return lost_.load(std::memory_order_relaxed); }

 private:
  std::vector<Input> ring_;
  std::uint64_t mask_;
  alignas(64) std::atomic<std::uint64_t> written_{0};
  alignas(64) std::atomic<std::uint64_t> read_{0};
  std::atomic<std::uint64_t> lost_{0};
};

}  // namespace handspan
