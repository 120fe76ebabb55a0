// Two arms with all their limits in long runs of absurd references and gains.
#include <gtest/gtest.h>

#include "control/model_run.hpp"

namespace handspan {
namespace problem_run_test {

using namespace test;

// A number that nobody should send, one that is merely large, or a fair one.
double wild(RandomStream& random, double fair) {
  const double absurd[] = {std::numeric_limits<double>::quiet_NaN(),
                           HUGE_VAL,
                           -HUGE_VAL,
                           1e300,
                           -1e300,
                           1e-300,
                           0.0,
                           -0.0};
  if (random.integer(8) == 0) return absurd[random.integer(8)];
  return random.uniform(-fair, fair) * (random.integer(8) == 0 ? 100.0 : 1.0);
}

class Absurd {
 public:
  explicit Absurd(std::uint64_t seed) : random_(seed, "absurd") {}

  // as an operator, a station and a broken tracker might together
  void disturb() {
    const std::size_t side = random_.integer(2);
    FrameTask& hand = *arms.hands[side];
    switch (random_.integer(5)) {
      case 0: {
        PoseReference r;
        r.X_WE.p = Eigen::Vector3d(0.3, side == 0 ? 0.45 : -0.45, 0.4) + 0.8 * random_.direction();
        r.X_WE.R = exp_so3(3.1 * random_.direction());
        hand.set_reference(r);
        break;
      }
      case 1: {
        PoseReference r = hand.reference();
        r.X_WE.p[static_cast<Eigen::Index>(random_.integer(3))] = wild(random_, 1.0);
        r.V_WE[static_cast<Eigen::Index>(random_.integer(6))] = wild(random_, 2.0);
        r.A_WE[static_cast<Eigen::Index>(random_.integer(6))] = wild(random_, 20.0);
        if (random_.integer(4) == 0) r.X_WE.R *= wild(random_, 1.0);
        hand.set_reference(r);
        break;
      }
      case 2: {
        PoseReference r = hand.reference();
        r.X_WE.p = -r.X_WE.p;
        r.V_WE = -r.V_WE;
        hand.set_reference(r);
        break;
      }
      case 3: {
        Task& task = random_.integer(2) == 0 ? static_cast<Task&>(hand) : *arms.postures[side];
        const double time = random_.integer(2) == 0 ? 0.0 : 0.2;
        const double size = std::pow(10.0, random_.uniform(-6.0, 6.0));
        if (random_.integer(2) == 0) task.set_weight(std::abs(wild(random_, size)), time);
        if (random_.integer(2) == 0) task.set_stiffness(std::abs(wild(random_, 3000.0)), time);
        if (random_.integer(2) == 0) task.set_damping(wild(random_, 200.0), time);
        if (random_.integer(2) == 0) task.set_damping(std::nullopt, time);
        break;
      }
      default:
        arms.postures[side]->set_reference(random_vector(7, random_, 3.0),
                                           wild(random_, 1.0) * random_vector(7, random_),
                                           Eigen::VectorXd::Zero(7));
    }
  }

  // the most by which a joint is beyond its position or velocity limits [rad, rad/s]
  double beyond() const {
    double most = 0.0;
    for (std::size_t m = 0; m < 2; ++m)
      for (std::size_t j = 0; j < 7; ++j) {
        const JointLimits& limits = arms.run.system.mechanisms()[m].limits[j];
        const auto k = static_cast<Eigen::Index>(j);
        const double q = arms.run.state->mechanisms[m].q[k], v = arms.run.state->mechanisms[m].v[k];
        most = std::max({most, q - limits.upper, limits.lower - q,
                         v - limits.velocity_curve->upper_velocity(q, limits.velocity),
                         limits.velocity_curve->lower_velocity(q, limits.velocity) - v});
      }
    return most;
  }

  TwoArms arms;
  RandomStream& random() { return random_; }

 private:
  RandomStream random_;
};

TEST(ProblemRun, AbsurdReferencesGainsAndWeightsGiveFiniteCommandsInsideTheJointsLimits) {
  // 25 to 45 us a tick: 10^7 take four to eight minutes, a fiftieth ten seconds
  const int ticks = sized(20) == 20 ? 10'000'000 : 200'000;
  constexpr int kRun = 20'000;
  std::uint64_t relaxed = 0, failed = 0, boxes = 0, outside = 0, empty = 0;
  double worst = 0.0, worst_given_up = 0.0;
  std::array<std::uint64_t, kConstraintKinds> kinds{};
  for (int run = 0; run * kRun < ticks; ++run) {
    Absurd absurd(kSeed + static_cast<std::uint64_t>(run));
    ControlProblem& problem = *absurd.arms.run.problem;
    bool given_up = false;
    for (int k = 0; k < kRun; ++k) {
      if (absurd.random().integer(50) == 0) absurd.disturb();
      const ProblemCounts before = problem.counts();
      absurd.arms.run.tick();
      const ProblemCounts& now = problem.counts();
      for (const auto& s : absurd.arms.run.state->mechanisms)
        ASSERT_TRUE(s.qdd.allFinite() && s.tau.allFinite() && s.q.allFinite() && s.v.allFinite())
            << "seed " << kSeed << " run " << run << " tick " << k;
      constexpr auto kBox = static_cast<std::size_t>(ConstraintKind::kJointBox);
      const double beyond = absurd.beyond();
      // from where a box gave way, or a tick failed, until the joints are inside again
      given_up = (given_up && beyond > 1e-6) || now.by_kind[kBox] > before.by_kind[kBox] ||
                 now.failed > before.failed;
      (given_up ? worst_given_up : worst) = std::max(given_up ? worst_given_up : worst, beyond);
      if (beyond > 1e-6) ++outside;
      if (given_up) ++boxes;
      ASSERT_TRUE(given_up || beyond < 1e-6)
          << beyond << " seed " << kSeed << " run " << run << " tick " << k;
    }
    relaxed += problem.counts().relaxed;
    failed += problem.counts().failed;
    empty += problem.counts().empty_boxes;
    for (std::size_t i = 0; i < kinds.size(); ++i) kinds[i] += problem.counts().by_kind[i];
    for (const FrameTask* hand : absurd.arms.hands) EXPECT_GT(hand->rejected(), 0U);
  }
  fmt::print(
      "absurd: {} ticks, {} relaxed, {} failed, {} empty boxes, {} with a box given up; beyond by "
      "{:.1e} else, {:.1e} then ({} ticks beyond 1e-6); dynamics {} torque {} box {} collision {} "
      "cartesian {} jerk {}\n",
      ticks, relaxed, failed, empty, boxes, worst, worst_given_up, outside, kinds[0], kinds[1],
      kinds[2], kinds[3], kinds[4], kinds[5]);
}

}  // namespace problem_run_test
}  // namespace handspan
