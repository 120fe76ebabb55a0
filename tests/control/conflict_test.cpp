#include "control/conflict.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <eiquadprog/eiquadprog-fast.hpp>

#include "core/error.hpp"
#include "core/random.hpp"
#include "support/alloc.hpp"
#include "support/sized.hpp"

namespace handspan {
namespace conflict_test {

// Rows of three joints' accelerations: bounds, then a row for each kind of limit, all wide.
enum Row { kBound1, kBound2, kBound3, kTorque1, kTorque2, kSpeed, kCollision, kTask, kRows };

std::vector<QpRow> rows() {
  std::vector<QpRow> out;
  for (const char* name :
       {"acceleration joint1", "acceleration joint2", "acceleration joint3", "torque limit joint1",
        "torque limit joint2", "speed limit tool", "collision forearm - bench", "task"})
    out.push_back({name, 0, 1.0});
  return out;
}

Qp wide() {
  Qp qp(3, 5);
  qp.H.setIdentity();
  qp.A << 2.0, 0.5, 0.1,  // inertia
      0.5, 1.0, 0.2,      //
      0.3, 0.4, 0.0,      // Jacobians
      1.0, 1.0, 1.0,      //
      0.6, -0.2, 0.9;
  qp.lower << Eigen::Vector3d::Constant(-100.0), Eigen::VectorXd::Constant(5, -1000.0);
  qp.upper = -qp.lower;
  return qp;
}

void limit(Qp& qp, int row, double lower, double upper) {
  qp.lower[row] = lower;
  qp.upper[row] = upper;
}

std::string explained(const Qp& qp) { return conflict_name(minimal_conflict(qp), rows()); }

// by Goldfarb and Idnani: whether the rows but `dropped` can hold (rows of length 1)
bool can_hold(const Qp& qp, const std::vector<int>& kept, double room) {
  const Eigen::Index n = qp.unknowns();
  std::vector<Eigen::VectorXd> normals;
  std::vector<double> constants;
  for (const int i : kept) {
    Eigen::VectorXd row = Eigen::VectorXd::Zero(n);
    if (i < n)
      row[i] = 1.0;
    else
      row = qp.A.row(i - n).transpose();
    const double length = row.norm();
    row /= length;
    if (std::isfinite(qp.lower[i])) {
      normals.push_back(row);
      constants.push_back(room - qp.lower[i] / length);
    }
    if (std::isfinite(qp.upper[i])) {
      normals.push_back(-row);
      constants.push_back(room + qp.upper[i] / length);
    }
  }
  Eigen::MatrixXd CI(normals.size(), n);
  Eigen::VectorXd ci(normals.size());
  for (Eigen::Index k = 0; k < CI.rows(); ++k) {
    CI.row(k) = normals[static_cast<std::size_t>(k)].transpose();
    ci[k] = constants[static_cast<std::size_t>(k)];
  }
  eiquadprog::solvers::EiquadprogFast solver;
  solver.reset(static_cast<std::size_t>(n), 0, normals.size());
  Eigen::VectorXd x(n);
  return solver.solve_quadprog(Eigen::MatrixXd::Identity(n, n), Eigen::VectorXd::Zero(n),
                               Eigen::MatrixXd(0, n), Eigen::VectorXd(0), CI, ci,
                               x) == eiquadprog::solvers::EIQUADPROG_FAST_OPTIMAL;
}

TEST(Conflict, NothingIsNamedWhenAllCanHold) {
  EXPECT_TRUE(minimal_conflict(wide()).empty());
  EXPECT_EQ(explained(wide()), "none: all rows can hold");
  Qp qp = wide();
  limit(qp, kTask, 5.0, 5.0);
  EXPECT_TRUE(minimal_conflict(qp).empty());
  EXPECT_TRUE(minimal_conflict(Qp(3, 0)).empty());
}

TEST(Conflict, ABoundAgainstARow) {
  Qp qp = wide();
  // 0.3 a1 + 0.4 a2 >= 30.5 with a2 <= 1 wants a1 >= 100.3
  limit(qp, kSpeed, 30.5, 40.0);
  limit(qp, kBound2, -1.0, 1.0);
  EXPECT_EQ(explained(qp), "acceleration joint1 with acceleration joint2 with speed limit tool");
  limit(qp, kBound1, -kNoBound, kNoBound);
  EXPECT_EQ(explained(qp), "none: all rows can hold");
}

TEST(Conflict, TwoRowsThatPullApart) {
  Qp qp = wide();
  qp.A.row(kTask - 3) = -2.0 * qp.A.row(kCollision - 3);
  limit(qp, kCollision, 10.0, 20.0);
  limit(qp, kTask, -19.0, 100.0);
  EXPECT_EQ(explained(qp), "collision forearm - bench with task");
}

TEST(Conflict, AnEqualityAgainstALimit) {
  Qp qp = wide();
  limit(qp, kTorque1, 50.0, 50.0);
  limit(qp, kBound1, -5.0, 5.0);
  limit(qp, kBound2, -5.0, 5.0);
  limit(qp, kBound3, -5.0, 5.0);
  EXPECT_EQ(explained(qp),
            "acceleration joint1 with acceleration joint2 with acceleration joint3 with torque "
            "limit joint1");
}

TEST(Conflict, TwoEqualities) {
  Qp qp = wide();
  qp.A.row(kTask - 3) = qp.A.row(kTorque2 - 3);
  limit(qp, kTorque2, 1.0, 1.0);
  limit(qp, kTask, 1.001, 1.001);
  EXPECT_EQ(explained(qp), "torque limit joint2 with task");
}

TEST(Conflict, BoundsThatCrossAreAConflictAlone) {
  Qp qp = wide();
  limit(qp, kBound3, 2.0, 1.0);
  EXPECT_EQ(explained(qp), "acceleration joint3");
  qp = wide();
  limit(qp, kSpeed, 2.0, 1.0);
  EXPECT_EQ(explained(qp), "speed limit tool");
  qp.A.row(kSpeed - 3).setZero();
  limit(qp, kSpeed, 1.0, 2.0);
  EXPECT_EQ(explained(qp), "speed limit tool");
}

TEST(Conflict, FourRowsOfWhichAnyThreeCanHold) {
  Qp qp = wide();
  qp.lower.setConstant(-kNoBound);
  qp.upper.setConstant(kNoBound);
  // a simplex turned inside out
  qp.A.row(0) << 1, 0, 0;
  qp.A.row(1) << 0, 1, 0;
  qp.A.row(3) << 0, 0, 1;
  qp.A.row(4) << -1, -1, -1;
  for (const int row : {kTorque1, kTorque2, kCollision, kTask}) qp.lower[row] = 0.1;
  EXPECT_EQ(minimal_conflict(qp), (std::vector<int>{kTorque1, kTorque2, kCollision, kTask}));
}

TEST(Conflict, OfSeveralConflictsTheLaterRowsAreNamed) {
  Qp qp = wide();
  limit(qp, kBound1, 2.0, 1.0);
  limit(qp, kTask, 2.0, 1.0);
  EXPECT_EQ(explained(qp), "task");
}

TEST(Conflict, ANumberThatIsNotFiniteIsNoConflict) {
  for (const double bad : {std::nan(""), kNoBound}) {
    Qp qp = wide();
    limit(qp, kTask, 2.0, 1.0);
    qp.A(0, 0) = bad;
    EXPECT_TRUE(minimal_conflict(qp).empty());
    qp = wide();
    qp.lower[kTask] = bad;
    EXPECT_TRUE(minimal_conflict(qp).empty());
  }
}

TEST(Conflict, EachNamedRowIsNeeded) {
  int conflicts = 0;
  for (int seed = 0; seed < test::sized(4000); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomStream stream(static_cast<std::uint64_t>(seed), "conflicts");
    const int n = 2 + static_cast<int>(stream.integer(9));
    const int m = 4 + static_cast<int>(stream.integer(30));
    Qp qp(n, m);
    qp.H.setIdentity();
    for (double& value : qp.A.reshaped()) value = stream.normal();
    for (int i = 0; i < m; ++i) qp.A.row(i) *= std::pow(10.0, stream.uniform(-3.0, 3.0));
    for (int i = 0; i < n + m; ++i) {
      const double length = i < n ? 1.0 : qp.A.row(i - n).norm();
      const double middle = stream.uniform(-1.0, 1.0);
      if (stream.uniform() < 0.8) qp.lower[i] = length * (middle - stream.uniform(0.1, 2.0));
      if (stream.uniform() < 0.8) qp.upper[i] = length * (middle + stream.uniform(0.1, 2.0));
      if (stream.uniform() < 0.05) qp.lower[i] = qp.upper[i] = length * middle;
    }
    std::vector<int> all;
    for (int i = 0; i < n + m; ++i) all.push_back(i);
    const std::vector<int> conflict = minimal_conflict(qp);
    if (conflict.empty()) {
      EXPECT_TRUE(can_hold(qp, all, 1e-6));
      continue;
    }
    ++conflicts;
    EXPECT_FALSE(can_hold(qp, conflict, 0.0));
    for (std::size_t k = 0; k < conflict.size(); ++k) {
      std::vector<int> rest = conflict;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
      // room for the tolerance of the one and the rounding of the other solver
      EXPECT_TRUE(can_hold(qp, rest, 1e-6)) << "row " << conflict[k] << " is not needed";
    }
  }
  EXPECT_GT(conflicts, test::sized(4000) / 4) << "the problems are too easy to mean something";
}

TEST(ConflictReporter, CountsWhatItExplainedMostFrequentFirst) {
  ConflictReporter reporter(3, 5, rows());
  Qp one = wide(), other = wide();
  limit(one, kBound3, 2.0, 1.0);
  limit(other, kTask, 2.0, 1.0);
  std::int64_t tick = 100;
  for (const Qp* qp : {&one, &other, &other}) {
    EXPECT_TRUE(reporter.offer(*qp, tick++));
    reporter.flush();
  }
  EXPECT_TRUE(reporter.offer(wide(), tick));
  reporter.flush();
  const auto entries = reporter.entries();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].name, "task");
  EXPECT_EQ(entries[0].count, 2U);
  EXPECT_EQ(entries[0].first_tick, 101);
  EXPECT_EQ(entries[1].name, "acceleration joint3");
  EXPECT_EQ(entries[1].first_tick, 100);
  EXPECT_EQ(entries[2].name, "none: all rows can hold");
  EXPECT_EQ(reporter.passed_over(), 0U);
}

TEST(ConflictReporter, EveryOfferIsExplainedOrPassedOver) {
  ConflictReporter reporter(3, 5, rows());
  Qp qp = wide();
  std::uint64_t taken = 0;
  const std::uint64_t offers = 20000;
  for (std::uint64_t i = 0; i < offers; ++i) {
    // the problem changes right after it was offered: what is explained is the copy
    limit(qp, kTask, 2.0, 1.0);
    taken += reporter.offer(qp, static_cast<std::int64_t>(i));
    limit(qp, kTask, -1.0, 1.0);
    if (i % 1000 == 0) reporter.entries();
  }
  reporter.flush();
  const auto entries = reporter.entries();
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].name, "task");
  EXPECT_EQ(entries[0].count, taken);
  EXPECT_EQ(taken + reporter.passed_over(), offers);
}

TEST(ConflictReporter, EndsWhileItIsBusyOrIdle) {
  Qp qp = wide();
  limit(qp, kTask, 2.0, 1.0);
  for (int i = 0; i < 200; ++i) {
    ConflictReporter reporter(3, 5, rows());
    if (i % 2) reporter.offer(qp, i);
  }
}

TEST(ConflictReporter, AnotherSizeIsPassedOver) {
  ConflictReporter reporter(3, 5, rows());
  EXPECT_FALSE(reporter.offer(Qp(3, 4), 0));
  EXPECT_FALSE(reporter.offer(Qp(2, 6), 0));
  EXPECT_EQ(reporter.passed_over(), 2U);
  EXPECT_TRUE(reporter.entries().empty());
}

TEST(ConflictReporter, OffersWithoutHeap) {
  ConflictReporter reporter(3, 5, rows());
  const Qp qp = wide();
  for (int i = 0; i < 50; ++i) {
    const test::AllocationCount allocations;
    reporter.offer(qp, i);
    EXPECT_EQ(allocations.count(), 0U);
    if (i % 5 == 0) reporter.flush();
  }
}

TEST(ConflictReporter, SaysThatRowsAreMissing) {
  try {
    ConflictReporter reporter(3, 6, rows());
    FAIL() << "accepted";
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(),
                 "conflicts of 3 unknowns and 6 rows have 8 descriptions of rows; give one for "
                 "each bound and row");
  }
}

}  // namespace conflict_test
}  // namespace handspan
