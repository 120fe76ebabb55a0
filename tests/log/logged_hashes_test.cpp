#include "log/logged_hashes.hpp"

#include <gtest/gtest.h>

#include <random>

#include "support/alloc.hpp"

namespace handspan {
namespace logged_hashes_test {

// ticks 10 to 19, 20 to 24 and 40; of tick t all hashes are t
std::vector<HashedTicks> three_runs() {
  std::vector<HashedTicks> runs = {{10, {}}, {20, {}}, {30, {}}, {40, {}}};
  const int sizes[] = {10, 5, 0, 1};
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (int i = 0; i < sizes[r]; ++i) {
      TickHashes row;
      row.fill(static_cast<std::uint32_t>(runs[r].first + i));
      runs[r].rows.push_back(row);
    }
  return runs;
}

bool has(std::int64_t tick) { return (tick >= 10 && tick < 25) || tick == 40; }

TEST(LoggedHashes, EveryTickThatIsThereIsFoundInAnyOrder) {
  LoggedHashes hashes(three_runs());
  const auto look = [&](std::int64_t tick) {
    const TickHashes* found = hashes.at(tick);
    ASSERT_EQ(found != nullptr, has(tick)) << tick;
    if (found != nullptr) {
      EXPECT_EQ((*found)[0], static_cast<std::uint32_t>(tick));
      EXPECT_EQ((*found)[kQuantities - 1], static_cast<std::uint32_t>(tick));
    }
  };
  for (std::int64_t tick = 0; tick < 60; ++tick) look(tick);
  for (std::int64_t tick = 60; tick-- > 0;) look(tick);
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) look(static_cast<std::int64_t>(random() % 60));
  look(-1);
  look(INT64_MAX);
}

TEST(LoggedHashes, ALogWithoutAnyHasNone) {
  LoggedHashes hashes({});
  EXPECT_EQ(hashes.at(0), nullptr);
  EXPECT_EQ(hashes.at(-5), nullptr);
}

TEST(LoggedHashes, LookingAllocatesNothing) {
  LoggedHashes hashes(three_runs());
  const test::AllocationCount allocations;
  int found = 0;
  for (int round = 0; round < 3; ++round)
    for (std::int64_t tick = 0; tick < 60; ++tick) found += hashes.at(tick) != nullptr ? 1 : 0;
  EXPECT_EQ(allocations.count(), 0U);
  EXPECT_EQ(found, 3 * 16);
}

}  // namespace logged_hashes_test
}  // namespace handspan
