// studies/grab/random.yaml, which is apps/grab.yaml with chance in it: plates that are turned, a
// box that lies elsewhere, a hand that is late or early, another speed. The box is lifted and
// neither slips nor tilts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "study/runner.hpp"
#include "study/study_text.hpp"
#include "support/parts.hpp"
#include "support/sized.hpp"

namespace handspan {
namespace grab_run_test {

TEST(GrabRun, RandomGrabsAreGood) {
  const std::filesystem::path file =
      std::filesystem::path(HANDSPAN_SOURCE_DIR) / "studies/grab/random.yaml";
  RunnerOptions options;
  options.n = test::sized(60);
  StudyRunner runner(load_study(file, "grab/random", test_parts()), test_parts(), options);
  const StudyOutcome outcome = runner.run();
  for (const RunRecord& run : outcome.results.runs)
    if (!run.good.value_or(false))
      fmt::print("{}{}", run_text(outcome.study, outcome.results.columns, run), run.failure);
  const auto count = [&](const std::string& column) {
    return estimate(StatisticKind::kCount, outcome.results.samples(column, "")).value;
  };
  const int grabs = *options.n;
  fmt::print("{} of {} grabs are good, {} boxes were put back\n", count("good"), grabs,
             count("grab.put_back"));
  EXPECT_EQ(outcome.results.failed(), 0U);
  EXPECT_GE(count("good"), grabs * 57 / 60);
}

}  // namespace grab_run_test
}  // namespace handspan
