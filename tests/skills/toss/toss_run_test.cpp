// studies/toss: what the metric sees of tosses, and what it complains of.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "core/error.hpp"
#include "core/text_file.hpp"
#include "study/runner.hpp"
#include "study/study_support.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace toss_run_test {

const std::filesystem::path kRoot = HANDSPAN_SOURCE_DIR;

class TossStudy : public ::testing::Test {
 protected:
  // of studies/toss/repeatability.yaml with changes
  StudyConfig study(const std::vector<std::pair<std::string, std::string>>& changes = {}) {
    std::string text = read_text_file(kRoot / "studies/toss/repeatability.yaml");
    const auto replace = [&](const std::string& from, const std::string& to) {
      const auto at = text.find(from);
      ASSERT_NE(at, std::string::npos) << from;
      text.replace(at, from.size(), to);
    };
    for (int i = 0; i < 2; ++i) replace("../../apps", (kRoot / "apps").string());
    replace("../../apps", (kRoot / "apps").string());
    for (const auto& [from, to] : changes) replace(from, to);
    return folder_.study(text);
  }
  std::string error(const std::string& from, const std::string& to) {
    try {
      StudyRunner(study({{from, to}}), test_parts(), {});
    } catch (const InputError& e) {
      return folder_.without_path(e.what());
    }
    return "";
  }
  const test::StudyFolder folder_;
};

TEST_F(TossStudy, TossesComeToRestOnTheBeltWhereTheyWereDemonstrated) {
  RunnerOptions options;
  options.n = 3;
  options.workers = 1;
  const StudyOutcome outcome = StudyRunner(study(), test_parts(), options).run();
  ASSERT_EQ(outcome.results.runs.size(), 12U);
  const auto value = [&](const RunRecord& run, const std::string& name) {
    for (std::size_t c = 0; c < outcome.results.columns.size(); ++c)
      if (outcome.results.columns[c].name == "toss." + name) return run.values[c];
    ADD_FAILURE() << name;
    return std::nan("");
  };
  for (const RunRecord& run : outcome.results.runs) {
    SCOPED_TRACE(run.cell + " " + std::to_string(run.number));
    const bool far = run.cell.starts_with("long"), runs = run.cell.ends_with("belt");
    EXPECT_EQ(run.failure, "");
    EXPECT_EQ(value(run, "rests"), 1.0);
    EXPECT_NEAR(value(run, "x"), far ? 0.315 : 0.263, 0.1);
    EXPECT_NEAR(value(run, "y"), far ? -1.39 : -0.94, 0.13);
    // within the jerks of limits.yaml: without them 0.55 and 0.26
    EXPECT_NEAR(value(run, "impact_tilt"), far ? 0.65 : 0.13, 0.06);
    EXPECT_GE(value(run, "max_tilt"), value(run, "impact_tilt"));
    EXPECT_LT(value(run, "rest_tilt"), 0.02);
    // its sides are parallel to the world's axes when its yaw is zero
    EXPECT_NEAR(value(run, "belt_yaw"), std::abs(value(run, "yaw")), 1e-9);
    // a parabola that falls by 2 dm or more
    EXPECT_GT(value(run, "flight"), 0.12);
    EXPECT_LT(value(run, "flight"), 0.4);
    // against a belt that runs away it goes less far; it was let go at the same place
    const RunRecord& other =
        outcome.results.runs[static_cast<std::size_t>(run.number - 1) + (runs ? 0U : 3U)];
    if (!runs) {
      EXPECT_LT(value(other, "along"), value(run, "along"));
    }
    EXPECT_EQ(value(other, "impact_tilt"), value(run, "impact_tilt"));
  }
}

TEST_F(TossStudy, TheMetricSaysWhatItLooksForInVain) {
  EXPECT_NE(error("cup: arm.cup, belt: conveyor", "cup: arm.cop, belt: conveyor")
                .find("metrics.toss cannot be made: the scene has no suction cup 'arm.cop'; did "
                      "you mean 'arm.cup'?"),
            std::string::npos);
  EXPECT_NE(
      error("belt: conveyor, in: U", "belt: bench, in: U").find("the scene has no belt 'bench'"),
      std::string::npos);
  EXPECT_NE(error("belt: conveyor, in: U", "belt: conveyor, in: V").find("'V'"), std::string::npos);
  EXPECT_NE(error("belt: conveyor, in: U", "belt: conveyor, into: tray")
                .find("the scene has no body 'tray'"),
            std::string::npos);
  EXPECT_NE(error("belt: conveyor, in: U", "belt: conveyor, into: box")
                .find("'box' is tossed, and cannot come to rest in itself"),
            std::string::npos);
  EXPECT_NE(error("object: box, cup", "object: bx, cup").find("the scene has no body 'bx'"),
            std::string::npos);
}

}  // namespace toss_run_test
}  // namespace handspan
