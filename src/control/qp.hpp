#pragma once
// The convex quadratic programme of one control tick. Rows have priorities: when they cannot all
// hold, those of the lowest priority give way, by as little as possible, and are named; the answer
// is never empty. Solved by DAQP (a dual active-set method), warm started, without heap, locks or
// exceptions after construction.
//
// First all rows are hard, so that what can hold is never given up, whatever the objective's size.
// Only when that is infeasible, level after level gives up the least sum of v + v^2 / 2 over its
// rows, v = violation / scale, and keeps it for the levels after it; then x is the best within
// that. Two to six problems instead of one.
#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/state_archive.hpp"

namespace handspan {

using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline constexpr double kNoBound = std::numeric_limits<double>::infinity();

/// min 1/2 x^T H x + f^T x  with  lower <= [x; A x] <= upper. Of n unknowns and m rows.
struct Qp {
  Qp(int n, int m);
  int unknowns() const { return static_cast<int>(f.size()); }
  int rows() const { return static_cast<int>(A.rows()); }
  void clear();  // H, f, A zero; no bounds

  RowMajorMatrix H;              // n x n, symmetric positive definite
  Eigen::VectorXd f;             // n
  RowMajorMatrix A;              // m x n
  Eigen::VectorXd lower, upper;  // n + m: bounds on x, then on A x; kNoBound, -kNoBound for none;
                                 // equal: an equality; lower above upper: their middle is meant,
                                 // and both count as violated (level 0: the solve fails)
};

/// Rows of level 0 are never given up; of the others the highest level gives way first.
inline constexpr int kQpLevels = 5;

/// A row holds when it is violated by no more than this times its scale.
inline constexpr double kQpTolerance = 1e-6;

/// What one bound or row is (index as in Qp::lower).
struct QpRow {
  std::string name;    // as a person reads it: "torque limit left.joint2"
  int level = 0;       // 0 ... kQpLevels - 1
  double scale = 1.0;  // a typical size of its value; violations compare as multiples of it. Of
                       // the unknowns too: H is conditioned with the scales of x
};

enum class QpStatus {
  kSolved,   // every row holds
  kRelaxed,  // rows of level 1 and up were given up by QpSolution::violation
  kFailed,   // x is not to be used: a number was not finite, H not positive definite, rows of
             // level 0 conflict, or the solver's answer did not pass the check
};

struct QpSolution {
  Eigen::VectorXd x;          // n; where kFailed: of the last solve that did not fail, or 0
  Eigen::VectorXd violation;  // n + m: above upper > 0, below lower < 0, else 0; in the row's units
  QpStatus status = QpStatus::kFailed;
  bool optimal = true;  // false: x keeps the rows as it should, but rounding stopped the search for
                        // the least objective (or violation of the last levels) among such x
  int iterations = 0;
  std::array<int, kQpLevels> relaxed{};  // rows given up, by level
};

class QpSolver {
 public:
  /// @param rows one a bound, then one a row (n + m); levels and scales are fixed from here on
  /// @throws InputError when there is not one a bound and row, or a level or scale is out of range
  QpSolver(int n, int m, std::span<const QpRow> rows);
  /// @param parts how many unknowns each part has, in their order; they are n together. Parts that
  /// neither H nor a row with a bound couples in a tick are solved apart, with the same answer: a
  /// conflict in one of them costs the others neither digits nor time. When one fails, all do.
  QpSolver(int n, int m, std::span<const QpRow> rows, std::span<const int> parts);
  ~QpSolver();
  QpSolver(QpSolver&&) noexcept;
  QpSolver& operator=(QpSolver&&) noexcept;

  /// Warm started from the call before. The reference stays valid until the next call.
  const QpSolution& solve(const Qp& qp) noexcept;
  /// The last one; before the first solve: kFailed.
  const QpSolution& solution() const noexcept;

  /// Whether a bound or row (index as in Qp::lower) kept the last answer from being better.
  bool active(int row) const noexcept;

  /// The working set that the next solve starts from, as one number a bound or row, and back: the
  /// same problem then gives the same bits. For snapshots.
  /// @throws InputError when its size is not n + m
  std::span<const int> working_set() const;
  void set_working_set(std::span<const int> set);
  /// That, and the last solution.
  void state(StateArchive& archive);
  /// Forget the working set: the next solve starts cold.
  void reset();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace handspan
