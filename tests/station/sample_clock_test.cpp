#include "station/sample_clock.hpp"

#include <gtest/gtest.h>

namespace handspan {
namespace sample_clock_test {

TEST(SampleClock, AnOffsetThatIsToldOtherwiseTurnsNoStampsRound) {
  // as a page's does when a quicker ping comes, in both directions
  for (const double step : {-0.015, -0.03, -0.4, 0.03}) {
    SampleClock clock;
    double before = -1.0;
    for (int i = 0; i < 3000; ++i) {
      const double stamp = 50.0 + 0.011 * i;
      const double time = clock.server_time(stamp, 100.0 + (i > 100 ? step : 0.0));
      if (i > 0) {
        // never faster or slower than by 2 %
        EXPECT_NEAR(time - before, 0.011, 0.011 * 0.0201) << "step " << step << ", sample " << i;
      }
      before = time;
    }
    EXPECT_NEAR(before, 50.0 + 0.011 * 2999 + 100.0 + step, 1e-9);
  }
}

TEST(SampleClock, StampsThatGoBackDo) {
  SampleClock clock;
  EXPECT_EQ(clock.server_time(1.0, 10.0), 11.0);
  EXPECT_EQ(clock.server_time(0.9, 10.0), 10.9);
  // also when the offset makes up for it: half a second is not another clock
  EXPECT_EQ(clock.server_time(0.8, 10.2), 10.8);
}

TEST(SampleClock, AnotherClockIsTakenAtOnce) {
  SampleClock clock;
  clock.server_time(1.0, 10.0);
  EXPECT_EQ(clock.server_time(1.01, 3610.0), 3611.01);
}

}  // namespace sample_clock_test
}  // namespace handspan
