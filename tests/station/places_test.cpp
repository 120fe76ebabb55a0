#include "station/places.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace handspan {
namespace places_test {

Visitor from(const std::string& address) { return {address, address, false, 0}; }

class PlacesTest : public testing::Test {
 protected:
  // @return the place
  int come(const Visitor& visitor, int device = 0) {
    evicted.clear();
    const int place = places.take(visitor, evicted);
    places.set_close(place, [this, place] { closed.push_back(place); });
    places.show(place, device);
    return place;
  }
  Places places;
  std::string evicted;
  std::vector<int> closed;
};

TEST_F(PlacesTest, AnUnknownOneOfTheSameAddressMakesRoom) {
  const int first = come(from("10.0.0.7"));
  for (std::size_t i = 1; i < kMostOfAddress; ++i) come(from("10.0.0.7"));
  EXPECT_TRUE(closed.empty());
  EXPECT_NE(come(from("10.0.0.7")), 0);
  EXPECT_EQ(closed, std::vector{first});
  EXPECT_EQ(evicted, "10.0.0.7");
  EXPECT_EQ(places.taken(), kMostOfAddress);
  EXPECT_NE(come(from("10.0.0.8")), 0);
  EXPECT_EQ(closed.size(), 1U);
}

TEST_F(PlacesTest, WhoShowedATokenKeepsItsPlace) {
  const int known = come(from("10.0.0.7"), 1);
  for (std::size_t i = 0; i < 3 * kMostOfAddress; ++i) come(from("10.0.0.7"));
  EXPECT_EQ(std::count(closed.begin(), closed.end(), known), 0);
  // an address whose places are all of known ones has none left
  for (std::size_t i = 0; i < kMostOfAddress; ++i) come(from("10.0.0.8"), 2);
  EXPECT_EQ(come(from("10.0.0.8"), 2), 0);
}

TEST_F(PlacesTest, OfAllTheAddressWithMostUnknownOnesMakesRoom) {
  const int quiet = come(from("10.0.0.1"));
  for (int i = 0; i < 200; ++i) come(from("10.0.1." + std::to_string(i % 5)));
  EXPECT_EQ(std::count(closed.begin(), closed.end(), quiet), 0);
  EXPECT_EQ(places.taken(), kMostConnections - kKeptForLocal);
  // this machine's own places are left
  for (std::size_t i = 0; i < kKeptForLocal; ++i) {
    const std::size_t before = closed.size();
    EXPECT_NE(come(Visitor(), 1), 0);
    EXPECT_EQ(closed.size(), before);
  }
  EXPECT_NE(come(Visitor(), 1), 0);
  EXPECT_TRUE(evicted.starts_with("10.0.1.")) << evicted;
  EXPECT_EQ(places.taken(), kMostConnections);
}

TEST_F(PlacesTest, OtherMachinesTakeNoPlaceOfThisOne) {
  for (std::size_t i = 0; i < kMostConnections - kKeptForLocal; ++i)
    come(from("10.0." + std::to_string(i) + ".1"), 1);
  const int own = come(Visitor());
  EXPECT_EQ(come(from("10.1.0.1")), 0);
  EXPECT_EQ(std::count(closed.begin(), closed.end(), own), 0);
}

TEST_F(PlacesTest, WhoHoldsAllOfThisMachinesKeepsNoOtherMachineOut) {
  for (std::size_t i = 0; i < 2 * kMostConnections; ++i) come(Visitor());
  EXPECT_EQ(places.taken(), kMostConnections);
  for (std::size_t i = 0; i < kMostConnections - kKeptForLocal; ++i)
    EXPECT_NE(come(from("10.0." + std::to_string(i) + ".1"), 1), 0);
  EXPECT_EQ(places.taken(), kMostConnections);
  EXPECT_EQ(come(from("10.1.0.1"), 1), 0);
}

TEST_F(PlacesTest, ThoseOfADeviceAreClosedTogether) {
  const int a = come(from("10.0.0.7"), 1), b = come(from("10.0.0.9"), 1);
  come(from("10.0.0.7"), 2);
  come(from("10.0.0.7"));
  places.end_device(1);
  EXPECT_EQ(closed, (std::vector{a, b}));
  EXPECT_EQ(places.taken(), 2U);
  places.leave(a);  // which has gone already
  EXPECT_EQ(places.taken(), 2U);
}

}  // namespace places_test
}  // namespace handspan
