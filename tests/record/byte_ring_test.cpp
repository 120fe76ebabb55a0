#include "record/byte_ring.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "record_support.hpp"
#include "support/sized.hpp"

namespace handspan {
namespace byte_ring_test {

TEST(ByteRing, RunsComeOutAsTheyWentIn) {
  ByteRing ring(1000);
  EXPECT_EQ(ring.capacity(), 1024u);
  std::mt19937 random(1);
  std::vector<Bytes> inside;
  for (int i = 0; i < 10'000; ++i) {
    Bytes bytes(random() % (ring.largest() + 1));
    for (auto& byte : bytes) byte = static_cast<std::byte>(random() & 0xFFU);
    if (std::byte* room = ring.reserve(bytes.size())) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(room) % 8, 0u);
      std::copy(bytes.begin(), bytes.end(), room);
      ring.commit();
      inside.push_back(bytes);
    } else {
      EXPECT_FALSE(inside.empty()) << "an empty ring has room for a run of " << bytes.size();
    }
    ByteSpan run;
    while (!inside.empty() && random() % 3 != 0) {
      ASSERT_TRUE(ring.front(run));
      ASSERT_TRUE(std::ranges::equal(run, inside.front())) << i;
      ring.pop();
      inside.erase(inside.begin());
    }
    ASSERT_EQ(ring.front(run), !inside.empty());
  }
}

TEST(ByteRing, WhatIsTooLargeOrNotCommittedIsNotThere) {
  ByteRing ring(1024);
  EXPECT_EQ(ring.reserve(ring.largest() + 1), nullptr);
  EXPECT_EQ(ring.reserve(~std::size_t{0}), nullptr);
  EXPECT_NE(ring.reserve(100), nullptr);
  ByteSpan run;
  EXPECT_FALSE(ring.front(run));
  // forgotten by the next
  EXPECT_NE(ring.reserve(8), nullptr);
  ring.commit();
  ASSERT_TRUE(ring.front(run));
  EXPECT_EQ(run.size(), 8u);
  EXPECT_NE(test::error_of([] { ByteRing large(std::size_t{1} << 33U); }).find("is too large"),
            std::string::npos);
}

TEST(ByteRing, TwoThreadsSeeTheSameRuns) {
  ByteRing ring(4096);
  const std::uint64_t count = static_cast<std::uint64_t>(test::sized(20'000'000));
  std::thread filling([&] {
    std::mt19937_64 random(2);
    for (std::uint64_t i = 0; i < count;) {
      const std::size_t words = 1 + i % 40;
      std::byte* room = ring.reserve(8 * words);
      if (room == nullptr) {
        std::this_thread::yield();
        continue;
      }
      for (std::size_t k = 0; k < words; ++k) {
        const std::uint64_t value = i * 1000 + k;
        std::memcpy(room + 8 * k, &value, 8);
      }
      ring.commit();
      ++i;
    }
  });
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < count;) {
    ByteSpan run;
    if (!ring.front(run)) {
      std::this_thread::yield();
      continue;
    }
    if (run.size() != 8 * (1 + i % 40)) ++wrong;
    for (std::size_t k = 0; k < run.size() / 8; ++k) {
      std::uint64_t value;
      std::memcpy(&value, run.data() + 8 * k, 8);
      if (value != i * 1000 + k) ++wrong;
    }
    ring.pop();
    ++i;
  }
  filling.join();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace byte_ring_test
}  // namespace handspan
