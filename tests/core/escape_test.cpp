#include "core/escape.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace handspan {
namespace escape_test {

TEST(Escape, WhatMeansSomethingInMarkupHasItsName) {
  EXPECT_EQ(escaped("a < b && \"c\" > d"), "a &lt; b &amp;&amp; &quot;c&quot; &gt; d");
  // once: what is escaped already is text too
  EXPECT_EQ(escaped("&lt;"), "&amp;lt;");
  EXPECT_EQ(escaped("5° it's\n"), "5° it's\n");
}

TEST(Escape, APrintableTextIsWholeAndOnOneLine) {
  EXPECT_EQ(printable("a\nb\tc\x1b\x7f"), "a\\nb\\tc\\x1b\\x7f");
  const std::string path = "/" + std::string(300, 'a') + "/größe.mcap";
  EXPECT_EQ(printable(path), path);
}

TEST(Escape, AWordOfACommandIsQuotedWhereTheShellNeedsIt) {
  EXPECT_EQ(shell_word("/data/run-1.mcap"), "/data/run-1.mcap");
  EXPECT_EQ(shell_word("größe/läufe.mcap"), "größe/läufe.mcap");
  EXPECT_EQ(shell_word("my runs/a.mcap"), "'my runs/a.mcap'");
  EXPECT_EQ(shell_word("it's.mcap"), "'it'\\''s.mcap'");
  EXPECT_EQ(shell_word("~/a"), "'~/a'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("-rf"), "./-rf");
  EXPECT_EQ(shell_word("- a"), "'./- a'");
  EXPECT_EQ(shell_word("a\nb's\\"), "$'a\\nb\\'s\\\\'");
}

TEST(Escape, TheShellReadsTheWordBack) {
  if (std::system("command -v bash >/dev/null") != 0) GTEST_SKIP() << "there is no bash";
  for (const std::string text :
       {"a b", "$HOME `id` $(id)", "it's \"so\"", "a\\b", "*?[a]{b,c}", "a;b&c|d<e>f#g!h",
        "größe 1", "two\nlines and\ttab it's \\n", "\x1b[1mred", "=a^b", "'"}) {
    // as a file that bash runs, so that no other shell reads the word first
    std::string file = "/tmp/handspan_escape_XXXXXX";
    const int made = mkstemp(file.data());
    ASSERT_GE(made, 0);
    FILE* script = fdopen(made, "w");
    fputs(("printf %s " + shell_word(text)).c_str(), script);
    fclose(script);
    FILE* pipe = popen(("bash " + file).c_str(), "r");
    std::array<char, 256> buffer{};
    const std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe);
    pclose(pipe);
    std::remove(file.c_str());
    EXPECT_EQ(std::string(buffer.data(), n), text);
  }
}

}  // namespace escape_test
}  // namespace handspan
