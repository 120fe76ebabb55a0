#include "station/latest.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "core/ring.hpp"

namespace handspan {
namespace latest_test {

TEST(Latest, TheNewestIsSeenAndSeenOnce) {
  Latest<int> latest(0);
  EXPECT_FALSE(latest.refresh());
  latest.place() = 1;
  latest.publish();
  latest.place() = 2;
  latest.publish();
  EXPECT_TRUE(latest.refresh());
  EXPECT_EQ(latest.value(), 2);
  EXPECT_FALSE(latest.refresh());
  EXPECT_EQ(latest.value(), 2);
}

// a value that is torn or older than one before fails this
TEST(Latest, BetweenThreadsValuesAreWholeAndRise) {
  struct Pair {
    long a = 0, b = 0;
  };
  Latest<Pair> latest(Pair{});
  constexpr long kLast = 200'000;
  std::thread writer([&] {
    for (long i = 1; i <= kLast; ++i) {
      latest.place() = {i, -i};
      latest.publish();
    }
  });
  long before = 0;
  while (before < kLast) {
    if (!latest.refresh()) continue;
    ASSERT_EQ(latest.value().a, -latest.value().b);
    ASSERT_GT(latest.value().a, before);
    before = latest.value().a;
  }
  writer.join();
}

TEST(Ring, KeepsOrderAndCountsWhatDoesNotFit) {
  Ring<int> ring(4);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(ring.push(i), i < 4);
  EXPECT_EQ(ring.lost(), 2U);
  int value = -1;
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(ring.take(value));
    EXPECT_EQ(value, i);
  }
  EXPECT_FALSE(ring.take(value));
}

}  // namespace latest_test
}  // namespace handspan
