#pragma once

// A queue of runs of bytes from one thread to another: wait-free, with memory of its own from the
// start. One thread reserves and commits, one looks at the front and pops.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "record/bytes.hpp"

namespace handspan {

class ByteRing {
 public:
  /// Room for `capacity` bytes, rounded up to a power of two (at least 1 KiB), 8 of which each run
  /// needs for itself. Throws InputError above 4 GiB.
  explicit ByteRing(std::size_t capacity);

  std::size_t capacity() const { return mask_ + 1; }

  /// The largest run: less than half of the ring, so that one always fits an empty ring.
  std::size_t largest() const { return capacity() / 2 - kHead; }

  /// Bytes in use; by any thread.
  std::size_t used() const noexcept {
    const auto emptied = emptied_.load(std::memory_order_relaxed);
    return static_cast<std::size_t>(filled_.load(std::memory_order_relaxed) - emptied);
  }

  // the thread that fills

  /// `size` bytes to fill, aligned to 8; null when there is no room, or size > largest(). What was
  /// reserved before and not committed is forgotten.
  std::byte* reserve(std::size_t size) noexcept;

  /// Hands over what was reserved.
  void commit() noexcept;

  // the thread that empties

  /// The oldest run, until pop(). @return whether there is one.
  bool front(ByteSpan& run) noexcept;
  void pop() noexcept;

 private:
  // before each run: its size, or that the next one is at the ring's start
  static constexpr std::size_t kHead = sizeof(std::uint64_t);
  static constexpr std::uint64_t kWrap = ~std::uint64_t{0};

  struct Free {
    void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{64}); }
  };

  std::uint64_t head_of(std::uint64_t at) const noexcept;
  void set_head(std::uint64_t at, std::uint64_t value) noexcept;

  std::size_t mask_;
  std::unique_ptr<std::byte[], Free> memory_;

  // counts of bytes since the start; each on a cache line of its own
  alignas(64) std::atomic<std::uint64_t> filled_{0};
  std::uint64_t pending_ = 0;       // filled_ after commit()
  std::uint64_t seen_emptied_ = 0;  // what the filling thread last saw of emptied_
  alignas(64) std::atomic<std::uint64_t> emptied_{0};
  std::uint64_t next_emptied_ = 0;  // emptied_ after pop()
};

}  // namespace handspan
