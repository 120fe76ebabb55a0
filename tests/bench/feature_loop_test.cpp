// That what the bench times with features has them, and what it times without has none.
#include "bench/control/feature_loop.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

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

TEST(FeatureLoop, TakesJumpsGainsOfEachAxisAndSharesInEveryTick) {
  for (const bool features : {false, true}) {
    FeatureLoop loop(features, kRoot);
    double largest = 0.0;
    for (int i = 0; i < 3000; ++i) {
      run(loop, 1);
      largest = std::max(largest, loop.error());
    }
    EXPECT_LT(largest, 1e-3) << features;
    for (const ReferenceIndex r : loop.arbiter().references())
      EXPECT_EQ(loop.arbiter().reference(r).takes_jumps(), features);
    const auto* task = dynamic_cast<const FrameTask*>(loop.arms().problem().tasks().front().get());
    ASSERT_NE(task, nullptr);
    // a jump is the source's own acceleration; without, it is the mean of the tick before
    const double w = std::numbers::pi, t = 2.999, r = 0.1;
    const Eigen::Vector3d a =
        r * w * w * Eigen::Vector3d(0.0, -std::cos(w * t), std::cos(2.0 * w * t));
    const double off = (task->reference().A_WE.head<3>() - a).norm();
    EXPECT_EQ(off < 1e-12, features) << off;
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
  for (int i = 0; i < 100; ++i) loop.tick();
  EXPECT_EQ(allocations.count(), 0U);
}

}  // namespace feature_loop_test
}  // namespace handspan
