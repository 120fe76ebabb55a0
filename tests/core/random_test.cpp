#include "core/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <vector>

namespace handspan {
namespace random_test {

using Block = std::array<std::uint32_t, 4>;

// Random123's kat_vectors, lines "philox4x32 10"
TEST(Random, PhiloxGivesThePublishedVectors) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({~0U, ~0U, ~0U, ~0U}, {~0U, ~0U}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, StreamsAreTheBlocksOfTheirCounter) {
  RandomStream stream(RandomState{0x299f31d0a4093822U, 0x0370734413198a2eU, 0});
  const Block block = philox4x32({0, 0, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0});
  EXPECT_EQ(stream.bits(), std::uint64_t{block[0]} | std::uint64_t{block[1]} << 32U);
  EXPECT_EQ(stream.bits(), std::uint64_t{block[2]} | std::uint64_t{block[3]} << 32U);
  const Block next = philox4x32({1, 0, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0});
  EXPECT_EQ(stream.bits(), std::uint64_t{next[0]} | std::uint64_t{next[1]} << 32U);
}

// a change of these would change the meaning of every seed in every log
TEST(Random, BitsOfANamedStreamStayAsTheyAre) {
  RandomStream stream(1, "camera.noise");
  EXPECT_EQ(stream.bits(), 0xdfba421386d38e9U);
  EXPECT_EQ(stream.bits(), 0xafdce485e11a2dcdU);
}

TEST(Random, NamesAndSeedsMakeOtherStreams) {
  std::vector<std::uint64_t> first;
  for (const std::uint64_t seed : {0U, 1U}) {
    for (const char* name : {"", "a", "b", "ab", "ba", "camera.noise"}) {
      first.push_back(RandomStream(seed, name).bits());
    }
  }
  for (std::size_t i = 0; i < first.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(first[i], first[j]) << i << " " << j;
  }
}

TEST(Random, DrawingFromOneStreamChangesNoOther) {
  RandomStream alone(7, "device.delay");
  RandomStream beside(7, "device.delay");
  RandomStream added(7, "camera.noise");
  for (int i = 0; i < 100; ++i) {
    added.normal();
    EXPECT_EQ(alone.bits(), beside.bits());
  }
}

TEST(Random, RestoredStatesContinueTheSame) {
  RandomStream stream(3, "x");
  for (int i = 0; i < 5; ++i) stream.normal();
  // plain data: its bytes are enough
  std::array<unsigned char, sizeof(RandomState)> bytes{};
  std::memcpy(bytes.data(), &stream.state(), sizeof(RandomState));
  std::vector<double> after;
  for (int i = 0; i < 9; ++i) after.push_back(i % 2 == 0 ? stream.normal() : stream.uniform());
  RandomState state;
  std::memcpy(&state, bytes.data(), sizeof(RandomState));
  stream.restore(state);
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(after[static_cast<std::size_t>(i)], i % 2 == 0 ? stream.normal() : stream.uniform());
  }
}

TEST(Random, NormalQuantileInvertsTheDistribution) {
  EXPECT_EQ(normal_quantile(0.5), 0.0);
  // tabulated to 16 digits
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 5e-16);
  EXPECT_NEAR(normal_quantile(1e-10), -6.361340902404056, 2e-15);
  for (double x = -8.0; x < 8.0; x += 0.0625) {
    const double p = 0.5 * std::erfc(-x / std::numbers::sqrt2);
    if (p >= 1.0) break;
    // of p's rounding, an error of eps p / density(x) in x; the rest is the algorithm's 1e-15
    const double density = std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi);
    EXPECT_NEAR(normal_quantile(p), x, 4.0 * 2.2e-16 * p / density + 2e-15 * std::abs(x)) << x;
  }
}

TEST(Random, UniformAndNormalHaveTheirMoments) {
  constexpr int kCount = 200'000;
  RandomStream stream(11, "moments");
  double mean = 0.0, normal[4] = {};
  for (int i = 0; i < kCount; ++i) {
    const double u = stream.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    mean += u / kCount;
    const double x = stream.normal();
    for (int power = 0; power < 4; ++power) normal[power] += std::pow(x, power + 1) / kCount;
  }
  // five standard deviations of each sample moment
  const double root = std::sqrt(kCount);
  EXPECT_NEAR(mean, 0.5, 5 * std::sqrt(1.0 / 12.0) / root);
  EXPECT_NEAR(normal[0], 0.0, 5 * 1.0 / root);
  EXPECT_NEAR(normal[1], 1.0, 5 * std::sqrt(2.0) / root);
  EXPECT_NEAR(normal[2], 0.0, 5 * std::sqrt(15.0) / root);
  EXPECT_NEAR(normal[3], 3.0, 5 * std::sqrt(96.0) / root);
}

TEST(Random, RangesAreKept) {
  RandomStream stream(2, "range");
  EXPECT_EQ(stream.integer(1), 0U);
  std::array<int, 6> count{};
  for (int i = 0; i < 60'000; ++i) ++count[stream.integer(6)];
  // five standard deviations of a binomial count
  for (const int n : count) EXPECT_NEAR(n, 10'000, 5 * std::sqrt(60'000 * (1.0 / 6) * (5.0 / 6)));
  // three quarters of 2^64: a plain modulo would hit the first third twice as often
  const std::uint64_t n = 3ULL << 62U;
  int low = 0;
  for (int i = 0; i < 30'000; ++i) low += stream.integer(n) < n / 3 ? 1 : 0;
  EXPECT_NEAR(low, 10'000, 5 * std::sqrt(30'000 * (1.0 / 3) * (2.0 / 3)));
  for (int i = 0; i < 1000; ++i) {
    const double x = stream.uniform(1.0, 1.0 + 4e-16);
    EXPECT_GE(x, 1.0);
    EXPECT_LT(x, 1.0 + 4e-16);
  }
}

TEST(Random, DirectionsAreUnitAndFavourNone) {
  RandomStream stream(4, "direction");
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  constexpr int kCount = 30'000;
  for (int i = 0; i < kCount; ++i) {
    const Eigen::Vector3d v = stream.direction();
    ASSERT_NEAR(v.norm(), 1.0, 4e-16);
    mean += v / kCount;
  }
  EXPECT_LT(mean.cwiseAbs().maxCoeff(), 5 * std::sqrt(1.0 / 3.0 / kCount));
}

}  // namespace random_test
}  // namespace handspan
