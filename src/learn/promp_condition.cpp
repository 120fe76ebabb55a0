#include "learn/promp_condition.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "core/error.hpp"

namespace handspan {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kSymmetric = 1e-9, kNegative = 1e-9, kSingular = 1e-13;

void check_observed(const char* what, const VectorXd& values, const MatrixXd& covariance,
                    Index size) {
  if (values.size() != size || !values.allFinite())
    throw InputError(
        fmt::format("{} has {} numbers; give {} finite ones", what, values.size(), size));
  if (covariance.size() == 0) return;
  if (covariance.rows() != size || covariance.cols() != size)
    throw InputError(fmt::format("the covariance of {} is {} x {}; give {} x {}, or none", what,
                                 covariance.rows(), covariance.cols(), size, size));
  if (const std::string fault = covariance_fault(covariance); !fault.empty())
    throw InputError(fmt::format("the covariance of {} {}", what, fault));
}

// The Gaussian given that `by` times its variable was seen to be y, up to a covariance.
void observe(const char* what, const MatrixXd& by, const VectorXd& y, const MatrixXd& covariance,
             VectorXd& mean, MatrixXd& S) {
  const MatrixXd cross = S * by.transpose();
  MatrixXd seen = by * cross;
  if (covariance.size() > 0) seen += covariance;
  const Eigen::LDLT<MatrixXd> solver(seen);
  if (!(solver.vectorD().minCoeff() > kSingular * seen.diagonal().maxCoeff()))
    throw InputError(
        fmt::format("{} cannot be asked for exactly, since the movement does not vary there, or "
                    "not in all dimensions apart; give a covariance > 0",
                    what));
  const MatrixXd gain = solver.solve(cross.transpose()).transpose();
  mean += gain * (y - by * mean);
  S -= gain * cross.transpose();
  S = (0.5 * (S + S.transpose())).eval();
}

}  // namespace

std::string covariance_fault(const MatrixXd& matrix) {
  if (matrix.rows() != matrix.cols())
    return fmt::format("is {} x {}; it must be square", matrix.rows(), matrix.cols());
  if (matrix.size() == 0) return "";
  if (!matrix.allFinite()) return "has a number that is not finite; all must be";
  const double scale = matrix.cwiseAbs().maxCoeff();
  Index row = 0, column = 0;
  const double apart = (matrix - matrix.transpose()).cwiseAbs().maxCoeff(&row, &column);
  if (apart > kSymmetric * scale)
    return fmt::format(
        "is not symmetric: row {} column {} is {}, row {} column {} is {}; both must be the same",
        row + 1, column + 1, matrix(row, column), column + 1, row + 1, matrix(column, row));
  const VectorXd values =
      Eigen::SelfAdjointEigenSolver<MatrixXd>(matrix, Eigen::EigenvaluesOnly).eigenvalues();
  if (values[0] < -kNegative * values[values.size() - 1])
    return fmt::format("is not positive: its least eigenvalue is {}; none may be below 0",
                       values[0]);
  return "";
}

Promp conditioned(const Promp& promp, const ViaPoint& via) {
  std::vector<int> dimensions = via.dimensions;
  if (dimensions.empty())
    for (int d = 0; d < promp.dimensions; ++d) dimensions.push_back(d);
  if (!std::isfinite(via.phase))
    throw InputError(
        fmt::format("a point is asked for at phase {}; give a finite one, 0 to 1 "
                    "within the movement",
                    via.phase));
  for (std::size_t i = 0; i < dimensions.size(); ++i)
    if (dimensions[i] < 0 || dimensions[i] >= promp.dimensions ||
        std::find(dimensions.begin(), dimensions.begin() + static_cast<std::ptrdiff_t>(i),
                  dimensions[i]) != dimensions.begin() + static_cast<std::ptrdiff_t>(i))
      throw InputError(
          fmt::format("a point is asked for in dimension {}; give each once, from 0 "
                      "to {}",
                      dimensions[i], promp.dimensions - 1));
  const auto size = static_cast<Index>(dimensions.size());
  check_observed("a point", via.position, via.covariance, size);

  const PhaseBasis basis(promp.basis);
  VectorXd value(promp.basis.functions), slope(promp.basis.functions);
  basis.at(via.phase, value, slope);
  MatrixXd by = MatrixXd::Zero(size, promp.mean.size());
  for (Index i = 0; i < size; ++i)
    by.row(i).segment(Index{dimensions[static_cast<std::size_t>(i)]} * promp.basis.functions,
                      promp.basis.functions) = value.transpose();
  Promp out = promp;
  observe("a point", by, via.position, via.covariance, out.mean, out.covariance);
  return out;
}

Promp conditioned_on_context(const Promp& promp, const VectorXd& context,
                             const MatrixXd& covariance) {
  const Index w = promp.weight_count(), c = promp.context_count();
  if (c == 0)
    throw InputError(
        "the movement was learned without a context; learn it with one, or do not condition on "
        "one");
  check_observed("the context", context, covariance, c);
  MatrixXd by = MatrixXd::Zero(c, w + c);
  by.rightCols(c).setIdentity();
  Promp out = promp;
  observe("the context", by, context, covariance, out.mean, out.covariance);
  out.mean.conservativeResize(w);
  out.covariance.conservativeResize(w, w);
  // a regression on c numbers: its residuals have as many degrees of freedom less, and it is less
  // sure the farther the context is from those that it has seen
  const VectorXd off = context - promp.mean.tail(c);
  const double far = off.dot(promp.covariance.bottomRightCorner(c, c).ldlt().solve(off));
  const double before = promp.freedom;
  out.freedom = std::max(1, promp.freedom - static_cast<int>(c));
  if (before > 0.0) out.prediction = before / out.freedom * (promp.prediction + far / before);
  return out;
}

PrompSampler::PrompSampler(const Promp& promp) : mean_(promp.mean.head(promp.weight_count())) {
  const MatrixXd S = promp.covariance.topLeftCorner(mean_.size(), mean_.size());
  if (const std::string fault = covariance_fault(S); !fault.empty())
    throw InputError("the covariance of the weights " + fault);
  // S = P^T L D L^T P also where S is singular; what rounding made negative is 0
  const Eigen::LDLT<MatrixXd> ldlt(S);
  root_ = ldlt.matrixL();
  root_ = (root_ * ldlt.vectorD().cwiseMax(0.0).cwiseSqrt().asDiagonal()).eval();
  root_ = (ldlt.transpositionsP().transpose() * root_).eval();
}

VectorXd PrompSampler::draw(RandomStream& random) const {
  VectorXd normal(mean_.size());
  for (double& x : normal) x = random.normal();
  return mean_ + root_ * normal;
}

}  // namespace handspan
