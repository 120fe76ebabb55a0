#include "reference/mailbox.hpp"

#include <bit>

namespace handspan {

Mailbox::Mailbox(std::size_t capacity)
    : ring_(std::bit_ceil(capacity < 2 ? std::size_t{2} : capacity)), mask_(ring_.size() - 1) {}

bool Mailbox::post(const Input& input) noexcept {
  const std::uint64_t at = written_.load(std::memory_order_relaxed);
  if (at - read_.load(std::memory_order_acquire) == ring_.size()) {
    lost_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  ring_[at & mask_] = input;
  written_.store(at + 1, std::memory_order_release);
  return true;
}

bool Mailbox::take(Input& input) noexcept {
  const std::uint64_t at = read_.load(std::memory_order_relaxed);
  if (at == written_.load(std::memory_order_acquire)) return false;
  input = ring_[at & mask_];
  read_.store(at + 1, std::memory_order_release);
  return true;
}

void Mailbox::discard() noexcept {
  read_.store(written_.load(std::memory_order_acquire), std::memory_order_release);
}

}  // namespace handspan
