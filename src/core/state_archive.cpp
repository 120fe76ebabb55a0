#include "core/state_archive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/error.hpp"

namespace handspan {

void StateArchive::raw(void* data, std::size_t bytes) {
  if (bytes == 0) return;
  if (!loading()) {
    const auto* from = static_cast<const std::byte*>(data);
    into_->insert(into_->end(), from, from + bytes);
    return;
  }
  need(bytes, 1);
  std::memcpy(data, from_.data() + at_, bytes);
  at_ += bytes;
}

void StateArchive::need(std::uint64_t count, std::size_t each) const {
  if (count <= (from_.size() - at_) / each) return;
  throw InputError(fmt::format("the snapshot ends in the middle of {}; it is damaged", part_));
}

void StateArchive::part(std::string_view what, std::string_view of) {
  // as many characters as fit: the name is for people
  char saved[sizeof name_] = {}, wanted[sizeof name_] = {};
  const auto room = static_cast<std::ptrdiff_t>(sizeof wanted - 1);
  const auto end = fmt::format_to_n(wanted, room, "{}{}{}", what, of.empty() ? "" : " ", of);
  const std::string_view name(wanted, static_cast<std::size_t>(std::min(room, end.out - wanted)));
  std::ranges::copy(name, saved);
  auto size = static_cast<std::uint8_t>(name.size());
  raw(&size, sizeof size);
  if (loading() && size >= sizeof saved)
    throw InputError(fmt::format("the snapshot is damaged after {}", part_));
  raw(saved, size);
  if (loading() && (size != name.size() || name != std::string_view(saved, size)))
    throw InputError(fmt::format("the snapshot is of another app: '{}' is where '{}' should be",
                                 shown(std::string(saved, size)), name));
  std::ranges::copy(saved, name_);
  name_[size] = '\0';
  part_ = name_;
}

void StateArchive::same_size(std::uint64_t size) {
  std::uint64_t saved = size;
  raw(&saved, sizeof saved);
  if (saved != size)
    throw InputError(fmt::format(
        "the snapshot is of another app: {} has {} values there and {} here", part_, saved, size));
}

void StateArchive::finish() const {
  if (at_ != from_.size())
    throw InputError(fmt::format("the snapshot is longer than what it should restore, by {} bytes",
                                 from_.size() - at_));
}

}  // namespace handspan
