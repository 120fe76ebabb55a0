// Damping that gives a wanted coefficient of restitution in MuJoCo's own steps.
#include "scene/restitution.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/error.hpp"

namespace handspan {
namespace restitution_test {

constexpr std::array<double, 3> kImpedance = {0.9, 0.95, 0.001};

TEST(RestitutionDamping, ReboundsAsAsked) {
  for (const double step : {0.0005, 0.001, 0.002})
    for (const double k : {5e3, 2e4, 4e4})
      for (const double e : {0.05, 0.15, 0.5, 0.9}) {
        if (k * step * step > 0.1) continue;
        const double b = restitution_damping(e, k, step, kImpedance);
        EXPECT_NEAR(simulated_restitution(k, b, step, kImpedance), e, 1e-6)
            << step << " " << k << " " << e;
      }
  EXPECT_LT(simulated_restitution(2e4, restitution_damping(0.0, 2e4, 0.001, kImpedance), 0.001,
                                  kImpedance),
            0.02);
}

TEST(RestitutionDamping, FallsAsTheReboundRises) {
  double before = 1e9;
  for (const double e : {0.0, 0.2, 0.4, 0.6, 0.8, 0.95}) {
    const double b = restitution_damping(e, 2e4, 0.001, kImpedance);
    EXPECT_LT(b, before) << e;
    EXPECT_GE(b, 0.0);
    before = b;
  }
}

TEST(RestitutionDamping, KnowsTheImpedance) {
  const std::array<double, 3> soft = {0.1, 0.2, 0.001};
  const double b = restitution_damping(0.5, 2e4, 0.001, soft);
  EXPECT_NEAR(simulated_restitution(2e4, b, 0.001, soft), 0.5, 1e-6);
  EXPECT_GT(std::abs(simulated_restitution(2e4, b, 0.001, kImpedance) - 0.5), 0.005);
}

TEST(RestitutionDamping, NamesWhatCannotBe) {
  const auto error = [](double e, double k, double step) -> std::string {
    try {
      restitution_damping(e, k, step, kImpedance);
    } catch (const InputError& e2) {
      return e2.what();
    }
    return "no error";
  };
  EXPECT_EQ(error(-0.1, 2e4, 0.001), "restitution is -0.1; it must be 0 to 0.95");
  EXPECT_EQ(error(0.96, 2e4, 0.001), "restitution is 0.96; it must be 0 to 0.95");
  EXPECT_EQ(error(0.5, 0.0, 0.001), "stiffness is 0; it must be > 0");
  EXPECT_EQ(error(0.9, 1e6, 0.001),
            "a contact of stiffness 1000000 1/s^2 lasts less than 8 steps of 0.001 s; use at most "
            "160000");
  EXPECT_EQ(error(0.0, 4e4, 0.002)
                .rfind("a contact of stiffness 40000 1/s^2 rebounds with at least 0.0", 0),
            0U);
}

}  // namespace restitution_test
}  // namespace handspan
