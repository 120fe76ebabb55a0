#pragma once
// A client as the hub has it. Included by the hub's own files only.
#include "station/hub.hpp"
#include "station/sample_clock.hpp"

namespace handspan {

/// Letters of patterns times letters of names, a second: some thousandths of one, for all clients.
inline constexpr double kMostWork = 2e6;

struct Hub::Client {
  int number = 0;
  Connection* connection = nullptr;
  std::string name;
  bool welcomed = false, operates = false;  // the latter: its role
  bool listing = false;
  Visitor visitor;
  Nanoseconds since = 0;
  double allowance = kMostMessages;  // messages it may send now
  Nanoseconds allowance_at = 0;
  double work = kMostWork;  // letters that its patterns may be compared with now
  Nanoseconds work_at = 0;
  Nanoseconds period = 0, next_frame = 0;
  std::uint32_t sequence = 0;
  std::vector<std::size_t> channels;       // subscribed to, rising
  std::vector<std::int64_t> last_samples;  // sequence numbers by device; -1: none
  std::vector<SampleClock> clocks;         // by device
  std::uint64_t lost_events = 0;
  bool fresh = true;                     // has not seen the newest state
  std::shared_ptr<ReplayPlayer> player;  // shown instead of the live loop
  std::vector<std::uint8_t> frame;
};

/// Events go to a client that has fewer messages waiting; status to one with fewer than the latter.
inline constexpr std::size_t kMostWaitingEvents = 64, kMostWaitingStatus = 4;

}  // namespace handspan
