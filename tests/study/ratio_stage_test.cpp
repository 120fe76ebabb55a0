#include "study/ratio_stage.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "line_trial.hpp"
#include "study/report.hpp"
#include "study/runner.hpp"
#include "study/study_text.hpp"
#include "study_support.hpp"

namespace handspan {
namespace ratio_stage_test {

class RatioStage : public ::testing::Test {
 protected:
  StudyOutcome run(const std::string& stages) {
    return StudyRunner(folder_.study(R"(title: ratio
subject: {trial: {type: line, slope: 0, offset: 1}}
n: 30
cells: {calm: {set: {noise: 0.1}}, rough: {set: {noise: 0.2}}}
stages:
)" + stages),
                       test::line_parts(), {})
        .run();
  }
  const test::StudyFolder folder_{test::kHoldScene, test::line_parts()};
};

// the same draws, twice as large; F(29, 29) at 97.5 % is 2.1010
TEST_F(RatioStage, DeviationsHaveTheirRatiosInterval) {
  const StudyOutcome a =
      run("  r: {type: ratio, statistic: deviation, of: [y], cell: rough, against: calm}\n");
  const auto& values = a.stages[0].values;
  ASSERT_EQ(values.size(), 5U);
  EXPECT_EQ(values[0].name, "y.rough");
  EXPECT_EQ(values[0].unit, "m");
  EXPECT_EQ(values[1].name, "y.calm");
  EXPECT_EQ(values[2].name, "y.ratio");
  EXPECT_NEAR(values[2].value, 2.0, 1e-12);
  EXPECT_NEAR(values[0].value, 2.0 * values[1].value, 1e-12);
  EXPECT_NEAR(values[3].value, 2.0 / std::sqrt(2.1010), 1e-4);
  EXPECT_NEAR(values[4].value, 2.0 * std::sqrt(2.1010), 1e-4);
}

TEST_F(RatioStage, OtherStatisticsHaveTheirRatio) {
  const StudyOutcome a =
      run("  r: {type: ratio, statistic: share, of: [late], cell: rough, against: calm}\n");
  const auto& values = a.stages[0].values;
  ASSERT_EQ(values.size(), 3U);
  // those after the first four of thirty
  EXPECT_DOUBLE_EQ(values[0].value, 26.0 / 30.0);
  EXPECT_EQ(values[2].value, 1.0);
}

// values of rows stand beside each other, with the unit over them where they share one
TEST_F(RatioStage, RowsAreATable) {
  const StudyOutcome a =
      run("  r: {type: ratio, statistic: maximum, of: [y, late], cell: rough, against: calm}\n");
  const StageTable table = stage_table(a.stages[0]);
  EXPECT_TRUE(table.has_head);
  ASSERT_EQ(table.lines.size(), 3U);
  EXPECT_EQ(table.lines[0], (std::vector<std::string>{"", "rough", "calm", "ratio"}));
  EXPECT_EQ(table.lines[1][0], "y");
  EXPECT_NE(table.lines[1][1].find(" mm"), std::string::npos) << table.lines[1][1];
  EXPECT_EQ(table.lines[2], (std::vector<std::string>{"late", "1", "1", "1"}));
  const StageOutcome same{
      "s", {{"1.5.x", 0.002, "m", "1.5"}, {"2.x", 0.003, "m", "2"}, {"alone", 0.1, "s"}}};
  const StageTable of_same = stage_table(same);
  EXPECT_EQ(of_same.lines[0], (std::vector<std::string>{"", "x [mm]"}));
  EXPECT_EQ(of_same.lines[1], (std::vector<std::string>{"1.5", "2"}));
  EXPECT_EQ(of_same.lines[3], (std::vector<std::string>{"alone", "0.1 s"}));
  EXPECT_FALSE(stage_table({"s", {{"alone", 0.1, "s"}}}).has_head);
  const std::string html = report_html(a, {}, "", "");
  EXPECT_NE(
      html.find("<h3>r</h3>\n<p class=soft>a statistic in one cell and in another, beside each "
                "other</p>\n<div class=wide><table><tr><th><th>rough<th>calm<th>ratio</tr>"),
      std::string::npos);
}

TEST_F(RatioStage, ACellThatIsNotThereIsAnError) {
  try {
    run("  r: {type: ratio, statistic: mean, of: [y], cell: rough, against: cam}\n");
    ADD_FAILURE();
  } catch (const InputError& e) {
    EXPECT_EQ(folder_.without_path(e.what()),
              "study.yaml:6: stages.r cannot be done: the study has no cell 'cam'; did you mean "
              "'calm'?");
  }
}

}  // namespace ratio_stage_test
}  // namespace handspan
