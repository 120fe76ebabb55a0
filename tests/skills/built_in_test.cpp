#include "skills/built_in.hpp"

#include <gtest/gtest.h>

#include "control/task.hpp"
#include "core/object.hpp"
#include "plant/plants.hpp"
#include "study/trial.hpp"

namespace handspan {
namespace built_in_test {

TEST(BuiltInParts, HaveThoseOfEveryFolder) {
  const Parts parts = built_in_parts();
  EXPECT_EQ(parts.of<PlantRegistry>().names(), (std::vector<std::string>{"mujoco", "posed"}));
  EXPECT_TRUE(parts.of<TaskRegistry>().contains("posture"));
  // of the folder study, and of a skill
  EXPECT_TRUE(parts.of<TrialRegistry>().contains("throws"));
  EXPECT_TRUE(parts.of<TrialRegistry>().contains("cube_tosses"));
}

TEST(BuiltInParts, AreNewEachTime) {
  struct Nothing {};
  Parts one = built_in_parts();
  one.of<TrialRegistry>().add(
      "own", object<Nothing>("Own"), "",
      [](const Nothing&, const TrialContext&) { return std::unique_ptr<Trial>(); });
  const Parts other = built_in_parts();
  EXPECT_TRUE(one.of<TrialRegistry>().contains("own"));
  EXPECT_FALSE(other.of<TrialRegistry>().contains("own"));
}

}  // namespace built_in_test
}  // namespace handspan
