#include "control/collision.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "control/control_parts.hpp"
#include "control/rows_support.hpp"
#include "core/config.hpp"
#include "support/alloc.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace collision_test {

using test::body;
using test::mechanism;
using test::message_of;
using test::Rig;
using test::shape;

constexpr std::uint64_t kSeed = 3;
constexpr double kDt = 1e-3;
const Eigen::Vector3d kX = Eigen::Vector3d::UnitX(), kY = Eigen::Vector3d::UnitY(),
                      kZ = Eigen::Vector3d::UnitZ();
constexpr JointType kSlides = JointType::kPrismatic, kTurns = JointType::kRevolute;

CollisionConfig config(const std::string& a, const std::string& b) {
  CollisionConfig c;
  c.pairs = {{a, b}};
  return c;
}

// a block of 2 m with its upper face at z = 0
RobotModel floor_model() {
  ModelDescription d;
  d.name = "surroundings";
  d.bodies = {body("floor", -1, {shape("floor", ShapeType::kBox, {1.0, 1.0, 0.5}, {0, 0, -0.5})})};
  return RobotModel(d);
}

// what slides in x and z and turns about y and x
ControlSystem slider(const Shape& s, double hz = 1000.0) {
  ControlSystem system(Eigen::Vector3d::Zero());
  system.add_mechanism(mechanism(
      "pad", {body("pad", -1, {s}, {{kSlides, kX}, {kSlides, kZ}, {kTurns, kY}, {kTurns, kX}})},
      hz));
  system.seal();
  return system;
}

// rows of the nearest points alone, as before most_urgent()
class NearestOnly : public Collision {
 public:
  using Collision::Collision;
  std::vector<ConstraintRow> rows() const override {
    return {{"nearest", ConstraintKind::kCollision, 2.0}};
  }
  void update(const ControlSystem&, ControlState& state, RowBlock rows) override {
    MechanismState& s = state.mechanisms[0];
    RobotData around(*model().robots()[1]);
    update_kinematics(*model().robots()[1], around, Eigen::VectorXd(0), Eigen::VectorXd(0));
    const RobotData* robots[] = {&s.data, &around};
    DistanceData data(model());
    update_distances(model(), robots, data, 0.5);
    auto row = rows.A.row(0);
    distance_row(model(), 0, data[0], 0, s.data, row);
    rows.lower[0] = braking_bound(data[0].distance - 0.01, -row.dot(s.v), 2.0, 0.1, s.horizon) -
                    distance_bias(model(), 0, data[0], robots, false);
  }
};

struct Course {
  double nearest = 1.0;  // over the whole run [m]
  double hardest = 0.0;  // largest acceleration in z that was needed [m/s^2]
  double end = 0.0;      // distance at the end [m]
};

template <class Rows>
Course descend(const Shape& s, const CollisionConfig& c, Eigen::VectorXd q, Eigen::VectorXd v,
               const Eigen::VectorXd& wanted, int ticks) {
  const RobotModel around = floor_model();
  const ControlSystem system = slider(s);
  auto made = std::make_unique<Rows>(c, ConstraintContext{system, &around, {}});
  const Rows& collision = *made;
  Rig rig(system, std::move(made));
  MechanismState& state = rig.state.mechanisms[0];
  state.q = q;
  state.v = v;
  RobotData floor(around);
  update_kinematics(around, floor, Eigen::VectorXd(0), Eigen::VectorXd(0));
  DistanceData data(collision.model());
  Course course;
  for (int k = 0; k < ticks; ++k) {
    EXPECT_EQ(rig.solve(wanted).status, QpStatus::kSolved) << k;
    EXPECT_TRUE(state.qdd.allFinite()) << k;
    for (Eigen::Index row = 0; row < rig.qp.A.rows(); ++row)
      if (rig.lower(row) > -kNoBound) course.hardest = std::max(course.hardest, rig.lower(row));
    rig.advance(kDt);
    update_state(system, rig.state);
    const RobotData* robots[] = {&state.data, &floor};
    update_distances(collision.model(), robots, data, 10.0);
    course.end = data[0].distance;
    course.nearest = std::min(course.nearest, course.end);
  }
  return course;
}

Eigen::VectorXd four(double x, double z, double about_y, double about_x) {
  return Eigen::Vector4d(x, z, about_y, about_x);
}

TEST(Collision, ABallDrivenAtAWallStopsAtTheSafetyDistanceWithinTheDeceleration) {
  const Course course =
      descend<Collision>(shape("ball", ShapeType::kSphere, {0.1, 0, 0}), config("pad", "floor"),
                         four(0, 0.6, 0, 0), four(0, 0, 0, 0), four(0, -5.0, 0, 0), 3000);
  EXPECT_NEAR(course.end, 0.01, 1e-6);
  // an eighth of the last step's stop (constraint.hpp)
  EXPECT_GE(course.nearest, 0.01 - 2.0 * kDt * kDt / 8.0 - 1e-12);
  EXPECT_LE(course.hardest, 2.0 * (1.0 + 1e-9));
}

TEST(CollisionRun,
     APadThatTurnsWhileItComesDownKeepsItsDistanceWhereItsNearestCornerAloneWouldNot) {
  const Shape pad = shape("pad", ShapeType::kBox, {0.2, 0.1, 0.01});
  Course worst_all, worst_nearest;
  for (const double turn : {0.5, 1.0, 2.0, -3.0}) {
    // the lower corner goes up while the other comes down, and passes it near the floor
    const auto run = [&]<class Rows>(std::type_identity<Rows>) {
      return descend<Rows>(pad, config("pad", "floor"), four(0, 0.25, turn > 0 ? -0.3 : 0.3, 0.05),
                           four(0, -0.4, turn, 0.1), four(0, -2.0, 0, 0), 1500);
    };
    const Course all = run(std::type_identity<Collision>{}),
                 nearest = run(std::type_identity<NearestOnly>{});
    worst_all.nearest = std::min(worst_all.nearest, all.nearest);
    worst_all.hardest = std::max(worst_all.hardest, all.hardest);
    worst_nearest.nearest = std::min(worst_nearest.nearest, nearest.nearest);
    worst_nearest.hardest = std::max(worst_nearest.hardest, nearest.hardest);
  }
  RecordProperty("all",
                 std::to_string(worst_all.nearest) + " " + std::to_string(worst_all.hardest));
  RecordProperty("nearest", std::to_string(worst_nearest.nearest) + " " +
                                std::to_string(worst_nearest.hardest));
  EXPECT_GE(worst_all.nearest, 0.01 - 1e-4);
  EXPECT_LT(worst_all.hardest, worst_nearest.hardest);
}

TEST(Collision, ParallelFacesPressedTogetherAndSlidDoNotChatter) {
  const Shape pad = shape("pad", ShapeType::kBox, {0.2, 0.1, 0.01});
  const RobotModel around = floor_model();
  const ControlSystem system = slider(pad);
  Rig rig(system, std::make_unique<Collision>(config("pad", "floor"),
                                              ConstraintContext{system, &around, {}}));
  MechanismState& s = rig.state.mechanisms[0];
  s.q = four(-0.3, 0.2, 0, 0);
  s.v = four(0.2, 0, 0, 0);
  double most_turning = 0.0;
  for (int k = 0; k < 3000; ++k) {
    ASSERT_EQ(rig.solve(four(0, -3.0, 0, 0)).status, QpStatus::kSolved) << k;
    ASSERT_TRUE(s.qdd.allFinite());
    ASSERT_LE(std::abs(s.qdd[1]), 3.0 + 1e-6) << k;
    most_turning = std::max(most_turning, s.q.tail(2).cwiseAbs().maxCoeff());
    rig.advance(kDt);
  }
  EXPECT_NEAR(s.q[1], 0.02, 1e-4);
  EXPECT_NEAR(s.v[1], 0.0, 1e-3);
  EXPECT_LT(most_turning, 0.02);
  EXPECT_NEAR(s.v[0], 0.2, 1e-6);  // it slides on
}

TEST(Collision, WhatStartsTooNearOrOverlappingOpensNoFasterThanRecoveryAndStaysApart) {
  for (const double z : {0.105, 0.1, 0.09, 0.05}) {
    const RobotModel around = floor_model();
    const ControlSystem system = slider(shape("ball", ShapeType::kSphere, {0.1, 0, 0}));
    Rig rig(system, std::make_unique<Collision>(config("pad", "floor"),
                                                ConstraintContext{system, &around, {}}));
    MechanismState& s = rig.state.mechanisms[0];
    s.q = four(0, z, 0, 0);
    double fastest = 0.0, before = z;
    for (int k = 0; k < 4000; ++k) {
      ASSERT_EQ(rig.solve(four(0, -5.0, 0, 0)).status, QpStatus::kSolved);
      ASSERT_LE(std::abs(s.qdd[1]), kMostBraking * 2.0 + 1e-9);
      rig.advance(kDt);
      fastest = std::max(fastest, s.v[1]);
      ASSERT_GE(s.q[1], before - 1e-9) << z << " " << k;
      before = s.q[1];
    }
    EXPECT_LE(fastest, 0.1 + 1e-9);
    EXPECT_NEAR(s.q[1], 0.11, 1e-6);
  }
}

TEST(Collision, LooksAsFarAsTheSlowerRobotNeedsWhicheverIsDue) {
  ControlSystem system(Eigen::Vector3d::Zero());
  const auto ball = [&](const std::string& name, double hz) {
    system.add_mechanism(mechanism(
        name, {body(name, -1, {shape(name, ShapeType::kSphere, {0.1, 0, 0})}, {{kSlides, kX}})},
        hz));
  };
  ball("fast", 1000.0);
  ball("slow", 125.0);
  system.seal();
  Rig rig(system, std::make_unique<Collision>(config("fast", "slow"),
                                              ConstraintContext{system, nullptr, {}}));
  auto& fast = rig.state.mechanisms[0];
  auto& slow = rig.state.mechanisms[1];
  slow.q[0] = 0.25;
  fast.v[0] = 0.5;
  const double expected = braking_bound(0.04, 0.5, 2.0, 0.1, 0.008);
  for (const bool slow_due : {true, false}) {
    slow.due = slow_due;
    rig.rows();
    EXPECT_NEAR(rig.lower(0), expected, 1e-9);
    EXPECT_NEAR(rig.qp.A(0, 0), -1.0, 1e-12);
    EXPECT_NEAR(rig.qp.A(0, 1), 1.0, 1e-12);
  }
  fast.due = false;
  rig.rows();
  EXPECT_EQ(rig.lower(0), -kNoBound);
}

TEST(Collision, PairsBeyondTheInfluenceAskForNothing) {
  const RobotModel around = floor_model();
  const ControlSystem system = slider(shape("ball", ShapeType::kSphere, {0.1, 0, 0}));
  Rig rig(system, std::make_unique<Collision>(config("pad", "floor"),
                                              ConstraintContext{system, &around, {}}));
  rig.state.mechanisms[0].q = four(0, 0.61, 0, 0);
  rig.state.mechanisms[0].v = four(0, -9.0, 0, 0);
  rig.rows();
  for (Eigen::Index row = 0; row < rig.qp.A.rows(); ++row) EXPECT_EQ(rig.lower(row), -kNoBound);
}

TEST(Collision, UpdatesWithoutHeap) {
  for (const ShapeType type :
       {ShapeType::kBox, ShapeType::kCylinder, ShapeType::kCapsule, ShapeType::kSphere}) {
    const RobotModel around = floor_model();
    const ControlSystem system = slider(shape("pad", type, {0.1, 0.15, 0.02}));
    Rig rig(system, std::make_unique<Collision>(config("pad", "floor"),
                                                ConstraintContext{system, &around, {}}));
    RandomStream random(kSeed, "heap");
    for (int k = 0; k < 100; ++k) {
      MechanismState& s = rig.state.mechanisms[0];
      s.q = four(0, random.uniform(0.0, 0.4), random.uniform(-3, 3), random.uniform(-3, 3));
      s.v = four(1, random.uniform(-1, 0), random.uniform(-3, 3), random.uniform(-3, 3));
      rig.rows();
      const test::AllocationCount allocations;
      const Eigen::Index n = rig.qp.unknowns(), m = rig.qp.rows();
      rig.constraint->update(system, rig.state,
                             {rig.qp.A, rig.qp.lower.segment(n, m), rig.qp.upper.segment(n, m)});
      ASSERT_EQ(allocations.count(), 0U);
    }
  }
}

// base, arm and hand of one robot, one joint each, and a bare frame; a floor
struct Names {
  Names() : around(floor_model()) {
    const auto ball = [](const std::string& name) {
      return std::vector<Shape>{shape(name, ShapeType::kSphere, {0.01, 0, 0})};
    };
    system.add_mechanism(mechanism(
        "robot", {body("base", -1, ball("base")), body("arm", 0, ball("arm"), {{kTurns, kZ}}),
                  body("fist", 1, ball("fist")), body("hand", 2, ball("hand"), {{kTurns, kX}}),
                  body("finger", 3, ball("finger"), {{kTurns, kX}}), body("bare", 4, {})}));
    system.seal();
  }
  std::vector<std::string> pairs_of(const std::string& a, const std::string& b,
                                    std::vector<std::pair<std::string, std::string>> ignored = {}) {
    const Collision c(config(a, b), ConstraintContext{system, &around, std::move(ignored)});
    std::vector<std::string> names;
    for (int p = 0; p < static_cast<int>(c.model().pairs().size()); ++p)
      names.push_back(c.model().pair_name(p));
    return names;
  }
  ControlSystem system;
  RobotModel around;
};

using Pairs = std::vector<std::string>;

TEST(Collision, PatternsNameBodiesAndLeaveOutNeighboursIgnoredPairsAndRepetitions) {
  Names names;
  EXPECT_EQ(names.pairs_of("hand", "base"), Pairs{"hand - base"});
  // arm and fist are one, and hand is jointed to them
  EXPECT_EQ(names.pairs_of("fi*", "arm"), Pairs{"finger - arm"});
  EXPECT_EQ(names.pairs_of("hand", "*"), (Pairs{"hand - base", "hand - floor"}));
  EXPECT_EQ(names.pairs_of("hand", "*", {{"base", "hand"}}), Pairs{"hand - floor"});
  EXPECT_EQ(names.pairs_of("?and", "floo?"), Pairs{"hand - floor"});
  // both orders of a pattern that matches itself
  EXPECT_EQ(names.pairs_of("*inger", "*ist"), Pairs{"finger - fist"});
  const Pairs all = names.pairs_of("*", "*");
  EXPECT_EQ(all.size(), 8U);  // of 15 pairs: 6 neighbours, and base - floor, which are both fixed
}

TEST(Collision, RowsAreNamedAfterPairsAndPlaces) {
  Names names;
  Collision c(config("hand", "base"), ConstraintContext{names.system, nullptr, {}});
  const auto rows = c.rows();
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(kMostUrgentPlaces));
  EXPECT_EQ(rows[0].name, "collision hand - base");
  EXPECT_EQ(rows[1].name, "collision hand - base (2)");
  EXPECT_EQ(rows[0].kind, ConstraintKind::kCollision);
}

TEST(Collision, PairsThatControlCannotMoveApartAreLeftOut) {
  // two arms of one robot on a trunk; control drives the left one alone
  const auto ball = [](const std::string& name) {
    return shape(name + "_ball", ShapeType::kSphere, {0.05, 0, 0});
  };
  const std::vector<std::pair<JointType, Eigen::Vector3d>> turn = {{kTurns, kY}};
  std::vector<BodyDescription> bodies = {body("trunk", -1, {ball("trunk")})};
  for (const std::string side : {"left", "right"})
    for (const char* link : {"_upper", "_fore", "_hand"}) {
      const int parent = std::string(link) == "_upper" ? 0 : static_cast<int>(bodies.size()) - 1;
      bodies.push_back(body(side + link, parent, {ball(side + link)}, turn));
    }
  MechanismDescription m =
      mechanism("robot", bodies, 1000.0, {"right_upper_0", "right_fore_0", "right_hand_0"});
  m.held = {"right_upper_0", "right_fore_0", "right_hand_0"};
  ControlSystem system(Eigen::Vector3d::Zero());
  system.add_mechanism(m);
  system.seal();
  const Collision c(config("*", "*"), ConstraintContext{system, nullptr, {}});
  Pairs pairs;
  for (int p = 0; p < static_cast<int>(c.model().pairs().size()); ++p)
    pairs.push_back(c.model().pair_name(p));
  std::ranges::sort(pairs);
  // not right_hand - right_upper, nor trunk - right_fore
  EXPECT_EQ(pairs,
            (Pairs{"left_fore - right_fore", "left_fore - right_hand", "left_fore - right_upper",
                   "left_hand - right_fore", "left_hand - right_hand", "left_hand - right_upper",
                   "left_upper - left_hand", "left_upper - right_fore", "left_upper - right_hand",
                   "left_upper - right_upper", "trunk - left_fore", "trunk - left_hand"}));
}

TEST(Collision, FingersThatFollowOneThatIsHeldAreHeld) {
  const auto ball = [](const std::string& name) {
    return shape(name + "_ball", ShapeType::kSphere, {0.05, 0, 0});
  };
  const std::vector<std::pair<JointType, Eigen::Vector3d>> slide = {{kSlides, kY}};
  MechanismDescription m = mechanism(
      "hand",
      {body("wrist", -1, {ball("wrist")}, {{kTurns, kY}}), body("palm", 0, {}, {{kTurns, kX}}),
       body("left", 1, {ball("left")}, slide), body("right", 1, {ball("right")}, slide)},
      1000.0, {"left_0", "right_0"});
  m.description.mimics = {{"right_0", "left_0", -1.0, 0.0}};
  m.held = {"left_0"};
  ControlSystem system(Eigen::Vector3d::Zero());
  system.add_mechanism(m);
  system.seal();
  const Collision c(config("*", "*"), ConstraintContext{system, nullptr, {}});
  ASSERT_EQ(c.model().pairs().size(), 2U);
  EXPECT_EQ(c.model().pair_name(0), "wrist - left");
  EXPECT_EQ(c.model().pair_name(1), "wrist - right");
}

// A ball on a boom of 0.2 m that turns about y, and a ball at x = 0.4 m: half a turn away from it
// they are farthest apart, and there no acceleration opens the gap. A finger that others drive
// carries the ball across.
ControlSystem boom(double acceleration) {
  MechanismDescription m = mechanism(
      "boom",
      {body("post", -1, {shape("post_ball", ShapeType::kSphere, {0.05, 0, 0}, {0.4, 0, 0})}),
       body("beam", 0, {}, {{kTurns, kY}}),
       body("finger", 1, {shape("ball", ShapeType::kSphere, {0.05, 0, 0}, {0.2, 0, 0})},
            {{kSlides, kY}})},
      1000.0, {"finger_0"});
  m.held = {"finger_0"};
  for (auto& [name, limits] : m.limits.joints) limits.acceleration = limits.braking = acceleration;
  ControlSystem system(Eigen::Vector3d::Zero());
  system.add_mechanism(m);
  system.seal();
  return system;
}

CollisionConfig always_too_near() {
  CollisionConfig c = config("post", "finger");
  c.safety = 0.6;
  c.influence = 1.0;
  c.deceleration = 100.0;  // which bounds what may be asked for
  return c;
}

TEST(Collision, WhereNoJointOpensAGapNoneIsThrownToAndFro) {
  const ControlSystem system = boom(10.0);
  Rig rig(system,
          std::make_unique<Collision>(always_too_near(), ConstraintContext{system, nullptr, {}}));
  MechanismState& s = rig.state.mechanisms[0];
  s.q << std::numbers::pi - 0.05, 0.0;
  double fastest = 0.0;
  for (int tick = 0; tick < 3000; ++tick) {
    rig.solve(-5.0 * s.v, 10.0);  // damped, as tasks are
    rig.advance(kDt);
    fastest = std::max(fastest, std::abs(s.v[0]));
  }
  // with the q'' of 10 rad/s^2 that it has it would be 1 rad/s, to and fro
  EXPECT_LT(fastest, 0.02);
  EXPECT_NEAR(s.q[0], std::numbers::pi, 0.04);
  EXPECT_LT(std::abs(s.v[0]), 0.01);
}

TEST(Collision, WhatIsTooNearPartsAsFastAsItsOwnJointsCanSoon) {
  for (const double acceleration : {10.0, 1000.0}) {
    const ControlSystem system = boom(acceleration);
    Rig rig(system,
            std::make_unique<Collision>(always_too_near(), ConstraintContext{system, nullptr, {}}));
    // the finger stands aside: it could open the gap, were it not held
    rig.state.mechanisms[0].q << 2.0, 0.1;
    rig.rows();
    ASSERT_TRUE(std::isfinite(rig.lower(0)));
    const double lever = std::abs(rig.qp.A(0, 0));
    ASSERT_GT(std::abs(rig.qp.A(0, 1)), 0.1);
    EXPECT_NEAR(rig.lower(0) * kDt, std::min(0.1, 0.0125 * lever * acceleration), 1e-9)
        << acceleration;
  }
}

TEST(Collision, ImpossiblePairsAreRefused) {
  Names names;
  const auto message = [&](const std::string& a, const std::string& b) {
    return message_of([&] { names.pairs_of(a, b); });
  };
  EXPECT_EQ(message("hnad", "base"), "'hnad' is not a body with shapes; did you mean 'hand'?");
  EXPECT_NE(message("bare", "base").find("'bare' is not a body with shapes; "), std::string::npos)
      << message("bare", "base");
  const auto nothing = [](const std::string& a, const std::string& b) {
    return "the collision pair [" + a + ", " + b +
           "] leaves nothing to keep apart: its bodies are neighbours, are listed in "
           "ignored_pairs, were named before, or cannot be moved against one another by what "
           "control "
           "drives; name others";
  };
  EXPECT_EQ(message("arm", "hand"), nothing("arm", "hand"));
  EXPECT_EQ(message("base", "floor"), nothing("base", "floor"));
}

TEST(Collision, ConfigurationIsCheckedWhereItIsRead) {
  const auto message = [](const std::string& text) {
    return message_of([&] {
      parse_yaml("{type: collision, pairs: [[a, b]], " + text + "}", "t.yaml",
                 parts_of<register_control>().of<ConstraintRegistry>().schema());
    });
  };
  EXPECT_EQ(message("safety: 1 cm, influence: 20 cm"), "no error");
  EXPECT_NE(message("safety: 0.5, influence: 0.2").find("is not above safety"), std::string::npos)
      << message("safety: 0.5, influence: 0.2");
  EXPECT_NE(message("form: damper").find("unknown key 'form'"), std::string::npos)
      << message("form: damper");
  EXPECT_NE(message("deceleration: 0").find("deceleration"), std::string::npos);
}

}  // namespace collision_test
}  // namespace handspan
