#pragma once
// The newest value of one thread for another, neither of which ever waits: three places, of which
// the writer has one, the reader one, and the third is the newest that was written.
#include <array>
#include <atomic>
#include <cstdint>

namespace handspan {

template <class T>
class Latest {
 public:
  /// All three places begin as copies of it, so that filling them allocates nothing.
  explicit Latest(const T& first) : places_{first, first, first} {}

  // one thread

  /// To be filled; what is there is old.
  T& place() { return places_[back_]; }
  void publish() noexcept {
    back_ = middle_.exchange(static_cast<std::uint8_t>(back_ | kFresh), std::memory_order_acq_rel) &
            kIndex;
  }

  // another one

  /// @return whether there was something newer than before
  bool refresh() noexcept {
    if ((middle_.load(std::memory_order_relaxed) & kFresh) == 0) return false;
    front_ = middle_.exchange(front_, std::memory_order_acq_rel) & kIndex;
    return true;
  }
  /// Until the next refresh().
  const T& value() const { return places_[front_]; }

 private:
  static constexpr std::uint8_t kIndex = 3, kFresh = 4;
  std::array<T, 3> places_;
  alignas(64) std::atomic<std::uint8_t> middle_{1};
  alignas(64) std::uint8_t back_ = 0;
  alignas(64) std::uint8_t front_ = 2;
};

}  // namespace handspan
