// Every two bodies of different arms are kept apart unless they are named; and what is far costs
// one bound for all pairs, with the same rows as if each had been looked at.
#include <gtest/gtest.h>

#include "control/collision.hpp"
#include "control/rows_support.hpp"
#include "core/config.hpp"
#include "core/random.hpp"
#include "support/alloc.hpp"
#include "support/sized.hpp"

namespace handspan {
namespace between_arms_test {

using test::body;
using test::mechanism;
using test::message_of;
using test::Rig;
using test::shape;

const Eigen::Vector3d kX = Eigen::Vector3d::UnitX(), kZ = Eigen::Vector3d::UnitZ();

// a fixed base, a carriage that slides in x and z, and a bar on it that turns about z
MechanismDescription crane(const std::string& name, double at) {
  std::vector<BodyDescription> bodies = {
      body(name + ".base", -1, {shape(name + "b", ShapeType::kBox, {0.1, 0.1, 0.1}, {at, 0, -1})}),
      body(name + ".carriage", 0,
           {shape(name + "c", ShapeType::kBox, {0.1, 0.1, 0.05}, {at, 0, 0})},
           {{JointType::kPrismatic, kX}, {JointType::kPrismatic, kZ}}),
      body(name + ".bar", 1, {shape(name + "d", ShapeType::kCapsule, {0.04, 0.2, 0}, {at, 0, 0.1})},
           {{JointType::kRevolute, Eigen::Vector3d::UnitY()}})};
  return mechanism(name, bodies);
}

struct Cranes {
  Cranes() : system(Eigen::Vector3d::Zero()) {
    system.add_mechanism(crane("a", -0.5));
    system.add_mechanism(crane("b", 0.5));
    system.seal();
  }
  std::unique_ptr<Collision> between(const BetweenArmsConfig& config = {},
                                     std::vector<const Collision*> others = {}) {
    return Collision::between_arms(config, context(), others);
  }
  ConstraintContext context() const { return {system, nullptr, {}}; }
  ControlSystem system;
};

TEST(BetweenArms, AreAllPairsButThoseOfTwoFixedBodies) {
  Cranes cranes;
  // 3 x 3 without the two bases
  EXPECT_EQ(cranes.between()->model().pairs().size(), 8U);
}

TEST(BetweenArms, LeavesOutWhatIsNamed) {
  Cranes cranes;
  BetweenArmsConfig config;
  config.ignored_pairs = {{"a.bar", "b.*"}};
  EXPECT_EQ(cranes.between(config)->model().pairs().size(), 5U);
  config.ignored_pairs = {{"a.*", "b.*"}};
  EXPECT_EQ(cranes.between(config), nullptr);
  config.ignored_pairs = {{"a.barr", "b.*"}};
  EXPECT_NE(message_of([&] { cranes.between(config); }).find("did you mean 'a.bar'?"),
            std::string::npos);
  // what another constraint keeps apart in its own way
  CollisionConfig named;
  named.pairs = {{"a.bar", "b.bar"}, {"a.bar", "b.carriage"}};
  const Collision other(named, cranes.context());
  EXPECT_EQ(cranes.between({}, {&other})->model().pairs().size(), 6U);
}

TEST(BetweenArms, OneArmHasNone) {
  ControlSystem system(Eigen::Vector3d::Zero());
  system.add_mechanism(crane("a", 0.0));
  system.seal();
  EXPECT_EQ(Collision::between_arms({}, {system, nullptr, {}}, {}), nullptr);
}

// Far or near, slow or fast: the rows are those of the same pairs named one by one, which are each
// looked at in every tick.
TEST(BetweenArms, HasTheRowsOfPairsThatAreLookedAtOneByOne) {
  Cranes cranes;
  CollisionConfig named;
  named.pairs = {{"a.*", "b.*"}};
  named.safety = BetweenArmsConfig().safety;
  Rig one(cranes.system, std::make_unique<Collision>(named, cranes.context()));
  auto made = cranes.between();
  const Collision& between = *made;
  Rig all(cranes.system, std::move(made));
  ASSERT_EQ(one.names.size(), all.names.size());
  RandomStream random(7, "between arms");
  int near = 0, far = 0;
  const int courses = test::sized(400);
  for (int course = 0; course < courses; ++course) {
    Eigen::Vector3d q_a, q_b, v_a, v_b;
    for (int i = 0; i < 3; ++i) {
      q_a[i] = random.uniform(-0.5, 0.5);
      q_b[i] = random.uniform(-0.5, 0.5);
      v_a[i] = random.uniform(-1.0, 1.0);
      v_b[i] = random.uniform(-1.0, 1.0);
    }
    for (int tick = 0; tick < 50; ++tick) {
      q_a += 0.005 * v_a;
      q_b += 0.005 * v_b;
      for (Rig* rig : {&one, &all}) {
        rig->state.mechanisms[0].q = q_a;
        rig->state.mechanisms[0].v = v_a;
        rig->state.mechanisms[1].q = q_b;
        rig->state.mechanisms[1].v = v_b;
        rig->rows();
      }
      bool any = false;
      for (Eigen::Index row = 0; row < one.qp.A.rows(); ++row) {
        ASSERT_EQ(one.lower(row), all.lower(row)) << course << " " << tick << " " << row;
        if (one.lower(row) == -kNoBound) continue;
        any = true;
        ASSERT_EQ(one.qp.A.row(row), all.qp.A.row(row)) << course << " " << tick << " " << row;
      }
      // what it says of the least distance is right as far as it goes
      const auto& collision = dynamic_cast<const Collision&>(*one.constraint);
      ASSERT_LE(between.nearest(), collision.nearest() + 1e-12);
      if (between.nearest_pair() >= 0) {
        ASSERT_EQ(between.nearest(), collision.nearest());
      }
      ++(any ? near : far);
    }
  }
  EXPECT_GT(near, courses);
  EXPECT_GT(far, courses);
}

TEST(BetweenArms, TheKeysAreCheckedWhereTheyAreRead) {
  const auto message = [](const std::string& text) {
    return message_of([&] { parse_yaml(text, "t.yaml", between_arms_schema()); });
  };
  EXPECT_EQ(message("{safety: 1 cm, ignored_pairs: [[left.*, right.*]]}"), "no error");
  EXPECT_NE(message("{safety: 0.5, influence: 0.2}").find("is not above safety"),
            std::string::npos);
  EXPECT_NE(message("{ignored_pairs: [[left.hand]]}").find("ignored_pairs"), std::string::npos);
  EXPECT_NE(message("{pairs: [[a, b]]}").find("unknown key 'pairs'"), std::string::npos);
}

TEST(BetweenArms, APairInsideTheMarginAtTheStartIsFound) {
  Cranes cranes;
  auto between = cranes.between();
  Rig rig(cranes.system, cranes.between());
  MechanismState& s = rig.state.mechanisms[0];
  // carriages of 0.1 m on both sides of x = -0.5 and 0.5, less what they slide
  s.q = Eigen::Vector3d(0.79, 0.0, 0.0);
  update_state(cranes.system, rig.state);
  const auto near = between->inside_margin(rig.state);
  ASSERT_EQ(near.size(), 1U);
  EXPECT_EQ(near[0].pair, "a.carriage - b.carriage");
  EXPECT_NEAR(near[0].distance, 0.01, 1e-9);
}

TEST(BetweenArms, AllocatesNothing) {
  Cranes cranes;
  Rig rig(cranes.system, cranes.between());
  rig.rows();
  rig.state.mechanisms[0].q = Eigen::Vector3d(0.7, 0.0, 0.3);
  const test::AllocationCount count;
  rig.rows();
  EXPECT_EQ(count.count(), 0U);
}

}  // namespace between_arms_test
}  // namespace handspan
