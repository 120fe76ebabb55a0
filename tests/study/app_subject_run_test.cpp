// A run whose scene got other numbers is, bit for bit, the run of a scene compiled of them: plant,
// controller and all.
#include "study/app_subject.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "study/run_plan.hpp"
#include "study_support.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace app_subject_run_test {

// the hashes of every tick, and of all of them together
class HashMetric : public Metric {
 public:
  std::vector<Column> columns() const override {
    return {{"inputs", "", ""},
            {"references", "", ""},
            {"control", "", ""},
            {"commands", "", ""},
            {"plant", "", ""}};
  }
  void after_tick(Session& session) noexcept override {
    const TickHashes now = session.hashes();
    for (std::size_t q = 0; q < kQuantities; ++q) all_[q] = all_[q] * 31 + now[q];
  }
  void values(Session&, std::span<double> into) override {
    for (std::size_t q = 0; q < kQuantities; ++q) into[q] = all_[q];
  }

 private:
  TickHashes all_{};
};

const Parts& parts() {
  struct Nothing {};
  static const Parts with_hashes = [] {
    Parts made = built_in_parts();
    made.of<MetricRegistry>().add(
        "test_hashes", object<Nothing>("Nothing"), "hashes of all ticks",
        [](const Nothing&, const MetricContext&) { return std::make_unique<HashMetric>(); });
    return made;
  }();
  return with_hashes;
}

const std::string kLift = (std::filesystem::path(HANDSPAN_SOURCE_DIR) / "apps/lift.yaml").string();
const std::string kToss = (std::filesystem::path(HANDSPAN_SOURCE_DIR) / "apps/toss.yaml").string();

StudyConfig study_of(const test::StudyFolder& folder, const std::string& app,
                     const std::string& vary) {
  folder.file("hold.yaml", test::kHoldApp);
  return folder.study("title: runs\nsubject: {app: " + app + "}\nn: 3\nlongest: 0.4 s\nvary:\n  " +
                      vary + "\nmetrics: {hash: {type: test_hashes}}\n");
}

// an app, and what varies
class ResetRun : public ::testing::TestWithParam<std::pair<std::string, const char*>> {};

TEST_P(ResetRun, HasTheBitsOfAFreshCompile) {
  const test::StudyFolder folder(test::kHoldScene, parts());
  const StudyConfig study = study_of(folder, GetParam().first, GetParam().second);
  const RunPlan plan(study, SubjectFiles::of_app(*study.subject.app), {}, 0);
  AppSubject reset(study, plan.files(), parts()), fresh(study, plan.files(), parts());
  fresh.always_compile(true);
  std::vector<std::vector<double>> seen;
  for (const RunSpec& run : plan.runs()) {
    const auto changes = plan.changes(run).changes;
    const auto a = reset.run(changes, run.repeat, plan.seed(run));
    const auto b = fresh.run(changes, run.repeat, plan.seed(run));
    EXPECT_EQ(a.values, b.values) << "run " << run.number;
    EXPECT_EQ(a.simulated, b.simulated);
    for (const auto& other : seen) EXPECT_NE(other, a.values) << "the change changes nothing";
    seen.push_back(a.values);
  }
  EXPECT_EQ(reset.compiled(), 1);
  EXPECT_EQ(fresh.compiled(), 3);
  // the order does not matter
  const RunSpec& first = plan.runs().front();
  EXPECT_EQ(reset.run(plan.changes(first).changes, 0, plan.seed(first)).values, seen.front());
}

INSTANTIATE_TEST_SUITE_P(
    Keys, ResetRun,
    ::testing::Values(
        std::pair(kLift, "mass: {uniform: [0.3, 0.8], key: scene.objects.box.mass}"),
        std::pair(kLift,
                  "place: {uniform: [-2 mm, 2 mm], add: true, key: "
                  "\"scene.objects.box.pose.position[0]\"}"),
        // of the controller alone, of its model, and of where it is to go
        std::pair(kLift, "gain: {uniform: [80, 120], key: whole_arm.tasks.left_hand.stiffness}"),
        std::pair(kLift,
                  "frame: {uniform: [-5 mm, 5 mm], add: true, key: "
                  "\"scene.frames.box_left.position[1]\"}"),
        std::pair(kToss, "mass: {uniform: [0.4, 0.6], key: scene.objects.box.mass}"),
        std::pair(std::string("hold.yaml"),
                  "size: {uniform: [-5 mm, -1 mm], add: true, key: "
                  "\"scene.objects.parcel.shapes[0].size[2]\"}"),
        std::pair(std::string("hold.yaml"),
                  "friction: {uniform: [0.1, 0.5], key: \"scene.contact.pairs[1].friction\"}"),
        std::pair(std::string("hold.yaml"),
                  "speed: {uniform: [0.1, 0.5], key: scene.belts.belt.speed}")),
    [](const auto& at) { return "Case" + std::to_string(at.index); });

TEST(ResetRunKinds, AnotherShapeIsCompiledAnew) {
  const test::StudyFolder folder(test::kHoldScene, parts());
  const auto app = folder.file("test.yaml", test::kHoldApp);
  const StudyConfig study = folder.study(R"(title: shapes
subject: {app: test.yaml}
n: 2
vary:
  shape: {grid: [box, {type: sphere, radius: 0.05, material: cardboard}], key: "scene.objects.box.shapes[0]"}
  mass: {uniform: [0.4, 0.6], key: scene.objects.box.mass}
metrics: {hash: {type: test_hashes}}
)");
  StudyConfig shapes = study;
  // the first of the grid is what the file says
  const auto scene = SubjectFiles::of_app(app);
  shapes.vary[0].second.values[0].node =
      parse_tree("{type: box, size: [0.2, 0.2, 0.1], material: cardboard}", "x");
  const RunPlan plan(shapes, SubjectFiles::of_app(app), {}, 0);
  AppSubject reset(shapes, plan.files(), parts()), fresh(shapes, plan.files(), parts());
  fresh.always_compile(true);
  for (const RunSpec& run : plan.runs()) {
    const auto changes = plan.changes(run).changes;
    EXPECT_EQ(reset.run(changes, run.repeat, plan.seed(run)).values,
              fresh.run(changes, run.repeat, plan.seed(run)).values);
  }
  EXPECT_EQ(reset.compiled(), 2);
}

TEST(ResetRunKinds, AnotherDriveOfARobotIsCompiledAnew) {
  const test::StudyFolder folder(test::kHoldScene, parts());
  const StudyConfig study =
      study_of(folder, kLift,
               "delay: {list: [0, 3, 0], key: \"scene.robots.left.robot.groups[0].delay_ticks\"}");
  const RunPlan plan(study, SubjectFiles::of_app(*study.subject.app), {}, 0);
  AppSubject subject(study, plan.files(), parts()), fresh(study, plan.files(), parts());
  fresh.always_compile(true);
  std::vector<std::vector<double>> seen;
  for (const RunSpec& run : plan.runs()) {
    const auto changes = plan.changes(run).changes;
    seen.push_back(subject.run(changes, run.repeat, 1).values);
    EXPECT_EQ(seen.back(), fresh.run(changes, run.repeat, 1).values);
  }
  EXPECT_EQ(subject.compiled(), 3);
  EXPECT_EQ(seen[0], seen[2]);
  EXPECT_NE(seen[0], seen[1]);
}

TEST(ResetRunKinds, ARunThatCannotBeLeavesTheNextOnesAlone) {
  const test::StudyFolder folder(test::kHoldScene, parts());
  folder.file("test.yaml", test::kHoldApp);
  // the second box starts in the post
  const StudyConfig study = folder.study(R"(title: places
subject: {app: test.yaml}
n: 3
vary: {z: {list: [0.6, 0.5, 0.62], key: "scene.objects.box.pose.position[2]"}}
metrics: {hash: {type: test_hashes}}
)");
  const RunPlan plan(study, SubjectFiles::of_app(*study.subject.app), {}, 0);
  AppSubject reset(study, plan.files(), parts()), fresh(study, plan.files(), parts());
  fresh.always_compile(true);
  const auto run = [&](AppSubject& subject, int i) -> std::string {
    const RunSpec& spec = plan.runs()[static_cast<std::size_t>(i)];
    try {
      const auto values =
          subject.run(plan.changes(spec).changes, spec.repeat, plan.seed(spec)).values;
      std::string text;
      for (const double v : values) text += std::to_string(v) + " ";
      return text;
    } catch (const InputError& error) {
      return error.what();
    }
  };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run(reset, i), run(fresh, i)) << i;
  EXPECT_NE(run(reset, 1).find("starts 50.0 mm deep in"), std::string::npos) << run(reset, 1);
}

TEST(ResetRunKinds, AnAppThatNamesItsPlantsHasTheSameRuns) {
  const test::StudyFolder folder(test::kHoldScene, parts());
  folder.file("alone.yaml", test::kHoldApp);
  folder.file("named.yaml", std::string(test::kHoldApp) + "plants: {sim: {type: mujoco}}\n");
  const auto runs = [&](const std::string& app) {
    const StudyConfig study = folder.study(
        "title: plants\nsubject: {app: " + app +
        "}\nn: 3\nvary: {mass: {uniform: [0.2, 0.4], key: scene.objects.parcel.mass}}\n"
        "metrics: {parcel: {type: object, object: parcel}}\n");
    const RunPlan plan(study, SubjectFiles::of_app(*study.subject.app), {}, 0);
    AppSubject subject(study, plan.files(), parts());
    std::vector<std::vector<double>> values;
    for (const RunSpec& run : plan.runs())
      values.push_back(subject.run(plan.changes(run).changes, run.repeat, plan.seed(run)).values);
    return values;
  };
  const auto alone = runs("alone.yaml");
  EXPECT_EQ(alone, runs("named.yaml"));
  EXPECT_NE(alone[0], alone[1]);
}

TEST(ResetRunKinds, AnAppInStepWithAClockIsRefused) {
  const test::StudyFolder folder(test::kHoldScene, parts());
  folder.file("wall.yaml", std::string(test::kHoldApp) + "clock: wall\n");
  const StudyConfig study = folder.study(
      "title: t\nsubject: {app: wall.yaml}\nmetrics: {o: {type: object, object: box}}\n");
  const RunPlan plan(study, SubjectFiles::of_app(*study.subject.app), {}, 0);
  AppSubject subject(study, plan.files(), parts());
  try {
    subject.prepare({}, 1);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(folder.without_path(error.what()),
              "study.yaml:2: subject.app is an app in step with a clock; a study needs one with "
              "clock: virtual");
  }
}

}  // namespace app_subject_run_test
}  // namespace handspan
