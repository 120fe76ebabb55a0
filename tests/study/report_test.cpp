#include "study/report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "line_trial.hpp"
#include "study/figure_pictures.hpp"
#include "study_support.hpp"

namespace handspan {
namespace report_test {

const char* const kPublished = R"(title: "Lines <b> & more"
doc: A </script> in the words.
subject: {trial: {type: line, slope: 0, noise: 0.5}}
n: 30
vary: {offset: {uniform: [0, 1 mm], key: offset}}
good: {y: {below: 0.4 m}}
expect:
  - {statistic: deviation, of: y, at_most: 0.7 m, doc: not wider}
  - {statistic: share, of: good, bound: lower, at_least: 0.99}
published:
  source: A table, page 7
  rows:
    - {statistic: deviation, of: y, value: 0.45 m, plus_minus: 0.1 m, n: 30}
    - {statistic: mean, of: y, value: 0.0, n: 30, deviation: 0.45 m}
)";

class ReportTest : public ::testing::Test {
 protected:
  const test::StudyFolder folder_{test::kHoldScene, test::line_parts()};
  std::size_t count(const std::string& text, const std::string& what) {
    std::size_t n = 0;
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size())
      ++n;
    return n;
  }
};

TEST_F(ReportTest, IsOneFileThatNeedsNoOther) {
  const StudyOutcome outcome = StudyRunner(folder_.study(kPublished), test::line_parts(), {}).run();
  const auto figures = draw_figures(outcome, "");
  const std::string html = report_html(outcome, figures, "", "window.figures = {};");
  EXPECT_NE(html.find("window.figures = {};"), std::string::npos);
  for (const char* outside : {"src=", "http:", "url(", "@import"})
    EXPECT_EQ(count(html, outside), 0U) << outside;
  // the schema's name of each specification, which nobody fetches
  EXPECT_EQ(count(html, "https:"), count(html, "https://vega.github.io/schema/vega-lite/v6.json"));
  // what people wrote is text, and ends no script
  EXPECT_EQ(count(html, "<b>"), 0U);
  EXPECT_NE(html.find("Lines &lt;b&gt; &amp; more"), std::string::npos);
  EXPECT_EQ(count(html, "</script>"), 2U);
  EXPECT_NE(html.find("A table, page 7"), std::string::npos);
  EXPECT_NE(html.find("does not hold"), std::string::npos);
  EXPECT_NE(html.find("handspan study s"), std::string::npos);
  EXPECT_EQ(html.find("not drawn as pictures"), std::string::npos);
  // a column that varies, and ours beside the published
  EXPECT_EQ(count(html, "data-figure=\"column-y\""), 1U);
  EXPECT_EQ(count(html, "data-figure=\"published\""), 1U);
}

TEST_F(ReportTest, SaysSoWhenPicturesAreMissing) {
  const StudyOutcome outcome = StudyRunner(folder_.study(kPublished), test::line_parts(), {}).run();
  auto figures = draw_figures(outcome, "");
  const std::string why = draw_pictures(find_vega(folder_.path() / "no-page"), figures);
  EXPECT_EQ(why, "Vega was not found where set-up puts it; run tools/setup and tools/build");
  const std::string html = report_html(outcome, figures, why, "");
  EXPECT_NE(html.find("Figures are not drawn as pictures: Vega was not found"), std::string::npos);
  EXPECT_EQ(count(html, "<script"), 0U);
}

TEST_F(ReportTest, WritesWhatTheSummaryPromises) {
  StudyRunner runner(folder_.study(kPublished), test::line_parts(), {});
  const StudyOutcome outcome = runner.run();
  write_report(runner, outcome, folder_.path() / "out", folder_.path() / "no-page");
  for (const char* file : {"results.csv", "summary.json", "report.html", "trial.yaml",
                           "figures/column-y.csv", "figures/published.csv"})
    EXPECT_TRUE(std::filesystem::is_regular_file(folder_.path() / "out" / file)) << file;
  const auto json = nlohmann::json::parse(std::ifstream(folder_.path() / "out/summary.json"));
  EXPECT_EQ(json["runs"], 30);
  EXPECT_EQ(json["holds"], false);
  EXPECT_EQ(json["cells"][0]["statistics"]["y"]["n"], 30);
  EXPECT_EQ(json["expectations"][0]["holds"], true);
  EXPECT_EQ(json["expectations"][1]["holds"], false);
  const auto& row = json["published"]["rows"][0];
  EXPECT_DOUBLE_EQ(row["ratio"].get<double>(), row["ours"].get<double>() / 0.45);
  EXPECT_LT(row["ratio_interval"][0], row["ratio"]);
  EXPECT_GT(row["ratio_interval"][1], row["ratio"]);
  const std::string csv = results_csv(outcome.results);
  EXPECT_TRUE(csv.starts_with("run,cell,repeat,seed,offset,y,late,good,failure\n1,all,0,1,"))
      << csv;
  EXPECT_EQ(count(csv, "\n"), 31U);
}

}  // namespace report_test
}  // namespace handspan
