// An answer put together from its parts, and what is wrong with parts.
#include "reference/answer_parts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>

#include "core/error.hpp"
#include "reference/slow_worker.hpp"

namespace handspan {
namespace answer_parts_test {

Input part_of(const std::vector<double>& header, const std::vector<double>& numbers) {
  Input input;
  std::vector<double> all = header;
  all.insert(all.end(), numbers.begin(), numbers.end());
  EXPECT_TRUE(input.set(all));
  return input;
}

std::vector<Input> inputs_of(double id, const std::vector<double>& numbers) {
  std::vector<Input> inputs;
  const double parts = std::ceil(static_cast<double>(numbers.size()) / kPartNumbers);
  for (std::size_t first = 0; first < numbers.size(); first += kPartNumbers) {
    const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(first);
    const auto count = std::min(kPartNumbers, numbers.size() - first);
    inputs.push_back(part_of(
        {id, static_cast<double>(inputs.size()), parts, static_cast<double>(numbers.size())},
        {begin, begin + static_cast<std::ptrdiff_t>(count)}));
  }
  return inputs;
}

std::string refusal(AnswerParts& parts, const Input& input) {
  const AnswerParts::Result result = parts.take(input);
  return result.refused == nullptr ? "" : result.refused;
}

std::vector<double> six_hundred() {
  std::vector<double> numbers(600);
  std::iota(numbers.begin(), numbers.end(), 0.0);
  return numbers;
}

TEST(AnswerParts, AnswersOfOneNumberAndOfManyComeTogether) {
  AnswerParts parts(1000);
  for (const auto& numbers : {std::vector<double>{4.0}, six_hundred()}) {
    const auto inputs = inputs_of(7, numbers);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const auto result = parts.take(inputs[i]);
      EXPECT_EQ(result.refused, nullptr);
      EXPECT_EQ(result.whole, i + 1 == inputs.size());
      EXPECT_EQ(result.id, 7U);
    }
    EXPECT_TRUE(std::ranges::equal(parts.numbers(), numbers));
  }
}

TEST(AnswerParts, OneThatIsCutIsRefusedAndTheNextIsTaken) {
  AnswerParts parts(1000);
  auto inputs = inputs_of(3, six_hundred());
  parts.take(inputs[0]);
  EXPECT_EQ(refusal(parts, inputs[2]), "was cut: a part of it is missing");
  // what is left of it is refused too, and begins nothing
  EXPECT_EQ(refusal(parts, inputs[1]), "was cut: a part of it is missing");
  // another begins in the middle of one
  parts.take(inputs[0]);
  const auto result = parts.take(inputs_of(4, {1.0})[0]);
  EXPECT_STREQ(result.refused, "was cut: another one began before its last part");
  EXPECT_EQ(result.id, 3U);
  EXPECT_TRUE(result.whole);
}

TEST(AnswerParts, WhatIsOfTheWrongLengthOrNotFiniteIsRefused) {
  AnswerParts parts(1000);
  EXPECT_EQ(refusal(parts, part_of({1, 0, 1}, {})), "is shorter than its head of 4 numbers");
  EXPECT_EQ(refusal(parts, part_of({1, 0, 1, 3}, {1, 2})),
            "was cut: a part has another length than it says");
  EXPECT_EQ(refusal(parts, part_of({1, 0, 2, 3}, {1, 2, 3})),
            "has another number of parts than its length needs");
  EXPECT_EQ(refusal(parts, part_of({1, 0, 40, 10000}, {})), "has more numbers than it may have");
  EXPECT_EQ(refusal(parts, part_of({1, -1, 1, 1}, {1})), "has a head that is not four counts");
  EXPECT_EQ(refusal(parts, part_of({NAN, 0, 1, 1}, {1})), "has a head that is not four counts");
  EXPECT_EQ(refusal(parts, part_of({1, 0, 1, 2}, {1, NAN})), "has a number that is not finite");
  EXPECT_EQ(refusal(parts, part_of({1, 0, 1, 2}, {HUGE_VAL, 1})),
            "has a number that is not finite");
  EXPECT_EQ(refusal(parts, part_of({1, 0, 1, 2}, {1, 2})), "");
}

TEST(AnswerParts, ASnapshotInTheMiddleOfAnAnswerGoesOnWithIt) {
  AnswerParts parts(1000), other(1000);
  const auto inputs = inputs_of(3, six_hundred());
  parts.take(inputs[0]);
  std::vector<std::byte> bytes;
  StateArchive save(bytes);
  parts.state(save);
  StateArchive load{std::span<const std::byte>(bytes)};
  other.state(load);
  other.take(inputs[1]);
  EXPECT_TRUE(other.take(inputs[2]).whole);
  EXPECT_TRUE(std::ranges::equal(other.numbers(), six_hundred()));
  AnswerParts small(10);
  StateArchive again{std::span<const std::byte>(bytes)};
  EXPECT_THROW(small.state(again), InputError);
}

}  // namespace answer_parts_test
}  // namespace handspan
