#pragma once
// What happened in a tick that a person wants to read later: modes, authority, holds, episodes.
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/fixed_text.hpp"

namespace handspan {

struct Event {
  std::int64_t tick = 0;
  FixedText<22> kind;   // "mode", "authority", "hold", "episode", "fault", "end"
  FixedText<62> name;   // of what: a machine, a reference
  FixedText<166> text;  // in words
};

/// The events of one tick. Adding allocates nothing; what does not fit is counted.
class EventList {
 public:
  explicit EventList(std::size_t capacity = 64) { events_.reserve(capacity); }
  /// At the beginning of a tick.
  void clear(std::int64_t tick) {
    tick_ = tick;
    events_.clear();
  }
  void add(std::string_view kind, std::string_view name, std::string_view text) {
    if (events_.size() == events_.capacity()) {
      ++lost_;
      return;
    }
    events_.push_back({tick_, kind, name, text});
  }
  std::span<const Event> events() const { return events_; }
  std::uint64_t lost() const { return lost_; }

 private:
  std::vector<Event> events_;
  std::int64_t tick_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace handspan
