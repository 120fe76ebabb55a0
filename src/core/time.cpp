#include "core/time.hpp"

#include <fmt/format.h>

#include <cassert>
#include <cmath>
#include <numeric>

#include "core/error.hpp"

namespace handspan {
namespace {

__extension__ using Int128 = __int128;

constexpr std::int64_t kMostTerm = std::int64_t{1} << 32U;

// the divisor is > 0
Int128 floor_div(Int128 a, Int128 b) {
  const Int128 quotient = a / b;
  return quotient * b > a ? quotient - 1 : quotient;
}

std::int64_t narrow(Int128 value) {
  assert(value >= INT64_MIN && value <= INT64_MAX);
  return static_cast<std::int64_t>(value);
}

}  // namespace

Rate Rate::of(std::int64_t num, std::int64_t den) {
  if (num <= 0 || den <= 0) {
    throw InputError(fmt::format("a rate of {}/{} Hz; it must be > 0", num, den));
  }
  const std::int64_t divisor = std::gcd(num, den);
  const Rate rate{num / divisor, den / divisor};
  // 63 bits of k, 32 of a term and 30 of 1e9 fit 128 with a sign
  if (rate.num > kMostTerm || rate.den > kMostTerm) {
    throw InputError(
        fmt::format("a rate of {}/{} Hz; its terms must be at most {}", num, den, kMostTerm));
  }
  return rate;
}

Rate Rate::hz(double hz) {
  if (!(hz > 0.0) || !std::isfinite(hz)) {
    throw InputError(fmt::format("a rate of {} Hz; it must be > 0 and finite", hz));
  }
  // convergents of the continued fraction: p1 / q1 is the one before p / q
  constexpr double kMostDen = 10'000.0;
  double rest = hz;
  double p1 = 1.0, q1 = 0.0, p = std::floor(hz), q = 1.0;
  while (p <= static_cast<double>(kMostTerm) && q <= kMostDen) {
    if (p > 0.0 && p / q == hz) {
      return of(static_cast<std::int64_t>(p), static_cast<std::int64_t>(q));
    }
    const double fraction = rest - std::floor(rest);
    if (fraction == 0.0) break;
    rest = 1.0 / fraction;
    const double a = std::floor(rest);
    const double p2 = a * p + p1, q2 = a * q + q1;
    p1 = p, q1 = q, p = p2, q = q2;
  }
  throw InputError(fmt::format(
      "a rate of {} Hz is not a ratio of small integers; write one, such as 30000/1001", hz));
}

Rate Rate::from_period(Nanoseconds period) {
  if (period <= 0) throw InputError(fmt::format("a period of {} ns; it must be > 0", period));
  return of(kSecond, period);
}

std::optional<Nanoseconds> Rate::period() const {
  const Int128 span = Int128{den} * kSecond;
  if (span % num != 0) return std::nullopt;
  return narrow(span / num);
}

std::string Rate::text() const {
  return den == 1 ? fmt::format("{} Hz", num) : fmt::format("{}/{} Hz", num, den);
}

Nanoseconds base_period(std::span<const Rate> rates) {
  if (rates.empty()) throw InputError("no plant or controller has a rate; one must");
  Nanoseconds base = 0;
  for (const Rate& rate : rates) {
    const auto period = rate.period();
    if (!period) {
      throw InputError(fmt::format(
          "a plant or controller at {} has no period of whole nanoseconds; choose a rate "
          "that divides 1,000,000,000",
          rate.text()));
    }
    base = std::gcd(base, *period);
  }
  return base;
}

Nanoseconds stamp_of(std::int64_t k, Rate rate) {
  return narrow(floor_div(Int128{k} * rate.den * kSecond, rate.num));
}

std::int64_t tick_of(std::int64_t k, Rate rate, Nanoseconds base) {
  assert(base > 0);
  // the ceiling of a / b is minus the floor of -a / b
  const Int128 time = Int128{k} * rate.den * kSecond;
  return narrow(-floor_div(-time, Int128{rate.num} * base));
}

Events events_at(std::int64_t tick, Rate rate, Nanoseconds base) {
  assert(base > 0);
  const Int128 period = Int128{rate.den} * kSecond;
  const auto events_until = [&](Int128 t) { return floor_div(t * base * rate.num, period) + 1; };
  return {narrow(events_until(Int128{tick} - 1)), narrow(events_until(tick))};
}

}  // namespace handspan
