#include "session/who_acts.hpp"

#include <gtest/gtest.h>

#include "session_support.hpp"

namespace handspan {
namespace who_acts_test {

std::string who(const std::string& devices) {
  const test::AppFolder folder;
  const App app = folder.app(test::kPairArms + devices);
  Session session(app);
  return std::string(acts_alone(session));
}

TEST(WhoActs, NobodyWithoutDevicesOrWithAHeadsetThatIsNotThere) {
  EXPECT_EQ(who(""), "nobody");
  EXPECT_EQ(who("devices:\n  vr: {driver: {type: headset}}\n"), "nobody");
}

TEST(WhoActs, TheAppsDevicesWhereSomeHaveAThreadOfTheirOwn) {
  EXPECT_EQ(who("devices:\n  vr: {driver: {type: headset}}\n  pad: {driver: {type: gamepad}}\n"),
            "the app's devices");
}

}  // namespace who_acts_test
}  // namespace handspan
