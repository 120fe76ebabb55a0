// gallery.yaml: a figure of every kind, of real runs. What each draws is counted, and other
// programs open its picture. The pictures themselves are for somebody to look at.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/escape.hpp"
#include "study/figure_pictures.hpp"
#include "study/figure_set.hpp"
#include "study/report.hpp"
#include "study/runner.hpp"
#include "study_support.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace gallery_run_test {

using Json = nlohmann::json;

const std::filesystem::path kSource(HANDSPAN_SOURCE_DIR);

// How many marks of each type a view and the views in it have: of the values that each layer draws.
void count(const Json& view, const Json& outer, std::map<std::string, std::size_t>& marks) {
  const Json& data = view.contains("data") ? view["data"] : outer;
  if (view.contains("mark") && data.contains("values"))
    marks[view["mark"].at("type")] += data["values"].size();
  for (const char* several : {"layer", "concat", "vconcat", "hconcat"})
    if (view.contains(several))
      for (const Json& part : view[several]) count(part, data, marks);
}

class Gallery : public ::testing::Test {
 protected:
  // once for all tests: the study is done into a folder of its own
  static void SetUpTestSuite() {
    folder_ = new test::StudyFolder();
    StudyConfig study = load_study(kSource / "tests/study/gallery.yaml", "gallery", test_parts());
    RunnerOptions options;
    options.out = folder_->path() / "out";
    StudyRunner runner(std::move(study), test_parts(), options);
    outcome_ = new StudyOutcome(runner.run());
    write_report(runner, *outcome_, options.out, kSource / "web/dist");
    figures_ = new std::vector<DrawnFigure>(draw_figures(*outcome_, options.out));
  }
  static void TearDownTestSuite() {
    delete figures_;
    delete outcome_;
    delete folder_;
  }

  static const DrawnFigure& figure(const std::string& name) {
    for (const DrawnFigure& each : *figures_)
      if (each.name == name) return each;
    throw std::runtime_error("there is no figure " + name);
  }
  static std::map<std::string, std::size_t> marks(const std::string& name) {
    std::map<std::string, std::size_t> all;
    count(figure(name).drawing.spec, Json::object(), all);
    return all;
  }
  static std::filesystem::path out() { return folder_->path() / "out"; }

  static test::StudyFolder* folder_;
  static StudyOutcome* outcome_;
  static std::vector<DrawnFigure>* figures_;
};

test::StudyFolder* Gallery::folder_ = nullptr;
StudyOutcome* Gallery::outcome_ = nullptr;
std::vector<DrawnFigure>* Gallery::figures_ = nullptr;

constexpr std::size_t kRuns = 24, kCells = 2, kFrictions = 3;

TEST_F(Gallery, HasEveryKind) {
  std::set<std::string> kinds;
  for (const auto& [name, part] : outcome_->study.figures) kinds.insert(part.name);
  for (const std::string& kind : test_parts().of<FigureRegistry>().names())
    EXPECT_TRUE(kinds.contains(kind)) << kind << " is not in gallery.yaml";
  EXPECT_EQ(outcome_->results.runs.size(), kRuns);
  EXPECT_EQ(outcome_->results.failed(), 0U);
  for (const DrawnFigure& each : *figures_) EXPECT_EQ(each.problem, "") << each.name;
}

TEST_F(Gallery, DrawsWhatThereIs) {
  EXPECT_EQ(marks("landing").at("point"), kRuns + kCells) << "runs, and the means of cells";
  EXPECT_EQ(marks("landing").at("line"), kCells * 73);
  EXPECT_EQ(marks("spread").at("bar"), 2 * kCells);
  EXPECT_EQ(marks("quartiles").at("rect"), 2 * kCells);
  EXPECT_EQ(marks("quartiles").at("point"), 2 * kRuns);
  EXPECT_EQ(marks("by_friction").at("line"), kCells * kFrictions);
  // each run once
  std::size_t fields = 0;
  for (const Json& panel : figure("gripped").drawing.spec.at("concat"))
    for (const Json& layer : panel.at("layer"))
      if (layer["mark"]["type"] == "rect") fields += layer["data"]["values"].size();
  EXPECT_GE(fields, 6U);
  EXPECT_LE(fields, kCells * 16);
  EXPECT_EQ(marks("height").at("rule"), 2 * kCells) << "a line a cell in each of two panels";
  EXPECT_EQ(marks("off").at("line"), 2 * kCells * 5 + 2 * 24) << "arrows, and edges of the box";
  EXPECT_GE(marks("outcomes").at("text"), 1 + kCells);
}

// extents: series and paths have the values that runs had
TEST_F(Gallery, PathsEndWhereTheBoxRests) {
  std::map<std::string, std::array<double, 3>> last;
  std::istringstream csv(figure("ways").drawing.csv);
  std::string line;
  std::getline(csv, line);
  EXPECT_EQ(line, "run,path,time [s],x [mm],y [mm],z [mm]");
  while (std::getline(csv, line)) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    // the run's name, "late, run 1", has a comma itself
    const std::size_t n = cells.size();
    ASSERT_EQ(n, 7U) << line;
    last[cells[n - 5] + " of " + cells[0]] = {std::stod(cells[n - 3]), std::stod(cells[n - 2]),
                                              std::stod(cells[n - 1])};
  }
  ASSERT_EQ(last.size(), 2 * kCells);
  // the frame U of the metric is at (0, -0.4, 0.909) m
  const Results& results = outcome_->results;
  const auto column = [&](const std::string& name) { return results.samples(name, "as_shown")[0]; };
  bool found = false;
  for (const auto& [name, p] : last) {
    if (!name.starts_with("box") || name.find("as_shown") == std::string::npos) continue;
    found = true;
    EXPECT_NEAR(p[0], 1e3 * column("rest.x"), 0.5);
    EXPECT_NEAR(p[1], 1e3 * (column("rest.y") - 0.4), 0.5);
    EXPECT_NEAR(p[2], 1e3 * (column("rest.z") + 0.909), 0.5);
  }
  EXPECT_TRUE(found);
}

TEST_F(Gallery, PicturesOpenInOtherPrograms) {
  const VegaPrograms vega = find_vega(kSource / "web/dist");
  if (vega.draw.empty() || vega.node.empty()) GTEST_SKIP() << "Vega is not built; run tools/build";
  std::size_t pictures = 0;
  for (const DrawnFigure& each : *figures_) {
    if (each.drawing.spec.is_null()) continue;
    ++pictures;
    const auto svg = out() / "figures" / (each.name + ".svg");
    ASSERT_TRUE(std::filesystem::is_regular_file(svg)) << each.name;
  }
  EXPECT_GE(pictures, 11U);
  if (std::system("command -v rsvg-convert >/dev/null") != 0)
    GTEST_SKIP() << "librsvg's rsvg-convert is not there";
  for (const DrawnFigure& each : *figures_) {
    if (each.drawing.spec.is_null()) continue;
    const auto svg = out() / "figures" / (each.name + ".svg"),
               png = out() / "figures" / (each.name + ".png");
    const std::string command =
        "rsvg-convert " + shell_word(svg) + " -o " + shell_word(png) + " 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << each.name;
    // drawn, not blank: a PNG of one colour packs to less
    EXPECT_GT(std::filesystem::file_size(png), 2000U) << each.name;
    EXPECT_EQ(std::filesystem::is_regular_file(out() / "figures" / (each.name + ".pdf")), each.own)
        << each.name;
  }
}

}  // namespace gallery_run_test
}  // namespace handspan
