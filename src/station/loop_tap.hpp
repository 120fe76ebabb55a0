#pragma once
// What the station knows of a loop: after each tick its newest state is copied to where another
// thread finds it, and events and what devices are sent go through rings. The tick allocates, locks
// and throws nothing for it, and never waits.
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/ring.hpp"
#include "session/session.hpp"
#include "station/latest.hpp"

namespace handspan {

struct ReferenceState {
  bool holding = true;
  std::array<float, 7> pose{};  // x y z [m], quaternion x y z w, in W; of joints zero
  FixedText<126> reason;        // why it holds
};

struct JudgedState {
  Verdict verdict = Verdict::kNone;
  VerdictText words;
};

struct ContactState {
  std::uint16_t body_a = 0, body_b = 0;  // of LoopState::poses
  std::array<float, 3> p_W{}, f_W{};     // [m]; force on b [N]
};

/// A loop after a tick.
struct LoopState {
  std::int64_t tick = 0;  // that were done
  Nanoseconds time = 0;   // simulated [ns]
  Nanoseconds taken = 0;  // when, by steady_now() [ns]
  bool stopped = false, in_episode = false;
  std::vector<std::array<float, 7>> poses;  // of bodies, the world first
  std::vector<ReferenceState> references;   // in the order of the arbiter
  std::vector<JudgedState> judged;          // by judge
  std::vector<ContactState> contacts;
  std::vector<double> numbers;          // of channels, see LoopTap::first()
  std::vector<std::int64_t> integers;   // likewise
  std::vector<double> parameters;       // values of persons_parameters(), as the loop has them
  std::vector<std::uint16_t> active;    // bounds and rows of the QP that are at their limits now
  std::vector<std::uint16_t> gave_way;  // likewise, that do not hold now
  PacerCounts pacer;                    // of the tick before
  std::uint64_t lost_inputs = 0, rejected_inputs = 0;
};

/// What a device is sent.
struct SentOutput {
  std::uint32_t device = 0, output = 0;  // of the app, of its layout
  std::uint32_t size = 1;                // of its values
  std::array<double, kMostOutputNumbers> values{};
};

class LoopTap : public SessionWatcher {
 public:
  /// Watches from here on. @param session outlives this
  explicit LoopTap(Session& session);
  ~LoopTap() override;

  // the loop's thread

  void begin(Session& session) override;
  void after_tick(Session& session) noexcept override;
  void set_pacer(const PacerCounts& counts) noexcept { pacer_ = counts; }

  // another one

  Latest<LoopState>& latest() { return latest_; }
  Ring<Event>& events() { return events_; }
  Ring<SentOutput>& outputs() { return outputs_; }
  /// Where the values of a channel begin among the numbers or the integers.
  std::size_t first(std::size_t channel) const { return channels_[channel].first; }
  bool holds_numbers(std::size_t channel) const { return channels_[channel].numbers; }

 private:
  struct Channel {
    std::size_t first = 0, size = 1;
    bool numbers = true;
  };
  struct Output {
    SentOutput sent;
    ChannelId channel;
  };

  LoopState layout(Session& session);
  void copy(Session& session, LoopState& state) noexcept;
  void copy_limits(Session& session, LoopState& state) noexcept;

  Session& session_;
  std::vector<Channel> channels_;
  std::vector<Output> sent_;
  std::vector<std::size_t> parameters_;  // of the session's table
  PacerCounts pacer_;
  Latest<LoopState> latest_;
  Ring<Event> events_{1024};
  Ring<SentOutput> outputs_{256};
};

}  // namespace handspan
