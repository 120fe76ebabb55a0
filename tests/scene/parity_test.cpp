// Both engines built from one description agree to rounding.
#include "scene/parity.hpp"

#include <gtest/gtest.h>

#include <random>

#include "support/random_model.hpp"

namespace handspan {
namespace {

// A hundred operations deep, entries of order one: rounding stays well below this.
constexpr double kParity = 1e-12;

TEST(Parity, HoldsForEveryKindOfJointOnEveryBase) {
  for (int seed = 0; seed < 10; ++seed) {
    std::mt19937_64 random(seed);
    const ModelDescription description = test::all_joints(random);
    for (const BaseType base : {BaseType::kFixed, BaseType::kFree, BaseType::kPlanar}) {
      const Parity parity = compare_engines(with_base(description, base), 20, seed);
      EXPECT_LE(parity.worst(), kParity) << "seed " << seed << ": " << parity.summary();
      EXPECT_EQ(parity.states, 20);
    }
  }
}

}  // namespace
}  // namespace handspan
