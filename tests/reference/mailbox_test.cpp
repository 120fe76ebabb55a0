#include "reference/mailbox.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "core/error.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace mailbox_test {

TEST(Mailbox, GivesWhatWasPostedInItsOrder) {
  Mailbox box(8);
  Input input, taken;
  for (int i = 0; i < 100; ++i) {
    input.stamp = i;
    EXPECT_TRUE(box.post(input));
    EXPECT_TRUE(box.take(taken));
    EXPECT_EQ(taken.stamp, i);
  }
  EXPECT_FALSE(box.take(taken));
}

TEST(Mailbox, WhatDoesNotFitIsCountedAndTheRestStays) {
  Mailbox box(4);
  Input input, taken;
  for (int i = 0; i < 7; ++i) {
    input.stamp = i;
    EXPECT_EQ(box.post(input), i < 4);
  }
  EXPECT_EQ(box.lost(), 3U);
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(box.take(taken));
    EXPECT_EQ(taken.stamp, i);
  }
}

TEST(Mailbox, BetweenTwoThreadsNothingIsLostOrTorn) {
  Mailbox box(16);
  constexpr int kCount = 20000;
  std::thread writer([&] {
    Input input;
    for (int i = 0; i < kCount;) {
      input.stamp = i;
      input.set(std::vector<double>(3, i));
      if (box.post(input)) ++i;
    }
  });
  Input taken;
  for (int i = 0; i < kCount;) {
    if (!box.take(taken)) continue;
    ASSERT_EQ(taken.stamp, i);
    ASSERT_EQ(taken.numbers[2], i);
    ++i;
  }
  writer.join();
}

TEST(Input, KindsHaveNames) {
  EXPECT_EQ(input_kind("episode"), InputKind::kEpisode);
  EXPECT_STREQ(name_of(InputKind::kStop), "stop");
  try {
    input_kind("stopp");
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "'stopp' is not a kind of input; did you mean 'stop'?");
  }
}

TEST(Input, NumbersThatDoNotFitAreRefused) {
  Input input;
  EXPECT_TRUE(input.set(std::vector<double>(kMostInputNumbers, 1.0)));
  EXPECT_FALSE(input.set(std::vector<double>(kMostInputNumbers + 1, 2.0)));
  EXPECT_EQ(input.values().size(), kMostInputNumbers);
  EXPECT_EQ(input.values()[0], 1.0);
}

}  // namespace mailbox_test
}  // namespace handspan
