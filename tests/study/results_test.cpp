#include "study/results.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <numbers>
#include <sstream>

#include "core/error.hpp"

namespace handspan {
namespace results_test {

RunRecord run_of(int number, const std::string& cell, double drawn, double y, bool good) {
  RunRecord run;
  run.number = number;
  run.cell = cell;
  run.repeat = number - 1;
  run.seed = 18446744073709551615ULL - static_cast<std::uint64_t>(number);
  run.drawn = {{drawn, std::to_string(drawn)}};
  run.values = {y, y > 1.0 ? 1.0 : 0.0};
  run.good = good;
  return run;
}

// two cells, a stage's runs after them, and one that failed
Results four_runs() {
  Results results;
  results.cells = {"calm", "rough"};
  results.variations = {{"offset", "rad"}};
  results.columns = {{"y", "m", ""}, {"late", "", ""}};
  results.judged = true;
  results.runs = {run_of(1, "calm", 0.1, 1.0, true), run_of(2, "rough", 0.2, 2.0, false),
                  run_of(3, "rough", 0.3, NAN, false), run_of(4, "again", 0.4, 4.0, true)};
  results.runs[2].failure = "it broke, \"at once\"";
  results.runs[2].values = {NAN, NAN};
  return results;
}

std::string error_of(const auto& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

using Values = std::vector<double>;

TEST(Results, SamplesAreThoseOfACellWithoutFailedRuns) {
  const Results results = four_runs();
  EXPECT_EQ(results.samples("y", "calm"), (Values{1.0}));
  EXPECT_EQ(results.samples("y", "rough"), (Values{2.0}));
  // of all cells of the study, and not those of stages
  EXPECT_EQ(results.samples("y", ""), (Values{1.0, 2.0}));
  EXPECT_EQ(results.samples("y", "again"), (Values{4.0}));
  EXPECT_EQ(results.samples("offset", ""), (Values{0.1, 0.2}));
  EXPECT_EQ(results.samples("late", ""), (Values{0.0, 1.0}));
  // one that failed is not good
  EXPECT_EQ(results.samples("good", "rough"), (Values{0.0, 0.0}));
  EXPECT_EQ(results.samples("good", ""), (Values{1.0, 0.0, 0.0}));
  EXPECT_EQ(results.failed(), 1U);
  EXPECT_EQ(groups_of(results), (std::vector<std::string>{"calm", "rough", "again"}));
}

TEST(Results, NamesThatAreNotThereAreErrorsWithThoseThatAre) {
  Results results = four_runs();
  EXPECT_EQ(error_of([&] { results.samples("z", ""); }),
            "the study has no column 'z'; it has: y, late, offset, good");
  EXPECT_EQ(error_of([&] { results.samples("ofset", ""); }),
            "the study has no column 'ofset'; did you mean 'offset'?");
  EXPECT_EQ(error_of([&] { results.samples("y", "calmer"); }),
            "the study has no cell 'calmer'; did you mean 'calm'?");
  results.judged = false;
  EXPECT_EQ(error_of([&] { results.unit("good"); }).find("the study has no column 'good'"), 0U);
  EXPECT_EQ(error_of([] { (void)Results().samples("y", ""); }),
            "the study has no column 'y', nor any other");
}

TEST(Results, UnitsAreThoseOfColumnsAndVariations) {
  const Results results = four_runs();
  EXPECT_EQ(results.unit("y"), "m");
  EXPECT_EQ(results.unit("offset"), "rad");
  EXPECT_EQ(results.unit("good"), "");
  EXPECT_TRUE(results.is_flag(1));
  EXPECT_FALSE(results.is_flag(0));
  Results other = results;
  other.runs[0].values[1] = 0.5;
  EXPECT_FALSE(other.is_flag(1));
}

TEST(Results, ARunsLineIsQuotedAndHasTheBits) {
  const Results results = four_runs();
  EXPECT_EQ(csv_row(results.runs[1]), "2,rough,1,18446744073709551613,0.200000,2,1,0,");
  EXPECT_EQ(csv_row(results.runs[2]),
            "3,rough,2,18446744073709551612,0.300000,,,0,\"it broke, \"\"at once\"\"\"");
  EXPECT_EQ(results_csv(results).substr(0, 55),
            "run,cell,repeat,seed,offset,y,late,good,failure\n1,calm,");
  Results exact;
  exact.columns = {{"x", "", ""}};
  for (const double x : {0.1, 1.0 / 3.0, 5e-324, -1.7976931348623157e308, 1e22}) {
    RunRecord run;
    run.values = {x};
    exact.runs = {run};
    const std::string text = results_csv(exact);
    const std::string line = text.substr(text.find('\n') + 1);
    const auto at = line.find(",0,0,") + 5;
    EXPECT_EQ(std::strtod(line.c_str() + at, nullptr), x) << line;
  }
}

TEST(ShownUnit, AnglesAreDegreesAndLengthsMillimetres) {
  EXPECT_EQ(shown_unit("m").unit, "mm");
  EXPECT_EQ(shown_unit("m").factor, 1000.0);
  EXPECT_EQ(shown_unit("rad").unit, "deg");
  EXPECT_DOUBLE_EQ(shown_unit("rad").factor * std::numbers::pi, 180.0);
  EXPECT_EQ(shown_unit("rad/s").unit, "deg/s");
  EXPECT_DOUBLE_EQ(shown_unit("rad/s").factor * std::numbers::pi, 180.0);
  for (const char* unit : {"", "s", "m/s", "N", "rad/s^2"}) {
    EXPECT_EQ(shown_unit(unit).unit, unit);
    EXPECT_EQ(shown_unit(unit).factor, 1.0);
  }
}

}  // namespace results_test
}  // namespace handspan
