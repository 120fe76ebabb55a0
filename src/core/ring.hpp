#pragma once
// Values from one thread to another in order; neither waits. What does not fit is lost and counted.
// One thread writes, one reads.
#include <atomic>
#include <bit>
#include <cstdint>
#include <vector>

namespace handspan {

template <class T>
class Ring {
 public:
  /// @param capacity rounded up to a power of two
  explicit Ring(std::size_t capacity) : ring_(std::bit_ceil(capacity)), mask_(ring_.size() - 1) {}

  bool push(const T& value) noexcept {
    const std::uint64_t at = written_.load(std::memory_order_relaxed);
    if (at - read_.load(std::memory_order_acquire) == ring_.size()) {
      lost_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    ring_[at & mask_] = value;
    written_.store(at + 1, std::memory_order_release);
    return true;
  }
  bool take(T& value) noexcept {
    const std::uint64_t at = read_.load(std::memory_order_relaxed);
    if (at == written_.load(std::memory_order_acquire)) return false;
    value = ring_[at & mask_];
    read_.store(at + 1, std::memory_order_release);
    return true;
  }
  /// Of the reader: what is there is not wanted, and does not count as lost.
  void discard() noexcept {
    read_.store(written_.load(std::memory_order_acquire), std::memory_order_release);
  }
  std::uint64_t lost() const noexcept { return lost_.load(std::memory_order_relaxed); }

 private:
  std::vector<T> ring_;
  std::uint64_t mask_;
  alignas(64) std::atomic<std::uint64_t> written_{0};
  alignas(64) std::atomic<std::uint64_t> read_{0};
  std::atomic<std::uint64_t> lost_{0};
};

}  // namespace handspan
