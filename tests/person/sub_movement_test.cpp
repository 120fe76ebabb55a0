#include "person/sub_movement.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <numbers>

namespace handspan {
namespace sub_movement_test {

TEST(MinimumJerk, IsTheWayOfLeastJerkFromRestToRest) {
  EXPECT_EQ(minimum_jerk(-1.0), 0.0);
  EXPECT_EQ(minimum_jerk(0.0), 0.0);
  EXPECT_EQ(minimum_jerk(1.0), 1.0);
  EXPECT_EQ(minimum_jerk(2.0), 1.0);
  EXPECT_DOUBLE_EQ(minimum_jerk(0.5), 0.5);
  EXPECT_DOUBLE_EQ(minimum_jerk_rate(0.5), kMinimumJerkPeak);
  EXPECT_EQ(minimum_jerk_rate(0.0), 0.0);
  EXPECT_EQ(minimum_jerk_rate(1.0), 0.0);
  // its cost is 720 D^2 / T^5; a way that differs costs more
  const auto cost = [](double other) {
    constexpr int n = 2000;
    constexpr double h = 1.0 / n;
    const auto s = [&](double x) {
      return minimum_jerk(x) + other * x * x * x * std::pow(1.0 - x, 3);
    };
    double sum = 0.0;
    for (int i = 3; i < n - 3; i += 1) {
      const double x = i * h;
      const double jerk =
          (s(x + 2 * h) - 2 * s(x + h) + 2 * s(x - h) - s(x - 2 * h)) / (2 * h * h * h);
      sum += jerk * jerk * h;
    }
    return sum;
  };
  // the sum leaves out three steps at either end, where jerk^2 is 3600
  EXPECT_NEAR(cost(0.0), 720.0, 6 * 3600.0 / 2000);
  EXPECT_GT(cost(3.0), cost(0.0) + 30.0);
  EXPECT_GT(cost(-3.0), cost(0.0) + 30.0);
}

TEST(MinimumJerk, RateIsTheDerivative) {
  for (double x = 0.05; x < 1.0; x += 0.1)
    EXPECT_NEAR((minimum_jerk(x + 1e-6) - minimum_jerk(x - 1e-6)) / 2e-6, minimum_jerk_rate(x),
                1e-8);
}

TEST(MovementTime, GrowsByTheSlopeWithEachBit) {
  EXPECT_DOUBLE_EQ(movement_time(0.3, 0.1, 0.1, 0.15), 0.1 + 2 * 0.15);
  EXPECT_DOUBLE_EQ(movement_time(0.7, 0.1, 0.1, 0.15), 0.1 + 3 * 0.15);
  EXPECT_DOUBLE_EQ(movement_time(0.0, 0.1, 0.1, 0.15), 0.1);
}

TEST(SubMovement, GoesStraightAndTurnsAboutOneAxis) {
  SubMovement m;
  m.p_VC0 = {1.0, 2.0, 3.0};
  m.q_VC0 = exp_quaternion({0.1, 0.2, 0.3});
  m.d_V = {0.3, -0.2, 0.1};
  m.phi_V = {0.0, 0.0, 0.8};
  m.start = kSecond;
  m.duration = kSecond / 2;
  const auto at = [&](double share) { return m.at(kSecond + std::llround(share * 5e8)); };
  EXPECT_LT((at(0.0).p - m.p_VC0).norm(), 1e-15);
  EXPECT_LT((at(0.5).p - m.p_VC0 - 0.5 * m.d_V).norm(), 1e-15);
  EXPECT_LT((at(0.5).R - exp_so3({0.0, 0.0, 0.4}) * m.q_VC0.toRotationMatrix()).norm(), 1e-14);
  EXPECT_LT((at(7.0).p - m.p_VC0 - m.d_V).norm(), 1e-15);
  EXPECT_TRUE(m.over(kSecond * 3 / 2));
  EXPECT_FALSE(m.over(kSecond * 3 / 2 - 1));
  const Nanoseconds t = kSecond + 100'000'000, h = 100'000;
  const Vector6d V = m.velocity(t);
  EXPECT_LT(((m.at(t + h).p - m.at(t - h).p) / seconds(2 * h) - V.head<3>()).norm(), 1e-6);
  EXPECT_LT(
      (log_so3(m.at(t + h).R * m.at(t - h).R.transpose()) / seconds(2 * h) - V.tail<3>()).norm(),
      1e-6);
  EXPECT_TRUE(m.velocity(2 * kSecond).isZero(0.0));
}

TEST(Tremor, HasItsStrengthAndItsBand) {
  constexpr double kRms = 3e-4;
  RandomStream random(7, "tremor");
  const Tremor tremor(kRms, random);
  // 40 s at 100 Hz
  constexpr int n = 4000;
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<double> x(n);
    double power = 0.0;
    for (int i = 0; i < n; ++i) {
      const double p = tremor.at(Nanoseconds{i} * 10'000'000)[axis];
      power += p * p / n;
      x[static_cast<std::size_t>(i)] = p * (1.0 - std::cos(2.0 * std::numbers::pi * i / n));
    }
    // two of the sines may be near to one another and beat
    EXPECT_NEAR(std::sqrt(power), kRms, 0.15 * kRms);
    double inside = 0.0, all = 0.0;
    for (int k = 1; k < n / 2; ++k) {
      std::complex<double> sum = 0.0;
      for (int i = 0; i < n; ++i)
        sum += x[static_cast<std::size_t>(i)] *
               std::polar(1.0, -2.0 * std::numbers::pi * std::fmod(double(k) * i, n) / n);
      const double hz = k / 40.0;
      all += std::norm(sum);
      if (hz > 7.9 && hz < 12.1) inside += std::norm(sum);
    }
    EXPECT_GT(inside, 0.999 * all);
  }
}

}  // namespace sub_movement_test
}  // namespace handspan
