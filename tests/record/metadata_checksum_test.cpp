#include "record/metadata_checksum.hpp"

#include <gtest/gtest.h>

#include <set>

namespace handspan {
namespace metadata_checksum_test {

// CRC-32 bit by bit, as ISO 3309 has it
std::string crc_bit_by_bit(const std::string& text) {
  std::uint32_t crc = 0xffffffffU;
  for (const char c : text) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
  }
  char digits[9];
  std::snprintf(digits, sizeof digits, "%08x", crc ^ 0xffffffffU);
  return digits;
}

std::string with_length(const std::string& text) {
  const auto n = static_cast<char>(text.size());
  return std::string({n, '\0', '\0', '\0'}) + text;
}

TEST(MetadataChecksum, IsTheCrcOfKeysAndValuesWithTheirLengths) {
  EXPECT_EQ(checksum_of({}), "00000000");
  EXPECT_EQ(
      checksum_of({{"b", "two"}, {"a", "1"}}),
      crc_bit_by_bit(with_length("a") + with_length("1") + with_length("b") + with_length("two")));
}

TEST(MetadataChecksum, IsNotOfItself) {
  McapMap map = {{"seed", "7"}, {"app", "grab"}, {"zone", "last"}};
  const std::string checksum = checksum_of(map);
  map[kChecksumKey] = checksum;
  EXPECT_EQ(checksum_of(map), checksum);
  EXPECT_TRUE(checksum_holds(map));
}

TEST(MetadataChecksum, HoldsWithoutOneAndNotWithAnother) {
  EXPECT_TRUE(checksum_holds({}));
  EXPECT_TRUE(checksum_holds({{"seed", "7"}}));
  EXPECT_FALSE(checksum_holds({{"seed", "7"}, {kChecksumKey, ""}}));
  EXPECT_FALSE(checksum_holds({{"seed", "7"}, {kChecksumKey, "00000000"}}));
  // eight digits in small letters, and no other spelling of the same number
  McapMap map = {{"seed", "7"}};
  std::string large = checksum_of(map);
  ASSERT_EQ(large.size(), 8U);
  for (char& c : large) c = static_cast<char>(std::toupper(c));
  if (large != checksum_of(map)) {
    map[kChecksumKey] = large;
    EXPECT_FALSE(checksum_holds(map));
  }
}

TEST(MetadataChecksum, EveryWrongBitOfAnyWordIsFound) {
  const McapMap whole = {{"app", "toss.yaml"}, {"format", "3"}, {"seed", "18446744073709551615"}};
  McapMap sealed = whole;
  sealed[kChecksumKey] = checksum_of(whole);
  for (const auto& [key, value] : whole) {
    for (std::size_t at = 0; at < value.size(); ++at)
      for (int bit = 0; bit < 8; ++bit) {
        McapMap damaged = sealed;
        damaged[key][at] = static_cast<char>(damaged[key][at] ^ (1 << bit));
        EXPECT_FALSE(checksum_holds(damaged)) << key << " byte " << at << " bit " << bit;
      }
    McapMap lacks = sealed;
    lacks.erase(key);
    EXPECT_FALSE(checksum_holds(lacks)) << key;
    McapMap renamed = lacks;
    renamed[key + "_"] = value;
    EXPECT_FALSE(checksum_holds(renamed)) << key;
  }
}

// words that read the same one after the other, cut elsewhere
TEST(MetadataChecksum, WhereWordsEndCounts) {
  const std::set<std::string> all = {
      checksum_of({{"ab", "c"}}), checksum_of({{"a", "bc"}}), checksum_of({{"abc", ""}}),
      checksum_of({{"a", ""}, {"b", "c"}}), checksum_of({{"a", "b"}, {"c", ""}})};
  EXPECT_EQ(all.size(), 5U);
}

}  // namespace metadata_checksum_test
}  // namespace handspan
