// A thread that answers slower than a tick: when its answers are taken, and what they are as
// inputs.
#include "reference/slow_worker.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <stdexcept>

#include "reference/answer_parts.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace slow_worker_test {

constexpr Nanoseconds kMs = 1'000'000;

Question question_at(std::uint64_t id, Nanoseconds stamp, double number) {
  Question question;
  question.id = id;
  question.stamp = stamp;
  question.due = stamp + 100 * kMs;
  question.numbers = {number};
  return question;
}

// Answers with its number doubled, after a time of the wall clock.
SlowWorker doubling(int wall_ms) {
  return {"plan", 1, [wall_ms](const Question& question, Answer& answer, const std::atomic<bool>&) {
            std::this_thread::sleep_for(std::chrono::milliseconds(wall_ms));
            answer.numbers = {2.0 * question.numbers[0]};
          }};
}

// The time at which each answer was taken on a clock that goes by 1 ms, and what it said.
std::vector<std::pair<Nanoseconds, double>> taken_on_a_virtual_clock(SlowWorker& worker) {
  std::vector<std::pair<Nanoseconds, double>> taken;
  worker.open();
  Input input;
  for (Nanoseconds now = 0; now < 400 * kMs; now += kMs) {
    worker.await(now);
    while (worker.take(now, true, input)) taken.emplace_back(now, input.numbers[kPartHeader]);
    if (now % (60 * kMs) != 0 || now >= 200 * kMs) continue;
    EXPECT_TRUE(worker.ask(question_at(static_cast<std::uint64_t>(1 + now / (60 * kMs)), now,
                                       static_cast<double>(now))));
  }
  return taken;
}

TEST(SlowWorker, OnAVirtualClockAnAnswerIsTakenExactlyWhenItIsDueHoweverSlowTheThreadIs) {
  std::vector<std::pair<Nanoseconds, double>> expected;
  for (Nanoseconds asked = 0; asked < 200 * kMs; asked += 60 * kMs)
    expected.emplace_back(asked + 100 * kMs, 2.0 * static_cast<double>(asked));
  for (const int wall_ms : {0, 3, 25}) {
    SlowWorker worker = doubling(wall_ms);
    EXPECT_EQ(taken_on_a_virtual_clock(worker), expected) << wall_ms << " ms of thinking";
  }
}

TEST(SlowWorker, AsTheyComeAnAnswerIsTakenBeforeItIsDue) {
  SlowWorker worker = doubling(0);
  worker.open();
  ASSERT_TRUE(worker.ask(question_at(1, 0, 3.0)));
  Input input;
  EXPECT_FALSE(worker.take(0, true, input));
  while (!worker.take(0, false, input)) std::this_thread::yield();
  EXPECT_EQ(input.numbers[kPartHeader], 6.0);
  EXPECT_EQ(input.to, "plan");
  EXPECT_FALSE(worker.take(0, false, input));
}

TEST(SlowWorker, TakesAsManyQuestionsAsMayWaitAndNoMore) {
  SlowWorker worker = doubling(0);
  EXPECT_FALSE(worker.ask(question_at(1, 0, 0.0))) << "it is not open";
  worker.open();
  for (std::uint64_t id = 1; id <= kMostAsked; ++id)
    EXPECT_TRUE(worker.ask(question_at(id, 0, 0.0)));
  EXPECT_FALSE(worker.ask(question_at(9, 0, 0.0)));
  // what it was asked is forgotten, and it can be asked again
  worker.forget();
  Input input;
  worker.await(kSecond);
  EXPECT_FALSE(worker.take(kSecond, true, input));
  EXPECT_TRUE(worker.ask(question_at(10, 0, 5.0)));
  worker.await(kSecond);
  ASSERT_TRUE(worker.take(kSecond, true, input));
  EXPECT_EQ(input.numbers[0], 10.0);
}

TEST(SlowWorker, WhatTheThreadThrowsIsWhyThereIsNoAnswer) {
  SlowWorker worker("plan", 1, [](const Question&, Answer& answer, const std::atomic<bool>&) {
    answer.numbers = {1.0, 2.0};
    throw std::runtime_error("the goal is out of reach");
  });
  worker.open();
  worker.ask(question_at(1, 0, 0.0));
  worker.await(kSecond);
  Input input;
  ASSERT_TRUE(worker.take(kSecond, true, input));
  EXPECT_EQ(input.text, "the goal is out of reach");
  EXPECT_EQ(input.count, kPartHeader);
}

TEST(SlowWorker, AnAnswerOfTenThousandNumbersIsPutTogetherAgainWithoutHeap_Alloc) {
  std::vector<double> numbers(10'000);
  std::iota(numbers.begin(), numbers.end(), 0.5);
  SlowWorker worker("plan", 1, [&](const Question&, Answer& answer, const std::atomic<bool>&) {
    answer.numbers = numbers;
  });
  worker.open();
  AnswerParts parts(numbers.size());
  worker.ask(question_at(1, 0, 0.0));
  worker.await(kSecond);
  Input input;
  int inputs = 0;
  bool whole = false;
  const test::AllocationCount allocations;
  while (worker.take(kSecond, true, input)) {
    const AnswerParts::Result result = parts.take(input);
    EXPECT_EQ(result.refused, nullptr);
    whole = result.whole;
    ++inputs;
  }
  EXPECT_EQ(allocations.count(), 0U);
  EXPECT_TRUE(whole);
  EXPECT_EQ(inputs, 40);
  EXPECT_TRUE(std::ranges::equal(parts.numbers(), numbers));
}

}  // namespace slow_worker_test
}  // namespace handspan
