#pragma once
// Probabilistic movement primitives (Paraschos, Daniel, Peters, Neumann: "Using probabilistic
// movement primitives in robotics", Autonomous Robots 42, 2018; below "P18"): a distribution over
// movements, learned from several demonstrations. Positions have any unit, here "u"; several
// mechanisms are dimensions of one movement, so that how they go together is learned too.
//
//   y_d(s) = phi(s)^T w_d   with w ~ N(mean, covariance)                        (P18, eq. 1-4)
//
// w has the weights of dimension 0 first, then those of dimension 1, and so on. What a
// demonstration was made for, such as where the box stood, is its context c. Weights and context
// are one Gaussian, (w, c), so that the movement can be conditioned on a context as on a point.
#include <Eigen/Core>
#include <string>
#include <utility>
#include <vector>

#include "learn/phase_basis.hpp"

namespace handspan {

/// One demonstration. Its phase goes evenly from 0 at its first time to 1 at its last.
struct PrompDemonstration {
  std::string name;           // for messages
  std::vector<double> times;  // rising [s]
  Eigen::MatrixXd positions;  // a row for each time, a column for each dimension [u]
  Eigen::VectorXd context;    // what it was made for; may be empty
};

struct PrompOptions {
  BasisShape basis;     // its functions are the weights of each dimension
  double ridge = 1e-9;  // added to the normal equations of each demonstration's weights
  // Standard deviation [u] that is added to each weight, independent of all others. N
  // demonstrations give a covariance of rank N - 1 at most, less than the number of weights: with
  // this one it is positive definite all the same. 0: refused unless there are enough of them.
  double floor = 1e-3;
};

/// A learned movement.
struct Promp {
  int dimensions = 0;
  BasisShape basis;            // its functions are the weights of each dimension
  int demonstrations = 0;      // that it was learned from
  double duration = 1.0;       // mean of the demonstrations' [s]
  Eigen::VectorXd mean;        // of (w, c)
  Eigen::MatrixXd covariance;  // of (w, c); symmetric and not negative
  // What another demonstration would do is less certain than the covariance says, since mean and
  // covariance were estimated. Its 95 % band is mean +- t sqrt(prediction) deviation, with the
  // 97.5 % quantile t of Student's distribution with this many degrees of freedom.
  int freedom = 0;          // N - 1, less the context that it was conditioned on
  double prediction = 1.0;  // 1 + 1 / N, more after conditioning on a context

  Eigen::Index weight_count() const { return Eigen::Index{dimensions} * basis.functions; }
  Eigen::Index context_count() const { return mean.size() - weight_count(); }
};

/// Weights of each demonstration by ridge regression, w = (Phi^T Phi + ridge I)^-1 Phi^T y (P18,
/// eq. 6), a row for each dimension's after another.
/// @throws InputError that names the demonstration: fewer times than weights, times that do not
/// rise, another number of rows than times, numbers that are not finite, options out of range
Eigen::VectorXd promp_weights(const PrompDemonstration& demonstration, const PrompOptions& options);

/// Mean and covariance (by N - 1) of weights and context over the demonstrations.
/// @throws InputError as promp_weights(), and: demonstrations of different numbers of dimensions or
/// contexts; fewer than 2 of them, or than the context's numbers and 2 (its part of the covariance
/// would be singular, or explain all that is left); a context that does not vary, or whose numbers
/// depend on one another; floor 0 with fewer of them than weights, context and 1
Promp learn_promp(const std::vector<PrompDemonstration>& demonstrations,
                  const PrompOptions& options = {});

/// A demonstration in two at an impact: the first ends there, the second begins there, so that
/// the impact is at phase 1 of all first parts and at phase 0 of all second ones, whenever it came.
/// Where no sample is at that time, both get one, on the line between its neighbours.
/// @throws InputError that names the demonstration: no impact within its times, or at an end
std::pair<PrompDemonstration, PrompDemonstration> split_at_impact(
    const PrompDemonstration& demonstration, double impact_time);

/// A movement as it is asked at one moment; the workspace of promp_at().
struct PrompState {
  explicit PrompState(const Promp& promp);

  Eigen::VectorXd position, velocity;   // means (D) [u, u/s]
  Eigen::MatrixXd position_covariance;  // over the dimensions (D x D) [u^2]
  Eigen::VectorXd velocity_deviation;   // standard deviations (D) [u/s]

  PhaseBasis basis;
  Eigen::VectorXd values, slopes;  // of the basis
  Eigen::MatrixXd by_weight;       // scratch
};

/// Mean position and velocity and their covariances at a phase, when the whole movement takes
/// `duration` [s], > 0. Before 0 and after 1 it goes on straight (PhaseBasis). Allocates nothing.
void promp_at(const Promp& promp, double phase, double duration, PrompState& state);

/// The movement with these weights, at some phases: a row for each, a column for each dimension.
Eigen::MatrixXd positions_of(const Promp& promp, const Eigen::VectorXd& weights,
                             const std::vector<double>& phases);
/// The same of its velocities when it takes `duration` [s].
Eigen::MatrixXd velocities_of(const Promp& promp, const Eigen::VectorXd& weights,
                              const std::vector<double>& phases, double duration);

/// Covariance of all positions at n phases (n D x n D) [u^2]: of dimension 0 all phases first, then
/// of dimension 1, and so on.
Eigen::MatrixXd position_covariance(const Promp& promp, const std::vector<double>& phases);
/// The same of velocities when it takes `duration` [s].
Eigen::MatrixXd velocity_covariance(const Promp& promp, const std::vector<double>& phases,
                                    double duration);
/// Standard deviations of positions: a row for each phase, a column for each dimension [u].
Eigen::MatrixXd position_deviations(const Promp& promp, const std::vector<double>& phases);

}  // namespace handspan
