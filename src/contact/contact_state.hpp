#pragma once
// How a plate touches a face, and how far from parallel the two are.
#include <Eigen/Core>
#include <span>

namespace handspan {

/// Contact state of one side of a grab (grab.md, section 2); two sides make 16 combinations.
enum class ContactState { kNone, kPoint, kLine, kPlane };

/// "none", "point", "line" or "plane".
const char* name_of(ContactState state);

/// The state that contact points span: nothing, a point, a line, or a plane, where what is
/// narrower than `extent` [m] counts as nothing.
/// @param points any order, one frame [m]; @param extent > 0, such as 2 mm for a pad of 50 mm
/// Allocates nothing.
ContactState contact_state(std::span<const Eigen::Vector3d> points, double extent);

/// The orientation alignment deviation [rad], 0 to pi: the angle between a plate's normal, out of
/// the plate, and the normal of the box's face, into the box (grab.md, section 2; 2.5 of the
/// thesis). Neither need be of length 1. Exact also near 0, where an arc cosine is not. NaN where
/// one is zero or not finite.
double alignment_deviation(const Eigen::Vector3d& plate_normal,
                           const Eigen::Vector3d& into_face_normal);

}  // namespace handspan
