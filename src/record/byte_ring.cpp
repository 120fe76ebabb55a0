#include "record/byte_ring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "core/error.hpp"

namespace handspan {
namespace {

std::size_t rounded(std::size_t capacity) {
  constexpr std::size_t kLeast = std::size_t{1} << 10U, kMost = std::size_t{1} << 32U;
  if (capacity > kMost)
    throw InputError(fmt::format("a ring of {} bytes is too large; at most {}", capacity, kMost));
  return std::bit_ceil(std::max(capacity, kLeast));
}

}  // namespace

ByteRing::ByteRing(std::size_t capacity)
    : mask_(rounded(capacity) - 1),
      memory_(static_cast<std::byte*>(::operator new[](mask_ + 1, std::align_val_t{64}))) {
  // touched now: the first lap in a tick meets no page faults
  std::memset(memory_.get(), 0, mask_ + 1);
}

std::uint64_t ByteRing::head_of(std::uint64_t at) const noexcept {
  std::uint64_t value;
  std::memcpy(&value, memory_.get() + (at & mask_), sizeof value);
  return value;
}

void ByteRing::set_head(std::uint64_t at, std::uint64_t value) noexcept {
  std::memcpy(memory_.get() + (at & mask_), &value, sizeof value);
}

std::byte* ByteRing::reserve(std::size_t size) noexcept {
  if (size > largest()) return nullptr;
  const std::uint64_t start = filled_.load(std::memory_order_relaxed);
  const std::uint64_t run = kHead + ((size + 7) & ~std::size_t{7});
  const std::uint64_t to_end = capacity() - (start & mask_);
  // a run is never split: what does not fit before the end begins at the start
  const std::uint64_t skipped = run > to_end ? to_end : 0;
  const std::uint64_t end = start + skipped + run;
  if (end - seen_emptied_ > capacity()) {
    seen_emptied_ = emptied_.load(std::memory_order_acquire);
    if (end - seen_emptied_ > capacity()) return nullptr;
  }
  if (skipped != 0) set_head(start, kWrap);
  set_head(start + skipped, size);
  pending_ = end;
  return memory_.get() + ((start + skipped) & mask_) + kHead;
}

void ByteRing::commit() noexcept { filled_.store(pending_, std::memory_order_release); }

bool ByteRing::front(ByteSpan& run) noexcept {
  std::uint64_t at = emptied_.load(std::memory_order_relaxed);
  if (at == filled_.load(std::memory_order_acquire)) return false;
  std::uint64_t size = head_of(at);
  if (size == kWrap) {
    at += capacity() - (at & mask_);
    size = head_of(at);
  }
  next_emptied_ = at + kHead + ((size + 7) & ~std::uint64_t{7});
  run = {memory_.get() + (at & mask_) + kHead, static_cast<std::size_t>(size)};
  return true;
}

void ByteRing::pop() noexcept { emptied_.store(next_emptied_, std::memory_order_release); }

}  // namespace handspan
