// What figures draw: their marks and extents, and what is wrong with them.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/config.hpp"
#include "core/error.hpp"
#include "line_trial.hpp"
#include "study/figure_pictures.hpp"
#include "study/figure_set.hpp"
#include "study/runner.hpp"
#include "study/series_file.hpp"
#include "study_support.hpp"

namespace handspan {
namespace figure_test {

using Json = nlohmann::json;

// Results that no run gave: two cells of ten runs with x, y, value [m], a flag and a time [s].
StudyOutcome made_outcome() {
  StudyOutcome outcome;
  Results& results = outcome.results;
  results.cells = {"a", "b"};
  results.variations = {{"grid", ""}};
  results.columns = {
      {"x", "m", ""}, {"y", "m", ""}, {"hit", "", ""}, {"when", "s", ""}, {"none", "m", ""}};
  for (int c = 0; c < 2; ++c)
    for (int i = 0; i < 10; ++i) {
      RunRecord run;
      run.number = static_cast<int>(results.runs.size()) + 1;
      run.cell = results.cells[static_cast<std::size_t>(c)];
      run.repeat = i;
      run.drawn = {{static_cast<double>(i % 2), ""}};
      run.values = {0.01 * i + 0.1 * c, 0.02 * (i % 3) - 0.05 * c, i < 4 ? 1.0 : 0.0, 0.5, NAN};
      results.runs.push_back(run);
    }
  return outcome;
}

Drawing drawing_of(const std::string& text, const StudyOutcome& outcome,
                   const std::filesystem::path& folder = "") {
  const auto part = parse_yaml(text, "f.yaml", test::line_parts().of<FigureRegistry>().schema());
  return part.make()->draw({outcome, folder});
}

// The values of the layer with this mark; of a concatenation those of one panel.
Json marks(const Json& view, const std::string& mark) {
  for (const Json& layer : view.at("layer")) {
    const Json& m = layer.at("mark");
    if (m.at("type") == mark)
      return layer.contains("data") ? layer["data"]["values"] : view["data"]["values"];
  }
  return Json::array();
}

std::string error_of(const std::string& text, const StudyOutcome& outcome,
                     const std::filesystem::path& folder = "") {
  try {
    drawing_of(text, outcome, folder);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

TEST(Ellipses, HaveAPointForEachRunAndALineAroundEachCell) {
  const auto outcome = made_outcome();
  const Drawing d = drawing_of("{type: ellipses, x: x, y: y}", outcome);
  EXPECT_EQ(marks(d.spec, "point").size(), 20U);
  EXPECT_EQ(marks(d.spec, "line").size(), 2U * 73U);
  EXPECT_EQ(lines(d.csv), 21U);
  // in mm, as tables have it, and round: one scale for both axes
  EXPECT_DOUBLE_EQ(marks(d.spec, "point")[1]["x"].get<double>(), 10.0);
  const Json& encoding = d.spec["layer"][0]["encoding"];
  const auto per_pixel = [&](const char* axis, const char* side) {
    const Json& domain = encoding[axis]["scale"]["domain"];
    return (domain[1].get<double>() - domain[0].get<double>()) / d.spec[side].get<double>();
  };
  EXPECT_NEAR(per_pixel("x", "width") / per_pixel("y", "height"), 1.0, 0.01);
}

// x and y of the same variance s^2 and no covariance: a circle of radius s sqrt(-2 ln(1 - level))
TEST(Ellipses, OfEqualVariancesAreCircles) {
  StudyOutcome outcome = made_outcome();
  outcome.results.cells = {"a"};
  outcome.results.runs.resize(4);
  const double x[] = {1, -1, 0, 0}, y[] = {0, 0, 1, -1};
  for (std::size_t i = 0; i < 4; ++i) {
    outcome.results.runs[i].values[0] = x[i];
    outcome.results.runs[i].values[1] = y[i];
  }
  const Drawing d = drawing_of("{type: ellipses, x: x, y: y, level: 0.5}", outcome);
  const double radius = 1000.0 * std::sqrt(2.0 / 3.0) * std::sqrt(-2.0 * std::log(0.5));
  for (const Json& p : marks(d.spec, "line"))
    EXPECT_NEAR(std::hypot(p["x"].get<double>(), p["y"].get<double>()), radius, 1e-9 * radius);
}

TEST(Bars, HaveMeansDeviationsAndStars) {
  const Drawing d =
      drawing_of("{type: bars, of: [x], stars: [{cell: a, against: b}]}", made_outcome());
  const Json bars = marks(d.spec, "bar");
  ASSERT_EQ(bars.size(), 2U);
  EXPECT_NEAR(bars[0]["y"].get<double>(), 45.0, 1e-9);
  EXPECT_NEAR(bars[1]["high"].get<double>() - bars[1]["y"].get<double>(),
              std::sqrt(110.0 / 12.0) * 10.0, 1e-9);
  const Json words = marks(d.spec, "text");
  ASSERT_EQ(words.size(), 1U);
  EXPECT_EQ(words[0]["text"], "***");
}

TEST(Bars, StarsAreOfMeans) {
  try {
    drawing_of("{type: bars, of: [hit], statistic: share, stars: [{cell: a, against: b}]}",
               made_outcome());
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "f.yaml:1: stars compare means, and the bars are of another statistic; take them away, "
        "or take statistic: mean");
  }
}

TEST(Boxes, HaveQuartilesAndRuns) {
  const Drawing d = drawing_of("{type: boxes, of: [x, y]}", made_outcome());
  ASSERT_EQ(d.spec["concat"].size(), 2U);
  const Json boxes = marks(d.spec["concat"][0], "rect");
  ASSERT_EQ(boxes.size(), 2U);
  EXPECT_NEAR(boxes[0]["median"].get<double>(), 45.0, 1e-9);
  EXPECT_NEAR(boxes[0]["q1"].get<double>(), 22.5, 1e-9);
  EXPECT_EQ(marks(d.spec["concat"][0], "point").size(), 20U);
}

TEST(Curve, HasTheMeanAtEachValue) {
  const Drawing d = drawing_of("{type: curve, x: grid, y: x, cells: [b]}", made_outcome());
  const Json& values = d.spec["data"]["values"];
  ASSERT_EQ(values.size(), 2U);
  EXPECT_NEAR(values[0]["y"].get<double>(), 140.0, 1e-9);
  EXPECT_NEAR(values[1]["y"].get<double>(), 150.0, 1e-9);
}

TEST(HeatMap, HasAFieldForEachPairAndAPanelForEachCell) {
  const Drawing d = drawing_of("{type: heat_map, x: grid, y: hit, of: x}", made_outcome());
  ASSERT_EQ(d.spec["concat"].size(), 2U);
  EXPECT_EQ(marks(d.spec["concat"][0], "rect").size(), 4U);
}

TEST(FaceMap, HasTheFaceAround) {
  const Drawing d = drawing_of(
      "{type: face_map, x: x, y: y, of: when, size: [500 mm, 300 mm], bins: 5, cells: [a]}",
      made_outcome());
  const Json& face = d.spec["layer"][1]["data"]["values"][0];
  EXPECT_DOUBLE_EQ(face["x2"].get<double>(), 250.0);
  EXPECT_DOUBLE_EQ(face["y2"].get<double>(), 150.0);
}

TEST(Table, HasALineForEachCell) {
  const Drawing d =
      drawing_of("{type: table, of: [x, hit], statistics: [mean, share]}", made_outcome());
  EXPECT_EQ(d.csv.substr(0, d.csv.find('\n')),
            "cell,mean of x [mm],share of x,mean of hit,share of hit");
  EXPECT_EQ(lines(d.csv), 3U);
  EXPECT_TRUE(d.spec.is_null());
}

TEST(Tree, DividesByCellsAndFlags) {
  const Drawing d = drawing_of("{type: tree, by: [hit]}", made_outcome());
  // all, two cells, each with and without
  EXPECT_EQ(lines(d.csv), 8U);
  EXPECT_NE(d.csv.find("2,hit,4,0.2"), std::string::npos) << d.csv;
}

TEST(Tree, RefusesMeasuredValues) {
  EXPECT_EQ(error_of("{type: tree, by: [x], by_cell: false}", made_outcome()),
            "'x' has 20 values, and a tree divides by at most 12");
}

TEST(Arrows, AreOnTheBody) {
  const Drawing d = drawing_of(
      "{type: arrows, body: [0.2, 0.2, 0.1], arrows: {push: {at: [0.1, 0, 0], vector: [x, y, 0]}}}",
      made_outcome());
  // the box's 12 edges, then five corners for the arrow of each cell
  EXPECT_EQ(d.spec["layer"][0]["data"]["values"].size(), 24U);
  EXPECT_EQ(d.spec["layer"][1]["data"]["values"].size(), 10U);
}

// a folder with the series of run 1: a helix of 50 places, and one that ends early
class SeriesFigure : public ::testing::Test {
 protected:
  SeriesFigure() {
    std::vector<TimeSeries> series;
    for (int k = 0; k < 3; ++k) {
      TimeSeries s{"tool[" + std::to_string(k) + "]", "m", {}, {}};
      for (int i = 0; i < 50; ++i) {
        s.time.push_back(0.02 * i);
        s.values.push_back(k == 0   ? 0.1 * std::cos(0.2 * i)
                           : k == 1 ? 0.1 * std::sin(0.2 * i)
                                    : 0.01 * i);
      }
      series.push_back(s);
    }
    series.push_back({"short", "N", {0.0, 0.1}, {1.0, 2.0}});
    series.push_back({"nan", "N", {0.0, 0.1}, {NAN, NAN}});
    for (const int run : {1, 11}) write_series_file(series, series_file(folder_.path(), run));
  }
  const test::StudyFolder folder_{test::kHoldScene, test::line_parts()};
};

TEST_F(SeriesFigure, TimeSeriesHaveAPanelForEachUnitAndEvents) {
  const Drawing d = drawing_of("{type: time_series, series: [\"tool[0]\", short], events: [when]}",
                               made_outcome(), folder_.path());
  ASSERT_EQ(d.spec["vconcat"].size(), 2U);
  EXPECT_EQ(marks(d.spec["vconcat"][0], "line").size(), 100U);
  EXPECT_EQ(marks(d.spec["vconcat"][1], "line").size(), 4U);
  EXPECT_EQ(marks(d.spec["vconcat"][0], "rule").size(), 2U);
}

TEST_F(SeriesFigure, PathsAreSeenFromThreeSides) {
  const Drawing d =
      drawing_of("{type: path, paths: {tool: tool}, runs: [{cell: a}], events: [when]}",
                 made_outcome(), folder_.path());
  ASSERT_EQ(d.spec["concat"].size(), 3U);
  const Json above = marks(d.spec["concat"][0], "line");
  ASSERT_EQ(above.size(), 50U);
  for (const Json& p : above)
    EXPECT_NEAR(std::hypot(p["x"].get<double>(), p["y"].get<double>()), 100.0, 1e-9);
  EXPECT_EQ(lines(d.csv), 51U);
}

TEST_F(SeriesFigure, CurvesNeedSeriesOfOneLength) {
  EXPECT_EQ(
      error_of("{type: curve, x: \"tool[0]\", y: short, runs: [{cell: a}]}", made_outcome(),
               folder_.path()),
      "of a, run 1 'tool[0]' has 50 values and 'short' has 2, so that there is no curve of one "
      "over the other; take series of one rate");
}

TEST_F(SeriesFigure, SaysWhichSeriesThereAre) {
  EXPECT_NE(error_of("{type: time_series, series: [tol], runs: [{cell: a}]}", made_outcome(),
                     folder_.path())
                .find("a, run 1 has no series 'tol'"),
            std::string::npos);
  EXPECT_EQ(error_of("{type: time_series, series: [nan], runs: [{cell: a}]}", made_outcome(),
                     folder_.path()),
            "'nan' of a, run 1 has no finite value in the time that is shown");
}

TEST(Figures, WithoutFiniteRowsSayWhy) {
  EXPECT_EQ(error_of("{type: ellipses, x: x, y: none}", made_outcome()),
            "none of 20 runs has finite values of x, none");
  StudyOutcome empty = made_outcome();
  empty.results.runs.clear();
  EXPECT_NE(error_of("{type: boxes, of: [x]}", empty).find("there are no runs"), std::string::npos);
}

TEST(Figures, OfThousandsOfRunsShowSummaries) {
  StudyOutcome outcome = made_outcome();
  const auto few = outcome.results.runs;
  while (outcome.results.runs.size() <= 5000)
    outcome.results.runs.insert(outcome.results.runs.end(), few.begin(), few.end());
  const Drawing d = drawing_of("{type: ellipses, x: x, y: y}", outcome);
  EXPECT_EQ(marks(d.spec, "point").size(), 0U);
  EXPECT_EQ(marks(d.spec, "line").size(), 2U * 73U);
  EXPECT_NE(d.note.find("are shown by their ellipses alone"), std::string::npos);
}

// a study file's own errors: place, key and hint
std::string study_error(const std::string& figures) {
  const test::StudyFolder folder(test::kHoldScene, test::line_parts());
  try {
    StudyRunner(
        folder.study("title: t\nsubject: {trial: {type: line}}\nn: 2\nfigures:\n" + figures),
        test::line_parts(), {});
  } catch (const ConfigError& error) {
    return folder.without_path(error.what());
  }
  return "no error";
}

TEST(FiguresOfAStudy, NamesAreCheckedBeforeTheFirstRun) {
  test::g_line_runs = 0;
  EXPECT_EQ(study_error("  f: {type: boxes, of: [y, yy]}\n"),
            "study.yaml:5: figures.f.of[1] cannot be drawn: the study has no column 'yy'; it "
            "has: y, late");
  EXPECT_NE(study_error("  f: {type: boxes, of: [y], cells: [far]}\n")
                .find("study.yaml:5: figures.f.cells[0] is 'far', which is not a cell"),
            std::string::npos);
  EXPECT_EQ(study_error("  f: {type: time_series, series: [y]}\n"),
            "study.yaml:5: figures.f shows series of runs, and the study keeps none; add series: "
            "{channels: [...]} to the study");
  EXPECT_NE(study_error("  f: {type: path, paths: {p: q}, log: l}\n")
                .find("figures.f.log is 'l', which is not a log of the study; add it under logs"),
            std::string::npos);
  EXPECT_NE(study_error("  f: {type: picture, file: study.yaml}\n")
                .find("is no picture that a report shows; give a .png, .jpg or .svg"),
            std::string::npos);
  EXPECT_EQ(test::g_line_runs, 0);
}

// with Vega as set-up builds it: every kind is drawn, in names of colours and in colours
TEST(FigurePictures, AreDrawnByVega) {
  const VegaPrograms vega = find_vega(std::filesystem::path(HANDSPAN_SOURCE_DIR) / "web/dist");
  if (vega.draw.empty() || vega.node.empty()) GTEST_SKIP() << "Vega is not built; run tools/build";
  const auto outcome = made_outcome();
  std::vector<DrawnFigure> figures = draw_figures(outcome, "");
  ASSERT_EQ(figures.size(), 2U);  // x and y; the flag, the time and what is empty do not vary
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
           {"ellipses", "{type: ellipses, x: x, y: y}"},
           {"bars", "{type: bars, of: [x], stars: [{cell: a, against: b}]}"},
           {"curve", "{type: curve, x: grid, y: x}"},
           {"heat_map", "{type: heat_map, x: grid, y: hit, of: x}"},
           {"tree", "{type: tree, by: [hit]}"},
           {"arrows",
            "{type: arrows, body: [0.2, 0.2, 0.1], arrows: {p: {at: [0, 0, 0], vector: [x, y, "
            "0]}}}"}}) {
    DrawnFigure figure;
    figure.name = name;
    figure.drawing = drawing_of(text, outcome);
    figures.push_back(figure);
  }
  ASSERT_EQ(draw_pictures(vega, figures), "");
  for (const DrawnFigure& figure : figures) {
    EXPECT_EQ(figure.problem, "") << figure.name;
    EXPECT_TRUE(figure.svg.starts_with("<svg")) << figure.name;
    EXPECT_EQ(figure.svg.find("NaN"), std::string::npos) << figure.name;
    if (figure.name == "ellipses") {
      EXPECT_NE(figure.svg.find("role-legend"), std::string::npos) << "which cell is which?";
    }
  }
  const test::StudyFolder folder(test::kHoldScene, test::line_parts());
  write_figures(figures, folder.path() / "figures");
  std::ifstream in(folder.path() / "figures/ellipses.svg");
  const std::string svg((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(svg.find("var("), std::string::npos);
  EXPECT_NE(svg.find("#1f5fa8"), std::string::npos);
}

}  // namespace figure_test
}  // namespace handspan
