#include "core/ring.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <thread>

#include "support/alloc.hpp"

namespace handspan {
namespace ring_test {

TEST(Ring, ItsCapacityIsTheNextPowerOfTwo) {
  for (const auto& [asked, fits] :
       std::vector<std::pair<std::size_t, int>>{{1, 1}, {2, 2}, {3, 4}, {8, 8}, {9, 16}}) {
    Ring<int> ring(asked);
    int pushed = 0;
    while (ring.push(pushed)) ++pushed;
    EXPECT_EQ(pushed, fits) << asked;
    EXPECT_EQ(ring.lost(), 1U);
  }
}

TEST(Ring, GivesWhatWasPushedInOrderAndCountsWhatDidNotFit) {
  Ring<int> ring(8);
  std::deque<int> expected;
  std::uint64_t lost = 0;
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    if (random() % 2 == 0) {
      const bool fits = expected.size() < 8;
      ASSERT_EQ(ring.push(i), fits) << "seed 1, " << i;
      if (fits)
        expected.push_back(i);
      else
        ++lost;
    } else {
      int value = -1;
      ASSERT_EQ(ring.take(value), !expected.empty()) << "seed 1, " << i;
      if (expected.empty()) continue;
      ASSERT_EQ(value, expected.front());
      expected.pop_front();
    }
  }
  EXPECT_EQ(ring.lost(), lost);
  EXPECT_GT(lost, 0U);
}

TEST(Ring, BetweenThreadsEveryValueIsWholeAndInOrder) {
  struct Value {
    std::uint64_t a = 0, b = 0, c = 0;
  };
  Ring<Value> ring(64);
  constexpr std::uint64_t kCount = 200'000;
  std::uint64_t pushed = 0;
  std::jthread writer([&] {
    for (std::uint64_t i = 1; i <= kCount; ++i)
      while (!ring.push({i, ~i, i * i})) std::this_thread::yield();
    pushed = kCount;
  });
  std::uint64_t expected = 1;
  while (expected <= kCount) {
    Value value;
    if (!ring.take(value)) {
      std::this_thread::yield();
      continue;
    }
    ASSERT_EQ(value.a, expected);
    ASSERT_EQ(value.b, ~expected);
    ASSERT_EQ(value.c, expected * expected);
    ++expected;
  }
  writer.join();
  Value none;
  EXPECT_FALSE(ring.take(none));
}

TEST(Ring, PushingAndTakingAllocateNothing) {
  Ring<int> ring(4);
  const test::AllocationCount allocations;
  int value = 0;
  for (int i = 0; i < 100; ++i) {
    ring.push(i);
    if (i % 3 == 0) ring.take(value);
  }
  EXPECT_EQ(allocations.count(), 0U);
}

}  // namespace ring_test
}  // namespace handspan
