// A tick allocates nothing.
#include <gtest/gtest.h>

#include "busy_scene.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace heap_test {

TEST(PlantHeap, ReadWriteAndAdvanceAllocateNothing) {
  const Scene scene = test::busy_scene();
  MujocoPlant plant(scene);
  Command command = Command::zero(plant.layout());
  const int parcel = plant.body("parcel");
  double sum = 0.0;
  std::size_t most_contacts = 0;
  const test::AllocationCount count;
  for (int step = 0; step < 1000; ++step) {
    test::command_of(step, command);
    plant.write(command);
    plant.set_belt_speed("belt", 0.3 + 1e-4 * step);
    plant.advance();
    sum +=
        plant.read().groups[0].q[0] + plant.body_pose(parcel).p[0] + plant.body_velocity(parcel)[0];
    most_contacts = std::max(most_contacts, plant.contacts().size());
  }
  EXPECT_EQ(count.count(), 0U);
  EXPECT_TRUE(plant.cup(0).holds);  // the grab was among the steps
  EXPECT_GE(most_contacts, 8U);
  EXPECT_TRUE(std::isfinite(sum));
}

TEST(PlantHeap, CountsWhatAllocates) {
  const Scene scene = test::busy_scene();
  MujocoPlant plant(scene);
  const test::AllocationCount count;
  EXPECT_FALSE(plant.snapshot().empty());
  EXPECT_GE(count.count(), 1U);
}

}  // namespace heap_test
}  // namespace handspan
