// Inputs of hands that went wrong: ../shared/cases/devices and what uses them.
#include "case_support.hpp"

namespace handspan {
namespace devices_test {

TEST(DeviceCases, ATriggerThatRestsAtMinusOneIsNotPressed) {
  HANDSPAN_NEEDS_CASES();
  const test::CaseFolder folder("control");
  // pulled from 2.0 to 2.3 s, let go from 4.0 to 4.3 s
  const test::CaseRun run = test::run_case(
      folder / "trigger.yaml", test::CaseFolder::beside("devices/trigger_rest_m1.csv"), 7.0);
  EXPECT_LT(run.slip("right_hand", 0.5, 2.0), 1e-3) << run.told();
  EXPECT_GT(run.slip("right_hand", 2.2, 4.0), 0.02) << run.told();
  EXPECT_LT(run.slip("right_hand", 4.6, 7.0), 1e-3) << run.told();
  EXPECT_EQ(run.events_of("follow").size(), 1U) << run.told();
  EXPECT_EQ(run.events_of("hold", "clutch open – hold trigger").size(), 2U) << run.told();
}

TEST(DeviceCases, StampsSince1970AreReadRelativeToTheFirst) {
  HANDSPAN_NEEDS_CASES();
  const auto file = test::CaseFolder::beside("devices/turn_epoch_seconds.csv");
  const std::vector<Input> samples = read_headset_csv(file, "headset");
  ASSERT_GT(samples.size(), 100U);
  EXPECT_EQ(samples.front().stamp, 0);
  EXPECT_NEAR(seconds(samples.back().stamp), 3.977778, 1e-6);
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const double dt = seconds(samples[i].stamp - samples[i - 1].stamp);
    ASSERT_GT(dt, 0.02) << "row " << i;
    ASSERT_LT(dt, 0.025) << "row " << i;
  }
  // played: the hand turns about its up, by 0.9 rad and back, and is never interrupted
  const auto app = std::filesystem::path(HANDSPAN_SOURCE_DIR) / "apps/follow.yaml";
  const test::CaseRun run = test::run_case(app, file, 3.9);
  EXPECT_EQ(run.events_of("hold", "right hand: it").size(), 0U) << run.told();
  double most = 0.0;
  const std::size_t task = run.task("right_hand");
  for (const auto& tick : run.ticks)
    most = std::max(most,
                    angle_between(run.ticks.front().references[task].R, tick.references[task].R));
  EXPECT_GT(most, 0.5) << run.told();
}

}  // namespace devices_test
}  // namespace handspan
