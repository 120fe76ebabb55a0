#include "learn/promp.hpp"

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

std::string who(const PrompDemonstration& d) { return fmt::format("demonstration '{}'", d.name); }

void check_options(const PrompOptions& options) {
  const PhaseBasis checked(options.basis);
  static_cast<void>(checked);
  if (!(options.ridge > 0.0 && std::isfinite(options.ridge)))
    throw InputError(fmt::format("ridge is {}; it must be > 0, such as 1e-9", options.ridge));
  if (!(options.floor >= 0.0 && std::isfinite(options.floor)))
    throw InputError(
        fmt::format("floor is {}; it must be >= 0, such as 1e-3 for a millimetre", options.floor));
}

void check_demonstration(const PrompDemonstration& d, int weights) {
  const auto n = static_cast<Index>(d.times.size());
  if (n < weights)
    throw InputError(
        fmt::format("{} has {} samples for {} weights a dimension; give as many "
                    "samples at least, or fewer weights",
                    who(d), n, weights));
  if (d.positions.rows() != n || d.positions.cols() < 1)
    throw InputError(fmt::format(
        "{} has {} times and positions of {} rows and {} columns; give a row for each time and a "
        "column for each dimension",
        who(d), n, d.positions.rows(), d.positions.cols()));
  for (std::size_t i = 0; i < d.times.size(); ++i)
    if (!std::isfinite(d.times[i]) || (i > 0 && !(d.times[i] > d.times[i - 1])))
      throw InputError(fmt::format("{}: time {} is {} s; each must be later than the one before",
                                   who(d), i + 1, d.times[i]));
  for (Index i = 0; i < n; ++i)
    if (!d.positions.row(i).allFinite())
      throw InputError(
          fmt::format("{}: a position at {} s is not finite; leave out what was not measured",
                      who(d), d.times[static_cast<std::size_t>(i)]));
  if (!d.context.allFinite())
    throw InputError(
        fmt::format("{}: its context is not finite; give what it was made for", who(d)));
}

void check_alike(const std::vector<PrompDemonstration>& all) {
  const PrompDemonstration& first = all.front();
  for (const PrompDemonstration& d : all)
    if (d.positions.cols() != first.positions.cols() || d.context.size() != first.context.size())
      throw InputError(fmt::format(
          "{} has {} dimensions and {} numbers of context, {} has {} and {}; learn from "
          "demonstrations of the same arms and the same context",
          who(d), d.positions.cols(), d.context.size(), who(first), first.positions.cols(),
          first.context.size()));
}

void check_enough(Index n, Index context, Index weights, double floor) {
  const Index least = context + 2;
  if (n < least)
    throw InputError(fmt::format(
        "there are {} demonstrations for a covariance with {} numbers of context; give {} at "
        "least{}",
        n, context, least, context > 0 ? ", or less context" : ""));
  if (floor == 0.0 && n <= weights + context)
    throw InputError(fmt::format(
        "there are {} demonstrations for a covariance of {} weights and {} numbers of context, "
        "which is singular below {}; give a floor > 0, such as 1e-3, or more of them",
        n, weights, context, weights + context + 1));
}

// of the context's own covariance
void check_context(const MatrixXd& covariance, const VectorXd& mean) {
  const VectorXd deviation = covariance.diagonal().cwiseSqrt();
  for (Index i = 0; i < deviation.size(); ++i)
    if (!(deviation[i] > 1e-12 * std::max(1.0, std::abs(mean[i]))))
      throw InputError(
          fmt::format("context {} is {} in all demonstrations; nothing can be learned about it: "
                      "leave it out",
                      i + 1, mean[i]));
  if (deviation.size() == 0) return;
  const MatrixXd correlation =
      deviation.cwiseInverse().asDiagonal() * covariance * deviation.cwiseInverse().asDiagonal();
  const double least =
      Eigen::SelfAdjointEigenSolver<MatrixXd>(correlation, Eigen::EigenvaluesOnly).eigenvalues()[0];
  if (!(least > 1e-10))
    throw InputError(
        "the numbers of the context depend on one another in all demonstrations; leave out those "
        "that follow from the others, or vary them apart");
}

// rows: phases, columns: functions, and their slopes where asked for
MatrixXd basis_rows(const BasisShape& shape, const std::vector<double>& phases, bool slopes) {
  const PhaseBasis basis(shape);
  VectorXd value(shape.functions), slope(shape.functions);
  MatrixXd rows(static_cast<Index>(phases.size()), shape.functions);
  for (std::size_t i = 0; i < phases.size(); ++i) {
    basis.at(phases[i], value, slope);
    rows.row(static_cast<Index>(i)) = slopes ? slope : value;
  }
  return rows;
}

Eigen::Map<const MatrixXd> by_dimension(const Promp& promp, const VectorXd& weights) {
  eigen_assert(weights.size() >= promp.weight_count());
  return {weights.data(), promp.basis.functions, promp.dimensions};
}

MatrixXd covariance_of_rows(const Promp& promp, const MatrixXd& rows) {
  const Index n = rows.rows(), k = promp.basis.functions, d = promp.dimensions;
  MatrixXd out(n * d, n * d);
  for (Index a = 0; a < d; ++a)
    for (Index b = 0; b < d; ++b)
      out.block(n * a, n * b, n, n) =
          rows * promp.covariance.block(k * a, k * b, k, k) * rows.transpose();
  return out;
}

}  // namespace

VectorXd promp_weights(const PrompDemonstration& demonstration, const PrompOptions& options) {
  check_options(options);
  check_demonstration(demonstration, options.basis.functions);
  const double start = demonstration.times.front(), span = demonstration.times.back() - start;
  const PhaseBasis basis(options.basis);
  const auto n = static_cast<Index>(demonstration.times.size());
  MatrixXd phi(options.basis.functions, n);
  VectorXd slope(options.basis.functions);
  for (Index i = 0; i < n; ++i)
    basis.at((demonstration.times[static_cast<std::size_t>(i)] - start) / span, phi.col(i), slope);
  MatrixXd normal = phi * phi.transpose();
  const MatrixXd right = phi * demonstration.positions;
  normal.diagonal().array() += options.ridge;
  const MatrixXd weights = normal.llt().solve(right);
  return weights.reshaped();
}

Promp learn_promp(const std::vector<PrompDemonstration>& demonstrations,
                  const PrompOptions& options) {
  check_options(options);
  const auto n = static_cast<Index>(demonstrations.size());
  if (n > 0) check_alike(demonstrations);
  const Index dimensions = n > 0 ? demonstrations.front().positions.cols() : 0;
  const Index context = n > 0 ? demonstrations.front().context.size() : 0;
  const Index weights = dimensions * options.basis.functions;
  check_enough(n, context, weights, options.floor);

  MatrixXd samples(n, weights + context);
  Promp promp;
  promp.duration = 0.0;
  for (Index i = 0; i < n; ++i) {
    const PrompDemonstration& d = demonstrations[static_cast<std::size_t>(i)];
    samples.row(i) << promp_weights(d, options).transpose(), d.context.transpose();
    promp.duration += (d.times.back() - d.times.front()) / static_cast<double>(n);
  }
  promp.dimensions = static_cast<int>(dimensions);
  promp.basis = options.basis;
  promp.demonstrations = static_cast<int>(n);
  promp.freedom = promp.demonstrations - 1;
  promp.prediction = 1.0 + 1.0 / static_cast<double>(n);
  promp.mean = samples.colwise().mean().transpose();
  samples.rowwise() -= promp.mean.transpose();
  promp.covariance = samples.transpose() * samples / static_cast<double>(n - 1);
  check_context(promp.covariance.bottomRightCorner(context, context), promp.mean.tail(context));
  promp.covariance.diagonal().head(weights).array() += options.floor * options.floor;
  return promp;
}

std::pair<PrompDemonstration, PrompDemonstration> split_at_impact(
    const PrompDemonstration& demonstration, double impact_time) {
  const std::vector<double>& times = demonstration.times;
  if (times.size() < 2 || demonstration.positions.rows() != static_cast<Index>(times.size()))
    throw InputError(
        fmt::format("{} has {} times and {} rows of positions; give a row for each "
                    "time, and two at least",
                    who(demonstration), times.size(), demonstration.positions.rows()));
  if (!(impact_time > times.front() && impact_time < times.back()))
    throw InputError(fmt::format(
        "{} goes from {} to {} s and its impact is at {} s; give one that has its impact within",
        who(demonstration), times.front(), times.back(), impact_time));
  const auto after = std::ranges::lower_bound(times, impact_time);
  const auto k = static_cast<Index>(after - times.begin());  // first that is not before the impact
  const bool between = *after != impact_time;
  const MatrixXd& y = demonstration.positions;
  const double share = (impact_time - *(after - 1)) / (*after - *(after - 1));
  const Eigen::RowVectorXd there =
      between ? Eigen::RowVectorXd(y.row(k - 1) + share * (y.row(k) - y.row(k - 1)))
              : Eigen::RowVectorXd(y.row(k));
  const Index rest = static_cast<Index>(times.size()) - k - (between ? 0 : 1);

  PrompDemonstration ante, post;
  ante.name = demonstration.name + " before its impact";
  post.name = demonstration.name + " after its impact";
  ante.context = post.context = demonstration.context;
  ante.times.assign(times.begin(), after);
  ante.times.push_back(impact_time);
  post.times.assign(after + (between ? 0 : 1), times.end());
  post.times.insert(post.times.begin(), impact_time);
  ante.positions.resize(k + 1, y.cols());
  ante.positions << y.topRows(k), there;
  post.positions.resize(rest + 1, y.cols());
  post.positions << there, y.bottomRows(rest);
  return {std::move(ante), std::move(post)};
}

PrompState::PrompState(const Promp& promp)
    : position(VectorXd::Zero(promp.dimensions)),
      velocity(position),
      position_covariance(MatrixXd::Zero(promp.dimensions, promp.dimensions)),
      velocity_deviation(position),
      basis(promp.basis),
      values(promp.basis.functions),
      slopes(promp.basis.functions),
      by_weight(promp.weight_count(), promp.dimensions) {}

void promp_at(const Promp& promp, double phase, double duration, PrompState& state) {
  const Index k = promp.basis.functions, all = promp.weight_count();
  state.basis.at(phase, state.values, state.slopes);
  for (Index d = 0; d < promp.dimensions; ++d) {
    state.position[d] = state.values.dot(promp.mean.segment(k * d, k));
    state.velocity[d] = state.slopes.dot(promp.mean.segment(k * d, k)) / duration;
    // of velocities only each dimension's own
    state.by_weight.col(d).head(k).noalias() =
        promp.covariance.block(k * d, k * d, k, k) * state.slopes;
    state.velocity_deviation[d] =
        std::sqrt(std::max(0.0, state.slopes.dot(state.by_weight.col(d).head(k)))) / duration;
  }
  for (Index d = 0; d < promp.dimensions; ++d)
    state.by_weight.col(d).noalias() = promp.covariance.block(0, k * d, all, k) * state.values;
  for (Index d = 0; d < promp.dimensions; ++d)
    for (Index e = 0; e < promp.dimensions; ++e)
      state.position_covariance(d, e) = state.values.dot(state.by_weight.col(e).segment(k * d, k));
}

MatrixXd positions_of(const Promp& promp, const VectorXd& weights,
                      const std::vector<double>& phases) {
  return basis_rows(promp.basis, phases, false) * by_dimension(promp, weights);
}

MatrixXd velocities_of(const Promp& promp, const VectorXd& weights,
                       const std::vector<double>& phases, double duration) {
  return basis_rows(promp.basis, phases, true) * by_dimension(promp, weights) / duration;
}

MatrixXd position_covariance(const Promp& promp, const std::vector<double>& phases) {
  return covariance_of_rows(promp, basis_rows(promp.basis, phases, false));
}

MatrixXd velocity_covariance(const Promp& promp, const std::vector<double>& phases,
                             double duration) {
  return covariance_of_rows(promp, basis_rows(promp.basis, phases, true)) / (duration * duration);
}

MatrixXd position_deviations(const Promp& promp, const std::vector<double>& phases) {
  const MatrixXd rows = basis_rows(promp.basis, phases, false);
  const Index k = promp.basis.functions;
  MatrixXd out(rows.rows(), promp.dimensions);
  for (Index d = 0; d < promp.dimensions; ++d)
    out.col(d) = (rows * promp.covariance.block(k * d, k * d, k, k))
                     .cwiseProduct(rows)
                     .rowwise()
                     .sum()
                     .cwiseMax(0.0)
                     .cwiseSqrt();
  return out;
}

}  // namespace handspan
