#include "record/bytes.hpp"

#include <gtest/gtest.h>

namespace handspan {
namespace bytes_test {

TEST(Bytes, FieldsComeBackInOrder) {
  const std::map<std::string, std::string> map = {{"a", "1"}, {"", "x"}};
  Bytes bytes;
  put(bytes, std::uint16_t{0x1234});
  put(bytes, std::int64_t{-5});
  put_text(bytes, "text");
  put_map(bytes, map);
  EXPECT_EQ(bytes[0], std::byte{0x34});
  ByteCursor cursor(bytes);
  EXPECT_EQ(cursor.get<std::uint16_t>(), 0x1234);
  EXPECT_EQ(cursor.get<std::int64_t>(), -5);
  EXPECT_EQ(cursor.text(), "text");
  EXPECT_EQ(cursor.map(), map);
  EXPECT_TRUE(cursor.done());
}

TEST(Bytes, WhatDoesNotFitIsSaid) {
  Bytes bytes;
  put(bytes, std::uint32_t{100});
  put(bytes, std::uint8_t{0});
  for (const auto& read :
       {+[](ByteCursor& cursor) { cursor.text(); }, +[](ByteCursor& cursor) { cursor.map(); },
        +[](ByteCursor& cursor) { cursor.get<std::uint64_t>(); },
        +[](ByteCursor& cursor) { cursor.take(~std::uint64_t{0}); }}) {
    ByteCursor cursor(bytes);
    EXPECT_THROW(read(cursor), BytesError);
  }
  ByteCursor cursor(bytes);
  try {
    cursor.text();
    FAIL();
  } catch (const BytesError& error) {
    EXPECT_STREQ(error.what(), "a field of 100 bytes does not fit the 1 that are left");
  }
}

// the check value of the standard, and that a sum goes on where it was
TEST(Bytes, ChecksumIsCrc32) {
  EXPECT_EQ(crc32_of(bytes_of("123456789")), 0xCBF43926U);
  EXPECT_EQ(crc32_of(bytes_of("56789"), crc32_of(bytes_of("1234"))), 0xCBF43926U);
  EXPECT_EQ(crc32_of({}, 7), 7U);
}

}  // namespace bytes_test
}  // namespace handspan
