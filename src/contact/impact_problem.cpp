#include "contact/impact_problem.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.hpp"

namespace handspan {
namespace {

using Eigen::Vector3d;

void check_count(const char* what, int count, int least, int most) {
  if (count < least || count > most)
    throw InputError(fmt::format("an impact has {} {}; give {} to {}", count, what, least, most));
}

void check_impact_arm(const ImpactArm& arm, int index) {
  const Eigen::Index n = arm.v.size();
  if (n < 1 || arm.M.rows() != n || arm.M.cols() != n)
    throw InputError(fmt::format(
        "arm {} of an impact has an inertia of {} x {} and {} velocities; give n x n and n", index,
        arm.M.rows(), arm.M.cols(), n));
  if (!arm.M.allFinite() || !arm.v.allFinite())
    throw InputError(fmt::format(
        "arm {} of an impact has an inertia or a velocity that is not finite; all must be", index));
  if ((arm.M - arm.M.transpose()).cwiseAbs().maxCoeff() > 1e-9 * arm.M.cwiseAbs().maxCoeff() ||
      Eigen::LLT<ArmMatrix>(arm.M).info() != Eigen::Success)
    throw InputError(fmt::format(
        "the inertia of arm {} of an impact is not symmetric and positive; give the joints' mass "
        "matrix",
        index));
}

// how far the point is outside of the box, below 0 inside [m]
double distance_outside(const ImpactBox& box, const Vector3d& p_W) {
  const Vector3d p_B = box.X_WB.inverse() * p_W;
  const Vector3d core = 0.5 * box.box.size.array() - box.box.rounding;
  const Vector3d off = p_B.cwiseAbs() - core;
  return off.cwiseMax(0.0).norm() + std::min(0.0, off.maxCoeff()) - box.box.rounding;
}

void check_law(const ImpactContact& c, const std::string& who) {
  if (!c.p_W.allFinite() || !c.n_W.allFinite() || !c.v_fixed.allFinite())
    throw InputError(who + " has a point, normal or velocity that is not finite; all must be");
  if (!(std::abs(c.n_W.norm() - 1.0) <= 1e-6))
    throw InputError(fmt::format("{} has a normal of length {}; it must be 1", who, c.n_W.norm()));
  if (!(c.friction >= 0.0 && std::isfinite(c.friction)))
    throw InputError(fmt::format("{} has friction {}; it must be >= 0", who, c.friction));
  if (!(c.restitution >= 0.0 && c.restitution <= 1.0))
    throw InputError(fmt::format("{} has restitution {}; it must be 0 to 1", who, c.restitution));
}

void check_point(const ImpactProblem& problem, const ImpactContact& c, const std::string& who) {
  const double outside = distance_outside(problem.box, c.p_W);
  if (outside < -kContactTolerance)
    throw InputError(fmt::format(
        "{} is {:.1f} mm inside the box; a plate touches its surface: correct the point, or the "
        "box's pose or size",
        who, -1e3 * outside));
  if (outside > kContactTolerance)
    throw InputError(fmt::format(
        "{} is {:.1f} mm away from the box; give the point where they touch, or leave it out", who,
        1e3 * outside));
  if (c.n_W.dot(problem.box.X_WB.p - c.p_W) <= 0.0)
    throw InputError(who +
                     " has a normal that points out of the box; it must point from the plate "
                     "into it");
}

void check_contact_of(const ImpactProblem& problem, int index) {
  const ImpactContact& c = problem.contacts[static_cast<std::size_t>(index)];
  const std::string who = fmt::format("contact {} of an impact", index);
  if (c.arm < -1 || c.arm >= problem.arm_count)
    throw InputError(fmt::format("{} is of arm {}; there are {}, from 0 on, and -1 is none", who,
                                 c.arm, problem.arm_count));
  check_law(c, who);
  if (c.arm >= 0) {
    const Eigen::Index n = problem.arms[static_cast<std::size_t>(c.arm)].v.size();
    if (c.J.cols() != n || !c.J.allFinite())
      throw InputError(
          fmt::format("{} has a Jacobian with {} columns; give the {} of its arm, all finite", who,
                      c.J.cols(), n));
  } else if (problem.box.fixed) {
    throw InputError(who + " is between two things that do not move; leave it out");
  }
  check_point(problem, c, who);
}

}  // namespace

void check_impact(const ImpactProblem& problem) {
  check_count("arms", problem.arm_count, 0, kMostImpactArms);
  check_count("contacts", problem.contact_count, 1, kMostImpactContacts);
  const RigidModel checked(problem.box.box, {});
  static_cast<void>(checked);
  const Pose& X_WB = problem.box.X_WB;
  if (!X_WB.p.allFinite() || !problem.box.V_WB.allFinite() || !X_WB.R.allFinite() ||
      X_WB.R.determinant() <= 0.0 || !(X_WB.R * X_WB.R.transpose()).isIdentity(1e-6))
    throw InputError(
        "the box of an impact has a pose or velocity that is none; give a rotation and finite "
        "numbers");
  for (int i = 0; i < problem.arm_count; ++i)
    check_impact_arm(problem.arms[static_cast<std::size_t>(i)], i);
  for (int i = 0; i < problem.contact_count; ++i) check_contact_of(problem, i);
}

}  // namespace handspan
