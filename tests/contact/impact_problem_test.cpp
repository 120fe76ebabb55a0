#include "contact/impact_problem.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "contact/impact_setup.hpp"
#include "core/error.hpp"
#include "support/message_of.hpp"

namespace handspan {
namespace impact_problem_test {

using Eigen::Vector3d;

template <class F>
std::string refusal(F&& change) {
  RandomStream random(1, "problem");
  ImpactProblem problem = test::two_arms(random, 1, 0.5, 0.0);
  problem.box.X_WB.R.setIdentity();
  problem.contacts[0].p_W = {0.6, 0.265, 0.3};
  problem.contacts[0].n_W = Vector3d::UnitY();
  problem.contacts[1].p_W = {0.6, 0.535, 0.3};
  problem.contacts[1].n_W = -Vector3d::UnitY();
  change(problem);
  return test::message_of([&] { check_impact(problem); });
}

TEST(ImpactProblem, GoodOnesPass) {
  EXPECT_EQ(refusal([](auto&) {}), "no error");
  // a pad that gives way, and one that almost touches
  EXPECT_EQ(refusal([](auto& p) { p.contacts[0].p_W[1] += 0.004; }), "no error");
  EXPECT_EQ(refusal([](auto& p) { p.contacts[0].p_W[1] -= 0.004; }), "no error");
}

TEST(ImpactProblem, LawsOutOfRangeAreRefused) {
  EXPECT_EQ(refusal([](auto& p) { p.contacts[1].restitution = 1.2; }),
            "contact 1 of an impact has restitution 1.2; it must be 0 to 1");
  EXPECT_EQ(refusal([](auto& p) { p.contacts[1].restitution = -0.1; }),
            "contact 1 of an impact has restitution -0.1; it must be 0 to 1");
  EXPECT_EQ(refusal([](auto& p) { p.contacts[0].restitution = std::nan(""); }),
            "contact 0 of an impact has restitution nan; it must be 0 to 1");
  EXPECT_EQ(refusal([](auto& p) { p.contacts[0].friction = -1.0; }),
            "contact 0 of an impact has friction -1; it must be >= 0");
}

TEST(ImpactProblem, PointsInsideOrAwayAreRefused) {
  EXPECT_EQ(refusal([](auto& p) { p.contacts[0].p_W[1] += 0.02; }),
            "contact 0 of an impact is 20.0 mm inside the box; a plate touches its surface: "
            "correct the point, or the box's pose or size");
  EXPECT_EQ(refusal([](auto& p) { p.contacts[0].p_W[1] -= 0.03; }),
            "contact 0 of an impact is 30.0 mm away from the box; give the point where they touch, "
            "or leave it out");
  EXPECT_EQ(refusal([](auto& p) { p.contacts[0].n_W *= -1.0; }),
            "contact 0 of an impact has a normal that points out of the box; it must point from "
            "the plate into it");
  EXPECT_EQ(refusal([](auto& p) { p.contacts[0].n_W *= 2.0; }),
            "contact 0 of an impact has a normal of length 2; it must be 1");
  EXPECT_EQ(refusal([](auto& p) { p.contacts[1].p_W[0] = std::nan(""); }),
            "contact 1 of an impact has a point, normal or velocity that is not finite; all must "
            "be");
}

TEST(ImpactProblem, SizesAreChecked) {
  EXPECT_EQ(refusal([](auto& p) { p.contact_count = 17; }),
            "an impact has 17 contacts; give 1 to 16");
  EXPECT_EQ(refusal([](auto& p) { p.arm_count = 5; }), "an impact has 5 arms; give 0 to 4");
  EXPECT_EQ(refusal([](auto& p) { p.contacts[1].arm = 2; }),
            "contact 1 of an impact is of arm 2; there are 2, from 0 on, and -1 is none");
  EXPECT_EQ(refusal([](auto& p) { p.contacts[1].J.setZero(3, 6); }),
            "contact 1 of an impact has a Jacobian with 6 columns; give the 7 of its arm, all "
            "finite");
  EXPECT_EQ(refusal([](auto& p) { p.arms[0].v.setZero(6); }),
            "arm 0 of an impact has an inertia of 7 x 7 and 6 velocities; give n x n and n");
  EXPECT_EQ(refusal([](auto& p) { p.arms[1].M(0, 1) += 1.0; }),
            "the inertia of arm 1 of an impact is not symmetric and positive; give the joints' "
            "mass matrix");
  EXPECT_EQ(refusal([](auto& p) { p.arms[1].M *= -1.0; }),
            "the inertia of arm 1 of an impact is not symmetric and positive; give the joints' "
            "mass matrix");
  EXPECT_EQ(refusal([](auto& p) { p.arms[1].v[0] = HUGE_VAL; }),
            "arm 1 of an impact has an inertia or a velocity that is not finite; all must be");
}

TEST(ImpactProblem, TheBoxIsChecked) {
  EXPECT_EQ(refusal([](auto& p) { p.box.box.mass = 0.0; }), "the box's mass is 0; it must be > 0");
  EXPECT_EQ(refusal([](auto& p) { p.box.X_WB.R *= 2.0; }),
            "the box of an impact has a pose or velocity that is none; give a rotation and finite "
            "numbers");
  EXPECT_EQ(refusal([](auto& p) {
              p.box.fixed = true;
              p.contacts[1].arm = -1;
            }),
            "contact 1 of an impact is between two things that do not move; leave it out");
}

}  // namespace impact_problem_test
}  // namespace handspan
