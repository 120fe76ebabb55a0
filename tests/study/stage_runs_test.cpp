#include "study/stage_runs.hpp"

#include <gtest/gtest.h>

#include <iterator>

#include "core/error.hpp"
#include "study_support.hpp"

namespace handspan {
namespace stage_runs_test {

std::string text_in(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<StageRun> two_runs() {
  StageRun a;
  a.number = 31;
  a.stage = "best";
  a.request = {"rough", 7, {{"offset", 0.1}, {"slope, \"steep\"", -1.0 / 3.0}}, "best_again", true};
  StageRun b;
  b.number = 32;
  b.stage = "größe";
  return {a, b};
}

std::string error_of(const auto& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(StageRuns, ARunIsFoundByItsNumberWithAllItsBits) {
  const test::StudyFolder folder;
  const auto file = folder.file("stage_runs.jsonl", "");
  write_stage_runs(file, "print", two_runs());
  const auto a = read_stage_run(file, "print", 31), b = read_stage_run(file, "print", 32);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->stage, "best");
  EXPECT_EQ(a->request.cell, "rough");
  EXPECT_EQ(a->request.repeat, 7);
  EXPECT_EQ(a->request.values, two_runs()[0].request.values);
  EXPECT_EQ(a->request.group, "best_again");
  EXPECT_TRUE(a->request.middle);
  EXPECT_EQ(b->stage, "größe");
  EXPECT_TRUE(b->request.values.empty());
  EXPECT_FALSE(b->request.middle);
  EXPECT_EQ(read_stage_run(file, "print", 30), std::nullopt);
  EXPECT_EQ(read_stage_run(file, "print", 33), std::nullopt);
}

TEST(StageRuns, WithoutAFileThereIsNone) {
  EXPECT_EQ(read_stage_run("/nowhere/at/all", "print", 1), std::nullopt);
}

TEST(StageRuns, OfAnotherStudyTheyAreRefused) {
  const test::StudyFolder folder;
  const auto file = folder.file("stage_runs.jsonl", "");
  write_stage_runs(file, "print", two_runs());
  EXPECT_EQ(error_of([&] { read_stage_run(file, "other", 31); }),
            file.string() +
                ": it has the runs of another study, of other parameters or of another build; do "
                "this study again, and then one of its runs");
}

// a file that was cut gives what is whole before the cut, or says that it is damaged
TEST(StageRuns, CutAnywhereTheyAreTheSameOrDamaged) {
  const test::StudyFolder folder;
  const auto file = folder.file("stage_runs.jsonl", "");
  write_stage_runs(file, "print", two_runs());
  const std::string whole = text_in(file);
  int found = 0, damaged = 0, missing = 0;
  for (std::size_t n = 0; n <= whole.size(); ++n) {
    folder.file("stage_runs.jsonl", whole.substr(0, n));
    try {
      const auto run = read_stage_run(file, "print", 31);
      missing += run ? 0 : 1;
      if (!run) continue;
      ++found;
      EXPECT_EQ(run->request.values, two_runs()[0].request.values) << n;
    } catch (const InputError& error) {
      ++damaged;
      EXPECT_EQ(error.what(), file.string() + ": is damaged; do the study again") << n;
    }
  }
  EXPECT_GT(found, 10);
  EXPECT_GT(damaged, 10);
  EXPECT_GT(missing, 0);
  // other words than there should be
  for (const char* text :
       {"[]\n", "{\"study\": 5}\n", "{\"study\": \"print\"}\n{\"run\": \"31\"}\n",
        "{\"study\": \"print\"}\n{\"run\": 31}\n"}) {
    folder.file("stage_runs.jsonl", text);
    EXPECT_EQ(error_of([&] { read_stage_run(file, "print", 31); }),
              file.string() + ": is damaged; do the study again")
        << text;
  }
}

TEST(StageRuns, SaysWhereItCannotWrite) {
  EXPECT_EQ(error_of([] { write_stage_runs("/dev/full", "print", two_runs()); }),
            "/dev/full: cannot be written; is the disk full?");
  EXPECT_EQ(error_of([] { write_stage_runs("/nowhere/file", "print", {}); }),
            "/nowhere/file: cannot be written; is the disk full?");
}

}  // namespace stage_runs_test
}  // namespace handspan
