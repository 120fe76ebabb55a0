#include "station/notices.hpp"

#include <gtest/gtest.h>

namespace handspan {
namespace notices_test {

using Lines = std::vector<std::string>;

TEST(Notices, TheSameIsToldOnceInAWhileWithHowOftenItWas) {
  Notices notices;
  for (int i = 0; i < 40; ++i) notices.tell("10.0.0.7", "knocked", i * kSecond / 10);
  notices.tell("10.0.0.8", "knocked", kSecond);
  EXPECT_EQ(notices.take(), (Lines{"10.0.0.7: knocked", "10.0.0.8: knocked"}));
  notices.tell("10.0.0.7", "knocked", 11 * kSecond);
  EXPECT_EQ(notices.take(), Lines{"10.0.0.7: knocked (39 times more)"});
  EXPECT_EQ(notices.take(), Lines{});
}

TEST(Notices, AFloodIsCounted) {
  Notices notices;
  for (int i = 0; i < 5000; ++i) notices.tell("10.0.0." + std::to_string(i), "knocked", 0);
  const Lines lines = notices.take();
  ASSERT_EQ(lines.size(), 101U);
  EXPECT_EQ(lines.back(), "... and 4900 lines more");
}

}  // namespace notices_test
}  // namespace handspan
