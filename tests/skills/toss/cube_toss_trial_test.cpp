// Measured tosses as a study: `handspan study contact/cube-tosses`.
#include "skills/toss/cube_toss_trial.hpp"

#include <gtest/gtest.h>

#include "made_toss.hpp"
#include "study/runner.hpp"
#include "study/study_support.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace cube_toss_trial_test {

const std::filesystem::path kRoot = HANDSPAN_SOURCE_DIR;

class CubeTossTrialTest : public ::testing::Test {
 protected:
  CubeTossTrialTest() {
    std::filesystem::create_directories(data());
    for (int i = 0; i < 3; ++i)
      folder_.file("data/" + std::to_string(i) + ".csv",
                   test::csv(test::simulated(static_cast<std::uint64_t>(i), 2, {0.185, 0.05})));
    folder_.file("data/README.md", "not a toss");
  }
  std::filesystem::path data() const { return folder_.path() / "data"; }
  StudyOutcome run(const std::string& more, RunnerOptions options) {
    return StudyRunner(
               folder_.study("title: t\nsubject: {trial: {type: cube_tosses" + more + "}}\n"),
               test_parts(), std::move(options))
        .run();
  }
  StudyOutcome run(const std::string& more = "") {
    RunnerOptions options;
    options.data = data();
    return run(more, std::move(options));
  }
  std::string error(const std::string& more, const std::filesystem::path& data) {
    RunnerOptions options;
    options.data = data;
    try {
      run(more, std::move(options));
    } catch (const InputError& e) {
      return folder_.without_path(e.what());
    }
    return "no error";
  }

  const test::StudyFolder folder_;
};

TEST_F(CubeTossTrialTest, ATossIsARun) {
  const StudyOutcome outcome = run();
  ASSERT_EQ(outcome.results.runs.size(), 3U);
  CubeTosses tosses({});
  for (std::size_t i = 0; i < 3; ++i) {
    const CubeTossResult wanted =
        tosses.run(read_measured_toss(data() / (std::to_string(i) + ".csv")));
    const auto value = [&](const std::string& column) {
      return outcome.results.samples(column, "")[i];
    };
    EXPECT_EQ(value("rigid.position"), wanted.rigid.rest_position);
    EXPECT_EQ(value("rigid.path_rotation"), wanted.rigid.trajectory_rotation);
    EXPECT_EQ(value("mujoco.rotation"), wanted.plant.rest_rotation);
    EXPECT_EQ(value("mujoco.path_position"), wanted.plant.trajectory_position);
    EXPECT_EQ(value("mujoco.wrong_face") != 0.0, wanted.plant.wrong_face);
    EXPECT_EQ(value("mujoco.at_rest"), 1.0);
  }
  EXPECT_EQ(outcome.results.unit("mujoco.rotation"), "rad");
}

TEST_F(CubeTossTrialTest, LawsAreKeys) {
  const StudyOutcome usual = run();
  const StudyOutcome slippery = run(", rigid: {friction: 0.05}");
  EXPECT_NE(usual.results.samples("rigid.position", ""),
            slippery.results.samples("rigid.position", ""));
  EXPECT_EQ(usual.results.samples("mujoco.position", ""),
            slippery.results.samples("mujoco.position", ""));
  CubeTossOptions options;
  options.rigid.friction = 0.05;  // and the others as they were
  EXPECT_EQ(slippery.results.samples("rigid.position", "")[1],
            CubeTosses(options).run(read_measured_toss(data() / "1.csv")).rigid.rest_position);
}

TEST_F(CubeTossTrialTest, ATossThatDoesNotFlyIsARunThatFailed) {
  folder_.file("data/7.csv", std::string(test::kTossHead) + test::row(Pose()) + test::row(Pose()));
  const StudyOutcome outcome = run();
  ASSERT_EQ(outcome.results.runs.size(), 4U);
  EXPECT_EQ(outcome.results.failed(), 1U);
  EXPECT_EQ(outcome.results.runs[3].failure.substr(0, 20), "toss 7 does not fly:");
  RunnerOptions options;
  options.data = data();
  options.n = 5;
  EXPECT_EQ(run("", options).results.runs[4].failure,
            "there are 4 tosses, and this would be number 5");
}

TEST_F(CubeTossTrialTest, ErrorsNamePlaceCauseAndHint) {
  const std::string start = "study.yaml:2: subject.trial cannot be made: ";
  EXPECT_EQ(error("", ""),
            start + "it reads measured tosses; say where they are: --data FOLDER, one .csv a toss");
  EXPECT_EQ(error("", folder_.path() / "none"), "--data none: there is no such file or folder");
  EXPECT_EQ(error("", folder_.path() / "robots"),
            start + "robots: there are no tosses; give a folder of .csv files, one a toss");
  // not a folder
  EXPECT_EQ(error("", data() / "0.csv"),
            start + "data/0.csv: there are no tosses; give a folder of .csv files, one a toss");
  EXPECT_EQ(error(", cube: {edge: 0}", data()), "study.yaml:2: cube.edge is 0; it must be > 0");
  EXPECT_EQ(error(", mujoco: {rounding: 6 cm}", data()).substr(0, start.size() + 12),
            start + "cube tosses:");
  // of another format: what is missing, and what is wanted
  folder_.file("data/0.csv", "time,x,y\n0,1,2\n");
  const std::string other = error("", data());
  EXPECT_NE(other.find("data/0.csv"), std::string::npos) << other;
  EXPECT_NE(other.find("z"), std::string::npos) << other;
  EXPECT_NE(
      other.find("; give a toss as comma-separated values with the columns x y z qw qx qy qz"),
      std::string::npos)
      << other;
}

TEST_F(CubeTossTrialTest, TheShippedStudyHasTheLawsOfTheDocs) {
  RunnerOptions options;
  options.data = data();
  const StudyOutcome shipped = StudyRunner(load_study(kRoot / "studies/contact/cube-tosses.yaml",
                                                      "contact/cube-tosses", test_parts()),
                                           test_parts(), options)
                                   .run();
  EXPECT_EQ(results_csv(shipped.results), results_csv(run().results));
  EXPECT_EQ(shipped.expectations.size(), 7U);
}

}  // namespace cube_toss_trial_test
}  // namespace handspan
