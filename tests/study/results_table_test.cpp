// results.parquet is results.csv, as another program reads both.
#include "study/results_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>

#include "core/error.hpp"
#include "core/escape.hpp"
#include "core/private_folder.hpp"

namespace handspan {
namespace results_table_test {

Results some_results() {
  Results results;
  results.cells = {"near", "far"};
  results.variations = {{"speed", "m/s"}, {"who", ""}};
  results.columns = {{"slip", "m", ""}, {"rests", "", ""}};
  results.judged = true;
  for (int i = 0; i < 7; ++i) {
    RunRecord run;
    run.number = i + 1;
    run.cell = results.cells[static_cast<std::size_t>(i % 2)];
    run.repeat = i / 2;
    run.seed = static_cast<std::uint64_t>(40 + i);
    run.drawn = {{0.1 / (i + 3.0), ""}, {NAN, i % 2 == 0 ? "anna" : "bob, \"the hand\""}};
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", run.drawn[0].number);
    run.drawn[0].text = text;
    run.values = {i == 2 ? NAN : 1.0 / (7.0 + i), i % 3 == 0 ? 1.0 : 0.0};
    run.good = i % 3 == 0;
    if (i == 2) run.failure = "the simulation diverged";
    results.runs.push_back(run);
  }
  return results;
}

std::string read_by_python(const Results& results) {
  const PrivateFolder folder("handspan-table-");
  const auto parquet = folder.path() / "results.parquet", csv = folder.path() / "results.csv";
  write_results_parquet(parquet, results);
  std::ofstream(csv) << results_csv(results);
  const std::string source = HANDSPAN_SOURCE_DIR;
  const std::string command = source + "/.deps/venv/bin/python " + source +
                              "/tests/study/check_results.py " + shell_word(parquet) + " " +
                              shell_word(csv) + " 2>&1";
  std::string said;
  std::FILE* pipe = popen(command.c_str(), "r");
  char line[4000];
  while (std::fgets(line, sizeof line, pipe) != nullptr) said += line;
  EXPECT_EQ(pclose(pipe), 0) << said;
  return said;
}

TEST(ResultsTable, IsTheSameToAnotherReader) {
  EXPECT_EQ(read_by_python(some_results()),
            "unit rests=, unit slip=m, unit speed=m/s, unit who=\n");
}

TEST(ResultsTable, KeepsSeedsThatAreTooLargeForANumber) {
  Results results = some_results();
  results.runs[3].seed = 18446744073709551615U;
  read_by_python(results);
}

TEST(ResultsTable, SaysWhereItCannotBeWritten) {
  try {
    write_results_parquet("/nonexistent/results.parquet", some_results());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("/nonexistent/results.parquet"), std::string::npos);
  }
}

}  // namespace results_table_test
}  // namespace handspan
