#include "learn/phase_basis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "support/alloc.hpp"
#include "support/message_of.hpp"

namespace handspan {
namespace phase_basis_test {

using Eigen::VectorXd;

TEST(PhaseBasis, SumsUpToOneEverywhere) {
  for (const auto& [n, beyond] : {std::pair{2, 0}, {5, 1}, {10, 2}, {40, 0}}) {
    const PhaseBasis basis({n, beyond, 0.8});
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
  const PhaseBasis basis({10, 0, 0.7});
  VectorXd values(10), slopes(10);
  basis.at(0.0, values, slopes);
  EXPECT_NEAR(values[1] / values[0], std::pow(0.7, 4.0 * std::pow(10.0 / 9.0, 2)), 1e-14);
}

TEST(PhaseBasis, SlopesAreTheDerivatives) {
  const PhaseBasis basis({12, 2, 0.85});
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
  const PhaseBasis basis({8, 1, 0.9});
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
  const PhaseBasis basis(BasisShape{});
  VectorXd values(10), slopes(10);
  const test::AllocationCount count;
  basis.at(0.3, values, slopes);
  basis.at(1.3, values, slopes);
  EXPECT_EQ(count.count(), 0U);
}

TEST(PhaseBasis, FunctionsBeyondTheEndsAreTheSameOnes) {
  // with 3 of 11 beyond each end, phase s is the phase (3 + 4 s) / 10 without any beyond
  const PhaseBasis inner({11, 3, 0.85}), all({11, 0, 0.85});
  VectorXd a(11), a_slope(11), b(11), b_slope(11);
  for (double s = 0.0; s <= 1.0; s += 0.05) {
    inner.at(s, a, a_slope);
    all.at((3.0 + 4.0 * s) / 10.0, b, b_slope);
    EXPECT_LT((a - b).norm(), 1e-13);
    EXPECT_LT((a_slope - 0.4 * b_slope).norm(), 1e-12);
  }
}

TEST(PhaseBasis, ShapesAreChecked) {
  EXPECT_EQ(test::message_of([] { PhaseBasis({5, 2, 0.85}); }),
            "a movement has 5 functions a dimension, 2 of them beyond each end; give at least two "
            "from end to end: 10 with 2 beyond for a reach and a grab, at most 1000");
  EXPECT_NE(test::message_of([] { PhaseBasis({5, -1, 0.85}); }), "no error");
  EXPECT_EQ(test::message_of([] { PhaseBasis({10, 2, 1.0}); }),
            "the overlap of a movement's functions is 1; it must be between 0 and 1, such as 0.85");
  EXPECT_NE(test::message_of([] { PhaseBasis({10, 2, std::nan("")}); }), "no error");
}

}  // namespace phase_basis_test
}  // namespace handspan
