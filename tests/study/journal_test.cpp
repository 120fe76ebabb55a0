#include "study/journal.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <thread>

#include "core/error.hpp"
#include "study_support.hpp"

namespace handspan {
namespace journal_test {

RunRecord record(int number) {
  RunRecord run;
  run.number = number;
  run.values = {1.0 / 3.0 * number, NAN, 1e-300, -0.0};
  return run;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::isnan(a[i]) && std::isnan(b[i])) && std::memcmp(&a[i], &b[i], sizeof a[i]) != 0)
      return false;
  return true;
}

TEST(Journal, GivesBackTheBitsFromAnyThread) {
  const test::StudyFolder folder;
  const auto file = folder.path() / "j.jsonl";
  {
    Journal journal(file, "f", false);
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&journal, t] {
        for (int i = 0; i < 50; ++i) journal.add(record(4 * i + t));
      });
  }
  const Journal again(file, "f", false);
  ASSERT_EQ(again.done().size(), 200U);
  for (const auto& [number, run] : again.done())
    EXPECT_TRUE(same_bits(run.values, record(number).values)) << number;
}

TEST(Journal, LeavesOutWhatWasCutOffAnywhere) {
  const test::StudyFolder folder;
  const auto file = folder.path() / "j.jsonl";
  {
    Journal journal(file, "f", false);
    for (int i = 0; i < 3; ++i) journal.add(record(i));
  }
  const auto size = std::filesystem::file_size(file);
  for (std::uintmax_t cut = size; cut > 0; --cut) {
    std::filesystem::resize_file(file, cut - 1);
    {
      Journal journal(file, "f", false);
      EXPECT_LE(journal.done().size(), 3U);
      journal.add(record(7));
    }
    EXPECT_TRUE(Journal(file, "f", false).done().contains(7)) << cut;
    std::filesystem::resize_file(file, std::min(cut, std::filesystem::file_size(file)));
  }
}

TEST(Journal, IsOfOneStudy) {
  const test::StudyFolder folder;
  const auto file = folder.path() / "j.jsonl";
  Journal(file, "f", false).add(record(1));
  EXPECT_THROW(Journal(file, "g", false), InputError);
  EXPECT_TRUE(Journal(file, "g", true).done().empty());
  EXPECT_NE(fingerprint_of("a"), fingerprint_of("b"));
  EXPECT_EQ(fingerprint_of("a").size(), 16U);
}

TEST(Journal, IsWrittenByOneProcess) {
  const test::StudyFolder folder;
  const auto file = folder.path() / "j.jsonl";
  auto first = std::make_unique<Journal>(file, "f", false);
  first->add(record(1));
  try {
    Journal(file, "f", true);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(folder.without_path(error.what()),
              "j.jsonl: another handspan does a study into this folder; wait until it has ended, "
              "or choose another --out");
  }
  first.reset();
  EXPECT_EQ(Journal(file, "f", false).done().size(), 1U);
}

TEST(Journal, SaysWhenItCannotBeWritten) {
  try {
    Journal("/nowhere/j.jsonl", "f", false);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "/nowhere/j.jsonl: cannot be written");
  }
}

}  // namespace journal_test
}  // namespace handspan
