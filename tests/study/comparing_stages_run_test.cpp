// Stages that compare cells, in studies.
#include <gtest/gtest.h>

#include "line_trial.hpp"
#include "study/runner.hpp"
#include "study_support.hpp"
#include "support/message_of.hpp"

namespace handspan {
namespace comparing_stages_run_test {

class ComparingStages : public ::testing::Test {
 protected:
  const test::StudyFolder folder_{test::kHoldScene, test::line_parts()};
};

// names that are not there are found before the first run
TEST_F(ComparingStages, NamesAreCheckedBeforeTheRuns) {
  test::g_line_runs = 0;
  const std::string said = folder_.without_path(test::message_of([&] {
    StudyRunner(folder_.study(R"(title: stages
subject: {trial: {type: line}}
n: 3
cells: {a: {}, b: {}, c: {}}
stages:
  one: {type: paired, of: [x], cells: [a], against: b}
  two: {type: trend, of: [y], cells: [a, b, d]}
  three: {type: friedman, of: [y], cells: [a, b, dd]}
  four: {type: correlation, of: [y], with: [z]}
)"),
                test::line_parts(), {});
  }));
  EXPECT_EQ(said,
            "study.yaml:6: stages.one cannot be done: the study has no column 'x'; it has: y, "
            "late\n"
            "study.yaml:7: stages.two cannot be done: the study has no cell 'd'; it has: a, b, "
            "c, one, two, three, four\n"
            "study.yaml:8: stages.three cannot be done: the study has no cell 'dd'; it has: a, b, "
            "c, one, two, three, four\n"
            "study.yaml:9: stages.four cannot be done: the study has no column 'z'; it has: y, "
            "late");
  EXPECT_EQ(test::g_line_runs, 0);
}

// the same noise in all cells, which their offsets rise above
TEST_F(ComparingStages, TakePartInWhatIsAsked) {
  const StudyOutcome outcome = StudyRunner(folder_.study(R"(title: stages
subject: {trial: {type: line, slope: 0, noise: 1}}
n: 8
cells: {a: {set: {offset: 1 m}}, b: {set: {offset: 2 m}}, c: {set: {offset: 3 m}}}
good: {late: {below: 0.5}}
stages:
  rises: {type: trend, of: [y], cells: [a, b, c]}
  more: {type: paired, of: [y], cells: [c], against: a, correction: bonferroni, resamples: 2000}
expect:
  - {of: rises.y.p, below: 0.001}
  - {of: more.y.lower, above: 1.999}
  - {statistic: share, of: good, interval: wilson, bound: lower, at_least: 0.2}
  - {statistic: share, of: good, bound: lower, at_least: 0.3}
)"),
                                           test::line_parts(), {})
                                   .run();
  ASSERT_EQ(outcome.expectations.size(), 4U);
  EXPECT_TRUE(outcome.expectations[0].holds);
  EXPECT_TRUE(outcome.expectations[1].holds);
  EXPECT_EQ(outcome.expectations[2].measured.text, "share of good (Wilson)");
  // 12 of 24: 0.3143 by Wilson, 0.2912 by Clopper and Pearson
  EXPECT_NEAR(outcome.expectations[2].measured.estimate.lower, 0.3143, 1e-4);
  EXPECT_NEAR(outcome.expectations[3].measured.estimate.lower, 0.2912, 1e-4);
}

TEST_F(ComparingStages, AnIntervalByNameIsOfShares) {
  const auto error = [&](const std::string& rest) {
    return folder_.without_path(test::message_of(
        [&] { folder_.study("title: t\nsubject: {trial: {type: line}}\n" + rest); }));
  };
  EXPECT_EQ(error("expect: [{statistic: mean, of: y, interval: wilson, below: 1}]\n"),
            "study.yaml:3: expect[0].interval is wilson, which is of shares alone; take it away: "
            "the other statistics have one interval each");
  EXPECT_NE(error("published:\n  source: s\n  rows: [{statistic: mean, of: y, interval: wilson, "
                  "value: 1}]\n")
                .find("study.yaml:5: published.rows[0].interval is wilson"),
            std::string::npos);
  EXPECT_NE(error("expect: [{statistic: share, of: y, interval: wald, below: 1}]\n")
                .find("expect[0].interval is"),
            std::string::npos);
}

}  // namespace comparing_stages_run_test
}  // namespace handspan
