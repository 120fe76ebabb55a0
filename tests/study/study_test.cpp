// What a study's file may say, and what it may not.
#include "study/study.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "line_trial.hpp"
#include "study/run_plan.hpp"
#include "study_support.hpp"

namespace handspan {
namespace study_test {

class StudyFileTest : public ::testing::Test {
 protected:
  StudyFileTest() { folder_.file("hold.yaml", test::kHoldApp); }
  std::string error(const std::string& text) {
    try {
      const StudyConfig study = folder_.study("title: t\n" + text);
      if (study.subject.app)
        const RunPlan plan(study, SubjectFiles::of_app(*study.subject.app), {}, 0);
    } catch (const InputError& e) {
      return folder_.without_path(e.what());
    }
    return "";
  }
  const test::StudyFolder folder_{test::kHoldScene, test::line_parts()};
};

const std::string kLine = "subject: {trial: {type: line}}\n";
const std::string kApp = "subject: {app: hold.yaml}\nmetrics: {o: {type: object, object: box}}\n";

TEST_F(StudyFileTest, MinimalOnesAreEnough) {
  EXPECT_EQ(error(kLine), "");
  EXPECT_EQ(error(kApp), "");
}

// noise that several studies have is written in one of them
TEST_F(StudyFileTest, VariationsOfAnotherStudyComeFirst) {
  folder_.file(
      "other.yaml",
      "title: o\n" + kLine +
          "vary:\n  b: {normal: [0, 1], key: noise}\n  a: {uniform: [0, 1], key: offset}\n");
  const auto names = [&](const std::string& text) {
    std::string all;
    for (const auto& [name, variation] : folder_.study("title: t\n" + kLine + text).vary) {
      EXPECT_EQ(variation.name, name);
      all += name + " ";
    }
    return all;
  };
  const std::string own = "vary: {c: {list: [1], key: slope}}\n";
  EXPECT_EQ(names("vary_from: {study: other.yaml}\n" + own), "b a c ");
  EXPECT_EQ(names("vary_from: {study: other.yaml, only: [a]}\n" + own), "a c ");
  EXPECT_EQ(names("vary_from: {study: other.yaml}\n"), "b a ");
  // as that study draws it
  const auto here = folder_.study("title: t\n" + kLine + "vary_from: {study: other.yaml}\n");
  const auto there = load_study(folder_.path() / "other.yaml", "o", test::line_parts());
  EXPECT_EQ(draw(here.vary[0].second, 7, 0, 0).number, draw(there.vary[0].second, 7, 0, 0).number);

  EXPECT_EQ(error(kLine + "vary_from: {study: othr.yaml}\n").rfind("study.yaml:3: ", 0), 0U);
  EXPECT_EQ(error(kLine + "vary_from: {study: other.yaml, only: [bb]}\n"),
            "study.yaml:3: vary_from.only has 'bb', which that study does not vary; it varies: "
            "b, a");
  EXPECT_EQ(error(kLine + "vary_from: {study: other.yaml}\nvary: {a: {list: [1], key: slope}}\n"),
            "study.yaml:4: vary.a is in vary_from too; choose another name, or say in "
            "vary_from.only which are meant");
  EXPECT_EQ(
      error(kLine + "vary_from: {study: hold.yaml}\n"),
      "study.yaml:3: vary_from.study is hold.yaml, which has no 'vary'; name a study that has");
  folder_.file("bad.yaml", "title: o\n" + kLine + "vary:\n  b: {normal: [0, 0], key: noise}\n");
  EXPECT_EQ(error(kLine + "vary_from: {study: bad.yaml}\n"),
            "bad.yaml:4: b.normal has the standard deviation 0; it must be > 0");
}

TEST_F(StudyFileTest, ErrorsNamePlaceCauseAndHint) {
  EXPECT_EQ(error("subject: {app: hold.yaml, trial: {type: line}}\n"),
            "study.yaml:2: subject is an app and a trial; give one of app and trial");
  EXPECT_EQ(
      error("subject: {app: hold.yaml}\n"),
      "study.yaml:1: the file has no metrics; say what is measured in the app's runs: metrics: "
      "{NAME: {type: ...}}");
  EXPECT_EQ(error(kLine + "metrics: {o: {type: object, object: box}}\n"),
            "study.yaml:3: metrics are of apps, and a trial gives its own numbers; take them away");
  EXPECT_EQ(error(kLine + "longest: 3 s\n"), "study.yaml:3: longest is of apps; take it away");
  EXPECT_EQ(error(kLine + "expect:\n  - {statistic: mean, of: y}\n"),
            "study.yaml:4: expect[0] has no limits; give one of at_least, at_most, above, below");
  EXPECT_EQ(
      error(kLine + "expect:\n  - {statistic: mean, of: y, above: 1, below: 2}\n"),
      "study.yaml:4: expect[0] has several limits; give one of at_least, at_most, above, below");
  EXPECT_EQ(error(kLine + "good: {y: {}}\n"),
            "study.yaml:3: good.y has no bound; give at_least, at_most, above or below");
  EXPECT_EQ(
      error(kLine + "vary: {x: {uniform: [0, 1], key: offset}, g: {grid: [1], key: noise}}\n"
                    "cells: {a: {vary: {z: {uniform: [0, 2], key: offset}}}}\n"),
      "study.yaml:4: cells.a.vary.z is in place of a variation of the study, and there is none "
      "of that name that is not a grid; there are: x");
  EXPECT_EQ(
      error(kLine + "vary: {x: {uniform: [0, 1], key: offset}}\n"
                    "cells: {a: {vary: {x: {grid: [0, 2], key: offset}}}}\n"),
      "study.yaml:4: cells.a.vary.x is a grid, which all cells have in common; take a list or "
      "a distribution, or make the study's a grid");
  EXPECT_EQ(error(kLine + "cells: {a: {}}\nstages: {a: {type: double}}\n"),
            "study.yaml:4: stages.a is named as a cell; choose another name");
  EXPECT_EQ(
      error(kLine + "cells: {\"a b\": {}}\n"),
      "study.yaml: cells has the name 'a b'; use letters, digits, '_', '-' and '.', at least one");
  EXPECT_EQ(error(kLine + "published: {source: x, rows: []}\n"),
            "study.yaml:3: published.rows has 0 items; it must have at least 1 item");
  EXPECT_EQ(error(kLine + "published: {source: x, rows: [{of: fit.a, value: 1, n: 3}]}\n"),
            "study.yaml:3: published.rows[0].n is of samples, and a stage's value has none; take "
            "it away");
  EXPECT_EQ(error(kLine + "n: 0\n"), "study.yaml:3: n is 0; it must be >= 1");
  EXPECT_NE(error(kLine + "titel: x\n").find("did you mean 'title'?"), std::string::npos);
  EXPECT_EQ(error(kApp + "set: {scene: scene.yaml, scene.objects.box.mass: 1}\n"),
            "study.yaml: the study changes which scene the app has, and keys of that scene; make a "
            "study of each scene, or scenes that have these values");
  EXPECT_EQ(
      error(kApp + "vary: {m: {uniform: [0, 1], add: true, key: controllers.left.arm.type}}\n"),
      "study.yaml:4: vary.m: the key 'controllers.left.arm.type' is 'joint_springs', and "
      "something is to be added to it; give a number there, or leave add, gain and bounds out");
}

}  // namespace study_test
}  // namespace handspan
