// The built-in metrics on an app whose motion is simple, and what they complain of.
#include "study/metric.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "study/runner.hpp"
#include "study_support.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace metric_test {

class MetricTest : public ::testing::Test {
 protected:
  MetricTest() { folder_.file("hold.yaml", test::kHoldApp); }

  StudyOutcome outcome(const std::string& metrics, const std::string& more = "") {
    return StudyRunner(
               folder_.study("title: m\nsubject: {app: hold.yaml}\nmetrics:\n" + metrics + more),
               test_parts(), {})
        .run();
  }
  std::map<std::string, double> values(const std::string& metrics, const std::string& more = "") {
    const StudyOutcome done = outcome(metrics, more);
    std::map<std::string, double> found;
    for (std::size_t c = 0; c < done.results.columns.size(); ++c)
      found[done.results.columns[c].name] = done.results.runs[0].values[c];
    return found;
  }
  std::string error(const std::string& metrics, const std::string& more = "") {
    try {
      outcome(metrics, more);
    } catch (const InputError& e) {
      return folder_.without_path(e.what());
    }
    return "";
  }

  const test::StudyFolder folder_;
};

TEST_F(MetricTest, ChannelsGiveStatisticsOfTheirNumbers) {
  const std::string channel = "type: channel, channel: object.parcel.pose, ";
  auto v = values(
      "  o: {type: object, object: parcel}\n"
      "  x: {" +
      channel +
      "elements: [0], statistic: last}\n"
      "  norm: {" +
      channel +
      "elements: [0, 1, 2], statistic: last}\n"
      "  most: {" +
      channel +
      "elements: [0], statistic: maximum}\n"
      "  least: {" +
      channel +
      "elements: [0], statistic: minimum}\n"
      "  mean: {" +
      channel +
      "elements: [0], statistic: mean}\n"
      "  rms: {" +
      channel +
      "elements: [0], statistic: rms}\n"
      "  late: {" +
      channel +
      "elements: [0], statistic: minimum, from: 0.2 s}\n"
      "  never: {" +
      channel + "elements: [0], statistic: mean, from: 9 s}\n");
  // the belt carries it along x, ever faster
  EXPECT_GT(v["o.x"], 0.01);
  EXPECT_EQ(v["x"], v["o.x"]);
  EXPECT_EQ(v["most"], v["o.x"]);
  EXPECT_DOUBLE_EQ(v["norm"], std::hypot(v["o.x"], v["o.y"], v["o.z"]));
  EXPECT_LT(v["least"], v["mean"]);
  EXPECT_LT(v["mean"], v["rms"]);
  EXPECT_LT(v["rms"], v["most"]);
  EXPECT_GT(v["late"], v["mean"]);
  EXPECT_TRUE(std::isnan(v["never"]));
  EXPECT_NEAR(v["o.time"], 0.3, 1e-12);
}

TEST_F(MetricTest, WrenchesHaveTheUnitOfTheirHalf) {
  const std::string wrench = "type: channel, channel: left.wrist.wrench, statistic: last, ";
  const StudyOutcome done = outcome("  f: {" + wrench + "elements: [0, 1, 2]}\n  t: {" + wrench +
                                    "elements: [5]}\n  both: {" + wrench + "elements: [2, 3]}\n");
  EXPECT_EQ(done.results.unit("f"), "N");
  EXPECT_EQ(done.results.unit("t"), "N m");
  EXPECT_EQ(done.results.unit("both"), "");
}

TEST_F(MetricTest, AnObjectAtRestEndsTheRun) {
  // it slides until it is as fast as the belt: never slow again, and until 0.3 s if asked less
  auto v = values("  o: {type: object, object: parcel, rest_speed: 0.01 m/s, rest_time: 10 ms}\n");
  EXPECT_NEAR(v["o.time"], 0.3, 1e-12);
  v = values("  o: {type: object, object: parcel, rest_speed: 5 cm/s, rest_time: 10 ms}\n",
             "longest: 4 s\nset: {scene.belts.belt.speed: 0, "
             "\"scene.objects.parcel.pose.position[2]\": 0.22}\n");
  EXPECT_GT(v["o.time"], 0.06);
  EXPECT_LT(v["o.time"], 1.0);
}

TEST_F(MetricTest, SeriesHaveTheChannelsAtTheirRate) {
  RunnerOptions options;
  options.out = folder_.path() / "out";
  StudyRunner runner(folder_.study("title: m\nsubject: {app: hold.yaml}\n"
                                   "metrics: {o: {type: object, object: box}}\n"
                                   "series: {channels: [object.*.pose], rate: 50}\n"),
                     test_parts(), options);
  runner.run();
  std::ifstream in(options.out / "series/run-00001.csv");
  int lines = 0, box = 0;
  for (std::string line; std::getline(in, line); ++lines)
    box += line.starts_with("object.box.pose[2],");
  // 15 samples of two poses of 7 numbers
  EXPECT_EQ(lines, 1 + 15 * 14);
  EXPECT_EQ(box, 15);
}

TEST_F(MetricTest, ErrorsNamePlaceCauseAndHint) {
  EXPECT_EQ(error("  o: {type: object, object: bx}\n"),
            "study.yaml:4: metrics.o cannot be made: the scene has no body 'bx'; did you mean "
            "'box'?");
  EXPECT_EQ(error("  o: {type: object, object: box, in: fram}\n"),
            "study.yaml:4: metrics.o cannot be made: the scene has no frame 'fram', nor any other: "
            "name one under frames");
  EXPECT_EQ(error("  c: {type: channel, channel: object.box.pos, statistic: last}\n").substr(0, 38),
            "study.yaml:4: metrics.c cannot be made");
  EXPECT_EQ(
      error("  c: {type: channel, channel: object.box.pose, statistic: last}\n"),
      "study.yaml:4: metrics.c cannot be made: the channel 'object.box.pose' has 7 numbers; say "
      "which are meant, as elements: [0, 1, 2]: of several their norm counts");
  EXPECT_EQ(
      error("  c: {type: channel, channel: object.box.pose, elements: [7], statistic: last}\n"),
      "study.yaml:4: metrics.c cannot be made: the channel 'object.box.pose' has 7 numbers, and "
      "[7] is none of them");
  EXPECT_EQ(error("  g: {type: grab, object: box, between: [left.plate, left.plate]}\n"),
            "study.yaml:4: metrics.g cannot be made: 'between' has one body twice; name the two "
            "that hold the object");
  EXPECT_EQ(error("  g: {type: grab, object: box, between: [left.plate, post], device: hand}\n"),
            "study.yaml:4: metrics.g cannot be made: the app has no device 'hand', nor any other; "
            "add one "
            "with driver: {type: person}");
  EXPECT_EQ(
      error("  o: {type: object, object: box}\n", "series: {channels: [nothing]}\n").substr(0, 30),
      "study.yaml: series cannot be h");
  EXPECT_NE(error("  o: {type: objct, object: box}\n").find("did you mean 'object'?"),
            std::string::npos);
}

}  // namespace metric_test
}  // namespace handspan
