#include "core/error.hpp"

#include <gtest/gtest.h>

#include <string>

namespace handspan {
namespace error_test {

TEST(Error, IssueIsOneLineOfPlaceKeyCauseAndHint) {
  const Issue issue{{"grab.yaml", 41, 3}, "tasks[2].stiffness", "is -100", "it must be > 0"};
  EXPECT_EQ(issue.text(), "grab.yaml:41: tasks[2].stiffness is -100; it must be > 0");
}

TEST(Error, EmptyPartsLeaveNoTrace) {
  EXPECT_EQ((Issue{{"a.yaml", 0, 0}, "", "nothing is in the file", ""}.text()),
            "a.yaml: nothing is in the file");
  EXPECT_EQ((Issue{{}, "x", "is 1", "no"}.text()), "x is 1; no");
}

TEST(Error, ConfigErrorListsItsIssuesOneALineAndIsAnInputError) {
  try {
    throw ConfigError({{{"a", 1, 1}, "x", "is 1", "m"}, {{"a", 2, 1}, "y", "is 2", "n"}});
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "a:1: x is 1; m\na:2: y is 2; n");
    EXPECT_EQ(dynamic_cast<const ConfigError&>(error).issues()[1].key, "y");
  }
}

TEST(Error, ShownValuesAreShortAndPrintable) {
  EXPECT_EQ(shown("a\nb\tc\x01\x7f"), "a\\nb\\tc\\x01\\x7f");
  EXPECT_EQ(shown(std::string(60, 'a')), std::string(60, 'a'));
  EXPECT_EQ(shown(std::string(61, 'a')), std::string(60, 'a') + "...");
  // a character of two bytes across the cut is left out as a whole
  EXPECT_EQ(shown(std::string(59, 'a') + "\xC3\xA9" + "b"), std::string(59, 'a') + "...");
}

}  // namespace error_test
}  // namespace handspan
