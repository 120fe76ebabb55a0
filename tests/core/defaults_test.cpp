#include "core/defaults.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace handspan {
namespace defaults_test {

TEST(DefaultText, NumbersAndWordsAreAsTheyAreWritten) {
  EXPECT_EQ(default_text(true), "true");
  EXPECT_EQ(default_text(false), "false");
  EXPECT_EQ(default_text(0.1), "0.1");
  EXPECT_EQ(default_text(-3), "-3");
  EXPECT_EQ(default_text(1e-5), "1e-05");
  EXPECT_EQ(default_text(std::uint64_t{18446744073709551615ULL}), "18446744073709551615");
  EXPECT_EQ(default_text(std::string("left.arm")), "left.arm");
  EXPECT_EQ(default_text(std::string()), "none");
  EXPECT_EQ(default_text(std::filesystem::path("a/b")), "a/b");
  EXPECT_EQ(default_text(std::filesystem::path()), "none");
  EXPECT_EQ(default_text(Rate{20, 1}), Rate(20, 1).text());
}

TEST(DefaultText, VectorsAreListsAndMatricesListsOfRows) {
  EXPECT_EQ(default_text(Eigen::Vector3d(1.0, 0.5, -2.0)), "[1, 0.5, -2]");
  Eigen::Matrix<double, 2, 3> M;
  M << 1, 2, 3, 4, 5, 6;
  EXPECT_EQ(default_text(M), "[[1, 2, 3], [4, 5, 6]]");
  EXPECT_EQ(default_text(Eigen::VectorXd()), "[]");
  // x y z w
  EXPECT_EQ(default_text(Eigen::Quaterniond(1.0, 0.0, 0.5, 0.25)), "[0, 0.5, 0.25, 1]");
}

TEST(DefaultText, WhatIsNotThereIsNone) {
  EXPECT_EQ(default_text(std::optional<double>()), "none");
  EXPECT_EQ(default_text(std::optional<double>(2.5)), "2.5");
  EXPECT_EQ(default_text(std::optional<std::string>("")), "none");
  EXPECT_EQ(default_text(std::vector<int>()), "none");
}

TEST(DefaultText, WhatHasNoShortSpellingHasNone) {
  struct Nothing {};
  enum class Word { kOne };
  EXPECT_EQ(default_text(Nothing()), "");
  EXPECT_EQ(default_text(Word::kOne), "");
  EXPECT_EQ(default_text(std::vector<int>{1}), "");
  EXPECT_EQ(default_text(std::map<std::string, int>{{"a", 1}}), "");
}

}  // namespace defaults_test
}  // namespace handspan
