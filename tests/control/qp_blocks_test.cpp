#include "control/qp_blocks.hpp"

#include <gtest/gtest.h>

#include <array>

#include "control/qp.hpp"
#include "core/error.hpp"
#include "core/random.hpp"
#include "support/alloc.hpp"
#include "support/sized.hpp"

namespace handspan {
namespace qp_blocks_test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::array<int, 3> kParts{7, 6, 7};
constexpr int kUnknowns = 20, kRowsOfAPart = 30, kBetween = 6;
constexpr int kRows = 3 * kRowsOfAPart + kBetween;

int first_of(int part) { return part == 0 ? 0 : part == 1 ? 7 : 13; }

std::vector<QpRow> rows_of_levels() {
  std::vector<QpRow> rows;
  for (int i = 0; i < kUnknowns + kRows; ++i)
    rows.push_back({"row " + std::to_string(i), i < kUnknowns ? 1 : 1 + i % 4, 1.0 + i % 3});
  return rows;
}

// Three arms of a drifting problem with rows of their own; the last rows are between two arms and
// have no bounds until they are asked for.
struct Arms {
  explicit Arms(RandomStream& stream) : stream_(stream), qp(kUnknowns, kRows), x0(kUnknowns) {
    for (double& value : x0) value = stream.uniform(-1.0, 1.0);
    for (int p = 0; p < 3; ++p) {
      const int first = first_of(p), n = kParts[static_cast<std::size_t>(p)];
      MatrixXd J(n, n);
      for (double& value : J.reshaped()) value = stream.normal();
      VectorXd weights(n);
      for (double& value : weights) value = std::pow(10.0, stream.uniform(-1.0, 1.0));
      qp.H.block(first, first, n, n) =
          J.transpose() * weights.asDiagonal() * J + MatrixXd::Identity(n, n);
      for (int r = 0; r < kRowsOfAPart; ++r)
        for (int c = 0; c < n; ++c) qp.A(p * kRowsOfAPart + r, first + c) = stream.normal();
    }
    VectorXd wish(kUnknowns);
    for (double& value : wish) value = stream.uniform(-5.0, 5.0);
    qp.f = -qp.H * wish;
    for (int i = 0; i < kUnknowns + 3 * kRowsOfAPart; ++i) bound(i);
    for (int r = 3 * kRowsOfAPart; r < kRows; ++r)
      for (int c = 0; c < 13; ++c) qp.A(r, c) = stream.normal();
  }
  // around x0, which holds all rows
  void bound(int i) {
    const double value = i < kUnknowns ? x0[i] : qp.A.row(i - kUnknowns).dot(x0);
    qp.lower[i] = value - stream_.uniform(0.2, 3.0);
    qp.upper[i] = value + stream_.uniform(0.2, 3.0);
  }
  void drift() {
    for (double& value : qp.f) value *= stream_.uniform(0.9, 1.1);
  }
  void couple() { bound(kUnknowns + kRows - 1); }
  void uncouple() {
    qp.lower[kUnknowns + kRows - 1] = -kNoBound;
    qp.upper[kUnknowns + kRows - 1] = kNoBound;
  }

  RandomStream& stream_;
  Qp qp;
  VectorXd x0;
};

TEST(QpBlocks, FindsWhatCouplesAndNothingElse) {
  RandomStream stream(1, "blocks");
  Arms arms(stream);
  QpBlocks blocks(kParts, kRows);
  const auto found = [&] {
    blocks.find(arms.qp.H, arms.qp.A, arms.qp.lower, arms.qp.upper);
    return std::vector<QpBlocks::Parts>(blocks.blocks().begin(), blocks.blocks().end());
  };
  using Expected = std::vector<QpBlocks::Parts>;
  EXPECT_EQ(found(), (Expected{1, 2, 4}));
  EXPECT_EQ(blocks.rows().size(), static_cast<std::size_t>(3 * kRowsOfAPart));
  // a pair that came near
  arms.couple();
  EXPECT_EQ(found(), (Expected{3, 4}));
  EXPECT_EQ(blocks.rows().size(), static_cast<std::size_t>(3 * kRowsOfAPart + 1));
  arms.uncouple();
  EXPECT_EQ(found(), (Expected{1, 2, 4}));
  // a task of two arms, of which one triangle of H is enough, or a number that is none
  arms.qp.H(19, 0) = 1e-300;
  EXPECT_EQ(found(), (Expected{5, 2}));
  arms.qp.H(19, 0) = 0.0;
  arms.qp.A(0, 8) = std::nan("");
  EXPECT_EQ(found(), (Expected{3, 4}));
  // -0 is 0; a row of zeros is the first part's
  arms.qp.A(0, 8) = -0.0;
  arms.qp.A.row(40).setZero();
  EXPECT_EQ(found(), (Expected{1, 2, 4}));
  EXPECT_EQ(blocks.rows()[40].parts, 1U);
}

TEST(QpBlocks, ChainsAreOneBlockAndManyPartsToo) {
  Qp qp(4, 2);
  qp.H.setIdentity();
  qp.A << 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0;
  qp.upper.tail(2).setOnes();
  QpBlocks blocks(std::array{1, 1, 1, 1}, 2);
  blocks.find(qp.H, qp.A, qp.lower, qp.upper);
  ASSERT_EQ(blocks.blocks().size(), 2U);
  EXPECT_EQ(blocks.blocks()[0], 7U);
  EXPECT_EQ(blocks.blocks()[1], 8U);
  const Qp large(65, 0);
  QpBlocks many(std::vector<int>(65, 1), 0);
  many.find(large.H, large.A, large.lower, large.upper);
  EXPECT_EQ(many.blocks().size(), 1U);
}

// The same answers as of the whole problem, while a pair between two arms comes and goes; but for
// rounding, which these H with conditions of some 100 make no larger than 1e-12.
TEST(QpBlocks, SolvedApartTheAnswerIsTheSame) {
  const auto rows = rows_of_levels();
  int coupled = 0, active = 0;
  for (int seed = 0; seed < test::sized(200); ++seed) {
    RandomStream stream(static_cast<std::uint64_t>(seed), "apart");
    Arms arms(stream);
    QpSolver whole(kUnknowns, kRows, rows), apart(kUnknowns, kRows, rows, kParts);
    for (int k = 0; k < 30; ++k) {
      arms.drift();
      if (k % 10 == 4) arms.couple();
      if (k % 10 == 8) arms.uncouple();
      coupled += k % 10 >= 4 && k % 10 < 8;
      const VectorXd x = whole.solve(arms.qp).x;
      const QpSolution& solution = apart.solve(arms.qp);
      ASSERT_EQ(solution.status, QpStatus::kSolved) << "seed " << seed << " problem " << k;
      ASSERT_EQ(whole.solution().status, QpStatus::kSolved);
      ASSERT_LE((solution.x - x).cwiseAbs().maxCoeff(),
                1e-12 * std::max(1.0, x.cwiseAbs().maxCoeff()))
          << "seed " << seed << " problem " << k;
      for (int i = 0; i < kUnknowns + kRows; ++i) {
        ASSERT_EQ(apart.active(i), whole.active(i)) << "seed " << seed << " row " << i;
        active += apart.active(i);
      }
    }
  }
  EXPECT_GT(coupled, 0);
  EXPECT_GT(active, coupled);
}

// What gives way is the same too: the sum that is least is one over rows. To the precision of a
// conflict's answer, which holds what was given up with a margin of 1e-8.
TEST(QpBlocks, AConflictOfOneArmIsItsOwn) {
  const auto rows = rows_of_levels();
  int relaxed = 0;
  for (int seed = 0; seed < test::sized(100); ++seed) {
    RandomStream stream(static_cast<std::uint64_t>(seed), "apart conflict");
    Arms arms(stream);
    QpSolver whole(kUnknowns, kRows, rows), apart(kUnknowns, kRows, rows, kParts);
    QpSolver undisturbed(kUnknowns, kRows, rows, kParts);
    Arms calm = arms;
    for (int k = 0; k < 20; ++k) {
      // a row of the second arm goes far away and comes back
      const int far = kUnknowns + kRowsOfAPart + seed % kRowsOfAPart;
      if (k == 5) arms.qp.lower[far] = arms.qp.upper[far] += 100.0;
      if (k == 15) arms.qp.lower[far] = (arms.qp.upper[far] -= 100.0) - 1.0;
      const QpSolution& a = whole.solve(arms.qp);
      const QpSolution& b = apart.solve(arms.qp);
      ASSERT_EQ(a.status, b.status) << "seed " << seed << " problem " << k;
      ASSERT_EQ(a.relaxed, b.relaxed) << "seed " << seed << " problem " << k;
      const double size = std::max(1.0, a.x.cwiseAbs().maxCoeff());
      ASSERT_LE((a.x - b.x).cwiseAbs().maxCoeff(), 1e-5 * size) << "seed " << seed << " " << k;
      ASSERT_LE((a.violation - b.violation).cwiseAbs().maxCoeff(), 1e-5 * size);
      relaxed += b.status == QpStatus::kRelaxed;
      // the other arms have the bits that they have without it
      const QpSolution& c = undisturbed.solve(calm.qp);
      ASSERT_EQ(b.x.head(7), c.x.head(7)) << "seed " << seed << " problem " << k;
      ASSERT_EQ(b.x.tail(7), c.x.tail(7)) << "seed " << seed << " problem " << k;
      for (int i = 0; i < kUnknowns; ++i)
        if (i < 7 || i >= 13) {
          ASSERT_EQ(apart.active(i), undisturbed.active(i));
        }
    }
  }
  EXPECT_GT(relaxed, 0);
}

TEST(QpBlocks, WhenOnePartFailsAllDo) {
  RandomStream stream(3, "apart failure");
  Arms arms(stream);
  QpSolver apart(kUnknowns, kRows, rows_of_levels(), kParts);
  const VectorXd x = apart.solve(arms.qp).x;
  const double f = arms.qp.f[8];
  arms.qp.f[8] = std::nan("");
  EXPECT_EQ(apart.solve(arms.qp).status, QpStatus::kFailed);
  EXPECT_EQ(apart.solution().x, x);
  EXPECT_TRUE(apart.solution().violation.isZero(0.0));
  for (int i = 0; i < kUnknowns + kRows; ++i) EXPECT_FALSE(apart.active(i));
  arms.qp.f[8] = f;
  EXPECT_EQ(apart.solve(arms.qp).status, QpStatus::kSolved);
}

// Also when a conflict's blocks become one and part again: the same bits from the same working set.
TEST(QpBlocks, TheWorkingSetContinuesWithTheSameBits) {
  const auto rows = rows_of_levels();
  for (int seed = 0; seed < test::sized(50); ++seed) {
    RandomStream stream(static_cast<std::uint64_t>(seed), "apart snapshot");
    Arms arms(stream);
    QpSolver apart(kUnknowns, kRows, rows, kParts);
    int relaxed = 0;
    for (int k = 0; k < 40; ++k) {
      QpSolver copy(kUnknowns, kRows, rows, kParts);
      copy.set_working_set(apart.working_set());
      arms.drift();
      if (k % 7 == 2) arms.couple();
      if (k % 7 == 5) arms.uncouple();
      const int moved = kUnknowns + k % (3 * kRowsOfAPart);
      if (k % 4 == 0) arms.qp.lower[moved] = arms.qp.upper[moved] += 5.0;
      const QpSolution &a = apart.solve(arms.qp), &b = copy.solve(arms.qp);
      ASSERT_EQ(a.status, b.status) << "seed " << seed << " problem " << k;
      ASSERT_EQ(a.x, b.x) << "seed " << seed << " problem " << k;
      ASSERT_EQ(a.violation, b.violation);
      ASSERT_EQ(a.iterations, b.iterations);
      ASSERT_TRUE(std::ranges::equal(apart.working_set(), copy.working_set()));
      relaxed += a.status == QpStatus::kRelaxed;
    }
    EXPECT_GT(relaxed, 0);
  }
}

TEST(QpBlocksHeap, BlocksThatComeAndGoAllocateNothing) {
  RandomStream stream(4, "apart heap");
  Arms arms(stream);
  QpSolver apart(kUnknowns, kRows, rows_of_levels(), kParts);
  for (int k = 0; k < 100; ++k) {
    arms.drift();
    if (k % 7 == 2) arms.couple();
    if (k % 7 == 5) arms.uncouple();
    if (k == 50) arms.qp.lower[30] = arms.qp.upper[30] += 100.0;
    const test::AllocationCount allocations;
    apart.solve(arms.qp);
    EXPECT_EQ(allocations.count(), 0U) << "problem " << k;
  }
}

TEST(QpBlocks, SayWhichPartsDoNotFit) {
  try {
    QpSolver(3, 0, std::vector<QpRow>(3), std::array{1, 1});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "the parts of a QP of 3 unknowns have [1, 1] of them; together they must have all");
  }
}

}  // namespace qp_blocks_test
}  // namespace handspan
