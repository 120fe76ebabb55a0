#include "learn/phase_basis.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "support/alloc.hpp"
#include "support/message_of.hpp"

namespace handspan {
namespace phase_basis_test {

using Eigen::VectorXd;

TEST(PhaseBasis, SumsUpToOneEverywhere) {
  for (const int n : {2, 5, 10, 40}) {
    const PhaseBasis basis(n);
    VectorXd values(n), slopes(n);
    for (double s = -0.5; s <= 1.5; s += 0.01) {
      basis.at(s, values, slopes);
      EXPECT_NEAR(values.sum(), 1.0, 1e-12) << n << " at " << s;
      EXPECT_NEAR(slopes.sum(), 0.0, 1e-10) << n << " at " << s;
    }
  }
}

TEST(PhaseBasis, NeighboursMeetAtSevenTenthsOfTheirHeight) {
  // as movement_primitives has the width: 0.7 = exp(-(d/2)^2 / (2 h)) at a distance d = 1/n
  const PhaseBasis basis(10);
  VectorXd values(10), slopes(10);
  basis.at(0.0, values, slopes);
  EXPECT_NEAR(values[1] / values[0], std::pow(0.7, 4.0 * std::pow(10.0 / 9.0, 2)), 1e-14);
}

TEST(PhaseBasis, SlopesAreTheDerivatives) {
  const PhaseBasis basis(12);
  VectorXd value(12), slope(12), low(12), high(12), unused(12);
  for (double s = -0.2; s <= 1.2; s += 0.0137) {
    const double h = 1e-6;
    basis.at(s, value, slope);
    basis.at(s - h, low, unused);
    basis.at(s + h, high, unused);
    EXPECT_LT(((high - low) / (2.0 * h) - slope).cwiseAbs().maxCoeff(), 1e-7) << s;
  }
}

TEST(PhaseBasis, GoesOnAlongItsTangentBeyondItsEnds) {
  const PhaseBasis basis(8);
  VectorXd end(8), slope(8), beyond(8), unused(8);
  basis.at(1.0, end, slope);
  basis.at(1.4, beyond, unused);
  EXPECT_LT((beyond - end - 0.4 * slope).norm(), 1e-14);
  EXPECT_LT((unused - slope).norm(), 1e-14);
  basis.at(0.0, end, slope);
  basis.at(-0.3, beyond, unused);
  EXPECT_LT((beyond - end + 0.3 * slope).norm(), 1e-14);
}

TEST(PhaseBasis, AllocatesNothing) {
  const PhaseBasis basis(10);
  VectorXd values(10), slopes(10);
  const test::AllocationCount count;
  basis.at(0.3, values, slopes);
  basis.at(1.3, values, slopes);
  EXPECT_EQ(count.count(), 0U);
}

TEST(PhaseBasis, RefusesLessThanTwoFunctions) {
  EXPECT_EQ(test::message_of([] { PhaseBasis(1); }),
            "a movement has 1 weights a dimension; give 2 at least, 10 for a reach and a grab");
}

}  // namespace phase_basis_test
}  // namespace handspan
