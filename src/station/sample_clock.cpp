#include "station/sample_clock.hpp"

#include <algorithm>
#include <cmath>

namespace handspan {

double SampleClock::server_time(double stamp, double offset) {
  if (!known_ || !(std::abs(offset - offset_) < kOtherClock)) {
    offset_ = offset;
  } else {
    const double most = kSlew * std::max(0.0, stamp - stamp_);
    offset_ += std::clamp(offset - offset_, -most, most);
  }
  known_ = true;
  stamp_ = stamp;
  return stamp + offset_;
}

}  // namespace handspan
