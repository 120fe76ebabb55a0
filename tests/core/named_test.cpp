#include "core/named.hpp"

#include <gtest/gtest.h>

#include "support/message_of.hpp"

namespace handspan {
namespace named_test {

using test::message_of;

struct Cup {
  std::string name;
};

TEST(Named, FindsTheFirstOfThatName) {
  const std::vector<Cup> cups = {{"left"}, {"right"}, {"left"}};
  EXPECT_EQ(find_named("the scene", "cup", "left", cups, &Cup::name), 0U);
  EXPECT_EQ(find_named("the scene", "cup", "right", cups, &Cup::name), 1U);
  EXPECT_EQ(names_of(cups, &Cup::name), (std::vector<std::string>{"left", "right", "left"}));
  const std::vector<std::string> words = {"a", "b"};
  EXPECT_EQ(find_named("", "word", "b", words), 1U);
}

TEST(Named, WhatIsNotThereIsToldWithTheNearestOrAll) {
  const std::vector<Cup> cups = {{"left"}, {"right"}};
  EXPECT_EQ(message_of([&] { find_named("the scene", "cup", "lft", cups, &Cup::name); }),
            "the scene has no cup 'lft'; did you mean 'left'?");
  EXPECT_EQ(message_of([&] { find_named("the scene", "cup", "x", cups, &Cup::name); }),
            "the scene has no cup 'x'; it has: left, right");
  EXPECT_EQ(message_of([&] { find_named("", "cup", "x", cups, &Cup::name); }),
            "there is no cup 'x'; there are: left, right");
  EXPECT_EQ(not_found("the scene", "cup", "x", {}), "the scene has no cup 'x', nor any other");
  EXPECT_EQ(not_found("", "cup", "x", {}), "there is no cup 'x'");
}

}  // namespace named_test
}  // namespace handspan
