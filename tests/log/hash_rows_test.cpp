#include "log/hash_rows.hpp"

#include <gtest/gtest.h>

namespace handspan {
namespace hash_rows_test {

TEST(HashRows, ComeBackTickByTickUpToTheirUpperByte) {
  std::vector<TickHashes> rows;
  for (std::uint32_t tick = 0; tick < 7; ++tick) {
    TickHashes row;
    for (std::size_t q = 0; q < kQuantities; ++q)
      row[q] = 0xAB000000U | (tick * 0x10305U + static_cast<std::uint32_t>(q) * 0x20000U);
    rows.push_back(row);
  }
  const messages::TickHashes message = packed_hashes(40, rows);
  EXPECT_EQ(message.first_tick, 40U);
  EXPECT_EQ(message.quantities, kQuantities);
  EXPECT_EQ(message.hashes.size(), 3 * kQuantities * rows.size());
  // quantity after quantity, the lowest byte first
  EXPECT_EQ(message.hashes[3], 0x05);
  EXPECT_EQ(message.hashes[5], 0x01);
  EXPECT_EQ(message.hashes[3 * 7 + 2], 0x02);
  EXPECT_EQ(hashed_ticks(message), 7U);
  const auto back = hash_rows(message);
  ASSERT_EQ(back.size(), rows.size());
  for (std::size_t tick = 0; tick < rows.size(); ++tick)
    for (std::size_t q = 0; q < kQuantities; ++q)
      EXPECT_EQ(back[tick][q], rows[tick][q] & kHashBits) << tick << " " << q;
}

TEST(HashRows, DamagedOnesHaveNoTicks) {
  EXPECT_EQ(hashed_ticks({1, 0, {1, 2, 3}}), 0U);
  EXPECT_EQ(hashed_ticks({1, 5, std::vector<std::uint8_t>(16)}), 0U);
  EXPECT_EQ(hashed_ticks({1, 0xFFFFFFFFU, std::vector<std::uint8_t>(15)}), 0U);
}

}  // namespace hash_rows_test
}  // namespace handspan
