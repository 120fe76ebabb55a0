#include "control/daqp_problem.hpp"

#include <new>
#include <vector>

namespace handspan {

DaqpProblem::DaqpProblem(int n, int m, const DaqpNumbers& numbers, double tolerance,
                         int most_iterations) {
  // DAQP's working set has room for n rows and those that are soft now, and it does not check:
  // all are soft here. Which rows are soft in a solve is told in work.sense
  std::vector<int> sense(static_cast<std::size_t>(m), DAQP_SOFT);
  resize(n, m);
  problem.H = numbers.H;
  problem.f = numbers.f;
  problem.A = numbers.A;
  problem.blower = numbers.lower;
  problem.bupper = numbers.upper;
  problem.sense = sense.data();
  result.x = numbers.x;
  allocate_daqp_settings(&work);
  work.settings->primal_tol = tolerance;
  work.settings->iter_limit = most_iterations;
  work.settings->eq_reduction = DAQP_EQ_REDUCTION_OFF;
  if (setup_daqp(&problem, &work, nullptr) < 0) throw std::bad_alloc();
  problem.sense = nullptr;
}

DaqpProblem::~DaqpProblem() {
  free_daqp_workspace(&work);
  free_daqp_ldp(&work);
}

void DaqpProblem::resize(int n, int m) noexcept {
  problem.n = problem.ms = n;
  problem.m = m;
}

}  // namespace handspan
