#pragma once

// The way of least jerk from rest to rest (Flash and Hogan 1985, eq. 3).

#include <algorithm>

namespace handspan {

/// s(x) = 10 x^3 - 15 x^4 + 6 x^5 for x = t / T, cut at 0 and 1.
inline double minimum_jerk(double x) {
  x = std::clamp(x, 0.0, 1.0);
  return x * x * x * (10.0 + x * (-15.0 + 6.0 * x));
}

/// ds/dx; at most kMinimumJerkPeak, in the middle.
inline double minimum_jerk_rate(double x) {
  if (!(x > 0.0 && x < 1.0)) return 0.0;
  return 30.0 * x * x * (1.0 - x) * (1.0 - x);
}
inline constexpr double kMinimumJerkPeak = 1.875;

}  // namespace handspan
