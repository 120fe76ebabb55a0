#include "contact/impact_phase.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "contact/contact_state.hpp"
#include "core/error.hpp"

namespace handspan {
namespace {

using Eigen::Vector3d;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
// of times that are sums of ticks
constexpr double kPhaseTimeSlack = 1e-9;

void check_key(const char* key, double value, bool zero, double most, const char* unit) {
  if (!((zero ? value >= 0.0 : value > 0.0) && value <= most))
    throw InputError(fmt::format("{} of the impact phase is {} {}; it must be {} 0 and at most {}",
                                 key, value, unit, zero ? ">=" : ">", most));
}

}  // namespace

void ImpactPhaseOptions::check() const {
  check_key("angle", angle, false, std::numbers::pi / 2.0, "rad");
  check_key("dwell", dwell, false, 60.0, "s");
  check_key("after", after, true, 60.0, "s");
  check_key("before", before, true, 0.3, "s");
}

ImpactPhase::ImpactPhase(const ImpactPhaseOptions& options) : options_(options) {
  options_.check();
  reset();
}

void ImpactPhase::reset() {
  reading_ = {};
  reading_.angles.fill(kUnknown);
  reading_.impact_times.fill(kUnknown);
  reading_.start = reading_.end = reading_.post_jump_time = kUnknown;
  for (PlateJump& jump : reading_.jumps)
    jump.v_before = jump.v_after = jump.jump = jump.spatial_jump = Vector3d::Constant(kUnknown);
  for (auto& of_plate : history_) of_plate.fill(Past());
  spatial_before_.fill(Vector3d::Constant(kUnknown));
  kept_ = next_ = 0;
  near_since_ = 0.0;
  near_ = jump_taken_ = false;
}

// the last one that is not later than that time; else the first that is kept
ImpactPhase::Past ImpactPhase::past(std::size_t plate, double time) const {
  int slot = next_;
  for (int back = 0; back < kept_; ++back) {
    slot = (slot + kPlateHistory - 1) % kPlateHistory;
    if (history_[plate][static_cast<std::size_t>(slot)].time <= time + kPhaseTimeSlack) break;
  }
  return history_[plate][static_cast<std::size_t>(slot)];
}

void ImpactPhase::take_impacts(const std::array<PlateSample, 2>& plates) {
  for (std::size_t i = 0; i < 2; ++i) {
    if (!plates[i].impact || !std::isnan(reading_.impact_times[i])) continue;
    reading_.impact_times[i] = plates[i].impact_time;
    const Past before = past(i, plates[i].impact_time - options_.before);
    reading_.jumps[i].v_before = before.v;
    spatial_before_[i] = before.spatial;
    if (reading_.stage == ImpactStage::kFree) {
      reading_.stage = ImpactStage::kIntermediate;
      reading_.began = true;
      reading_.start = plates[i].impact_time;
    } else {
      reading_.start = std::min(reading_.start, plates[i].impact_time);
    }
  }
  const auto& times = reading_.impact_times;
  if (std::isnan(reading_.post_jump_time) && !std::isnan(times[0]) && !std::isnan(times[1]))
    reading_.post_jump_time = std::max(times[0], times[1]) + options_.after;
}

// An angle that passes near 0 once and leaves again has not converged: the dwell begins anew.
void ImpactPhase::settle(double time) {
  const bool now = std::ranges::all_of(reading_.angles,
                                       [this](double angle) { return angle <= options_.angle; });
  if (now && !near_) near_since_ = time;
  near_ = now;
  if (reading_.stage != ImpactStage::kIntermediate || !near_) return;
  // plates may be parallel to the box before they touch it
  const double later = std::max(reading_.impact_times[0], reading_.impact_times[1]);
  if (std::isnan(reading_.post_jump_time)) return;
  const double since = std::max(near_since_, later);
  if (time - since < options_.dwell - kPhaseTimeSlack) return;
  reading_.stage = ImpactStage::kSettled;
  reading_.ended = true;
  reading_.end = since;
}

void ImpactPhase::take_jumps(const std::array<PlateSample, 2>& plates) {
  for (std::size_t i = 0; i < 2; ++i) {
    PlateJump& jump = reading_.jumps[i];
    jump.v_after = plates[i].v_WE;
    const Vector3d spatial = plates[i].v_WE - plates[i].w_WE.cross(plates[i].p_WE);
    // no speed before: NaN, as 0 / 0 is
    jump.jump = (jump.v_after - jump.v_before) / jump.v_before.norm();
    jump.spatial_jump = (spatial - spatial_before_[i]) / spatial_before_[i].norm();
  }
  reading_.jumped = jump_taken_ = true;
}

const ImpactPhaseReading& ImpactPhase::update(double time,
                                              const std::array<PlateSample, 2>& plates) {
  reading_.began = reading_.ended = reading_.jumped = false;
  for (std::size_t i = 0; i < 2; ++i) {
    reading_.angles[i] = alignment_deviation(plates[i].normal_W, plates[i].into_face_W);
    history_[i][static_cast<std::size_t>(next_)] = {
        time, plates[i].v_WE, plates[i].v_WE - plates[i].w_WE.cross(plates[i].p_WE)};
  }
  next_ = (next_ + 1) % kPlateHistory;
  kept_ = std::min(kept_ + 1, kPlateHistory);
  reading_.angles[2] = alignment_deviation(plates[0].normal_W, -plates[1].normal_W);
  take_impacts(plates);
  settle(time);
  if (!jump_taken_ && !std::isnan(reading_.post_jump_time) &&
      time >= reading_.post_jump_time - kPhaseTimeSlack)
    take_jumps(plates);
  return reading_;
}

void ImpactPhase::state(StateArchive& archive) {
  archive(reading_.stage, reading_.began, reading_.ended, reading_.jumped, reading_.angles,
          reading_.impact_times, reading_.start, reading_.end, reading_.post_jump_time);
  for (PlateJump& jump : reading_.jumps)
    archive(jump.v_before, jump.v_after, jump.jump, jump.spatial_jump);
  for (auto& of_plate : history_)
    for (Past& one : of_plate) archive(one.time, one.v, one.spatial);
  archive(spatial_before_, kept_, next_, near_since_, near_, jump_taken_);
}

}  // namespace handspan
