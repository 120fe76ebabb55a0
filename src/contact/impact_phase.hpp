#pragma once
// From the first impact of two plates on a box until both lie flat on it: the intermediate phase,
// and the jump of the plates' velocities (grab.md, section 2). Sections and equations in brackets
// are the thesis's, as grab.md cites them. All vectors are of one frame that does not move, W.
#include <Eigen/Core>
#include <array>

#include "core/state_archive.hpp"

namespace handspan {

struct ImpactPhaseOptions {
  double angle = 0.035;   // below which an angle is "near 0" [rad]
  double dwell = 0.1;     // how long all three must stay there [s]
  double after = 0.1;     // from the later impact to the post-jump time (4.1) [s]
  double before = 0.002;  // from the velocity before an impact to the impact [s]: a sensor and a
                          // threshold are up to 2 ticks late; at most kPlateHistory ticks

  /// @throws InputError that names what is out of range
  void check() const;
};

/// Ticks for which velocities are kept.
inline constexpr int kPlateHistory = 64;

/// One plate at a tick.
struct PlateSample {
  Eigen::Vector3d p_WE = Eigen::Vector3d::Zero();          // [m]
  Eigen::Vector3d v_WE = Eigen::Vector3d::Zero();          // [m/s]
  Eigen::Vector3d w_WE = Eigen::Vector3d::Zero();          // [rad/s]
  Eigen::Vector3d normal_W = Eigen::Vector3d::UnitZ();     // unit, out of the plate
  Eigen::Vector3d into_face_W = Eigen::Vector3d::UnitZ();  // of its face of the box, unit, into the
                                                           // box; NaN: the box is not known
  bool impact = false;                                     // found at this tick (ImpactReading)
  double impact_time = 0.0;                                // of it [s]
};

enum class ImpactStage { kFree, kIntermediate, kSettled };

/// The jump of one plate. Signs are v+ - v-, against those that (4.2) is printed with (6.11 of
/// grab.md). What is not known yet is NaN.
struct PlateJump {
  Eigen::Vector3d v_before, v_after;  // of the plate's point [m/s]
  Eigen::Vector3d jump;               // (v_after - v_before) / |v_before|, after (4.2) and (4.3)
  Eigen::Vector3d spatial_jump;  // the same of v - w x p, the symbol that (4.3) is printed with
};

struct ImpactPhaseReading {
  ImpactStage stage = ImpactStage::kFree;
  bool began = false, ended = false, jumped = false;  // at this tick
  std::array<double, 3> angles{};        // deviation of plate 0, of 1, and between the plates [rad]
  std::array<double, 2> impact_times{};  // of the plates, NaN: none yet [s]
  double start = 0.0;  // of the intermediate phase: the first impact; NaN: none yet [s]
  double end = 0.0;    // of it: since when the angles have stayed near 0; NaN [s]. It is known
                       // `dwell` later
  double post_jump_time = 0.0;  // max of the impacts, and `after` (4.1); NaN [s]
  std::array<PlateJump, 2> jumps;
};

/// Watches two plates. The intermediate phase lasts from the first impact until both plates have
/// hit and all three angles have converged to 0: it ends when they begin to stay below `angle` for
/// a `dwell`, whatever they passed through before. A plate that is parallel before it hits does not
/// end it sooner. update() allocates nothing and throws nothing.
class ImpactPhase {
 public:
  /// @throws InputError as ImpactPhaseOptions::check()
  explicit ImpactPhase(const ImpactPhaseOptions& options);

  /// Forgets the last grab; the next impact is a first one.
  void reset();

  /// @param time rising [s]
  /// Impacts of a plate that has had one are not looked at until reset(). Where the box is not
  /// known, its angles are NaN and the phase does not end.
  const ImpactPhaseReading& update(double time, const std::array<PlateSample, 2>& plates);
  const ImpactPhaseReading& reading() const { return reading_; }

  void state(StateArchive& archive);

 private:
  struct Past {
    double time = 0.0;
    Eigen::Vector3d v = Eigen::Vector3d::Zero(), spatial = Eigen::Vector3d::Zero();
  };

  void take_impacts(const std::array<PlateSample, 2>& plates);
  void settle(double time);
  void take_jumps(const std::array<PlateSample, 2>& plates);
  Past past(std::size_t plate, double time) const;

  ImpactPhaseOptions options_;
  ImpactPhaseReading reading_;
  std::array<std::array<Past, kPlateHistory>, 2> history_;
  std::array<Eigen::Vector3d, 2> spatial_before_;
  int kept_ = 0, next_ = 0;
  double near_since_ = 0.0;
  bool near_ = false, jump_taken_ = false;
};

}  // namespace handspan
