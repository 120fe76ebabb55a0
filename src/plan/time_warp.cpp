#include "plan/time_warp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"

namespace handspan {

TimeWarp::TimeWarp(std::vector<WarpPoint> points) : points_(std::move(points)) {
  if (points_.size() < 2)
    throw InputError(
        fmt::format("a map of times has {} point{}; give two at least, such as [[0, 0], [2, 3]]",
                    points_.size(), points_.size() == 1 ? "" : "s"));
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const auto [from, to] = points_[i];
    const bool later = i == 0 || (from > points_[i - 1].from && to > points_[i - 1].to);
    if (!std::isfinite(from) || !std::isfinite(to) || !later)
      throw InputError(fmt::format(
          "point {} of a map of times is [{:g}, {:g}]{}; give both times of each point later than "
          "those of the one before",
          i + 1, from, to,
          i == 0 ? std::string()
                 : fmt::format(" after [{:g}, {:g}]", points_[i - 1].from, points_[i - 1].to)));
  }
  const std::size_t n = points_.size();
  std::vector<double> h(n - 1), d(n - 1);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    h[i] = points_[i + 1].from - points_[i].from;
    d[i] = (points_[i + 1].to - points_[i].to) / h[i];
  }
  slopes_.resize(n);
  slopes_.front() = d.front();
  slopes_.back() = d.back();
  // a weighted harmonic mean: positive, and at most three times the lesser of both
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double share = (h[i - 1] + 2.0 * h[i]) / (3.0 * (h[i - 1] + h[i]));
    slopes_[i] = d[i - 1] * d[i] / (share * d[i] + (1.0 - share) * d[i - 1]);
  }
}

double TimeWarp::at(double from) const {
  const auto next =
      std::ranges::upper_bound(points_, from, {}, [](const WarpPoint& p) { return p.from; });
  if (next == points_.begin())
    return points_.front().to + slopes_.front() * (from - points_.front().from);
  const auto i = static_cast<std::size_t>(next - points_.begin()) - 1;
  const WarpPoint& a = points_[i];
  if (next == points_.end()) return a.to + slopes_[i] * (from - a.from);
  const WarpPoint& b = *next;
  const double h = b.from - a.from, s = (from - a.from) / h, s2 = s * s, s3 = s2 * s;
  return (2.0 * s3 - 3.0 * s2 + 1.0) * a.to + (s3 - 2.0 * s2 + s) * h * slopes_[i] +
         (3.0 * s2 - 2.0 * s3) * b.to + (s3 - s2) * h * slopes_[i + 1];
}

}  // namespace handspan
