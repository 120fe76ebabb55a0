#pragma once
// When a plate hits: the first tick at which the force on it starts to spike (grab.md, section 2),
// from the wrist's sensor or, when that is lost, from an observer of the joints' momentum. Known as
// it happens, without a look ahead. E is the plate's frame, in which the sensor measures; it need
// not be the plate's own, as long as all vectors are in one that moves with it.
#include <Eigen/Core>

#include "core/state_archive.hpp"

namespace handspan {

struct ImpactDetectorOptions {
  // Force above which it is an impact [N]. By a sensor with noise sigma along the normal a tick is
  // falsely one with probability Q(threshold / sigma)^confirm (false_alarm_rate()).
  double threshold = 3.0;
  double observer_threshold = 10.0;  // the same of the observer's force [N]
  int confirm = 1;                   // ticks in a row that must be above, 1 to 100
  double release = 1.5;    // force below which the plate may be free again [N]; < both thresholds
  double quiet = 0.1;      // time below it until another impact may come [s]
  double tare_time = 0.1;  // over which tare() takes the mean [s]
  double recover = 0.1;    // time of good samples after which a lost sensor counts again [s]
  bool any_direction = false;  // the force's length counts, and not its part along the normal

  /// @throws InputError that names what is out of range
  void check() const;
};

/// What is known at a tick.
struct ImpactSample {
  double time = 0.0;                                     // rising [s]
  Eigen::Vector3d force_E = Eigen::Vector3d::Zero();     // that the sensor shows, of the plate's
                                                         // surroundings on it [N]; not finite: lost
  Eigen::Vector3d inertia_E = Eigen::Vector3d::Zero();   // of that what weight and inertia of what
                                                         // is beyond the sensor make [N]
  Eigen::Vector3d observed_E = Eigen::Vector3d::Zero();  // contact force by the observer [N]; not
                                                         // finite: there is none
  Eigen::Vector3d normal_E = Eigen::Vector3d::UnitZ();   // of the plate, unit, out of it
};

enum class ForceSource { kNone, kSensor, kObserver };

struct ImpactReading {
  bool impact = false;       // found at this tick
  double impact_time = 0.0;  // of the last one: the first tick above the threshold [s]
  bool touching = false;     // since then, until it was quiet
  double force = 0.0;        // contact force that the rule looks at [N]
  ForceSource source = ForceSource::kNone;  // where that is from
  bool sensor_lost = false;
  bool taring = false;
};

/// Watches one plate. update() allocates nothing and throws nothing; equal samples give equal bits.
class ImpactDetector {
 public:
  /// @throws InputError as ImpactDetectorOptions::check()
  explicit ImpactDetector(const ImpactDetectorOptions& options);

  /// From the next sample on, `tare_time` long: the mean of what the sensor shows beside inertia is
  /// taken for its zero. The plate must be free. Impacts are the observer's meanwhile.
  void tare();

  const ImpactReading& update(const ImpactSample& sample);
  const ImpactReading& reading() const { return reading_; }
  /// What tare() found [N].
  const Eigen::Vector3d& zero_E() const { return zero_E_; }

  void state(StateArchive& archive);

 private:
  bool sensor_counts(const ImpactSample& sample);
  void collect_tare(const ImpactSample& sample);
  void decide(const ImpactSample& sample, double threshold);

  ImpactDetectorOptions options_;
  ImpactReading reading_;
  Eigen::Vector3d zero_E_ = Eigen::Vector3d::Zero(), tare_sum_ = Eigen::Vector3d::Zero();
  double tare_start_ = 0.0, good_since_ = 0.0, quiet_since_ = 0.0, first_above_ = 0.0;
  int tare_count_ = 0, above_ = 0;
  bool tare_begins_ = false, good_ = false, quiet_ = false;
};

/// How often noise alone is taken for an impact [1/s]: rate Q(threshold / sigma)^confirm, with Q
/// the upper tail of the normal distribution, of a force along the normal whose samples are
/// independent. After each one the detector is blind until it has been quiet, so that it counts
/// fewer where this is large. @param sigma [N], rate [Hz]
double false_alarm_rate(double threshold, double sigma, int confirm, double rate);

}  // namespace handspan
