#include "device/typed_keys.hpp"

#include <gtest/gtest.h>

namespace handspan {
namespace typed_keys_test {

using Keys = std::vector<std::string>;
constexpr Nanoseconds kMs = 1'000'000;

TEST(KeyDecoder, CharactersAreKeysAndCapitalsAreTheSame) {
  KeyDecoder decoder;
  EXPECT_EQ(decoder.decode("wW+ \t\r\x7f"),
            (Keys{"w", "w", "+", "space", "tab", "enter", "backspace"}));
  EXPECT_EQ(decoder.decode("ö→"), (Keys{"ö", "→"}));
}

TEST(KeyDecoder, SequencesAreOneKeyHoweverTheyComeInPieces) {
  KeyDecoder decoder;
  EXPECT_EQ(decoder.decode("\x1b[A\x1bOB\x1b[5~x"), (Keys{"up", "down", "page_up", "x"}));
  EXPECT_EQ(decoder.decode("\x1b"), Keys{});
  EXPECT_EQ(decoder.decode("["), Keys{});
  EXPECT_EQ(decoder.decode("D"), Keys{"left"});
  EXPECT_EQ(decoder.decode("\xc3"), Keys{});
  EXPECT_EQ(decoder.decode("\xb6"), Keys{"ö"});
}

TEST(KeyDecoder, AnEscapeAloneIsTheKeyOnceNothingFollows) {
  KeyDecoder decoder;
  EXPECT_EQ(decoder.decode("\x1b"), Keys{});
  EXPECT_EQ(decoder.flush(), Keys{"escape"});
  EXPECT_EQ(decoder.flush(), Keys{});
  EXPECT_EQ(decoder.decode("\x1bw"), (Keys{"escape", "w"}));
}

TEST(KeyDecoder, WhatItDoesNotKnowIsLeftOut) {
  KeyDecoder decoder;
  // a modified arrow, a key of no name, control characters, bytes that are no UTF-8
  EXPECT_EQ(decoder.decode("\x1b[1;5Aa\x1b[15~b\x01\x02"
                           "c\xff\xc3"
                           "d"),
            (Keys{"a", "b", "c", "d"}));
  // a sequence that never ends
  EXPECT_EQ(decoder.decode("\x1b[" + std::string(40, '1') + "w").back(), "w");
}

TEST(KeyDecoder, NamesOfKeys) {
  for (const char* key : {"w", "+", "ö", "space", "page_up", "enter", "'"})
    EXPECT_TRUE(is_key(key)) << key;
  for (const char* key : {"", "W", "ww", " ", "ctrl", "\x01", "\xff", "\xc3", "öö"})
    EXPECT_FALSE(is_key(key)) << key;
}

TEST(HeldKeys, OneCharacterIsDownForTheFirstTimeAndARepeatedOneForTheSecond) {
  HeldKeys keys(2, 600 * kMs, 120 * kMs);
  const Nanoseconds start = 1'000'000'000'000;
  EXPECT_FALSE(keys.down(0, start));
  keys.press(0, start);
  EXPECT_TRUE(keys.down(0, start));
  EXPECT_TRUE(keys.down(0, start + 599 * kMs));
  EXPECT_FALSE(keys.down(0, start + 600 * kMs));
  EXPECT_FALSE(keys.down(1, start));
  // held: the delay, then every 30 ms
  Nanoseconds now = start + 500 * kMs;
  for (int i = 0; i < 20; ++i, now += 30 * kMs) {
    EXPECT_TRUE(keys.down(0, now));
    keys.press(0, now);
  }
  now -= 30 * kMs;
  EXPECT_TRUE(keys.down(0, now + 119 * kMs));
  EXPECT_FALSE(keys.down(0, now + 120 * kMs));
}

TEST(HeldKeys, ASecondPressThatIsHeldLastsUntilItRepeats) {
  HeldKeys keys(1, 600 * kMs, 120 * kMs);
  keys.press(0, 0);
  keys.press(0, 300 * kMs);
  EXPECT_TRUE(keys.down(0, 800 * kMs));
}

TEST(HeldKeys, AreReleased) {
  HeldKeys keys(2, 600 * kMs, 120 * kMs);
  keys.press(0, 0);
  keys.press(1, 0);
  keys.release(0);
  EXPECT_FALSE(keys.down(0, 1));
  EXPECT_TRUE(keys.down(1, 1));
  keys.release_all();
  EXPECT_FALSE(keys.down(1, 1));
}

}  // namespace typed_keys_test
}  // namespace handspan
