#pragma once

// Time is an integer number of nanoseconds; rates are exact ratios. Design, section 3.4.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace handspan {

/// A time since the start of a run, or a span of time [ns]: good for 292 years.
using Nanoseconds = std::int64_t;

inline constexpr Nanoseconds kSecond = 1'000'000'000;

/// `ns` in seconds, rounded once.
constexpr double seconds(Nanoseconds ns) { return static_cast<double>(ns) / 1e9; }

/// num / den [Hz] in lowest terms, both in [1, 2^32].
struct Rate {
  std::int64_t num = 1;
  std::int64_t den = 1;

  /// num / den [Hz], reduced. Throws InputError unless both are > 0 and, reduced, at most 2^32.
  static Rate of(std::int64_t num, std::int64_t den = 1);

  /// The ratio of the smallest terms, den at most 10,000, that is `hz` to the last bit of a double:
  /// 1000, 0.1, 29.97. Throws InputError when there is none (pi, 0, -1, infinity).
  static Rate hz(double hz);

  /// One event every `period` [ns]. Throws InputError unless it is > 0 and has a ratio as in of().
  static Rate from_period(Nanoseconds period);

  /// The period [ns] when it is a whole number.
  std::optional<Nanoseconds> period() const;

  /// [Hz], rounded once.
  double hz() const { return static_cast<double>(num) / static_cast<double>(den); }

  /// "1000 Hz", "30000/1001 Hz".
  std::string text() const;

  bool operator==(const Rate&) const = default;
};

/// The base tick [ns]: the greatest common divisor of the periods. Throws InputError when there is
/// no rate, or one has no whole period (30 Hz): such a component runs at ticks, but cannot define
/// them.
Nanoseconds base_period(std::span<const Rate> rates);

/// The exact time of event k, rounded down to 1 ns. k may be negative.
Nanoseconds stamp_of(std::int64_t k, Rate rate);

/// The first tick at or after event k, ticks being `base` [ns > 0] apart; event 0 is at tick 0.
/// Exact for all k; the result must fit 64 bits.
std::int64_t tick_of(std::int64_t k, Rate rate, Nanoseconds base);

/// Events first <= k < last.
struct Events {
  std::int64_t first = 0;
  std::int64_t last = 0;

  bool empty() const { return first >= last; }
  std::int64_t count() const { return last - first; }
};

/// The events k with tick_of(k) == tick: none, one, or several where the rate is above the ticks'.
/// tick * base must fit 64 bits.
Events events_at(std::int64_t tick, Rate rate, Nanoseconds base);

/// Whether an event of `rate` is due at `tick`.
inline bool due(std::int64_t tick, Rate rate, Nanoseconds base) {
  return !events_at(tick, rate, base).empty();
}

}  // namespace handspan
