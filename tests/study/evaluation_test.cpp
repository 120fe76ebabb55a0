// What is asked of a study, against results that no run gave.
#include "study/evaluation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "made_results.hpp"

namespace handspan {
namespace evaluation_test {

using schema_detail::Relation;

StatisticConfig statistic(StatisticKind kind, const std::string& of = "y",
                          const std::string& cell = "") {
  StatisticConfig what;
  what.statistic = kind;
  what.of = of;
  what.cell = cell;
  what.place = {"t.yaml", 7, 1};
  return what;
}

StatisticConfig value_of_stage(const std::string& of) {
  StatisticConfig what;
  what.of = of;
  what.place = {"t.yaml", 7, 1};
  return what;
}

// y is 1 to 5 mm, and a stage found 0.25 rad
StudyOutcome five_runs() {
  StudyOutcome outcome;
  outcome.results = test::made_results(
      {{0, 0, 0.001}, {0, 0, 0.002}, {0, 0, 0.003}, {0, 0, 0.004}, {0, 0, 0.005}});
  outcome.stages = {{"aim", {{"turn", 0.25, "rad"}, {"n", 3.0, ""}}}};
  outcome.complete = true;
  return outcome;
}

bool asked(StudyOutcome outcome, const StatisticConfig& what, Relation relation,
           std::variant<double, StatisticConfig> limit, Bound bound = Bound::kValue,
           double times = 1.0, std::string* text = nullptr) {
  Expectation expectation;
  expectation.what = what;
  expectation.relation = relation;
  expectation.limit = std::move(limit);
  expectation.bound = bound;
  expectation.times = times;
  outcome.study.expect = {expectation};
  evaluate(outcome);
  if (text != nullptr)
    *text = outcome.expectations[0].measured.text + " " + outcome.expectations[0].limit_text;
  EXPECT_EQ(outcome.holds(), outcome.expectations[0].holds);
  return outcome.expectations[0].holds;
}

TEST(Evaluate, RelationsHoldAtTheirLimitOrNot) {
  const StudyOutcome outcome = five_runs();
  const auto holds = [&](Relation relation, double limit) {
    return asked(outcome, statistic(StatisticKind::kMaximum), relation, limit);
  };
  EXPECT_TRUE(holds(Relation::kAtLeast, 0.005));
  EXPECT_TRUE(holds(Relation::kAtMost, 0.005));
  EXPECT_FALSE(holds(Relation::kAbove, 0.005));
  EXPECT_FALSE(holds(Relation::kBelow, 0.005));
  EXPECT_TRUE(holds(Relation::kAbove, 0.0049));
  EXPECT_TRUE(holds(Relation::kBelow, 0.0051));
  EXPECT_FALSE(holds(Relation::kAtLeast, 0.0051));
  EXPECT_FALSE(holds(Relation::kAtMost, 0.0049));
}

// a number that did not come about holds nothing
TEST(Evaluate, WhatIsNoNumberHoldsNothing) {
  StudyOutcome outcome = five_runs();
  for (auto& run : outcome.results.runs) run.values[0] = NAN;
  for (const Relation relation :
       {Relation::kAtLeast, Relation::kAtMost, Relation::kAbove, Relation::kBelow})
    EXPECT_FALSE(asked(outcome, statistic(StatisticKind::kMean), relation, 0.0));
}

// Student's t for 4 degrees of freedom at 97.5 % is 2.776
TEST(Evaluate, ABoundIsThatOfTheInterval) {
  const StudyOutcome outcome = five_runs();
  const double half = 2.776 * 0.001 * std::sqrt(2.5) / std::sqrt(5.0);
  const auto mean = statistic(StatisticKind::kMean);
  EXPECT_TRUE(asked(outcome, mean, Relation::kAbove, 0.003 - 1.01 * half, Bound::kLower));
  EXPECT_FALSE(asked(outcome, mean, Relation::kAbove, 0.003 - 0.99 * half, Bound::kLower));
  EXPECT_TRUE(asked(outcome, mean, Relation::kBelow, 0.003 + 1.01 * half, Bound::kUpper));
  EXPECT_FALSE(asked(outcome, mean, Relation::kBelow, 0.003 + 0.99 * half, Bound::kUpper));
}

TEST(Evaluate, ALimitMayBeAnotherStatisticTimesSomething) {
  const StudyOutcome outcome = five_runs();
  const auto largest = statistic(StatisticKind::kMaximum),
             least = statistic(StatisticKind::kMinimum);
  std::string text;
  EXPECT_TRUE(asked(outcome, largest, Relation::kAtMost, least, Bound::kValue, 5.01, &text));
  EXPECT_EQ(text, "maximum of y <= 5.01 x minimum of y, 5.01 mm");
  EXPECT_FALSE(asked(outcome, largest, Relation::kAtMost, least, Bound::kValue, 4.99));
  EXPECT_TRUE(asked(outcome, largest, Relation::kAbove, 0.002, Bound::kValue, 2.0, &text));
  EXPECT_EQ(text, "maximum of y > 4 mm");
}

TEST(Evaluate, AStagesValueIsMeasuredAsItIs) {
  StudyOutcome outcome = five_runs();
  std::string text;
  EXPECT_TRUE(asked(outcome, value_of_stage("aim.turn"), Relation::kAtLeast, 0.25, Bound::kLower,
                    1.0, &text));
  EXPECT_EQ(text, "aim.turn >= 14.32 deg");
  const Measured measured = measure(value_of_stage("aim.turn"), outcome);
  EXPECT_EQ(measured.unit, "rad");
  EXPECT_EQ(measured.estimate.value, 0.25);
  try {
    measure(value_of_stage("aim.torn"), outcome);
    ADD_FAILURE();
  } catch (const ConfigError& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find("t.yaml:7"), std::string::npos) << said;
    EXPECT_NE(said.find("no stage gave 'aim.torn'; did you mean 'aim.turn'?"), std::string::npos)
        << said;
  }
  EXPECT_THROW(stage_value({}, "aim.turn"), InputError);
}

TEST(Evaluate, SharesAndCountsHaveNoUnitAndOthersTheColumns) {
  const StudyOutcome outcome = five_runs();
  EXPECT_EQ(measure(statistic(StatisticKind::kShare), outcome).unit, "");
  EXPECT_EQ(measure(statistic(StatisticKind::kCount), outcome).unit, "");
  EXPECT_EQ(measure(statistic(StatisticKind::kMedian), outcome).unit, "m");
  StatisticConfig quantile = statistic(StatisticKind::kQuantile, "y", "calm");
  quantile.p = 0.975;
  EXPECT_EQ(text_of(quantile), "97.5 % quantile of y in calm");
  EXPECT_EQ(text_of(statistic(StatisticKind::kMean)), "mean of y");
  EXPECT_EQ(text_of(value_of_stage("aim.turn")), "aim.turn");
}

TEST(Evaluate, AStudyHoldsWhenAllThatIsAskedDoes) {
  StudyOutcome outcome = five_runs();
  EXPECT_TRUE(outcome.holds());
  outcome.complete = false;
  EXPECT_FALSE(outcome.holds());
  // without expectations all runs must be good
  outcome = five_runs();
  outcome.results.judged = true;
  for (auto& run : outcome.results.runs) run.good = true;
  EXPECT_TRUE(outcome.holds());
  outcome.results.runs[3].good = false;
  EXPECT_FALSE(outcome.holds());
  outcome = five_runs();
  outcome.results.runs[2].failure = "it broke";
  EXPECT_FALSE(outcome.holds());
  // of a trial that may fail the expectations count; of an app a run that broke off was not
  // measured
  outcome.study.expect.resize(1);
  outcome.study.expect[0].what = statistic(StatisticKind::kMaximum);
  outcome.study.expect[0].limit = 0.0;
  evaluate(outcome);
  EXPECT_TRUE(outcome.holds());
  outcome.study.subject.app.emplace();
  EXPECT_FALSE(outcome.holds());
}

TEST(Evaluate, PublishedRowsStandBesideOurs) {
  StudyOutcome outcome = five_runs();
  outcome.study.published.emplace();
  PublishedRow mean, stage;
  mean.what = statistic(StatisticKind::kMean);
  mean.value = 0.002;
  stage.what = value_of_stage("aim.turn");
  stage.value = 0.5;
  outcome.study.published->rows = {mean, stage};
  evaluate(outcome);
  ASSERT_EQ(outcome.published.size(), 2U);
  EXPECT_NEAR(outcome.published[0].comparison.difference, 0.001, 1e-15);
  EXPECT_NEAR(outcome.published[0].comparison.ratio, 1.5, 1e-12);
  EXPECT_NEAR(outcome.published[1].comparison.ratio, 0.5, 1e-12);
}

std::string check_error(const StudyConfig& study) {
  try {
    check_names(study, {{"y", "m", ""}, {"late", "", ""}}, {"calm", "rough"});
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(CheckNames, AllThatIsWrongIsSaidAtOnceWithPlaceAndHint) {
  StudyConfig study;
  study.vary.emplace_back("offset", Variation());
  study.good.emplace_back("y", GoodRule());
  study.expect.resize(4);
  study.expect[0].what = statistic(StatisticKind::kMean, "offset", "calm");
  study.expect[1].what = statistic(StatisticKind::kShare, "good");
  study.expect[2].what = statistic(StatisticKind::kMean, "y");
  study.expect[3].what = statistic(StatisticKind::kMean, "late");
  EXPECT_EQ(check_error(study), "no error");
  study.good.emplace_back("lat", GoodRule());
  study.expect[0].what.of = "ofset";
  study.expect[1].what.cell = "cal";
  study.expect[2].limit = statistic(StatisticKind::kMean, "z");
  study.expect[3].what = value_of_stage("aim.turn");
  const std::string said = check_error(study);
  for (const char* part :
       {"has 'lat', which is not a column; did you mean 'late'?",
        "expect[0] cannot be measured: the study has no column 'ofset'; did you mean 'offset'?",
        "expect[1] cannot be measured: the study has no cell 'cal'; did you mean 'calm'?",
        "expect[2] cannot be measured: the study has no column 'z'",
        "expect[3] cannot be measured: it has no statistic, and 'aim.turn' is not a stage; give a "
        "statistic, or a stage that is there",
        "t.yaml:7: "})
    EXPECT_NE(said.find(part), std::string::npos) << part << "\n" << said;
}

}  // namespace evaluation_test
}  // namespace handspan
