#include "plan/motion_state.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace handspan {
namespace motion_state_test {

TEST(MotionState, EveryRefusalHasItsOwnWordsWithItsHint) {
  std::set<std::string> texts;
  for (int i = static_cast<int>(PlanRefusal::kWaypoints);
       i <= static_cast<int>(PlanRefusal::kNumerical); ++i) {
    const std::string text = PlanError{static_cast<PlanRefusal>(i)}.text();
    EXPECT_NE(text.find("; "), std::string::npos) << text;
    texts.insert(text);
  }
  EXPECT_EQ(texts.size(), 8u);
}

TEST(MotionState, AnErrorSaysWhere) {
  const std::string words = PlanError{PlanRefusal::kNotFinite}.text();
  EXPECT_EQ((PlanError{PlanRefusal::kNotFinite, 2}.text()), "waypoint 2: " + words);
  EXPECT_EQ((PlanError{PlanRefusal::kNotFinite, -1, 3}.text()), "coordinate 3: " + words);
  EXPECT_EQ((PlanError{PlanRefusal::kNotFinite, 2, 3}.text()),
            "waypoint 2, coordinate 3: " + words);
}

}  // namespace motion_state_test
}  // namespace handspan
