#include "robot/distance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/error.hpp"
#include "robot/point_distance.hpp"
#include "support/alloc.hpp"
#include "support/random_model.hpp"

namespace handspan {
namespace distance_test {

Shape shape(const std::string& name, ShapeType type, Eigen::Vector3d size) {
  Shape s;
  s.name = name;
  s.type = type;
  s.size = size;
  return s;
}

// A body that flies freely.
ModelDescription flyer(const std::string& name, std::vector<Shape> shapes) {
  ModelDescription d;
  d.name = name;
  BodyDescription body;
  body.name = name + "_body";
  body.inertial = {1.0, {}, Eigen::Vector3d(0.1, 0.1, 0.1)};
  body.shapes = std::move(shapes);
  d.bodies.push_back(body);
  return with_base(d, BaseType::kFree);
}

class Two {
 public:
  Two(const Shape& a, const Shape& b) : Two(std::vector{a}, std::vector{b}) {}
  Two(const std::vector<Shape>& a, const std::vector<Shape>& b)
      : model_a(flyer("a", a)),
        model_b(flyer("b", b)),
        data_a(model_a),
        data_b(model_b),
        model({&model_a, &model_b}, {{0, 0, 1, 0}}),
        data(model) {}
  const Distance& at(const Eigen::VectorXd& q_a, const Eigen::VectorXd& q_b,
                     double largest = 10.0) {
    return at(q_a, Eigen::VectorXd::Zero(6), q_b, Eigen::VectorXd::Zero(6), largest);
  }
  const Distance& at(const Eigen::VectorXd& q_a, const Eigen::VectorXd& v_a,
                     const Eigen::VectorXd& q_b, const Eigen::VectorXd& v_b,
                     double largest = 10.0) {
    update_kinematics(model_a, data_a, q_a, v_a);
    update_kinematics(model_b, data_b, q_b, v_b);
    update_distances(model, robots, data, largest);
    return data[0];
  }
  RobotModel model_a, model_b;
  RobotData data_a, data_b;
  DistanceModel model;
  DistanceData data;
  const RobotData* robots[2] = {&data_a, &data_b};
};

TEST(Distance, OfASphereFromABoxIsTheClosedForm) {
  Two two(shape("ball", ShapeType::kSphere, {0.1, 0, 0}),
          shape("block", ShapeType::kBox, {0.1, 0.2, 0.3}));
  std::mt19937_64 random(1);
  int outside = 0, inside = 0;
  for (int k = 0; k < 2000; ++k) {
    const Eigen::VectorXd q_a = test::random_configuration(two.model_a, random),
                          q_b = test::random_configuration(two.model_b, random);
    const Distance& d = two.at(q_a, q_b);
    const Pose X_WB = frame_pose(two.model_b, two.data_b, two.model_b.body_frame(0));
    const Eigen::Vector3d x = X_WB.inverse() * Eigen::Vector3d(q_a.head<3>());
    const Eigen::Vector3d excess = x.cwiseAbs() - Eigen::Vector3d(0.1, 0.2, 0.3);
    const double expected = excess.cwiseMax(0.0).norm() + std::min(excess.maxCoeff(), 0.0) - 0.1;
    EXPECT_NEAR(d.distance, expected, 1e-13) << k;
    (expected > 0 ? outside : inside)++;
    if (expected > 0) {
      EXPECT_NEAR((d.p_WA - d.p_WB).norm(), d.distance, 1e-13);
      EXPECT_NEAR((d.p_WA - Eigen::Vector3d(q_a.head<3>())).norm(), 0.1, 1e-13);
    }
    // moving A along n must part them, also when they overlap
    Eigen::VectorXd q_away = q_a;
    q_away.head<3>() += 1e-5 * d.n_W;
    const double before = d.distance;
    EXPECT_NEAR(two.at(q_away, q_b).distance - before, 1e-5, 1e-9) << k;
  }
  EXPECT_GT(outside, 100);
  EXPECT_GT(inside, 20);
}

TEST(Distance, OfTwoCapsulesIsThatOfTheirSegments) {
  Two two(shape("a", ShapeType::kCapsule, {0.05, 0.2, 0}),
          shape("b", ShapeType::kCapsule, {0.08, 0.15, 0}));
  std::mt19937_64 random(2);
  for (int k = 0; k < 500; ++k) {
    const Eigen::VectorXd q_a = test::random_configuration(two.model_a, random),
                          q_b = test::random_configuration(two.model_b, random);
    const Distance& d = two.at(q_a, q_b);
    const Pose A = frame_pose(two.model_a, two.data_a, two.model_a.body_frame(0));
    const Pose B = frame_pose(two.model_b, two.data_b, two.model_b.body_frame(0));
    // the squared distance is convex in the two parameters: alternating clamped projections
    // converge
    double s = 0.0, t = 0.0;
    for (int i = 0; i < 3000; ++i) {
      t = std::clamp(B.R.col(2).dot(A.p + s * A.R.col(2) - B.p), -0.15, 0.15);
      s = std::clamp(A.R.col(2).dot(B.p + t * B.R.col(2) - A.p), -0.2, 0.2);
    }
    const double expected = (A.p + s * A.R.col(2) - B.p - t * B.R.col(2)).norm() - 0.13;
    EXPECT_NEAR(d.distance, expected, 1e-8) << k;
  }
}

TEST(Distance, OfAlignedBoxesAndCylindersIsExact) {
  const Eigen::VectorXd origin = (Eigen::VectorXd(7) << 0, 0, 0, 0, 0, 0, 1).finished();
  Eigen::VectorXd above = origin;
  above[2] = 0.8;
  Two boxes(shape("a", ShapeType::kBox, {0.1, 0.1, 0.2}),
            shape("b", ShapeType::kBox, {0.3, 0.1, 0.1}));
  EXPECT_NEAR(boxes.at(above, origin).distance, 0.5, 1e-12);
  EXPECT_TRUE(boxes.data[0].n_W.isApprox(Eigen::Vector3d::UnitZ(), 1e-9));
  Two cylinders(shape("a", ShapeType::kCylinder, {0.1, 0.2, 0}),
                shape("b", ShapeType::kCylinder, {0.1, 0.1, 0}));
  EXPECT_NEAR(cylinders.at(above, origin).distance, 0.5, 1e-9);
  Eigen::VectorXd beside = origin;
  beside[0] = 0.5;
  EXPECT_NEAR(cylinders.at(beside, origin).distance, 0.3, 1e-9);
}

TEST(Distance, BeyondTheLargestAskedForNamesNoShapes) {
  Two two(shape("a", ShapeType::kSphere, {0.1, 0, 0}), shape("b", ShapeType::kSphere, {0.1, 0, 0}));
  Eigen::VectorXd far = (Eigen::VectorXd(7) << 1, 0, 0, 0, 0, 0, 1).finished(), origin = far;
  origin[0] = 0;
  EXPECT_EQ(two.at(far, origin, 0.3).distance, 0.3);
  EXPECT_EQ(two.data[0].shape_a, -1);
  Eigen::RowVectorXd row(6);
  distance_row(two.model, 0, two.data[0], 0, two.data_a, row);
  EXPECT_TRUE(row.isZero(0.0));
}

TEST(Distance, RowIsTheRateAndTheBiasCompletesTheSecondDerivative) {
  Two two(shape("a", ShapeType::kSphere, {0.1, 0, 0}),
          shape("b", ShapeType::kSphere, {0.05, 0, 0}));
  two.model_a.description();
  std::mt19937_64 random(4);
  for (int k = 0; k < 50; ++k) {
    Eigen::VectorXd q_a = test::random_configuration(two.model_a, random),
                    q_b = test::random_configuration(two.model_b, random);
    q_b[0] += 2.5;
    const Eigen::VectorXd v_a = test::random_vector(6, random),
                          v_b = test::random_vector(6, random);
    const auto distance_at = [&](double t) {
      Eigen::VectorXd qa(7), qb(7);
      integrate(two.model_a, q_a, t * v_a, qa);
      integrate(two.model_b, q_b, t * v_b, qb);
      return two.at(qa, v_a, qb, v_b).distance;
    };
    const double h = 1e-4, plus = distance_at(h), minus = distance_at(-h), here = distance_at(0.0);
    Eigen::RowVectorXd row_a(6), row_b(6);
    distance_row(two.model, 0, two.data[0], 0, two.data_a, row_a);
    distance_row(two.model, 0, two.data[0], 1, two.data_b, row_b);
    EXPECT_NEAR(row_a.dot(v_a) + row_b.dot(v_b), (plus - minus) / (2 * h), 1e-6) << k;
    // spheres: the bias of points fixed to the bodies leaves out the sliding of the witness points,
    // so the centres, where nothing slides, are compared: spheres' distance is that of their
    // centres less the radii
    const Eigen::Vector3d n = two.data[0].n_W;
    Two points(shape("a", ShapeType::kSphere, {1e-9, 0, 0}),
               shape("b", ShapeType::kSphere, {1e-9, 0, 0}));
    points.at(q_a, v_a, q_b, v_b);
    EXPECT_NEAR(distance_bias(points.model, 0, points.data[0], points.robots),
                (plus - 2 * here + minus) / (h * h), 2e-3)
        << k;
    EXPECT_TRUE(points.data[0].n_W.isApprox(n, 1e-7));
  }
}

TEST(Distance, PairWithinOneRobotHasBothSidesInOneRow) {
  std::mt19937_64 random(6);
  ModelDescription d = test::all_joints(random);
  for (auto& body : d.bodies)
    body.shapes.push_back(shape(body.name + "_ball", ShapeType::kSphere, {0.02, 0, 0}));
  const RobotModel robot(d);
  RobotData robot_data(robot);
  const DistanceModel model({&robot}, {{0, robot.description().body_index("slider"), 0,
                                        robot.description().body_index("finger_left")}});
  DistanceData data(model);
  const RobotData* robots[] = {&robot_data};
  const Eigen::VectorXd q = test::random_configuration(robot, random),
                        v = test::random_vector(robot.nv(), random);
  const auto distance_at = [&](double t) {
    Eigen::VectorXd moved(robot.nq());
    integrate(robot, q, t * v, moved);
    update_kinematics(robot, robot_data, moved, v);
    update_distances(model, robots, data, 10.0);
    return data[0].distance;
  };
  const double h = 1e-6, rate = (distance_at(h) - distance_at(-h)) / (2 * h);
  distance_at(0.0);
  Eigen::RowVectorXd row(robot.nv());
  distance_row(model, 0, data[0], 0, robot_data, row);
  EXPECT_NEAR(row.dot(v), rate, 1e-7);
  EXPECT_EQ(model.pair_name(0), "slider - finger_left");
}

// bound of a distance that closes as `v_a` and `v_b` say
double bound_of(Two& two, const Distance& d, const Eigen::VectorXd& v_a, const Eigen::VectorXd& v_b,
                const Braking& braking) {
  Eigen::RowVectorXd row_a(6), row_b(6);
  distance_row(two.model, 0, d, 0, two.data_a, row_a);
  distance_row(two.model, 0, d, 1, two.data_b, row_b);
  return braking.bound(d.distance, -(row_a.dot(v_a) + row_b.dot(v_b)));
}

TEST(MostUrgent, PlacesAreDistancesOfTheTwoBodiesMostUrgentFirstAndNeverLessThanTheNearest) {
  const Braking braking{0.01, 2.0, 0.1, 0.01};
  constexpr ShapeType types[] = {ShapeType::kBox, ShapeType::kCylinder, ShapeType::kCapsule,
                                 ShapeType::kSphere};
  for (const ShapeType a : types)
    for (const ShapeType b : types) {
      Two two(shape("a", a, {0.1, 0.2, 0.05}), shape("b", b, {0.15, 0.1, 0.2}));
      std::mt19937_64 random(8);
      int several = 0;
      for (int k = 0; k < 200; ++k) {
        const Eigen::VectorXd q_a = test::random_configuration(two.model_a, random),
                              q_b = test::random_configuration(two.model_b, random),
                              v_a = test::random_vector(6, random),
                              v_b = test::random_vector(6, random);
        const Distance nearest = two.at(q_a, v_a, q_b, v_b, 3.0);
        MostUrgent found;
        const int count = most_urgent(two.model, two.data, 0, braking, 3.0, found);
        if (count == 0) {
          EXPECT_LE(bound_of(two, nearest, v_a, v_b, braking), -kCalm + 1e-9) << k;
          continue;
        }
        several += count > 1;
        double before = bound_of(two, found[0], v_a, v_b, braking);
        EXPECT_GE(before, bound_of(two, nearest, v_a, v_b, braking) - 1e-9) << k;
        for (int i = 0; i < count; ++i) {
          const Distance& d = found[static_cast<std::size_t>(i)];
          EXPECT_GE(d.distance, nearest.distance - 1e-9) << k;
          EXPECT_NEAR(d.n_W.norm(), 1.0, 1e-12) << k;
          EXPECT_LT((d.p_WB + d.distance * d.n_W - d.p_WA).norm(), 1e-9) << k << " " << i;
          const double bound = bound_of(two, d, v_a, v_b, braking);
          EXPECT_LE(bound, before + 1e-9) << k;
          before = bound;
        }
      }
      if (a == ShapeType::kBox && b == ShapeType::kBox) {
        EXPECT_GT(several, 10);
      }
    }
}

TEST(MostUrgent, NoCornerOfABoxAndNoPointOfARimIsMoreUrgentOverAPlane) {
  const Braking braking{0.01, 2.0, 0.1, 0.01};
  const Shape floor = shape("floor", ShapeType::kBox, {10.0, 10.0, 1.0});
  for (const ShapeType type : {ShapeType::kBox, ShapeType::kCylinder}) {
    Two two(shape("a", type, {0.2, 0.1, 0.05}), floor);
    std::mt19937_64 random(9);
    int compared = 0;
    double worst = 0.0;
    Eigen::VectorXd q_b = two.model_b.neutral();
    for (int k = 0; k < 300; ++k) {
      Eigen::VectorXd q_a = test::random_configuration(two.model_a, random);
      q_a[2] = 1.3 + 0.1 * std::abs(q_a[2]);
      const Eigen::VectorXd v_a = 2.0 * test::random_vector(6, random);
      two.at(q_a, v_a, q_b, Eigen::VectorXd::Zero(6), 3.0);
      MostUrgent found;
      const int count = most_urgent(two.model, two.data, 0, braking, 3.0, found);
      const double bound =
          count ? bound_of(two, found[0], v_a, Eigen::VectorXd::Zero(6), braking) : -kCalm;
      const Pose X = frame_pose(two.model_a, two.data_a, two.model_a.body_frame(0));
      double most = -1e9;
      const auto point = [&](const Eigen::Vector3d& p) {
        Distance d;
        d.p_WA = X * p;
        d.p_WB = d.p_WA;
        d.p_WB.z() = 1.0;
        d.n_W = Eigen::Vector3d::UnitZ();
        d.distance = d.p_WA.z() - 1.0;
        d.shape_a = d.shape_b = 0;
        most = std::max(most, bound_of(two, d, v_a, Eigen::VectorXd::Zero(6), braking));
      };
      if (type == ShapeType::kBox) {
        for (int corner = 0; corner < 8; ++corner)
          point({corner & 1 ? 0.2 : -0.2, corner & 2 ? 0.1 : -0.1, corner & 4 ? 0.05 : -0.05});
        // calmer ones are left out
        if (most < -kCalm) continue;
        ++compared;
        // rounding of bounds of up to 100 m/s^2
        EXPECT_GE(bound, most - 1e-9) << k;
      } else {
        for (int i = 0; i < 720; ++i)
          for (const double z : {-0.1, 0.1})
            point({0.2 * std::cos(i * std::numbers::pi / 360.0),
                   0.2 * std::sin(i * std::numbers::pi / 360.0), z});
        if (most < -kCalm) continue;
        ++compared;
        // three steps of a fixed-point iteration find the rim's point: measured 0.06 m/s^2
        worst = std::max(worst, most - bound);
      }
    }
    EXPECT_GT(compared, 50);
    EXPECT_LT(worst, 0.1);
  }
}

TEST(MostUrgent, BoundIsContinuousWhereTheNearestCornerChanges) {
  // a pad that turns over the floor about its long axis: at 0 degrees the nearest corners change
  const Braking braking{0.01, 2.0, 0.1, 0.01};
  Two two(shape("pad", ShapeType::kBox, {0.2, 0.1, 0.01}),
          shape("floor", ShapeType::kBox, {10.0, 10.0, 1.0}));
  const Eigen::VectorXd q_b = two.model_b.neutral(), still = Eigen::VectorXd::Zero(6);
  Eigen::VectorXd v_a = still;
  v_a[2] = -0.5;
  v_a[4] = 1.0;
  double before = 0.0, nearest_before = 0.0, jump = 0.0, nearest_jump = 0.0;
  for (int k = 0; k <= 200; ++k) {
    const double angle = (k - 100.5) * 1e-4;
    Eigen::VectorXd q_a(7);
    q_a << 0, 0, 1.15, 0, std::sin(angle / 2), 0, std::cos(angle / 2);
    const Distance nearest = two.at(q_a, v_a, q_b, still, 3.0);
    MostUrgent found;
    most_urgent(two.model, two.data, 0, braking, 3.0, found);
    const double bound = bound_of(two, found[0], v_a, still, braking),
                 nearest_bound = bound_of(two, nearest, v_a, still, braking);
    if (k > 0) {
      jump = std::max(jump, std::abs(bound - before));
      nearest_jump = std::max(nearest_jump, std::abs(nearest_bound - nearest_before));
    }
    before = bound;
    nearest_before = nearest_bound;
  }
  // 1e-4 rad move a corner by 20 um; half a step of 10 ms at 2 m/s^2 makes that 0.03 m/s^2 at most
  EXPECT_LT(jump, 0.05);
  // 0.4 m/s between the corners, over 10 ms
  EXPECT_GT(nearest_jump, 10.0);
}

// Shapes of a link: what the quick search passes over is found among several of them.
std::vector<Shape> link(const std::string& name) {
  std::vector<Shape> shapes{shape(name + "_box", ShapeType::kBox, {0.1, 0.05, 0.2}),
                            shape(name + "_capsule", ShapeType::kCapsule, {0.06, 0.2, 0}),
                            shape(name + "_ball", ShapeType::kSphere, {0.08, 0, 0})};
  shapes[1].X_BG.p = {0.2, 0.1, 0.0};
  shapes[1].X_BG.q = Eigen::Quaterniond(0.8, 0.0, 0.6, 0.0);
  shapes[2].X_BG.p = {-0.1, 0.0, 0.3};
  return shapes;
}

// The greatest bound of all places of two links: of the nearest points of each two shapes, of
// corners and of the balls' and capsules' ends, none passed over.
double most_by_hand(Two& two, const std::vector<Shape>& shapes, std::vector<Two>& singles,
                    const std::array<Eigen::VectorXd, 4>& at, const Braking& braking) {
  const auto& [q_a, v_a, q_b, v_b] = at;
  const auto bound = [&](const Distance& d) { return bound_of(two, d, v_a, v_b, braking); };
  double most = -1e9;
  for (Two& single : singles) most = std::max(most, bound(single.at(q_a, v_a, q_b, v_b)));
  const Pose X_WA = frame_pose(two.model_a, two.data_a, two.model_a.body_frame(0)),
             X_WB = frame_pose(two.model_b, two.data_b, two.model_b.body_frame(0));
  const auto corner = [&](const Shape& other, double side, const Eigen::Vector3d& p_W,
                          double round) {
    const Pose X = (side > 0 ? X_WB : X_WA) * other.X_BG.pose();
    const PointDistance near = point_distance(other.type, other.size, X.inverse() * p_W);
    const Eigen::Vector3d n = X.R * near.n_G, own = p_W - round * n, its = X * near.p_G;
    Distance d;
    d.distance = near.distance - round;
    d.n_W = side * n;
    d.p_WA = side > 0 ? own : its;
    d.p_WB = side > 0 ? its : own;
    d.shape_a = d.shape_b = 0;
    most = std::max(most, bound(d));
  };
  for (const Shape& one : shapes)
    for (const Shape& other : shapes)
      for (const double side : {1.0, -1.0}) {
        const Pose X = (side > 0 ? X_WA : X_WB) * one.X_BG.pose();
        if (one.type == ShapeType::kBox)
          for (int c = 0; c < 8; ++c)
            corner(
                other, side,
                X * Eigen::Vector3d(c & 1 ? 0.1 : -0.1, c & 2 ? 0.05 : -0.05, c & 4 ? 0.2 : -0.2),
                0.0);
        else if (one.type == ShapeType::kCapsule)
          for (const double z : {-0.2, 0.2})
            corner(other, side, X * Eigen::Vector3d(0, 0, z), one.size[0]);
        else
          corner(other, side, X.p, one.size[0]);
      }
  return most;
}

TEST(MostUrgent, WhatIsPassedOverIsNeitherTheMostUrgentNorADifferenceToASearchFromNothing) {
  const std::vector<Shape> a = link("a"), b = link("b");
  Two two(a, b);
  std::vector<Two> singles;
  singles.reserve(9);
  for (const Shape& one : a)
    for (const Shape& other : b) singles.emplace_back(one, other);
  std::mt19937_64 random(11);
  int urgent = 0, calm = 0;
  for (int run = 0; run < 60; ++run) {
    Eigen::VectorXd q_a = test::random_configuration(two.model_a, random),
                    q_b = test::random_configuration(two.model_b, random), moved(7);
    q_b.head<3>() = q_a.head<3>() + Eigen::Vector3d(test::random_vector(3, random)).normalized();
    const Eigen::VectorXd v_a = test::random_vector(6, random),
                          v_b = test::random_vector(6, random);
    const Braking braking{0.01, 2.0, 0.1, run % 2 ? 0.008 : 0.05};
    // what was kept is from the step before, and from another run at its start
    for (int step = 0; step < 25; ++step) {
      integrate(two.model_a, q_a, 0.02 * v_a, moved);
      q_a = moved;
      integrate(two.model_b, q_b, 0.02 * v_b, moved);
      q_b = moved;
      update_kinematics(two.model_a, two.data_a, q_a, v_a);
      update_kinematics(two.model_b, two.data_b, q_b, v_b);
      MostUrgent kept, fresh;
      update_bodies(two.model, two.robots, two.data);
      const int count = most_urgent(two.model, two.data, 0, braking, 3.0, kept);
      DistanceData forgetful(two.model);
      update_bodies(two.model, two.robots, forgetful);
      ASSERT_EQ(most_urgent(two.model, forgetful, 0, braking, 3.0, fresh), count)
          << run << " " << step;
      for (int k = 0; k < count; ++k) {
        const Distance &x = kept[static_cast<std::size_t>(k)],
                       &y = fresh[static_cast<std::size_t>(k)];
        ASSERT_EQ(x.distance, y.distance) << run << " " << step << " " << k;
        ASSERT_EQ(x.n_W, y.n_W);
        ASSERT_EQ(x.p_WA, y.p_WA);
        ASSERT_EQ(x.p_WB, y.p_WB);
      }
      const double most = most_by_hand(two, a, singles, {q_a, v_a, q_b, v_b}, braking);
      // rounding, over the shortest dt
      if (std::abs(most + kCalm) < 1e-6) continue;
      ASSERT_EQ(count > 0, most > -kCalm) << run << " " << step << " " << most;
      (count ? urgent : calm)++;
      if (count > 0) {
        ASSERT_NEAR(bound_of(two, kept[0], v_a, v_b, braking), most, 1e-6);
      }
      EXPECT_EQ(nearest_distance(two.model, two.data, 0.4),
                two.at(q_a, v_a, q_b, v_b, 0.4).distance);
    }
  }
  EXPECT_GT(urgent, 100);
  EXPECT_GT(calm, 100);
}

TEST(Distance, WhatIsKeptFromCallToCallChangesNoBit) {
  // shapes of every kind, some of them equally near
  std::vector<Shape> a = link("a"), b = link("b");
  for (auto* shapes : {&a, &b}) {
    shapes->push_back(shape(shapes->front().name + "_post", ShapeType::kCylinder, {0.07, 0.2, 0}));
    shapes->back().X_BG.p = {0.1, -0.2, 0.1};
    shapes->push_back(shapes->back());
    shapes->back().name += "_again";
  }
  Two two(a, b);
  std::mt19937_64 random(12);
  int near = 0;
  for (int run = 0; run < 100; ++run) {
    Eigen::VectorXd q_a = test::random_configuration(two.model_a, random),
                    q_b = test::random_configuration(two.model_b, random), moved(7);
    const Eigen::VectorXd v_a = test::random_vector(6, random);
    for (int step = 0; step < 10; ++step) {
      integrate(two.model_a, q_a, 0.02 * v_a, moved);
      q_a = moved;
      const double largest = step % 3 == 0 ? 0.5 : 10.0;
      const Distance kept = two.at(q_a, q_b, largest);
      DistanceData forgetful(two.model);
      update_distances(two.model, two.robots, forgetful, largest);
      const Distance& fresh = forgetful[0];
      ASSERT_EQ(kept.distance, fresh.distance) << run << " " << step;
      ASSERT_EQ(kept.n_W, fresh.n_W) << run << " " << step;
      ASSERT_EQ(kept.p_WA, fresh.p_WA) << run << " " << step;
      ASSERT_EQ(kept.p_WB, fresh.p_WB) << run << " " << step;
      ASSERT_EQ(kept.shape_a, fresh.shape_a) << run << " " << step;
      ASSERT_EQ(kept.shape_b, fresh.shape_b) << run << " " << step;
      near += kept.shape_a >= 0;
    }
  }
  EXPECT_GT(near, 500);
}

TEST(MostUrgent, PairsThatAreFarApartHaveNone) {
  Two two(shape("a", ShapeType::kSphere, {0.1, 0, 0}), shape("b", ShapeType::kSphere, {0.1, 0, 0}));
  Eigen::VectorXd far = two.model_a.neutral();
  far[0] = 2.0;
  two.at(far, two.model_b.neutral(), 0.3);
  MostUrgent found;
  EXPECT_EQ(most_urgent(two.model, two.data, 0, {}, 0.3, found), 0);
}

TEST(Distance, UpdatesAndRowsDoNotTouchTheHeap) {
  for (const ShapeType type :
       {ShapeType::kBox, ShapeType::kCylinder, ShapeType::kCapsule, ShapeType::kSphere}) {
    Two two(shape("a", type, {0.1, 0.2, 0.3}), shape("b", ShapeType::kCylinder, {0.1, 0.2, 0}));
    std::mt19937_64 random(3);
    Eigen::RowVectorXd row(6);
    for (int k = 0; k < 100; ++k) {
      const Eigen::VectorXd q_a = test::random_configuration(two.model_a, random),
                            q_b = test::random_configuration(two.model_b, random);
      two.at(q_a, q_b);
      const test::AllocationCount allocations;
      update_distances(two.model, two.robots, two.data, 10.0);
      MostUrgent found;
      most_urgent(two.model, two.data, 0, {}, 10.0, found);
      distance_row(two.model, 0, two.data[0], 0, two.data_a, row);
      distance_bias(two.model, 0, two.data[0], two.robots);
      ASSERT_EQ(allocations.count(), 0U);
    }
  }
}

TEST(Distance, ImpossiblePairsAreRefused) {
  const RobotModel a(flyer("a", {shape("s", ShapeType::kSphere, {0.1, 0, 0})}));
  ModelDescription bare = flyer("b", {shape("s", ShapeType::kSphere, {0.1, 0, 0})});
  bare.bodies[0].shapes[0].collides = false;
  const RobotModel b(bare);
  const auto message = [&](BodyPair pair) -> std::string {
    try {
      DistanceModel model({&a, &b}, {pair});
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message({0, 0, 2, 0}), "there is no robot 2");
  EXPECT_EQ(message({0, 5, 1, 0}), "model 'a' has no body 5");
  EXPECT_EQ(message({0, 0, 0, 0}), "body 'a_body' is paired with itself");
  EXPECT_EQ(message({0, 0, 1, 0}), "body 'b_body' has no shapes to keep a distance from");
}

}  // namespace distance_test
}  // namespace handspan
