#include "record/compression.hpp"

#include <gtest/gtest.h>

#include "record_support.hpp"

namespace handspan {
namespace compression_test {

TEST(Compression, BytesComeBack) {
  Compressor compressor(1);
  std::mt19937 random(1);
  for (const std::size_t size : {0UL, 1UL, 1000UL, 3UL << 20U}) {
    Bytes bytes(size);
    for (auto& byte : bytes) byte = static_cast<std::byte>(random() & 3U);
    Bytes compressed(2, std::byte{9});  // is appended to
    compressor.append(bytes, compressed);
    EXPECT_EQ(decompress(ByteSpan(compressed).subspan(2), size), bytes);
    EXPECT_THROW(decompress(ByteSpan(compressed).subspan(2), size + 1), BytesError);
    EXPECT_THROW(decompress(ByteSpan(compressed).subspan(3), size), BytesError);
  }
  // the most that can be: nothing but zeros
  const Bytes zeros(64U << 20U);
  Bytes compressed;
  compressor.append(zeros, compressed);
  EXPECT_EQ(decompress(compressed, zeros.size()), zeros);
}

TEST(Compression, PartsGetCodesOfTheirOwnAndComeBackAsOne) {
  // one part of few values, one of many: codes of their own suit both
  Bytes bytes(100'000);
  std::mt19937 random(2);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(random() & (i < 40'000 ? 1U : 127U));
  for (const int level : {1, 3, 16, 19}) {
    Compressor compressor(level);
    Bytes whole, split;
    compressor.append(bytes, whole);
    const std::size_t parts[] = {0, 40'000, 100'000};
    compressor.append(bytes, split, parts);
    EXPECT_EQ(decompress(split, bytes.size()), bytes);
    EXPECT_EQ(decompress(whole, bytes.size()), bytes);
    EXPECT_LT(split.size(), whole.size()) << level;
    // and what comes next is on its own
    Bytes again;
    compressor.append(bytes, again);
    EXPECT_EQ(again, whole) << level;
  }
}

TEST(Compression, WhatIsNotOfItOrTooMuchIsRefusedWithoutRoomForIt) {
  const auto cause = [](ByteSpan bytes, std::uint64_t size) -> std::string {
    try {
      decompress(bytes, size);
    } catch (const BytesError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(cause(Bytes(1U << 20U), kMostDecompressed),
            "decompressing failed (the bytes are not of zstd)");
  EXPECT_EQ(cause(Bytes(1U << 20U), kMostDecompressed + 1),
            "1073741825 bytes are compressed in one piece; at most 1073741824 are read");
  Bytes compressed;
  Compressor(1).append(Bytes(1000), compressed);
  EXPECT_TRUE(decompress({}, 0).empty());  // nothing, as some writers leave it
  EXPECT_EQ(cause(compressed, 999), "1000 bytes were compressed, not the stated 999");
}

TEST(Compression, LevelsAreFromOneToNineteen) {
  EXPECT_EQ(test::error_of([] { Compressor compressor(0); }),
            "zstd level is 0; it must be 1 to 19");
}

}  // namespace compression_test
}  // namespace handspan
