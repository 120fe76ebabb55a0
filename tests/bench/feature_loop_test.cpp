// That what the bench times with features has them, and what it times without has none.
#include "bench/control/feature_loop.hpp"

#include <gtest/gtest.h>

#include "support/alloc.hpp"

namespace handspan {
namespace feature_loop_test {

const std::filesystem::path kRoot = HANDSPAN_SOURCE_DIR;

void run(FeatureLoop& loop, int ticks) {
  for (int i = 0; i < ticks; ++i) {
    loop.tick();
    loop.integrate();
  }
}

int jumps_told(const FeatureLoop& loop) {
  int told = 0;
  for (const auto& event : loop.events().events()) told += event.kind == "jump";
  return told;
}

TEST(FeatureLoop, TakesJumpsGainsOfEachAxisAndSharesInEveryTick) {
  for (const bool features : {false, true}) {
    FeatureLoop loop(features, kRoot);
    double largest = 0.0;
    for (int i = 0; i < 3000; ++i) {
      run(loop, 1);
      largest = std::max(largest, loop.error());
    }
    EXPECT_LT(largest, 1e-3) << features;
    EXPECT_EQ(jumps_told(loop), features ? 2 : 0);
    const auto* task = dynamic_cast<const FrameTask*>(loop.arms().problem().tasks().front().get());
    ASSERT_NE(task, nullptr);
    // the last tick was an odd one
    EXPECT_EQ(task->feedback().velocity[2], 1.0);
    run(loop, 1);
    EXPECT_EQ(task->feedback().velocity[2], features ? 0.9 : 1.0);
    EXPECT_EQ(loop.arms().problem().counts().failed, 0U);
    EXPECT_EQ(loop.arms().problem().counts().relaxed, 0U);
  }
}

TEST(FeatureLoop, TicksAllocNothing) {
  FeatureLoop loop(true, kRoot);
  run(loop, 100);
  const test::AllocationCount allocations;
  run(loop, 100);
  EXPECT_EQ(allocations.count(), 0U);
}

}  // namespace feature_loop_test
}  // namespace handspan
