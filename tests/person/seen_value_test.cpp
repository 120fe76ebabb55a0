#include "person/seen_value.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "core/config.hpp"
#include "math/se3.hpp"

namespace handspan {
namespace seen_value_test {

struct Table {
  Table() {
    number = channels.number("n", "", {});
    wrench = channels.vector("w", 6, "N", {}, "", {"fx", "fy", "fz", "tx", "ty", "tz"});
    held = channels.boolean("held", {});
    pose = channels.pose("p", {});
    channels.seal();
  }
  ChannelTable channels;
  NumberChannel number;
  VectorChannel wrench;
  BooleanChannel held;
  PoseChannel pose;
};

std::string error_of(const SeenValue& seen, const ChannelTable& channels) {
  try {
    WatchedValue(seen, channels);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(SeenValue, HoldsBeyondWhatIsAwaited) {
  Table t;
  const SeenValue above{"n", {}, 2.0, {}}, between{"n", {}, 2.0, 3.0};
  const WatchedValue watched(above, t.channels);
  // nothing was written yet
  EXPECT_FALSE(watched.holds({"n", {}, -1.0, {}}, t.channels));
  const auto at = [&](double value, const SeenValue& seen) {
    t.channels.write(t.number, value, 1);
    return watched.holds(seen, t.channels);
  };
  EXPECT_FALSE(at(2.0, above));
  EXPECT_TRUE(at(2.1, above));
  EXPECT_TRUE(at(2.1, between));
  EXPECT_FALSE(at(3.0, between));
  EXPECT_FALSE(at(std::numeric_limits<double>::infinity(), above));
}

TEST(SeenValue, IsTheForceOfAWrenchOneElementOrAYes) {
  Table t;
  Vector6d w;
  w << 3.0, 0.0, -4.0, 100.0, 100.0, 100.0;
  t.channels.write(t.wrench, w, 1);
  t.channels.write(t.held, true, 1);
  const auto holds = [&](const SeenValue& seen) {
    return WatchedValue(seen, t.channels).holds(seen, t.channels);
  };
  EXPECT_TRUE(holds({"w", {}, 4.99, 5.01}));
  EXPECT_TRUE(holds({"w", "fz", {}, -3.9}));
  EXPECT_TRUE(holds({"held", {}, 0.5, {}}));
}

TEST(SeenValue, SaysWhatIsNotThere) {
  Table t;
  EXPECT_TRUE(error_of({"m", {}, 0.0, {}}, t.channels).find("'m'") != std::string::npos);
  EXPECT_EQ(error_of({"w", "fw", 0.0, {}}, t.channels),
            "'w' has no element 'fw'; did you mean 'fx'?");
  EXPECT_EQ(error_of({"n", "x", 0.0, {}}, t.channels),
            "'n' has no elements with names; leave the label out");
  try {
    find_pose("n", t.channels);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "'n' is a number; it must be a pose");
  }
  try {
    parse_yaml("{channel: n}", "s.yaml", seen_value_schema());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "s.yaml:1: the file is awaited at no value; give above or below");
  }
}

TEST(PoseOn, IsNothingBeforeItWasWritten) {
  Table t;
  const ChannelId id = find_pose("p", t.channels);
  EXPECT_FALSE(pose_on(id, t.channels));
  t.channels.write(t.pose, {1.0, 2.0, 3.0}, Eigen::Quaterniond::Identity(), 1);
  ASSERT_TRUE(pose_on(id, t.channels));
  EXPECT_EQ(pose_on(id, t.channels)->p, Eigen::Vector3d(1.0, 2.0, 3.0));
}

}  // namespace seen_value_test
}  // namespace handspan
