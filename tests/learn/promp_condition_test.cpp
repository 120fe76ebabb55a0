// Conditioning against its closed form, and against what it means.
#include "learn/promp_condition.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "core/error.hpp"
#include "support/message_of.hpp"

namespace handspan {
namespace promp_condition_test {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::message_of;

// any movement: weights with a full covariance
Promp any_promp(int dimensions, int weights, int context = 0, std::uint64_t seed = 1) {
  RandomStream random(seed, "any promp");
  Promp promp;
  promp.dimensions = dimensions;
  promp.basis = {weights, 0, 0.7};
  promp.demonstrations = 20;
  promp.freedom = 19;
  promp.prediction = 1.05;
  const Index size = promp.weight_count() + context;
  promp.mean.resize(size);
  for (double& x : promp.mean) x = random.normal();
  MatrixXd root(size, size);
  for (double& x : root.reshaped()) x = random.normal(0.0, 0.3);
  promp.covariance = root * root.transpose() + 0.01 * MatrixXd::Identity(size, size);
  return promp;
}

VectorXd basis_at(int weights, double phase) {
  VectorXd value(weights), slope(weights);
  PhaseBasis({weights, 0, 0.7}).at(phase, value, slope);
  return value;
}

TEST(PrompCondition, IsTheClosedForm) {
  const Promp promp = any_promp(3, 6);
  ViaPoint via;
  via.phase = 0.4;
  via.dimensions = {2, 0};
  via.position = Eigen::Vector2d(0.3, -0.2);
  via.covariance = (MatrixXd(2, 2) << 0.02, 0.005, 0.005, 0.01).finished();
  const Promp given = conditioned(promp, via);

  MatrixXd H = MatrixXd::Zero(2, 18);
  H.row(0).segment(12, 6) = basis_at(6, 0.4).transpose();
  H.row(1).segment(0, 6) = basis_at(6, 0.4).transpose();
  const MatrixXd& S = promp.covariance;
  const MatrixXd K = S * H.transpose() * (via.covariance + H * S * H.transpose()).inverse();
  EXPECT_LT((given.mean - promp.mean - K * (via.position - H * promp.mean)).norm(), 1e-12);
  EXPECT_LT((given.covariance - (S - K * H * S)).norm(), 1e-12);
}

// one dimension: the product of two normal distributions
TEST(PrompCondition, WeighsThePointAgainstTheMovement) {
  const Promp promp = any_promp(1, 7);
  PrompState state(promp);
  promp_at(promp, 0.6, 1.0, state);
  const double m = state.position[0], v = state.position_covariance(0, 0), y = 2.0, r = 0.3;
  ViaPoint via;
  via.phase = 0.6;
  via.position = VectorXd::Constant(1, y);
  via.covariance = MatrixXd::Constant(1, 1, r);
  const Promp given = conditioned(promp, via);
  promp_at(given, 0.6, 1.0, state);
  EXPECT_NEAR(state.position[0], (r * m + v * y) / (v + r), 1e-12);
  EXPECT_NEAR(state.position_covariance(0, 0), v * r / (v + r), 1e-12);
}

TEST(PrompCondition, PassesAnExactPoint) {
  const Promp promp = any_promp(4, 5);
  ViaPoint via;
  via.phase = 0.25;
  via.position = Eigen::Vector4d(1.0, -2.0, 0.5, 0.0);
  const Promp given = conditioned(promp, via);
  PrompState state(given);
  promp_at(given, 0.25, 1.0, state);
  EXPECT_LT((state.position - via.position).norm(), 1e-11);
  EXPECT_LT(state.position_covariance.norm(), 1e-11);
}

TEST(PrompCondition, OrderOfPointsDoesNotMatter) {
  const Promp promp = any_promp(2, 9, 2);
  ViaPoint a, b;
  a.phase = 0.2;
  a.dimensions = {0};
  a.position = VectorXd::Constant(1, 0.7);
  a.covariance = MatrixXd::Constant(1, 1, 0.01);
  b.phase = 0.9;
  b.dimensions = {1};
  b.position = VectorXd::Constant(1, -0.7);
  const Promp ab = conditioned(conditioned(promp, a), b),
              ba = conditioned(conditioned(promp, b), a);
  EXPECT_LT((ab.mean - ba.mean).norm(), 1e-10);
  EXPECT_LT((ab.covariance - ba.covariance).norm(), 1e-10);
  EXPECT_EQ(ab.context_count(), 2);
  // and the context learns from where the movement goes
  EXPECT_GT((ab.mean.tail(2) - promp.mean.tail(2)).norm(), 1e-3);
}

TEST(PrompCondition, OneHandMovesTheOther) {
  std::vector<PrompDemonstration> all;
  for (int i = 0; i < 30; ++i) {
    RandomStream random(static_cast<std::uint64_t>(i), "hands");
    const double reach = random.normal(0.4, 0.05);
    PrompDemonstration d;
    d.name = std::to_string(i);
    d.positions.resize(100, 2);
    for (int k = 0; k < 100; ++k) {
      d.times.push_back(0.01 * k);
      d.positions.row(k) << reach * k / 99.0, 1.0 - reach * k / 99.0;
    }
    all.push_back(d);
  }
  const Promp promp = learn_promp(all);
  ViaPoint via;
  via.dimensions = {0};
  via.position = VectorXd::Constant(1, 0.5);
  const Promp given = conditioned(promp, via);
  PrompState state(given);
  promp_at(given, 1.0, 1.0, state);
  // to 1 mm: the floor of 1 mm beside the deviation of 50 mm
  EXPECT_NEAR(state.position[1], 0.5, 1e-3);
}

// movements that depend on the context along a line, with noise
std::vector<PrompDemonstration> with_context(int n, std::uint64_t seed, double noise) {
  std::vector<PrompDemonstration> all;
  RandomStream random(seed, "context");
  for (int i = 0; i < n; ++i) {
    PrompDemonstration d;
    d.name = std::to_string(i);
    d.context = Eigen::Vector2d(random.normal(0.0, 0.05), random.normal(0.6, 0.05));
    const double end = 0.3 + 1.5 * d.context[0] - 0.7 * d.context[1] + noise * random.normal();
    d.positions.resize(60, 1);
    for (int k = 0; k < 60; ++k) {
      d.times.push_back(0.01 * k);
      d.positions(k, 0) = end * k / 59.0;
    }
    all.push_back(d);
  }
  return all;
}

TEST(PrompCondition, FollowsTheContext) {
  const Promp promp = learn_promp(with_context(20, 4, 0.0));
  for (const auto& c : {Eigen::Vector2d(0.05, 0.55), Eigen::Vector2d(-0.05, 0.65)}) {
    const Promp given = conditioned_on_context(promp, c);
    EXPECT_EQ(given.context_count(), 0);
    EXPECT_EQ(given.mean.size(), 10);
    PrompState state(given);
    promp_at(given, 1.0, 1.0, state);
    EXPECT_NEAR(state.position[0], 0.3 + 1.5 * c[0] - 0.7 * c[1], 1e-5);
    EXPECT_LT(std::sqrt(state.position_covariance(0, 0)), 1.1e-3);
  }
}

TEST(PrompCondition, AnUncertainContextMovesItLess) {
  const Promp promp = learn_promp(with_context(20, 4, 0.01));
  const Eigen::Vector2d c(0.1, 0.6);
  PrompState state(promp);
  const auto end = [&](const Promp& of) {
    promp_at(of, 1.0, 1.0, state);
    return state.position[0];
  };
  const double without = end(promp), sure = end(conditioned_on_context(promp, c)),
               unsure =
                   end(conditioned_on_context(promp, c, promp.covariance.bottomRightCorner(2, 2)));
  // as sure of the context as of the demonstrations: half of the way
  EXPECT_NEAR(unsure, 0.5 * (without + sure), 1e-9);
}

// Of a new demonstration the 95 % band holds 95 %, with as few as 5 of them.
TEST(PrompCondition, BandsHoldTheShareThatTheySay) {
  constexpr int kRuns = 4000;
  // 97.5 % quantiles of Student's distribution with 4 and 2 degrees of freedom
  constexpr double kFour = 2.7764451051977987, kTwo = 4.302652729696142;
  int within = 0, within_given = 0;
  for (int run = 0; run < kRuns; ++run) {
    auto all = with_context(6, static_cast<std::uint64_t>(run), 0.02);
    const PrompDemonstration held_out = all.back();
    all.pop_back();
    PrompOptions options;
    options.floor = 1e-9;
    const Promp promp = learn_promp(all, options);
    const auto holds = [&](const Promp& of, double t) {
      PrompState state(of);
      promp_at(of, 1.0, 1.0, state);
      const double band = t * std::sqrt(of.prediction * state.position_covariance(0, 0));
      return std::abs(held_out.positions(59, 0) - state.position[0]) <= band;
    };
    EXPECT_EQ(promp.freedom, 4);
    within += holds(promp, kFour);
    const Promp given = conditioned_on_context(promp, held_out.context);
    EXPECT_EQ(given.freedom, 2);
    within_given += holds(given, kTwo);
  }
  // four standard deviations of a share of 0.95 of 4000
  EXPECT_NEAR(within, 0.95 * kRuns, 4.0 * std::sqrt(0.95 * 0.05 * kRuns));
  EXPECT_NEAR(within_given, 0.95 * kRuns, 4.0 * std::sqrt(0.95 * 0.05 * kRuns));
}

TEST(PrompSampler, DrawsFromTheDistribution) {
  const Promp promp = any_promp(2, 3, 1);
  const PrompSampler sampler(promp);
  RandomStream random(7, "draws");
  constexpr int kDraws = 40000;
  VectorXd mean = VectorXd::Zero(6);
  MatrixXd S = MatrixXd::Zero(6, 6);
  for (int i = 0; i < kDraws; ++i) {
    const VectorXd w = sampler.draw(random);
    mean += w / kDraws;
    S += (w - promp.mean.head(6)) * (w - promp.mean.head(6)).transpose() / kDraws;
  }
  // five standard errors
  const double largest = promp.covariance.diagonal().maxCoeff();
  EXPECT_LT((mean - promp.mean.head(6)).cwiseAbs().maxCoeff(), 5.0 * std::sqrt(largest / kDraws));
  EXPECT_LT((S - promp.covariance.topLeftCorner(6, 6)).cwiseAbs().maxCoeff(),
            5.0 * largest * std::sqrt(2.0 / kDraws));
}

TEST(PrompSampler, EqualSeedsGiveEqualBits) {
  const PrompSampler sampler(any_promp(2, 3));
  RandomStream a(7, "draws"), b(7, "draws"), c(8, "draws");
  const VectorXd first = sampler.draw(a);
  EXPECT_TRUE(first == sampler.draw(b));
  EXPECT_FALSE(first == sampler.draw(c));
}

TEST(PrompSampler, DrawsWhatPassesAPoint) {
  ViaPoint via;
  via.phase = 1.0;
  via.position = Eigen::Vector2d(1.0, 2.0);
  const Promp given = conditioned(any_promp(2, 6), via);  // a singular covariance
  const PrompSampler sampler(given);
  RandomStream random(3, "draws");
  for (int i = 0; i < 20; ++i)
    EXPECT_LT(
        (positions_of(given, sampler.draw(random), {1.0}).row(0).transpose() - via.position).norm(),
        1e-6);
}

template <class F>
std::string refusal(F&& change) {
  Promp promp = any_promp(2, 4, 1);
  ViaPoint via;
  via.phase = 0.5;
  via.position = Eigen::Vector2d(0.1, 0.2);
  change(promp, via);
  return message_of([&] { conditioned(promp, via); });
}

TEST(PrompCondition, BadPointsAreRefused) {
  EXPECT_EQ(refusal([](auto&, auto&) {}), "no error");
  EXPECT_EQ(refusal([](auto&, auto& via) { via.dimensions = {0, 2}; }),
            "a point is asked for in dimension 2; give each once, from 0 to 1");
  EXPECT_EQ(refusal([](auto&, auto& via) { via.dimensions = {1, 1}; }),
            "a point is asked for in dimension 1; give each once, from 0 to 1");
  EXPECT_EQ(refusal([](auto&, auto& via) { via.dimensions = {1}; }),
            "a point has 2 numbers; give 1 finite ones");
  EXPECT_EQ(refusal([](auto&, auto& via) { via.position[0] = std::nan(""); }),
            "a point has 2 numbers; give 2 finite ones");
  EXPECT_EQ(refusal([](auto&, auto& via) { via.phase = HUGE_VAL; }),
            "a point is asked for at phase inf; give a finite one, 0 to 1 within the movement");
  EXPECT_EQ(refusal([](auto&, auto& via) { via.covariance = MatrixXd::Identity(3, 3); }),
            "the covariance of a point is 3 x 3; give 2 x 2, or none");
  EXPECT_EQ(refusal([](auto&, auto& via) { via.covariance = -MatrixXd::Identity(2, 2); }),
            "the covariance of a point is not positive: its least eigenvalue is -1; none may be "
            "below 0");
  EXPECT_EQ(refusal([](auto& promp, auto&) { promp.covariance.setZero(); }),
            "a point cannot be asked for exactly, since the movement does not vary there, or not "
            "in all dimensions apart; give a covariance > 0");
}

TEST(PrompCondition, BadContextsAreRefused) {
  EXPECT_EQ(message_of([] { conditioned_on_context(any_promp(1, 3), VectorXd::Zero(1)); }),
            "the movement was learned without a context; learn it with one, or do not condition on "
            "one");
  EXPECT_EQ(message_of([] { conditioned_on_context(any_promp(1, 3, 2), VectorXd::Zero(1)); }),
            "the context has 1 numbers; give 2 finite ones");
}

TEST(PrompCondition, SaysWhatIsWrongWithACovariance) {
  MatrixXd S = MatrixXd::Identity(3, 3);
  EXPECT_EQ(covariance_fault(S), "");
  EXPECT_EQ(covariance_fault(MatrixXd::Zero(3, 3)), "");
  S(0, 1) = 0.5;
  EXPECT_EQ(covariance_fault(S),
            "is not symmetric: row 2 column 1 is 0, row 1 column 2 is 0.5; both must be the same");
  S(1, 0) = std::nan("");
  EXPECT_EQ(covariance_fault(S), "has a number that is not finite; all must be");
  EXPECT_EQ(covariance_fault(MatrixXd::Zero(2, 3)), "is 2 x 3; it must be square");
}

}  // namespace promp_condition_test
}  // namespace handspan
