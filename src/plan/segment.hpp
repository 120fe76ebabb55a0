#pragma once
// The fastest motion from one state to the next within limits of velocity, acceleration and jerk:
// Ruckig's (Berscheid and Kröger, "Jerk-limited real-time trajectory generation with arbitrary
// target states", RSS 2021). All coordinates end together; where rounding keeps Ruckig from that,
// as in a stop after almost no way, each that stops does so as soon as it can. A motion along a
// line (from rest or moving along it) is planned as one coordinate and so stays on it to rounding.

#include <array>
#include <memory>

#include "plan/motion_state.hpp"

namespace handspan {

/// A planned motion: plain data, n <= 16 piecewise cubics, or one that all coordinates follow.
class Segment {
 public:
  // of a coordinate: two of settling, two of braking into the limits, seven of the motion and one
  // of waiting for the others
  static constexpr int kMostPieces = 12;

  double duration() const { return duration_; }  // [s]
  bool straight() const { return straight_; }

  /// The state at t [s] after the segment's start. At the end and after it, the target exactly, and
  /// on from there at the target's velocity.
  MotionState at(double t) const;
  /// The state t >= 0 after the end.
  MotionState at_end(double t) const { return {end_.q + t * end_.v, end_.v, end_.a}; }
  /// The jerk (n) [/s^3] at t; 0 at the end and after it.
  Coordinates jerk(double t) const;

  /// Of the cubics that it is made of: calls f(t) for where each begins [s].
  template <class F>
  void for_each_piece(F&& f) const {
    const int curves = straight_ ? 1 : static_cast<int>(end_.q.size());
    for (int i = 0; duration_ > 0.0 && i < curves; ++i)
      for (int k = 0; k < curves_[i].pieces; ++k) f(curves_[i].piece[k].begin);
  }

 private:
  friend class SegmentPlanner;
  struct Curve {
    struct Piece {
      double begin, q, v, a, j;
    };
    int pieces = 0;
    std::array<Piece, kMostPieces> piece;
    const Piece& of(double t) const;
  };

  double duration_ = 0.0;
  bool straight_ = false;
  MotionState start_, end_;
  Coordinates direction_;  // of a straight one, per unit of its curve
  std::array<Curve, kMostCoordinates> curves_;
};

/// Plans segments; holds Ruckig's workspace.
class SegmentPlanner {
 public:
  SegmentPlanner();
  ~SegmentPlanner();
  SegmentPlanner(SegmentPlanner&&) noexcept;
  SegmentPlanner& operator=(SegmentPlanner&&) noexcept;

  /// From a state to q, v (n) at no acceleration. A start beyond the limits is first brought back
  /// within them at full jerk. All vectors have one size and are finite, limits are > 0. Allocates
  /// nothing, throws nothing.
  /// @returns kNone, kPassing when v is beyond a limit, kTooLong, or kNumerical; `segment` is only
  /// of use after kNone
  PlanRefusal plan(const MotionState& from, const Coordinates& q, const Coordinates& v,
                   const MotionLimits& limits, Segment& segment);

  /// The same, but first each coordinate's acceleration goes to 0 evenly in `settle` (n) [s], >= 0,
  /// whatever the limits say; a coordinate that is there before others goes on at its velocity.
  PlanRefusal plan_settled(const MotionState& from, const Coordinates& settle, const Coordinates& q,
                           const Coordinates& v, const MotionLimits& limits, Segment& segment);

  /// The same as plan() along the straight line only. What the start has across the line and the
  /// limits take away in 0.1 us is left out: a start that rests but for rounding is at rest.
  /// @returns kNumerical when the motion does not begin and end along it, too
  PlanRefusal plan_line(const MotionState& from, const Coordinates& q, const Coordinates& v,
                        const MotionLimits& limits, Segment& segment);

 private:
  PlanRefusal plan_each(Segment& segment, const MotionLimits& limits, bool together = true);

  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace handspan
