#include "contact/impact_phase.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/error.hpp"
#include "math/so3.hpp"
#include "support/alloc.hpp"
#include "support/message_of.hpp"

namespace handspan {
namespace impact_phase_test {

using Eigen::Vector3d;

constexpr double kTick = 0.001;
constexpr double kDegree = M_PI / 180.0;

// Two plates that close along y on a box, turned by some angle about z each, [deg]
std::array<PlateSample, 2> plates(double left, double right, double v_left = 0.3,
                                  double v_right = -0.2) {
  std::array<PlateSample, 2> out;
  out[0].into_face_W = Vector3d::UnitY();
  out[1].into_face_W = -Vector3d::UnitY();
  out[0].normal_W = exp_so3(Vector3d(0, 0, left * kDegree)) * Vector3d::UnitY();
  out[1].normal_W = -(exp_so3(Vector3d(0, 0, right * kDegree)) * Vector3d::UnitY());
  out[0].v_WE = Vector3d(0.01, v_left, 0.0);
  out[1].v_WE = Vector3d(0.0, v_right, 0.02);
  out[0].p_WE = Vector3d(0.6, 0.25, 0.3);
  out[1].p_WE = Vector3d(0.6, 0.55, 0.3);
  out[0].w_WE = Vector3d(0, 0, 0.1);
  return out;
}

TEST(ImpactPhase, AnglesAreThoseOfSectionTwo) {
  ImpactPhase phase(ImpactPhaseOptions{});
  const auto& reading = phase.update(0.0, plates(6.0, -2.0));
  EXPECT_NEAR(reading.angles[0], 6.0 * kDegree, 1e-12);
  EXPECT_NEAR(reading.angles[1], 2.0 * kDegree, 1e-12);
  EXPECT_NEAR(reading.angles[2], 8.0 * kDegree, 1e-12);
  EXPECT_EQ(reading.stage, ImpactStage::kFree);
  EXPECT_TRUE(std::isnan(reading.start));
}

// The example of grab.md: impacts at 3.010 and 3.045 s, end at 4.335 s. The angles pass 0 at 3.4 s
// on their way to the other side and converge later.
TEST(ImpactPhase, EndsWhenTheAnglesConverge) {
  ImpactPhaseOptions options;
  options.angle = 1.0 * kDegree;
  options.dwell = 0.2;
  ImpactPhase phase(options);
  int began = 0, ended = 0;
  double known = NAN;
  for (int tick = 2900; tick < 5000; ++tick) {
    const double t = kTick * tick;
    const double angle = t < 3.0 ? 6.0 : t < 3.8 ? 6.0 - 15.0 * (t - 3.0) : t < 4.335 ? -3.0 : 0.5;
    auto sample = plates(angle, 0.2);
    sample[0].impact = tick == 3012;  // found 2 ticks late
    sample[0].impact_time = 3.010;
    sample[1].impact = tick == 3045;
    sample[1].impact_time = 3.045;
    const auto& reading = phase.update(t, sample);
    began += reading.began;
    ended += reading.ended;
    if (reading.ended) known = t;
  }
  EXPECT_EQ(began, 1);
  EXPECT_EQ(ended, 1);
  const auto& reading = phase.reading();
  EXPECT_EQ(reading.stage, ImpactStage::kSettled);
  EXPECT_EQ(reading.start, 3.010);
  EXPECT_NEAR(reading.end, 4.335, 1e-9);
  EXPECT_NEAR(known, 4.535, 1e-9);
  EXPECT_NEAR(reading.post_jump_time, 3.145, 1e-12);
}

TEST(ImpactPhase, ParallelPlatesEndItWhenBothHaveHit) {
  ImpactPhase phase(ImpactPhaseOptions{});
  for (int tick = 0; tick < 1000; ++tick) {
    auto sample = plates(0.1, -0.2);
    sample[0].impact = tick == 300;
    sample[0].impact_time = 0.3;
    sample[1].impact = tick == 350;
    sample[1].impact_time = 0.35;
    phase.update(kTick * tick, sample);
  }
  EXPECT_EQ(phase.reading().start, 0.3);
  EXPECT_EQ(phase.reading().end, 0.35);
}

TEST(ImpactPhase, OnePlateAloneDoesNotEndIt) {
  ImpactPhase phase(ImpactPhaseOptions{});
  for (int tick = 0; tick < 2000; ++tick) {
    auto sample = plates(0.1, -0.2);
    sample[1].impact = tick == 300;
    sample[1].impact_time = 0.3;
    phase.update(kTick * tick, sample);
  }
  EXPECT_EQ(phase.reading().stage, ImpactStage::kIntermediate);
  EXPECT_TRUE(std::isnan(phase.reading().impact_times[0]));
  EXPECT_TRUE(std::isnan(phase.reading().post_jump_time));
  EXPECT_TRUE(phase.reading().jumps[1].jump.hasNaN());
}

// (4.1) to (4.3): velocities before each plate's own impact, and at the common time after
TEST(ImpactPhase, JumpsAreThoseOfEquation42WithTheirSignTurned) {
  ImpactPhase phase(ImpactPhaseOptions{});
  int jumped = 0;
  for (int tick = 0; tick < 600; ++tick) {
    const double t = kTick * tick;
    // each goes on as it was until its contact, 1 tick before it is found, and then otherwise
    auto sample =
        plates(3.0, -2.0, tick < 299 ? 0.3 + 0.001 * tick : 0.1, tick < 339 ? -0.2 : -0.05);
    sample[0].impact = tick == 300;
    sample[0].impact_time = 0.3;
    sample[1].impact = tick == 340;
    sample[1].impact_time = 0.34;
    jumped += phase.update(t, sample).jumped;
    if (phase.reading().jumped) {
      EXPECT_EQ(tick, 440);
    }
  }
  EXPECT_EQ(jumped, 1);
  const auto& reading = phase.reading();
  const Vector3d before(0.01, 0.598, 0.0), after(0.01, 0.1, 0.0);
  EXPECT_LT((reading.jumps[0].v_before - before).norm(), 1e-12);
  EXPECT_LT((reading.jumps[0].v_after - after).norm(), 1e-12);
  EXPECT_LT((reading.jumps[0].jump - (after - before) / before.norm()).norm(), 1e-12);
  EXPECT_NEAR(reading.jumps[1].jump[1], 0.15 / Vector3d(0, -0.2, 0.02).norm(), 1e-12);
  // v - w x p with w = 0.1 about z at (0.6, 0.25): w x p = (-0.025, 0.06, 0)
  const Vector3d shift(0.025, -0.06, 0.0);
  EXPECT_LT((reading.jumps[0].spatial_jump - (after - before) / (before + shift).norm()).norm(),
            1e-12);
}

TEST(ImpactPhase, APlateThatStoodHasNoNormalisedJump) {
  ImpactPhase phase(ImpactPhaseOptions{});
  for (int tick = 0; tick < 600; ++tick) {
    auto sample = plates(3.0, -2.0, 0.3, -0.2);
    sample[1].v_WE.setZero();
    for (auto& plate : sample) plate.impact = tick == 300, plate.impact_time = 0.3;
    phase.update(kTick * tick, sample);
  }
  EXPECT_TRUE(phase.reading().jumps[1].jump.hasNaN());
  EXPECT_FALSE(phase.reading().jumps[0].jump.hasNaN());
}

TEST(ImpactPhase, WithoutTheBoxOnlyThePlatesAngleIsKnown) {
  ImpactPhase phase(ImpactPhaseOptions{});
  for (int tick = 0; tick < 600; ++tick) {
    auto sample = plates(0.0, 0.0);
    for (auto& plate : sample) {
      plate.into_face_W.setConstant(NAN);
      plate.impact = tick == 300;
      plate.impact_time = 0.3;
    }
    phase.update(kTick * tick, sample);
  }
  EXPECT_TRUE(std::isnan(phase.reading().angles[0]));
  EXPECT_NEAR(phase.reading().angles[2], 0.0, 1e-12);
  EXPECT_EQ(phase.reading().stage, ImpactStage::kIntermediate);
  EXPECT_FALSE(phase.reading().jumps[0].jump.hasNaN());
}

TEST(ImpactPhase, BeginsAnewAfterReset) {
  ImpactPhase phase(ImpactPhaseOptions{}), fresh(ImpactPhaseOptions{});
  const auto run = [](ImpactPhase& of) {
    for (int tick = 0; tick < 600; ++tick) {
      auto sample = plates(0.1, 0.1);
      for (auto& plate : sample) plate.impact = tick == 300, plate.impact_time = 0.3;
      of.update(kTick * tick, sample);
    }
  };
  run(phase);
  EXPECT_EQ(phase.reading().stage, ImpactStage::kSettled);
  phase.reset();
  EXPECT_EQ(phase.reading().stage, ImpactStage::kFree);
  run(phase);
  run(fresh);
  EXPECT_EQ(phase.reading().end, fresh.reading().end);
  EXPECT_TRUE(phase.reading().jumps[0].jump == fresh.reading().jumps[0].jump);
}

TEST(ImpactPhase, ASnapshotGoesOnToTheBit) {
  std::vector<std::array<PlateSample, 2>> samples;
  for (int tick = 0; tick < 700; ++tick) {
    auto sample = plates(tick < 400 ? 5.0 : 0.3, -0.2, 0.3 - 0.0003 * tick);
    sample[0].impact = tick == 300;
    sample[0].impact_time = 0.299;
    sample[1].impact = tick == 340;
    sample[1].impact_time = 0.34;
    samples.push_back(sample);
  }
  for (const std::size_t cut : {100U, 320U, 380U, 450U}) {
    SCOPED_TRACE(cut);
    ImpactPhase first(ImpactPhaseOptions{}), second(ImpactPhaseOptions{});
    for (std::size_t i = 0; i < cut; ++i) first.update(kTick * static_cast<double>(i), samples[i]);
    std::vector<std::byte> bytes;
    StateArchive save(bytes);
    first.state(save);
    StateArchive load{std::span<const std::byte>(bytes)};
    second.state(load);
    load.finish();
    for (std::size_t i = cut; i < samples.size(); ++i) {
      first.update(kTick * static_cast<double>(i), samples[i]);
      second.update(kTick * static_cast<double>(i), samples[i]);
      EXPECT_EQ(first.reading().stage, second.reading().stage);
      EXPECT_EQ(first.reading().ended, second.reading().ended);
    }
    EXPECT_EQ(first.reading().end, second.reading().end);
    EXPECT_TRUE(first.reading().jumps[0].jump == second.reading().jumps[0].jump);
    EXPECT_TRUE(first.reading().jumps[1].spatial_jump == second.reading().jumps[1].spatial_jump);
  }
}

TEST(ImpactPhase, AllocatesNothing) {
  ImpactPhase phase(ImpactPhaseOptions{});
  auto sample = plates(0.1, 0.1);
  const test::AllocationCount count;
  for (int tick = 0; tick < 600; ++tick) {
    for (auto& plate : sample) plate.impact = tick == 300, plate.impact_time = 0.3;
    phase.update(kTick * tick, sample);
  }
  EXPECT_EQ(count.count(), 0U);
}

template <class F>
std::string refusal(F&& change) {
  ImpactPhaseOptions options;
  change(options);
  return test::message_of([&] { ImpactPhase{options}; });
}

TEST(ImpactPhase, OptionsAreChecked) {
  EXPECT_EQ(refusal([](auto& o) { o.angle = 0.0; }).substr(0, 57),
            "angle of the impact phase is 0 rad; it must be > 0 and at");
  EXPECT_EQ(refusal([](auto& o) { o.dwell = -1.0; }),
            "dwell of the impact phase is -1 s; it must be > 0 and at most 60");
  EXPECT_EQ(refusal([](auto& o) { o.after = NAN; }),
            "after of the impact phase is nan s; it must be >= 0 and at most 60");
  EXPECT_EQ(refusal([](auto& o) { o.before = 1.0; }),
            "before of the impact phase is 1 s; it must be >= 0 and at most 0.3");
  EXPECT_EQ(refusal([](auto& o) { o.before = 0.0; }), "no error");
}

}  // namespace impact_phase_test
}  // namespace handspan
