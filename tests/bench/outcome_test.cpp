// What a figure comes to; rivals are stand-ins in sh.
#include "bench/outcome.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace handspan {
namespace outcome_test {

Peer prints(const std::string& line) {
  return {"rival", {"/bin/sh", "-c", "echo '" + line + "'"}, true, false};
}
const char* const kLine =
    R"({"median_us": 20, "p99_us": 40, "n": 5, "name": "Rival 1", "tracking_mm": 0.5, "overhead_us": 1})";

Figure loop_figure(std::vector<Peer> rivals) {
  Figure figure;
  figure.name = "t/loop";
  figure.loop.ours = [] { return TickSamples{{5e-6, 6e-6, 7e-6, 100e-6}, 1e-4}; };
  figure.loop.rivals = std::move(rivals);
  figure.loop.input = [] { return "arms.urdf"; };
  return figure;
}

Outcome measured(const Figure& figure, int repetitions = 1) {
  LoopSamples samples;
  for (int i = 0; i < repetitions; ++i) measure_loop(figure.loop, samples);
  return outcome_of(figure, samples);
}

TEST(Outcome, OfALoopIsOverItsTicksAndTheRatioThatOfMedians) {
  const Outcome outcome = measured(loop_figure({prints(kLine)}), 2);
  EXPECT_EQ(outcome.n, 8U);
  EXPECT_DOUBLE_EQ(outcome.ours.median, 6.0);
  EXPECT_DOUBLE_EQ(outcome.ours.p99, 100.0);
  EXPECT_DOUBLE_EQ(*outcome.tracking, 0.1);
  ASSERT_EQ(outcome.peers.size(), 1U);
  EXPECT_DOUBLE_EQ(outcome.peers[0].ratio, 0.3);
  EXPECT_EQ(outcome.peers[0].full_name, "Rival 1");
}

TEST(Outcome, RivalsRunBeforeAndAfterOursAndAreBetweenTheTwo) {
  // the stand-in is slower each time that it runs
  const std::string count = ::testing::TempDir() + "/handspan_outcome_count";
  std::remove(count.c_str());
  Figure figure = loop_figure(
      {{"rival",
        {"/bin/sh", "-c",
         "echo x >> " + count + "; n=$(wc -l < " + count +
             "); echo \"{\\\"median_us\\\": ${n}0, \\\"p99_us\\\": ${n}00, \\\"n\\\": 1}\""},
        true,
        false}});
  LoopSamples samples;
  const auto ours = figure.loop.ours;
  figure.loop.ours = [&] {
    EXPECT_EQ(samples.rivals.at(0).size(), 1U);
    return ours();
  };
  measure_loop(figure.loop, samples);
  ASSERT_EQ(samples.rivals[0].size(), 2U);
  const Outcome outcome = outcome_of(figure, samples);
  EXPECT_DOUBLE_EQ(outcome.peers[0].cost.median, 15.0);
  EXPECT_DOUBLE_EQ(outcome.peers[0].cost.p99, 150.0);
}

TEST(Outcome, ARivalThatIsNotInstalledIsSkippedWithTheHint) {
  Figure figure = loop_figure({{"TSID", {"/nonexistent/tsid"}, false, false}, prints(kLine)});
  figure.largest_ratio = 0.5;
  const Outcome outcome = measured(figure);
  EXPECT_EQ(outcome.peers[0].skipped, "not installed; run tools/setup --peers");
  EXPECT_TRUE(meets(figure, outcome));
  const std::string rows = rows_of(figure, outcome, 6);
  EXPECT_NE(rows.find("TSID             skipped: not installed; run tools/setup --peers"),
            std::string::npos)
      << rows;
  EXPECT_NE(rows.find("ratio <= 0.50: met; tracking 0.1000 mm"), std::string::npos) << rows;
  const auto report = report_of(figure, outcome);
  EXPECT_EQ(report["peers"][0],
            nlohmann::ordered_json::parse(
                R"({"name": "TSID", "skipped": "not installed; run tools/setup --peers"})"));
}

TEST(Outcome, AFailingRivalIsAnErrorAndNoSkip) {
  const Figure figure =
      loop_figure({{"rival", {"/bin/sh", "-c", "echo 'no frame' >&2; exit 3"}, true, false}});
  try {
    measured(figure);
    FAIL() << "no error";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("ended with exit code 3: no frame"), std::string::npos)
        << error.what();
  }
}

TEST(Outcome, ReportHasItsKeys) {
  Figure figure = loop_figure({prints(kLine)});
  figure.largest_median = 40.0;
  const auto report = report_of(figure, measured(figure));
  std::string keys;
  for (const auto& [key, value] : report.items()) keys += key + " ";
  EXPECT_EQ(keys, "name unit median p99 n tracking_mm peers real_time target met ");
  keys.clear();
  for (const auto& [key, value] : report["peers"][0].items()) keys += key + " ";
  EXPECT_EQ(keys, "name median p99 ratio smaller_problem tracking_mm overhead_us ");
  EXPECT_EQ(report["target"], "median <= 40 us");
  EXPECT_EQ(report["met"], true);
  EXPECT_TRUE(report["real_time"].is_null());
}

TEST(Outcome, EachTargetIsMissedByItself) {
  const auto met = [](auto change) {
    Figure figure = loop_figure({prints(kLine)});
    change(figure);
    return meets(figure, measured(figure));
  };
  EXPECT_TRUE(met([](Figure& f) { f.largest_median = 6.5; }));
  EXPECT_FALSE(met([](Figure& f) { f.largest_median = 5.5; }));
  EXPECT_TRUE(met([](Figure& f) { f.largest_p99 = 101.0; }));
  EXPECT_FALSE(met([](Figure& f) { f.largest_p99 = 99.0; }));
  EXPECT_TRUE(met([](Figure& f) { f.largest_ratio = 0.31; }));
  EXPECT_FALSE(met([](Figure& f) { f.largest_ratio = 0.29; }));
  // a smaller problem is no measure
  EXPECT_TRUE(met([](Figure& f) {
    f.largest_ratio = 0.29;
    f.loop.rivals[0].smaller = true;
  }));
}

TEST(Outcome, FollowingWorseThanTheRivalsMissesEveryTarget) {
  Figure figure = loop_figure({prints(kLine)});
  figure.largest_ratio = 0.5;
  figure.loop.ours = [] { return TickSamples{{5e-6}, 0.4e-3}; };
  EXPECT_TRUE(meets(figure, measured(figure)));
  figure.loop.ours = [] { return TickSamples{{5e-6}, 0.6e-3}; };
  EXPECT_FALSE(meets(figure, measured(figure)));
}

TEST(Outcome, OfSharesIsInPercentAndMayBeNegative) {
  Figure figure;
  figure.unit = Figure::Unit::kPercent;
  figure.largest_median = 0.1;
  figure.loop.ours = [] { return TickSamples{{-4e-4, 9e-4, 2e-3}}; };
  EXPECT_DOUBLE_EQ(measured(figure).ours.median, 0.09);
  EXPECT_TRUE(meets(figure, measured(figure)));
  EXPECT_EQ(target_of(figure), "median <= 0.1 %");
  figure.loop.ours = [] { return TickSamples{{-4e-4, 2e-3, 2e-3}}; };
  EXPECT_FALSE(meets(figure, measured(figure)));
  figure.loop.ours = [] { return TickSamples{{-4e-4}}; };
  EXPECT_DOUBLE_EQ(measured(figure).ours.median, -0.04);
}

TEST(Outcome, OfBatchesIsThatOfPairs) {
  Figure figure;
  figure.name = "t/batches";
  figure.peer = "engine";
  figure.step = 0.001;
  figure.unit = Figure::Unit::kStepsPerSecond;
  // the ratio is of batches side by side
  const Outcome outcome = outcome_of(figure, Samples{{1e-5, 2e-5, 4e-5}, {1e-5, 2e-5, 4e-5}});
  EXPECT_DOUBLE_EQ(outcome.ours.median, 5e4);
  EXPECT_DOUBLE_EQ(outcome.ours.p99, 2.5e4);
  EXPECT_DOUBLE_EQ(outcome.real_time, 50.0);
  EXPECT_DOUBLE_EQ(outcome.peers[0].ratio, 1.0);
  EXPECT_EQ(outcome.peers[0].name, "engine");
}

}  // namespace outcome_test
}  // namespace handspan
