#include "session/tick_times.hpp"

#include <gtest/gtest.h>

namespace handspan {
namespace tick_times_test {

TEST(TickTimes, QuantilesAreRightWithinABin) {
  TickTimes times;
  EXPECT_EQ(times.quantile(0.5), 0.0);
  for (int i = 1; i <= 1000; ++i) times.add(1e-6 * i);
  EXPECT_EQ(times.count(), 1000U);
  for (const double share : {0.01, 0.5, 0.9, 0.99}) {
    EXPECT_GE(times.quantile(share), share * 1e-3 * (1.0 - 1e-9));
    EXPECT_LE(times.quantile(share), share * 1e-3 * 1.037);
  }
  EXPECT_EQ(times.longest(), 1e-3);
  EXPECT_EQ(times.quantile(1.0), 1e-3);
}

TEST(TickTimes, TakesWhatIsBeyondItsBins) {
  TickTimes times;
  times.add(0.0);
  times.add(1e6);
  EXPECT_EQ(times.longest(), 1e6);
  EXPECT_LT(times.quantile(0.5), 1.1e-7);
}

}  // namespace tick_times_test
}  // namespace handspan
