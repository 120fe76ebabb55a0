// When a cup holds and lets go, to the nanosecond; snapshots in between.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "cup_rig.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace suction_release_test {

using test::box_of;
using test::CupRig;
using test::kLipDistance;
using test::kNoGravity;

constexpr double kGravity = 9.81, kStep = 0.001;
const Eigen::Vector3d kSize(0.2, 0.2, 0.1);
const std::string kUnderTheLip =
    box_of(0.5, kSize, Pose::translation({0, 0, -kLipDistance - 0.0501}));

TEST(SuctionRelease, HoldsWhenTheVacuumIsThere) {
  const test::TemporaryFolder folder;
  const double tau = 0.03, share = 0.6;
  CupRig rig(folder, "evacuation: {time_constant: 30 ms, holds_at: 0.6}", 0.0,
             kNoGravity + kUnderTheLip);
  rig.switch_to(1.0);
  // seen after the first step; held in the step in which the share is reached
  const double holds = kStep - tau * std::log(1 - share);
  for (int step = 1; step <= 100; ++step) {
    rig.run(1);
    const double t = kStep * step;
    EXPECT_EQ(rig.held(), t > holds) << step;
    EXPECT_NEAR(rig.vacuum(), 1 - std::exp(-(t - kStep) / tau), 1e-12) << step;
  }
  // lip and face part before: it begins anew
  CupRig parted(folder, "evacuation: {time_constant: 30 ms, holds_at: 0.6}", 0.0,
                kNoGravity + kUnderTheLip);
  parted.switch_to(1.0);
  parted.run(20);
  EXPECT_GT(parted.vacuum(), 0.4);
  parted.plant.set_object("box", Pose::translation({5, 0, 0}), Vector6d::Zero());
  parted.run(1);
  EXPECT_EQ(parted.vacuum(), 0.0);
  // switched off before: nothing comes of it
  CupRig off(folder, "", 0.0, kNoGravity + kUnderTheLip);
  off.switch_to(1.0);
  off.run(10);
  off.switch_to(0.0);
  off.run(100);
  EXPECT_FALSE(off.held());
  EXPECT_EQ(off.vacuum(), 0.0);
}

// A box that hangs at rest, let go within a step, falls as the pieces of the steps say:
// g/2 ((sum h)^2 + sum h^2), the integrator's.
TEST(SuctionRelease, LetsGoAtItsInstant) {
  const test::TemporaryFolder folder;
  const int ticks = 60;
  double before = 0.0;
  for (const double delay : {0.0280, 0.0283, 0.0286, 0.0290}) {
    CupRig rig(folder,
               fmt::format("release: {{delay: {} s}}, blow_off: {{impulse: 0, time: 0}}", delay),
               0.0, box_of(0.566, kSize));
    rig.hold_box(kSize[2]);
    rig.run(4000);
    const double z = rig.box().p[2];
    ASSERT_LT(rig.plant.body_velocity(rig.plant.body("box")).norm(), 1e-10);
    rig.switch_to(0.0);
    rig.run(28);
    EXPECT_TRUE(rig.held());
    rig.run(1);
    EXPECT_EQ(rig.held(), delay >= 0.029);
    rig.run(ticks - 29);
    const double fell = z - rig.box().p[2], time = kStep * ticks - delay;
    const double first = kStep * std::ceil(delay / kStep - 1e-9) - delay;
    const double squares = first * first + kStep * (time - first);
    EXPECT_NEAR(fell, 0.5 * kGravity * (time * time + squares), 1e-6) << delay;
    if (before > 0.0) {
      EXPECT_GT(before - fell, 0.5e-4) << "0.3 of a step is g t 0.0003";
    }
    before = fell;
  }
}

// Thrown: where it is released decides where it flies.
TEST(SuctionRelease, LaterReleaseFliesFurtherByVelocityTimesDelay) {
  const test::TemporaryFolder folder;
  struct Flight {
    Eigen::Vector3d p, v;
  };
  const auto flight = [&](double delay) {
    CupRig rig(folder,
               fmt::format("release: {{delay: {} s}}, blow_off: {{impulse: 0, time: 0}}", delay),
               0.0, kNoGravity + box_of(0.566, kSize));
    rig.hold_box(kSize[2]);
    // turns evenly in the end: the box goes round a circle
    for (int step = 0; step < 2500; ++step) {
      rig.command.groups[0][0] = std::min(2.0, 0.004 * step);
      rig.run(1);
    }
    EXPECT_TRUE(rig.held());
    rig.switch_to(0.0);
    rig.run(60);
    EXPECT_FALSE(rig.held());
    return Flight{rig.box().p, rig.plant.body_velocity(rig.plant.body("box")).head<3>()};
  };
  const double w = 2.0, d = 0.0003;
  const Flight a = flight(0.028), b = flight(0.0283);
  // the later one leaves w d further round the circle: all of its flight is turned by that, and it
  // flies d shorter
  const Eigen::AngleAxisd turn(w * d, Eigen::Vector3d::UnitY());
  EXPECT_LT((turn * a.v - b.v).norm(), 2e-5 * a.v.norm());
  EXPECT_LT((turn * a.p - turn * a.v * d - b.p).norm(), 1e-6);
  EXPECT_GT((a.p - b.p).norm(), 1e-5);
}

TEST(SuctionRelease, BlowsOffWithItsImpulse) {
  const test::TemporaryFolder folder;
  for (const char* time : {"20 ms", "0.3 ms", "3.7 ms"})
    for (const double valve : {0.0, -1.0}) {
      CupRig rig(
          folder,
          fmt::format("release: {{delay: 4.3 ms}}, blow_off: {{impulse: 0.05, time: {}}}", time),
          0.0, kNoGravity + box_of(0.5, kSize));
      rig.hold_box(kSize[2]);
      rig.run(10);
      rig.switch_to(valve);
      rig.run(5);
      EXPECT_FALSE(rig.held());
      rig.run(30);
      const Vector6d V = rig.plant.body_velocity(rig.plant.body("box"));
      const double speed = valve == 0.0 ? 0.05 / 0.5 : 0.0;
      EXPECT_NEAR(V[2], -speed, 1e-9) << time;
      EXPECT_LT(V.head<2>().norm() + V.tail<3>().norm(), 1e-9) << time;
      for (int i = 0; i < 6 * rig.plant.impl().model->nbody; ++i)
        EXPECT_EQ(rig.data().xfrc_applied[i], 0.0);
    }
}

TEST(SuctionRelease, SwitchedOnAgainInTimeKeepsIt) {
  const test::TemporaryFolder folder;
  CupRig rig(folder, "", 0.0, box_of(0.5, kSize));
  rig.hold_box(kSize[2]);
  rig.run(100);
  rig.switch_to(0.0);
  rig.run(27);
  rig.switch_to(1.0);
  rig.run(200);
  EXPECT_TRUE(rig.held());
  EXPECT_EQ(rig.plant.broken_away("it.cup"), 0U);
}

std::vector<std::uint64_t> bits(CupRig& rig) {
  std::vector<std::uint64_t> out;
  for (const double x : rig.plant.positions()) out.push_back(std::bit_cast<std::uint64_t>(x));
  for (const double x : rig.plant.velocities()) out.push_back(std::bit_cast<std::uint64_t>(x));
  for (const double x : {rig.held() ? 1.0 : 0.0, rig.vacuum(), rig.load()})
    out.push_back(std::bit_cast<std::uint64_t>(x));
  return out;
}

TEST(SuctionRelease, SnapshotsHoldEveryInstantOnTheWay) {
  const test::TemporaryFolder folder;
  const std::string keys = "release: {delay: 28.3 ms}, blow_off: {impulse: 0.02, time: 7.7 ms}";
  const auto make = [&] { return CupRig(folder, keys, 0.0, kNoGravity + kUnderTheLip); };
  const auto drive = [](CupRig& rig, int from, int to) {
    std::vector<std::vector<std::uint64_t>> trace;
    for (int step = from; step < to; ++step) {
      rig.switch_to(step < 150 ? 1.0 : 0.0);
      rig.command.groups[0][0] = 0.5 * std::sin(0.02 * std::max(0, step - 50));
      rig.run(1);
      trace.push_back(bits(rig));
    }
    return trace;
  };
  const int end = 260;
  CupRig whole = make();
  const auto trace = drive(whole, 0, end);
  // gathering vacuum, holding, waiting for the release, within the blow-off, after it
  for (const int at : {10, 60, 151, 170, 178, 180, 200}) {
    CupRig first = make();
    drive(first, 0, at);
    const auto snapshot = first.plant.snapshot();
    CupRig other = make();
    drive(other, 0, (at + 130) % end);  // somewhere else
    other.plant.restore(snapshot);
    EXPECT_EQ(other.plant.snapshot(), snapshot) << at;
    const auto rest = drive(other, at, end);
    for (std::size_t i = 0; i < rest.size(); ++i)
      ASSERT_EQ(rest[i], trace[static_cast<std::size_t>(at) + i]) << at << " " << i;
  }
  // the run did what it was to do
  CupRig check = make();
  drive(check, 0, 100);
  EXPECT_TRUE(check.held());
  drive(check, 100, 179);
  EXPECT_FALSE(check.held());
}

TEST(SuctionRelease, AllocatesNothing) {
  const test::TemporaryFolder folder;
  CupRig rig(folder, "release: {delay: 28.3 ms}, blow_off: {impulse: 0.02, time: 7.7 ms}", 0.0,
             kNoGravity + kUnderTheLip);
  rig.switch_to(1.0);
  bool held = false;
  const test::AllocationCount count;
  rig.run(60);
  held = rig.held();
  rig.switch_to(0.0);
  rig.run(60);
  EXPECT_EQ(count.count(), 0U);
  EXPECT_TRUE(held);
  EXPECT_FALSE(rig.held());
}

}  // namespace suction_release_test
}  // namespace handspan
