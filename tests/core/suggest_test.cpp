#include "core/suggest.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace handspan {
namespace suggest_test {

TEST(Suggest, EditDistanceOfKnownPairs) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("stifness", "stiffness"), 1U);
  EXPECT_EQ(edit_distance("setiffness", "steiffness"), 1U);  // a swap
  EXPECT_EQ(edit_distance("ca", "abc"), 3U);                 // no byte is touched twice
}

TEST(Suggest, NearestIsTheFirstOfTheNearest) {
  const std::vector<std::string> names{"damping", "stiffness", "stifness2"};
  EXPECT_EQ(nearest_name("stifness", names), "stiffness");
  EXPECT_EQ(nearest_name("Damping", names), "damping");
  EXPECT_EQ(nearest_name("rest-pose", {"rest_pose"}), "rest_pose");
  EXPECT_EQ(nearest_name("colour", names), std::nullopt);
  EXPECT_EQ(nearest_name("x", {"y"}), std::nullopt);
  EXPECT_EQ(nearest_name(std::string(101, 'a'), {std::string(101, 'a')}), std::nullopt);
}

TEST(Suggest, HintNamesTheNearestElseAll) {
  EXPECT_EQ(did_you_mean("stifness", {"stiffness", "x"}, "the keys are"),
            "did you mean 'stiffness'?");
  EXPECT_EQ(did_you_mean("colour", {"stiffness", "x"}, "the keys are"),
            "the keys are: stiffness, x");
  EXPECT_EQ(did_you_mean("colour", {}, "the keys are"), "");
}

}  // namespace suggest_test
}  // namespace handspan
