#include "contact/impact_detector.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "core/error.hpp"

namespace handspan {
namespace {

constexpr int kMostConfirm = 100;
// of times that are sums of ticks
constexpr double kTimeSlack = 1e-9;

void check_range(const char* key, double value, double above, const char* unit) {
  if (!(value > above && std::isfinite(value)))
    throw InputError(fmt::format("{} of the impact detector is {} {}; it must be > {}", key, value,
                                 unit, above));
}

}  // namespace

void ImpactDetectorOptions::check() const {
  check_range("threshold", threshold, 0.0, "N");
  check_range("observer_threshold", observer_threshold, 0.0, "N");
  check_range("release", release, 0.0, "N");
  if (!(release < threshold && release < observer_threshold))
    throw InputError(
        fmt::format("release of the impact detector is {} N; it must be below threshold, {} N, and "
                    "observer_threshold, {} N",
                    release, threshold, observer_threshold));
  check_range("quiet", quiet, 0.0, "s");
  check_range("tare_time", tare_time, 0.0, "s");
  check_range("recover", recover, 0.0, "s");
  if (confirm < 1 || confirm > kMostConfirm)
    throw InputError(fmt::format("confirm of the impact detector is {}; it must be 1 to {} ticks",
                                 confirm, kMostConfirm));
}

ImpactDetector::ImpactDetector(const ImpactDetectorOptions& options) : options_(options) {
  options_.check();
}

void ImpactDetector::tare() {
  tare_begins_ = true;
  reading_.taring = true;
}

// a lost sensor is not believed again at once: a loose plug comes and goes
bool ImpactDetector::sensor_counts(const ImpactSample& sample) {
  if (!sample.force_E.allFinite() || !sample.inertia_E.allFinite()) {
    good_ = false;
    reading_.sensor_lost = true;
    return false;
  }
  if (!reading_.sensor_lost) return true;
  if (!good_) good_since_ = sample.time;
  good_ = true;
  if (sample.time - good_since_ < options_.recover - kTimeSlack) return false;
  reading_.sensor_lost = false;
  return true;
}

void ImpactDetector::collect_tare(const ImpactSample& sample) {
  if (tare_begins_) {
    tare_begins_ = false;
    tare_sum_.setZero();
    tare_count_ = 0;
    tare_start_ = sample.time;
  }
  tare_sum_ += sample.force_E - sample.inertia_E;
  ++tare_count_;
  if (sample.time - tare_start_ < options_.tare_time - kTimeSlack) return;
  zero_E_ = tare_sum_ / tare_count_;
  reading_.taring = false;
}

void ImpactDetector::decide(const ImpactSample& sample, double threshold) {
  if (reading_.force > threshold) {
    if (above_ == 0) first_above_ = sample.time;
    if (above_ < kMostConfirm) ++above_;
  } else {
    above_ = 0;
  }
  if (!reading_.touching) {
    if (above_ < options_.confirm) return;
    reading_.impact = reading_.touching = true;
    reading_.impact_time = first_above_;
    quiet_ = false;
    return;
  }
  if (reading_.force >= options_.release) {
    quiet_ = false;
  } else {
    if (!quiet_) quiet_since_ = sample.time;
    quiet_ = true;
    if (sample.time - quiet_since_ >= options_.quiet - kTimeSlack) reading_.touching = false;
  }
}

const ImpactReading& ImpactDetector::update(const ImpactSample& sample) {
  reading_.impact = false;
  const bool sensor = sensor_counts(sample);
  if (sensor && reading_.taring) {
    collect_tare(sample);
    if (!reading_.taring) above_ = 0;
  }
  const ForceSource last = reading_.source;
  Eigen::Vector3d contact_E;
  if (sensor && !reading_.taring) {
    reading_.source = ForceSource::kSensor;
    contact_E = sample.force_E - sample.inertia_E - zero_E_;
  } else if (sample.observed_E.allFinite()) {
    reading_.source = ForceSource::kObserver;
    contact_E = sample.observed_E;
  } else {
    // nothing is known: what was touched before is still taken for touched
    reading_.source = ForceSource::kNone;
    reading_.force = 0.0;
    above_ = 0;
    quiet_ = false;
    return reading_;
  }
  // ticks in a row are those of one source
  if (reading_.source != last) above_ = 0;
  // what presses on the plate points against its normal
  reading_.force = options_.any_direction ? contact_E.norm() : -sample.normal_E.dot(contact_E);
  if (!std::isfinite(reading_.force)) reading_.force = 0.0;
  decide(sample, reading_.source == ForceSource::kSensor ? options_.threshold
                                                         : options_.observer_threshold);
  return reading_;
}

void ImpactDetector::state(StateArchive& archive) {
  archive(reading_.impact, reading_.impact_time, reading_.touching, reading_.force, reading_.source,
          reading_.sensor_lost, reading_.taring, zero_E_, tare_sum_, tare_start_, good_since_,
          quiet_since_, first_above_, tare_count_, above_, tare_begins_, good_, quiet_);
}

double false_alarm_rate(double threshold, double sigma, int confirm, double rate) {
  const double tail = 0.5 * std::erfc(threshold / sigma / std::numbers::sqrt2);
  return rate * std::pow(tail, confirm);
}

}  // namespace handspan
