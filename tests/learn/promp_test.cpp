// Movements that are known beforehand are found again, and what cannot be learned is refused.
#include "learn/promp.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "core/random.hpp"
#include "support/alloc.hpp"
#include "support/message_of.hpp"

namespace handspan {
namespace promp_test {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::message_of;

std::vector<double> ticks(int n, double step, double start = 0.0) {
  std::vector<double> times;
  for (int i = 0; i < n; ++i) times.push_back(start + step * i);
  return times;
}

// two dimensions; the second does what the first does, and its own
PrompDemonstration drawn(int seed, int samples = 200) {
  RandomStream random(static_cast<std::uint64_t>(seed), "promp");
  const double a = random.normal(1.0, 0.2), b = random.normal(0.5, 0.1);
  PrompDemonstration d;
  d.name = "seed " + std::to_string(seed);
  d.times = ticks(samples, 0.005, 3.0);
  d.positions.resize(samples, 2);
  for (int i = 0; i < samples; ++i) {
    const double s = static_cast<double>(i) / (samples - 1);
    d.positions.row(i) << a * s * s, a * s * s + b * std::sin(3.0 * s);
  }
  return d;
}

std::vector<PrompDemonstration> many(int n) {
  std::vector<PrompDemonstration> all;
  for (int i = 0; i < n; ++i) all.push_back(drawn(i));
  return all;
}

TEST(Promp, WeightsOfAMovementOfTheBasisAreFoundAgain) {
  Promp promp;
  promp.dimensions = 3;
  promp.basis = {8, 0, 0.7};
  RandomStream random(1, "weights");
  VectorXd w(24);
  for (double& x : w) x = random.normal();
  PrompDemonstration d;
  d.times = ticks(300, 0.01, 7.0);
  std::vector<double> phases;
  for (int i = 0; i < 300; ++i) phases.push_back(i / 299.0);
  d.positions = positions_of(promp, w, phases);
  PrompOptions options;
  options.basis = {8, 0, 0.7};
  // ridge 1e-9 beside eigenvalues above 1e-1 shortens weights by less than 1e-8
  EXPECT_LT((promp_weights(d, options) - w).cwiseAbs().maxCoeff(), 1e-7);
}

// A hand that goes on at an impact: its velocity there is what reference spreading needs
TEST(Promp, FollowsPositionsAndVelocitiesToTheEnd) {
  PrompDemonstration d;
  d.times = ticks(1001, 0.001);
  d.positions.resize(1001, 2);
  for (int i = 0; i < 1001; ++i)
    d.positions.row(i) << 0.4 * d.times[static_cast<std::size_t>(i)],
        std::sin(2.0 * d.times[static_cast<std::size_t>(i)]);
  Promp promp;
  promp.dimensions = 2;
  const VectorXd w = promp_weights(d, PrompOptions());
  const MatrixXd y = positions_of(promp, w, d.times), v = velocities_of(promp, w, d.times, 1.0);
  EXPECT_LT((y - d.positions).cwiseAbs().maxCoeff(), 5e-5);
  for (int i = 0; i < 1001; ++i) {
    EXPECT_NEAR(v(i, 0), 0.4, 1e-3);
    EXPECT_NEAR(v(i, 1), 2.0 * std::cos(2.0 * d.times[static_cast<std::size_t>(i)]), 1e-2);
  }
}

TEST(Promp, MeanAndCovarianceAreThoseOfTheWeights) {
  const auto all = many(9);
  const PrompOptions options;
  const Promp promp = learn_promp(all, options);
  VectorXd mean = VectorXd::Zero(20);
  for (const auto& d : all) mean += promp_weights(d, options) / 9.0;
  EXPECT_LT((promp.mean - mean).norm(), 1e-13);
  MatrixXd S = 1e-6 * MatrixXd::Identity(20, 20);
  for (const auto& d : all) {
    const VectorXd off = promp_weights(d, options) - mean;
    S += off * off.transpose() / 8.0;
  }
  EXPECT_LT((promp.covariance - S).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_NEAR(promp.duration, 199 * 0.005, 1e-12);
  EXPECT_EQ(promp.demonstrations, 9);
  EXPECT_EQ(promp.freedom, 8);
  EXPECT_NEAR(promp.prediction, 10.0 / 9.0, 1e-15);
}

TEST(Promp, StatesAreThoseOfTheWholeMovement) {
  const Promp promp = learn_promp(many(12));
  PrompState state(promp);
  const std::vector<double> phases = {-0.1, 0.0, 0.21, 0.5, 0.77, 1.0, 1.25};
  const MatrixXd position = positions_of(promp, promp.mean, phases);
  const MatrixXd velocity = velocities_of(promp, promp.mean, phases, 2.5);
  const MatrixXd deviation = position_deviations(promp, phases);
  const MatrixXd all = position_covariance(promp, phases);
  const MatrixXd rates = velocity_covariance(promp, phases, 2.5);
  const auto n = static_cast<Index>(phases.size());
  for (Index i = 0; i < n; ++i) {
    promp_at(promp, phases[static_cast<std::size_t>(i)], 2.5, state);
    EXPECT_LT((state.position - position.row(i).transpose()).norm(), 1e-13);
    EXPECT_LT((state.velocity - velocity.row(i).transpose()).norm(), 1e-12);
    for (Index d = 0; d < 2; ++d) {
      EXPECT_NEAR(std::sqrt(state.position_covariance(d, d)), deviation(i, d), 1e-12);
      EXPECT_NEAR(state.velocity_deviation[d], std::sqrt(rates(n * d + i, n * d + i)), 1e-10);
      for (Index e = 0; e < 2; ++e)
        EXPECT_NEAR(state.position_covariance(d, e), all(n * d + i, n * e + i), 1e-13);
    }
  }
}

TEST(Promp, VelocitiesAreRatesOfPositionsAtAnyDuration) {
  const Promp promp = learn_promp(many(5));
  PrompState state(promp), low(promp), high(promp);
  for (const double duration : {0.5, 1.0, 4.0})
    for (const double t : {0.1, 0.35, 0.45}) {
      const double h = 1e-6;
      promp_at(promp, t / duration, duration, state);
      promp_at(promp, (t - h) / duration, duration, low);
      promp_at(promp, (t + h) / duration, duration, high);
      EXPECT_LT(((high.position - low.position) / (2.0 * h) - state.velocity).norm(), 1e-6);
    }
}

TEST(Promp, HandsThatMoveTogetherAreCorrelated) {
  // dimension 1 has dimension 0 within it, whose part is what they share
  const Promp promp = learn_promp(many(200));
  PrompState state(promp);
  promp_at(promp, 1.0, 1.0, state);
  const auto& C = state.position_covariance;
  EXPECT_NEAR(C(0, 1) / C(0, 0), 1.0, 0.1);
  EXPECT_NEAR(std::sqrt(C(0, 0)), 0.2, 0.03);
}

TEST(Promp, StatesAllocateNothing) {
  const Promp promp = learn_promp(many(5));
  PrompState state(promp);
  const test::AllocationCount count;
  promp_at(promp, 0.4, 1.0, state);
  promp_at(promp, 1.4, 1.0, state);
  EXPECT_EQ(count.count(), 0U);
}

TEST(Promp, AnImpactIsWherePartsMeet) {
  PrompDemonstration d = drawn(3);
  d.context = VectorXd::Constant(1, 0.4);
  // between samples, and on one
  for (const double impact : {3.0 + 0.005 * 80.4, d.times[80]}) {
    const auto [ante, post] = split_at_impact(d, impact);
    EXPECT_EQ(ante.times.back(), impact);
    EXPECT_EQ(post.times.front(), impact);
    EXPECT_EQ(ante.positions.rows(), static_cast<Index>(ante.times.size()));
    EXPECT_EQ(post.positions.rows(), static_cast<Index>(post.times.size()));
    EXPECT_EQ(ante.times.front(), d.times.front());
    EXPECT_EQ(post.times.back(), d.times.back());
    const std::size_t shared = impact == d.times[80] ? 1 : 2;
    EXPECT_EQ(ante.times.size() + post.times.size(), d.times.size() + shared);
    EXPECT_TRUE(ante.positions.bottomRows(1) == post.positions.topRows(1));
    const double share = (impact - d.times[80]) / 0.005;
    const Eigen::RowVector2d there =
        d.positions.row(80) + share * (d.positions.row(81) - d.positions.row(80));
    EXPECT_LT((post.positions.row(0) - there).norm(), 1e-13);
    EXPECT_EQ(post.context, d.context);
    EXPECT_EQ(ante.name, "seed 3 before its impact");
  }
}

TEST(Promp, ImpactsOutsideADemonstrationAreRefused) {
  const PrompDemonstration d = drawn(3, 11);
  EXPECT_EQ(message_of([&] { split_at_impact(d, 3.2); }),
            "demonstration 'seed 3' goes from 3 to 3.05 s and its impact is at 3.2 s; give one "
            "that has its impact within");
  EXPECT_NE(message_of([&] { split_at_impact(d, std::nan("")); }), "no error");
  EXPECT_NE(message_of([&] { split_at_impact(d, 3.0); }), "no error");
  EXPECT_NE(message_of([&] { split_at_impact(PrompDemonstration(), 3.0); }), "no error");
}

// What is refused, by what is changed in three good demonstrations.
template <class F>
std::string refusal(F&& change) {
  auto all = many(4);
  PrompOptions options;
  for (auto& d : all) d.context = VectorXd::Constant(1, d.positions(199, 0));
  change(all, options);
  return message_of([&] { learn_promp(all, options); });
}

TEST(Promp, TooFewDemonstrationsAreRefused) {
  EXPECT_EQ(refusal([](auto& all, auto&) { all.resize(2); }),
            "there are 2 demonstrations for a covariance with 1 numbers of context; give 3 at "
            "least, or less context");
  EXPECT_EQ(refusal([](auto& all, auto&) { all.clear(); }),
            "there are 0 demonstrations for a covariance with 0 numbers of context; give 2 at "
            "least");
  EXPECT_EQ(refusal([](auto&, auto& options) { options.floor = 0.0; }),
            "there are 4 demonstrations for a covariance of 20 weights and 1 numbers of context, "
            "which is singular below 22; give a floor > 0, such as 1e-3, or more of them");
  EXPECT_EQ(refusal([](auto&, auto&) {}), "no error");
  EXPECT_EQ(message_of([] {
              PrompOptions options;
              options.floor = 0.0;
              options.basis = {3, 0, 0.7};
              learn_promp(many(7), options);
            }),
            "no error");
}

TEST(Promp, BadDemonstrationsAreNamed) {
  EXPECT_EQ(refusal([](auto& all, auto&) { all[1].times[7] = all[1].times[6]; }),
            "demonstration 'seed 1': time 8 is 3.03 s; each must be later than the one before");
  EXPECT_EQ(refusal([](auto& all, auto&) { all[2].positions(100, 1) = std::nan(""); }),
            "demonstration 'seed 2': a position at 3.5 s is not finite; leave out what was not "
            "measured");
  EXPECT_EQ(refusal([](auto& all, auto&) { all[0].times.pop_back(); }),
            "demonstration 'seed 0' has 199 times and positions of 200 rows and 2 columns; give a "
            "row for each time and a column for each dimension");
  EXPECT_EQ(refusal([](auto& all, auto&) {
              all[3] = drawn(3, 9);
              all[3].context.setZero(1);
            }),
            "demonstration 'seed 3' has 9 samples for 10 weights a dimension; give as many samples "
            "at least, or fewer weights");
  EXPECT_EQ(refusal([](auto& all, auto&) { all[1].context.setZero(2); }),
            "demonstration 'seed 1' has 2 dimensions and 2 numbers of context, demonstration "
            "'seed 0' has 2 and 1; learn from demonstrations of the same arms and the same "
            "context");
  EXPECT_EQ(refusal([](auto& all, auto&) { all[2].context[0] = HUGE_VAL; }),
            "demonstration 'seed 2': its context is not finite; give what it was made for");
}

TEST(Promp, AContextThatSaysNothingIsRefused) {
  EXPECT_EQ(refusal([](auto& all, auto&) {
              for (auto& d : all) d.context[0] = 0.3;
            }),
            "context 1 is 0.3 in all demonstrations; nothing can be learned about it: leave it "
            "out");
  EXPECT_EQ(refusal([](auto& all, auto&) {
              for (auto& d : all) d.context = Eigen::Vector2d(d.context[0], 2.0 * d.context[0]);
            }),
            "the numbers of the context depend on one another in all demonstrations; leave out "
            "those that follow from the others, or vary them apart");
}

TEST(Promp, OptionsAreChecked) {
  EXPECT_EQ(refusal([](auto&, auto& options) { options.ridge = 0.0; }),
            "ridge is 0; it must be > 0, such as 1e-9");
  EXPECT_EQ(refusal([](auto&, auto& options) { options.floor = -1.0; }),
            "floor is -1; it must be >= 0, such as 1e-3 for a millimetre");
  EXPECT_EQ(refusal([](auto&, auto& options) { options.basis.functions = 1; }),
            "a movement has 1 functions a dimension, 2 of them beyond each end; give at least two "
            "from end to end: 10 with 2 beyond for a reach and a grab, at most 1000");
}

}  // namespace promp_test
}  // namespace handspan
