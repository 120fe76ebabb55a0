#include "robot/mimic_chains.hpp"

#include <gtest/gtest.h>

#include <map>

namespace handspan {
namespace mimic_chains_test {

ModelDescription chained(std::vector<MimicDescription> mimics) {
  ModelDescription d;
  d.mimics = std::move(mimics);
  return d;
}

// a chain of three under one joint, the last first, and a pair beside it
TEST(MimicChains, EachFollowsTheFirstWithTheProductOfTheWay) {
  ModelDescription d = chained({{"tip", "middle", -0.5, 0.25},
                                {"right", "left", 1.0, 0.0},
                                {"middle", "knuckle", 3.0, -0.1},
                                {"knuckle", "motor", 0.5, 0.02}});
  const ModelDescription before = d;
  resolve_mimic_chains(d);
  for (const auto& m : d.mimics)
    EXPECT_EQ(m.master, m.joint == "right" ? "left" : "motor") << m.joint;
  // whatever the motor does, both say the same
  for (const double q : {-1.0, 0.0, 0.7}) {
    std::map<std::string, double> values = {{"motor", q}, {"left", 2.0 * q}};
    for (std::size_t pass = 0; pass < before.mimics.size(); ++pass)
      for (const auto& m : before.mimics)
        if (values.contains(m.master)) values[m.joint] = m.multiplier * values[m.master] + m.offset;
    ASSERT_EQ(values.size(), 6U);
    for (const auto& m : d.mimics)
      EXPECT_NEAR(m.multiplier * values[m.master] + m.offset, values[m.joint], 1e-15) << m.joint;
  }
  EXPECT_NEAR(d.mimics[0].multiplier, -0.75, 1e-15);
}

TEST(MimicChains, ACircleStaysForValidateToRefuse) {
  ModelDescription d = chained({{"a", "b", 2.0, 0.0}, {"b", "a", 0.5, 0.0}, {"c", "a", 1.0, 0.0}});
  resolve_mimic_chains(d);
  EXPECT_EQ(d.mimics[0].master, "b");
  EXPECT_EQ(d.mimics[1].master, "a");
  EXPECT_EQ(d.mimics[2].master, "a");
}

}  // namespace mimic_chains_test
}  // namespace handspan
