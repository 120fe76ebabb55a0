#include "core/text_checks.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace handspan {
namespace text_checks_test {

TEST(TextChecks, Utf8IsTakenAsRfc3629HasIt) {
  // the ends of each length
  for (const char* text :
       {"\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
        "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(valid_utf8_prefix(text), std::string_view(text).size());
  }
  // lone continuation, overlong forms, a surrogate, above U+10FFFF, cut off, a bad third byte
  for (const char* text :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xC3", "\xE2\x82", "\xE2\x82\x41"}) {
    EXPECT_EQ(valid_utf8_prefix(text), 0U) << fmt::format("{:02x}", *text & 0xFF);
  }
}

TEST(TextChecks, IssuesAreBounded) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += "\ta: 1\n";
  const auto issues = check_text(text, "t");
  ASSERT_EQ(issues.size(), 20U);
  EXPECT_EQ(issues[19].place.text(), "t:20");
}

}  // namespace text_checks_test
}  // namespace handspan
