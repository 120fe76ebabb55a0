#include "control/ramp.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace handspan {
namespace ramp_test {

TEST(Ramp, GoesInAStraightLineAndEndsExactlyAtItsTarget) {
  Ramp ramp(1.0);
  ramp.set(3.0, 0.5);
  for (int k = 1; k <= 500; ++k) {
    ramp.advance(0.001);
    EXPECT_NEAR(ramp.value(), 1.0 + 0.004 * k, 1e-12);
  }
  ramp.advance(0.001);
  EXPECT_EQ(ramp.value(), 3.0);
  ramp.set(-1.0, 0.004);
  ramp.advance(0.001);
  EXPECT_DOUBLE_EQ(ramp.value(), 2.0);
  ramp.advance(1.0);
  EXPECT_EQ(ramp.value(), -1.0);
}

TEST(Ramp, TurnsRoundFromWhereItIs) {
  Ramp ramp(0.0);
  ramp.set(1.0, 1.0);
  ramp.advance(0.25);
  ramp.set(0.0, 1.0);
  EXPECT_EQ(ramp.value(), 0.25);
  ramp.advance(0.5);
  EXPECT_DOUBLE_EQ(ramp.value(), 0.125);
}

TEST(Ramp, IgnoresWhatIsNotFinite) {
  Ramp ramp(2.0);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, -HUGE_VAL})
    ramp.set(bad, 0.1);
  ramp.advance(1.0);
  EXPECT_EQ(ramp.value(), 2.0);
  EXPECT_EQ(ramp.target(), 2.0);
}

TEST(Ramp, WithoutTimeArrivesAtTheNextAdvanceHoweverShort) {
  for (const double time : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
    for (const double dt : {0.0, 1e-9, 0.001}) {
      Ramp ramp(2.0);
      ramp.set(5.0, time);
      EXPECT_EQ(ramp.value(), 2.0);
      ramp.advance(dt);
      EXPECT_EQ(ramp.value(), 5.0);
    }
}

TEST(Ramp, JumpIsAtOnceAndEndsAnyRamp) {
  Ramp ramp(2.0);
  ramp.set(5.0, 1.0);
  ramp.jump(7.0);
  EXPECT_EQ(ramp.value(), 7.0);
  ramp.advance(0.1);
  EXPECT_EQ(ramp.value(), 7.0);
}

}  // namespace ramp_test
}  // namespace handspan
