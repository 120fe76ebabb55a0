// Poses ahead in time, and how the next ones follow on them.
#include "reference/pose_chunk.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/alloc.hpp"

namespace handspan {
namespace pose_chunk_test {

constexpr Nanoseconds kMs = 1'000'000;

// rows along x: from x0, at `speed`, 10 ms apart
std::vector<double> along_x(double x0, double speed, std::size_t n) {
  std::vector<double> rows;
  for (std::size_t i = 0; i < n; ++i)
    for (const double x :
         {x0 + speed * 0.01 * static_cast<double>(i), 0.0, 0.0, 0.0, 0.0, 0.0, 2.0})
      rows.push_back(x);
  return rows;
}

std::string refusal(PoseChunk& chunk, const std::vector<double>& rows, double dt = 0.01,
                    Nanoseconds now = 0) {
  const char* why = chunk.take(now, 0, dt, rows, ChunkRule::kReplace);
  return why == nullptr ? "" : why;
}

TEST(PoseChunk, BetweenPosesItGoesStraightAndAtTheEndItStands) {
  PoseChunk chunk;
  std::vector<double> rows = along_x(1.0, 0.5, 11);
  // the last one turned by 0.2 rad about z
  rows[rows.size() - 2] = std::sin(0.1);
  rows.back() = std::cos(0.1);
  ASSERT_EQ(chunk.take(0, 0, 0.01, rows, ChunkRule::kReplace), nullptr);
  EXPECT_NEAR(chunk.at(55 * kMs).X_WE.p.x(), 1.0275, 1e-15);
  EXPECT_NEAR(chunk.at(55 * kMs).V_WE[0], 0.5, 1e-12);
  EXPECT_NEAR(angle_between(chunk.at(95 * kMs).X_WE.R, Eigen::Matrix3d::Identity()), 0.1, 1e-12);
  EXPECT_NEAR(chunk.at(95 * kMs).V_WE[5], 20.0, 1e-9);
  EXPECT_NEAR(chunk.at(kSecond).X_WE.p.x(), 1.05, 1e-15);
  EXPECT_EQ(chunk.at(kSecond).V_WE, Vector6d::Zero());
  EXPECT_EQ(chunk.end(), 100 * kMs);
}

TEST(PoseChunk, ReplacingGoesOnFromWhereItIs) {
  PoseChunk chunk;
  chunk.take(0, 0, 0.01, along_x(0.0, 1.0, 21), ChunkRule::kReplace);
  // it began at the same time as the one before, and came 55 ms later
  ASSERT_EQ(chunk.take(55 * kMs, 0, 0.01, along_x(0.1, 1.0, 21), ChunkRule::kReplace), nullptr);
  EXPECT_NEAR(chunk.at(55 * kMs).X_WE.p.x(), 0.055, 1e-12);
  EXPECT_NEAR(chunk.at(60 * kMs).X_WE.p.x(), 0.16, 1e-12);
  EXPECT_NEAR(chunk.at(100 * kMs).X_WE.p.x(), 0.2, 1e-12);
}

TEST(PoseChunk, OneThatBeginsLaterLeavesTheOldPosesUntilThen) {
  PoseChunk chunk;
  chunk.take(0, 0, 0.01, along_x(0.0, 1.0, 21), ChunkRule::kReplace);
  ASSERT_EQ(chunk.take(20 * kMs, 100 * kMs, 0.01, along_x(0.1, -1.0, 11), ChunkRule::kReplace),
            nullptr);
  EXPECT_NEAR(chunk.at(85 * kMs).X_WE.p.x(), 0.085, 1e-12);
  EXPECT_NEAR(chunk.at(100 * kMs).X_WE.p.x(), 0.1, 1e-12);
  EXPECT_NEAR(chunk.at(150 * kMs).X_WE.p.x(), 0.05, 1e-12);
}

TEST(PoseChunk, BlendingGoesFromTheOldPosesToTheNewOnesWhileTheOldOnesLast) {
  PoseChunk chunk;
  chunk.take(0, 0, 0.01, along_x(0.0, 0.0, 21), ChunkRule::kReplace);  // until 200 ms
  ASSERT_EQ(chunk.take(100 * kMs, 0, 0.01, along_x(1.0, 0.0, 41), ChunkRule::kBlend), nullptr);
  EXPECT_NEAR(chunk.at(100 * kMs).X_WE.p.x(), 0.0, 1e-12);
  EXPECT_NEAR(chunk.at(150 * kMs).X_WE.p.x(), 0.5, 1e-12);
  EXPECT_NEAR(chunk.at(175 * kMs).X_WE.p.x(), 0.75, 1e-12);
  EXPECT_NEAR(chunk.at(200 * kMs).X_WE.p.x(), 1.0, 1e-12);
  EXPECT_NEAR(chunk.at(300 * kMs).X_WE.p.x(), 1.0, 1e-12);
}

TEST(PoseChunk, RowsAreSeenFromTheFrameThatTheyAreGivenIn) {
  PoseChunk chunk;
  const Pose X_WF = Pose::from_rpy({0, 0, 1}, {0, 0, M_PI / 2});
  ASSERT_EQ(chunk.take(0, 0, 0.01, along_x(0.1, 0.0, 2), ChunkRule::kReplace, X_WF), nullptr);
  EXPECT_NEAR((chunk.at(0).X_WE.p - Eigen::Vector3d(0, 0.1, 1)).norm(), 0.0, 1e-12);
  EXPECT_NEAR(angle_between(chunk.at(0).X_WE.R, X_WF.R), 0.0, 1e-7);
}

TEST(PoseChunk, WhatIsNoPosesIsRefusedAndChangesNothing) {
  PoseChunk chunk;
  EXPECT_EQ(refusal(chunk, along_x(0.5, 0.0, 5)), "");
  const std::string size = "is not rows of 7 numbers, from 1 to 2048 of them";
  EXPECT_EQ(refusal(chunk, {}), size);
  EXPECT_EQ(refusal(chunk, {1, 2, 3}), size);
  EXPECT_EQ(refusal(chunk, along_x(0, 0, 2049)), size);
  const std::string apart = "has rows that are not from 1 ms to 10 s apart";
  EXPECT_EQ(refusal(chunk, along_x(0, 0, 5), 0.0), apart);
  EXPECT_EQ(refusal(chunk, along_x(0, 0, 5), -1.0), apart);
  EXPECT_EQ(refusal(chunk, along_x(0, 0, 5), NAN), apart);
  EXPECT_EQ(refusal(chunk, along_x(0, 0, 5), 0.01, kSecond), "ends before it came");
  EXPECT_EQ(refusal(chunk, along_x(NAN, 0, 5)),
            "has a pose that is not finite, or a kilometre away");
  EXPECT_EQ(refusal(chunk, along_x(2e3, 0, 5)),
            "has a pose that is not finite, or a kilometre away");
  std::vector<double> no_turn = along_x(0, 0, 5);
  no_turn.back() = 0.0;
  EXPECT_EQ(refusal(chunk, no_turn), "has a quaternion that is zero");
  EXPECT_EQ(chunk.at(0).X_WE.p.x(), 0.5);
}

TEST(PoseChunk, TakesTheMostPosesAgainAndAgainWithoutHeap_Alloc) {
  PoseChunk chunk;
  const std::vector<double> rows = along_x(0.0, 0.1, kMostPoses);
  const test::AllocationCount allocations;
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(chunk.take(i * 10 * kMs, i * 10 * kMs + kSecond, 0.01, rows,
                         i % 2 == 0 ? ChunkRule::kReplace : ChunkRule::kBlend),
              nullptr);
  EXPECT_EQ(allocations.count(), 0U);
}

}  // namespace pose_chunk_test
}  // namespace handspan
