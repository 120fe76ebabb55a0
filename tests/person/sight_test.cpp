#include "person/sight.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace sight_test {

struct Moving {
  Moving() {
    pose = channels.pose("p", {});
    signal = channels.number("n", "", {});
    channels.seal();
  }
  // at x = t, and n = t
  void show(Nanoseconds now) {
    channels.write(pose, {seconds(now), 0.0, 0.0}, Eigen::Quaterniond::Identity(), now);
    channels.write(signal, seconds(now), now);
  }
  ChannelTable channels;
  PoseChannel pose;
  NumberChannel signal;
};

constexpr Nanoseconds kPeriod = kSecond / 100;

TEST(Sight, ShowsWhatWasADelayAgo) {
  Moving world;
  Sight sight(0.3, 100.0);
  const std::size_t pose = sight.pose("p", world.channels);
  const std::size_t late = sight.value({"n", {}, 0.5, {}}, world.channels);
  for (Nanoseconds now = kPeriod; now < 2 * kSecond; now += kPeriod) {
    world.show(now);
    sight.look(now, world.channels);
    const double seen = seconds(now) - 0.3;
    if (seen < 0.01 - 1e-9) {
      EXPECT_FALSE(sight.pose(pose)) << seconds(now);
      continue;
    }
    ASSERT_TRUE(sight.pose(pose)) << seconds(now);
    EXPECT_NEAR(sight.pose(pose)->p.x(), seen, 1e-9);
    EXPECT_EQ(sight.holds(late), seen > 0.5 + 1e-9) << seconds(now);
  }
}

TEST(Sight, WithoutADelayShowsWhatIsThereNow) {
  Moving world;
  Sight sight(0.0, 100.0);
  const std::size_t pose = sight.pose("p", world.channels);
  const std::size_t above = sight.value({"n", {}, 0.5, {}}, world.channels);
  sight.look(0, world.channels);
  EXPECT_FALSE(sight.pose(pose));
  world.show(kSecond);
  EXPECT_EQ(sight.pose(pose)->p.x(), 1.0);
  EXPECT_TRUE(sight.holds(above));
}

TEST(Sight, ForgetsWhatItSawBeforeItWasAway) {
  Moving world;
  Sight sight(0.1, 100.0);
  const std::size_t pose = sight.pose("p", world.channels);
  for (Nanoseconds now = 0; now < kSecond; now += kPeriod) {
    world.show(now);
    sight.look(now, world.channels);
  }
  ASSERT_TRUE(sight.pose(pose));
  sight.forget();
  world.show(100 * kSecond);
  sight.look(100 * kSecond, world.channels);
  EXPECT_FALSE(sight.pose(pose));
}

TEST(Sight, AllocatesNothingAndSaysWhatIsNotThere) {
  Moving world;
  Sight sight(0.1, 100.0);
  sight.pose("p", world.channels);
  sight.value({"n", {}, 0.5, {}}, world.channels);
  world.show(0);
  {
    const test::AllocationCount count;
    for (Nanoseconds now = 0; now < kSecond; now += kPeriod) sight.look(now, world.channels);
    EXPECT_EQ(count.count(), 0U);
  }
  try {
    sight.pose("n", world.channels);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "'n' is a number; it must be a pose");
  }
}

}  // namespace sight_test
}  // namespace handspan
