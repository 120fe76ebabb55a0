// A snapshot is everything, and the same inputs give the same bits, in any number of threads.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstring>
#include <thread>

#include "plant/busy_scene.hpp"

namespace handspan {
namespace snapshot_test {

using test::busy_scene;
using test::run_busy;

constexpr int kWarm = 700, kMore = 500;

// All that a plant shows, bit for bit.
std::vector<std::uint64_t> bits(MujocoPlant& plant) {
  std::vector<std::uint64_t> out;
  const auto add = [&](const auto& values) {
    for (Eigen::Index i = 0; i < values.size(); ++i)
      out.push_back(std::bit_cast<std::uint64_t>(values[i]));
  };
  const Observation& o = plant.read();
  out.push_back(static_cast<std::uint64_t>(o.stamp));
  out.push_back(o.sequence);
  for (const auto& g : o.groups) {
    add(g.q);
    add(g.v);
    add(g.tau);
  }
  for (const auto& w : o.wrenches) add(w);
  for (const auto& c : plant.contacts()) {
    out.push_back(static_cast<std::uint64_t>(1000 * c.body_a + c.body_b));
    add(c.p_W);
    add(c.n_W);
    add(c.f_W);
  }
  for (int b = 0; b < static_cast<int>(plant.bodies().size()); ++b) {
    add(plant.body_pose(b).p);
    add(plant.body_pose(b).R.reshaped());
    add(plant.body_velocity(b));
  }
  const CommandFaults& f = plant.faults();
  out.insert(out.end(), {f.not_finite, f.clamped, f.rate_limited, plant.contacts_left_out()});
  out.push_back(std::bit_cast<std::uint64_t>(plant.belt_speed("belt")));
  return out;
}

std::vector<std::vector<std::uint64_t>> trace(MujocoPlant& plant, int from, int to) {
  std::vector<std::vector<std::uint64_t>> out;
  for (int step = from; step < to; ++step) {
    run_busy(plant, step, step + 1);
    out.push_back(bits(plant));
  }
  return out;
}

TEST(Snapshot, IsTakenWhereEverythingHappens) {
  const Scene scene = busy_scene();
  MujocoPlant plant(scene);
  run_busy(plant, 0, kWarm);
  EXPECT_TRUE(plant.cup(0).holds);  // the box hangs on the cup
  const auto touches = [&](const char* a, const char* b) {
    for (const auto& c : plant.contacts())
      if (std::minmax(c.body_a, c.body_b) == std::minmax(plant.body(a), plant.body(b))) return true;
    return false;
  };
  EXPECT_TRUE(touches("parcel", "belt"));
  EXPECT_TRUE(touches("can", "pusher"));
  EXPECT_GT(plant.body_velocity(plant.body("parcel"))[0], 0.3);
  EXPECT_GT(plant.faults().not_finite, 0U);
}

TEST(Snapshot, RestoresToTheSameBits) {
  const Scene scene = busy_scene();
  MujocoPlant plant(scene);
  run_busy(plant, 0, kWarm + 3);  // within a tick of the UR10
  const auto bytes = plant.snapshot();
  const auto now = bits(plant);
  const auto first = trace(plant, kWarm + 3, kWarm + kMore);
  const auto end = plant.snapshot();
  plant.restore(bytes);
  EXPECT_EQ(bits(plant), now);
  EXPECT_EQ(plant.snapshot(), bytes);
  const auto again = trace(plant, kWarm + 3, kWarm + kMore);
  for (std::size_t i = 0; i < first.size(); ++i) ASSERT_EQ(again[i], first[i]) << "step " << i;
  EXPECT_EQ(plant.snapshot(), end);
}

TEST(Snapshot, RestoresIntoAFreshPlantOfTheSameScene) {
  const Scene scene = busy_scene(), same = busy_scene();
  MujocoPlant plant(scene), fresh(same);
  run_busy(plant, 0, kWarm);
  fresh.restore(plant.snapshot());
  EXPECT_EQ(bits(fresh), bits(plant));
  const auto first = trace(plant, kWarm, kWarm + kMore),
             second = trace(fresh, kWarm, kWarm + kMore);
  for (std::size_t i = 0; i < first.size(); ++i) ASSERT_EQ(second[i], first[i]) << "step " << i;
  // the way back, to the start
  fresh.reset();
  MujocoPlant untouched(scene);
  EXPECT_EQ(trace(fresh, 0, 200), trace(untouched, 0, 200));
}

// What looks only must not change what comes.
TEST(Snapshot, LookingChangesNothing) {
  const Scene scene = busy_scene();
  MujocoPlant seen(scene), unseen(scene);
  Command command = Command::zero(seen.layout());
  for (int step = 0; step < 300; ++step) {
    run_busy(seen, step, step + 1);
    bits(seen);
    seen.energy();
    seen.snapshot();
  }
  run_busy(unseen, 0, 300);
  EXPECT_EQ(seen.snapshot(), unseen.snapshot());
}

std::string refused(MujocoPlant& plant, std::span<const std::byte> bytes) {
  try {
    plant.restore(bytes);
  } catch (const InputError& error) {
    return error.what();
  }
  return "restored";
}

TEST(Snapshot, OfAnotherSceneOrLengthIsRefusedAndChangesNothing) {
  const Scene scene = busy_scene();
  MujocoPlant plant(scene);
  run_busy(plant, 0, kWarm);
  const auto bytes = plant.snapshot();
  // the same sizes, another gravity: only its contents tell
  Scene lighter = busy_scene();
  lighter.physics.gravity[2] = -9.80;
  Scene slower = busy_scene();
  slower.kinematics.front().waypoints.back().time = 3.5;
  Scene laggard = busy_scene();
  laggard.robots.front().groups.front().lag = 0.021;
  for (const Scene* other : {&lighter, &slower, &laggard}) {
    MujocoPlant stranger(*other);
    const auto before = stranger.snapshot();
    EXPECT_EQ(refused(stranger, bytes), "the snapshot is of another scene");
    EXPECT_EQ(stranger.snapshot(), before);
  }
  MujocoPlant fresh(scene);
  const auto before = fresh.snapshot();
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{5}, std::size_t{24}, bytes.size() / 2, bytes.size() - 1})
    EXPECT_EQ(refused(fresh, std::span(bytes).first(size)),
              "the snapshot is shorter than this plant's")
        << size;
  auto longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_EQ(refused(fresh, longer), "the snapshot is longer than this plant's");
  auto damaged = bytes;
  damaged[16] = std::byte{0xFF};  // the number of contacts
  EXPECT_EQ(refused(fresh, damaged), "the snapshot is damaged");
  EXPECT_EQ(fresh.snapshot(), before);
  EXPECT_EQ(refused(fresh, bytes), "restored");
}

TEST(Determinism, HoldsInFourThreadsAtOnce) {
  const Scene scene = busy_scene();
  const int steps = std::max(400, test::sized(8000));
  std::array<std::vector<std::byte>, 5> ends;
  const auto run = [&](std::size_t i) {
    MujocoPlant plant(scene);
    run_busy(plant, 0, steps);
    ends[i] = plant.snapshot();
  };
  run(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 4; ++i) threads.emplace_back(run, i);
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(ends[i], ends[4]) << i;
}

TEST(Determinism, HoldsWhenScenesAreBuiltInParallel) {
  std::array<std::vector<std::byte>, 3> ends;
  const auto run = [&](std::size_t i) {
    const Scene scene = busy_scene();
    MujocoPlant plant(scene);
    run_busy(plant, 0, 100);
    ends[i] = plant.snapshot();
  };
  run(2);
  std::thread a(run, 0), b(run, 1);
  a.join();
  b.join();
  EXPECT_EQ(ends[0], ends[2]);
  EXPECT_EQ(ends[1], ends[2]);
}

}  // namespace snapshot_test
}  // namespace handspan
