#pragma once
// DAQP's problem, workspace and result as one object: what is the same in whoever asks it. Of
// qp.cpp and conflict.cpp alone.
#include <daqp/api.h>
#include <daqp/utils.h>

namespace handspan {

/// Everything that DAQP forms anew for a problem of other numbers.
inline constexpr int kDaqpUpdateAll =
    DAQP_UPDATE_Rinv | DAQP_UPDATE_M | DAQP_UPDATE_v | DAQP_UPDATE_d;

/// Where the numbers are: room for n unknowns and m bounds and rows, the first n of them bounds.
/// They outlive the problem.
struct DaqpNumbers {
  double *H, *f;          // n x n by rows, n
  double* A;              // (m - n) x n by rows
  double *lower, *upper;  // m
  double* x;              // n, the answer
};

class DaqpProblem {
 public:
  /// @param tolerance of rows of length 1  @throws std::bad_alloc
  DaqpProblem(int n, int m, const DaqpNumbers& numbers, double tolerance, int most_iterations);
  ~DaqpProblem();
  DaqpProblem(const DaqpProblem&) = delete;
  DaqpProblem& operator=(const DaqpProblem&) = delete;

  /// The next problems have so many unknowns, and bounds and rows; no more than there is room for.
  void resize(int n, int m) noexcept;
  /// Forms what `mask` says of the present numbers. DAQP's flag: below 0 when it cannot.
  int update(int mask) noexcept { return daqp_update_ldp(mask, &work, &problem); }
  /// Whether the last answer is that no x holds all rows.
  bool infeasible() const noexcept {
    return result.exitflag == DAQP_EXIT_INFEASIBLE ||
           result.exitflag == DAQP_EXIT_OVERDETERMINED_INITIAL;
  }

  DAQPWorkspace work{};
  DAQPProblem problem{};
  DAQPResult result{};
};

}  // namespace handspan
