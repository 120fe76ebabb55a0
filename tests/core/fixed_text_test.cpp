#include "core/fixed_text.hpp"

#include <gtest/gtest.h>

namespace handspan {
namespace fixed_text_test {

TEST(FixedText, KeepsWhatFitsAndCutsAtCharacters) {
  EXPECT_EQ(FixedText<8>("clutch").view(), "clutch");
  EXPECT_EQ(FixedText<4>("clutch").view(), "clut");
  // the second byte of an e with accent does not fit: its first goes too
  EXPECT_EQ(FixedText<4>("caf\xC3\xA9s").view(), "caf");
  EXPECT_EQ(FixedText<5>("caf\xC3\xA9s").view(), "caf\xC3\xA9");
  EXPECT_TRUE(FixedText<4>().empty());
  EXPECT_TRUE(FixedText<4>("a") == "a");
}

}  // namespace fixed_text_test
}  // namespace handspan
