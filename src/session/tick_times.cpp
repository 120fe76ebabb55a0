#include "session/tick_times.hpp"

#include <algorithm>
#include <cmath>

namespace handspan {

void TickTimes::add(double time) noexcept {
  const double place = time > kShortest ? kPerDecade * std::log10(time / kShortest) : 0.0;
  ++bins_[static_cast<std::size_t>(std::min(place, static_cast<double>(bins_.size() - 1)))];
  ++count_;
  longest_ = std::max(longest_, time);
}

double TickTimes::quantile(double share) const {
  if (count_ == 0) return 0.0;
  // nearest rank
  const auto rank = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_))));
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < bins_.size(); ++i) {
    below += bins_[i];
    if (below >= rank)
      return std::min(longest_,
                      kShortest * std::pow(10.0, static_cast<double>(i + 1) / kPerDecade));
  }
  return longest_;
}

}  // namespace handspan
