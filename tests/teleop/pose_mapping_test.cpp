#include "teleop/pose_mapping.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/config.hpp"
#include "core/random.hpp"
#include "math/so3.hpp"

namespace handspan {
namespace pose_mapping_test {

constexpr double kQuarter = std::numbers::pi / 2.0;

Eigen::Matrix3d turn(double angle, const Eigen::Vector3d& axis) { return exp_so3(angle * axis); }

PoseMapping mapping(const MappingPreset& preset, TurnAxes axes, double yaw = 0.0) {
  const SpaceConfig space{preset, yaw};
  PoseMapping m;
  m.R_WV = rotation_of(space);
  m.R_EC = controller_axes_of(space);
  m.turn = axes;
  return m;
}

TEST(PoseMapping, WebXrForwardIsForward) {
  const Eigen::Matrix3d R = rotation_of({});
  // forward is -z, left is -x, up is y
  EXPECT_TRUE((R * Eigen::Vector3d(0, 0, -1)).isApprox(Eigen::Vector3d::UnitX(), 1e-15));
  EXPECT_TRUE((R * Eigen::Vector3d(-1, 0, 0)).isApprox(Eigen::Vector3d::UnitY(), 1e-15));
  EXPECT_TRUE((R * Eigen::Vector3d(0, 1, 0)).isApprox(Eigen::Vector3d::UnitZ(), 1e-15));
  // an operator who faces W's y
  const Eigen::Matrix3d turned = rotation_of({webxr_mapping(), kQuarter});
  EXPECT_TRUE((turned * Eigen::Vector3d(0, 0, -1)).isApprox(Eigen::Vector3d::UnitY(), 1e-15));
}

TEST(PoseMapping, TossPresetIsOfItsRotationsInTheRightOrder) {
  // (3.2) says -90 degrees about x, then 180 degrees about z, of the frames themselves: its print
  // has the product the other way round, which sends up to down
  const Eigen::Matrix3d by_turns =
      turn(-kQuarter, Eigen::Vector3d::UnitX()) * turn(2.0 * kQuarter, Eigen::Vector3d::UnitZ());
  EXPECT_LT((rotation_of({toss_mapping()}) - by_turns).norm(), 1e-15);
}

TEST(PoseMapping, UpIsUpAndLeftIsLeftInEveryPreset) {
  const std::pair<MappingPreset, Eigen::Vector3d> presets[] = {
      {webxr_mapping(), {1, 0, 0}}, {toss_mapping(), {0, -1, 0}}, {grab_mapping(), {-1, 0, 0}}};
  for (const auto& [preset, forward] : presets)
    for (const double yaw : {0.0, 0.7, -kQuarter, 3.0}) {
      const Eigen::Matrix3d R = rotation_of({preset, yaw}),
                            R_yaw = turn(yaw, Eigen::Vector3d::UnitZ());
      EXPECT_LT((R * Eigen::Vector3d::UnitY() - Eigen::Vector3d::UnitZ()).norm(), 1e-15);
      EXPECT_LT((-R.col(2) - R_yaw * forward).norm(), 1e-15);
      EXPECT_LT((-R.col(0) - Eigen::Vector3d::UnitZ().cross(R_yaw * forward)).norm(), 1e-15);
      EXPECT_NEAR(R.determinant(), 1.0, 1e-14);
    }
}

TEST(PoseMapping, PositionByHandWorkedNumbers) {
  // (3.6) with alpha = 2: the leader went (0.1, 0.2, 0.3), so U gets 2 (-0.1, 0.3, 0.2)
  PoseMapping m = mapping(toss_mapping(), TurnAxes::kBody);
  m.scale.setConstant(2.0);
  const Pose X_WE0 = Pose::translation({1.0, 2.0, 3.0});
  const Pose X_VC0 = Pose::translation({5.0, 5.0, 5.0});
  const Pose X_VC = Pose::translation({5.1, 5.2, 5.3});
  EXPECT_LT((map_pose(m, X_WE0, X_VC0, X_VC).p - Eigen::Vector3d(0.8, 2.6, 3.4)).norm(), 1e-14);
  // (3.15), (3.22): (z, x, y) of the controller's, by an axis' own scale
  PoseMapping g = mapping(grab_mapping(), TurnAxes::kBody);
  g.scale = Eigen::Vector3d(1.0, 0.5, 2.0);
  EXPECT_LT((map_pose(g, X_WE0, X_VC0, X_VC).p - Eigen::Vector3d(1.3, 2.05, 3.4)).norm(), 1e-14);
}

TEST(PoseMapping, OrientationByHandWorkedNumbers) {
  const Pose X_WE0 = Pose::rotation(turn(kQuarter, Eigen::Vector3d::UnitX()));
  const Pose X_VC0 = Pose::rotation(turn(0.7, Eigen::Vector3d(1, 2, 2) / 3.0));
  // (3.7): a quarter about the controller's own z is one about the cup's own z
  const Pose about_z = Pose::rotation(X_VC0.R * turn(kQuarter, Eigen::Vector3d::UnitZ()));
  Eigen::Matrix3d expected;
  expected << 0, -1, 0, 0, 0, -1, 1, 0, 0;  // Rx(90) Rz(90)
  EXPECT_LT((map_pose(mapping(toss_mapping(), TurnAxes::kBody), X_WE0, X_VC0, about_z).R - expected)
                .norm(),
            1e-14);
  // (3.25) with (3.8): the controller's x is the second axis there, so it turns E about its y
  const Pose about_x = Pose::rotation(X_VC0.R * turn(kQuarter, Eigen::Vector3d::UnitX()));
  EXPECT_LT((map_pose(mapping(grab_mapping(), TurnAxes::kBody), X_WE0, X_VC0, about_x).R -
             X_WE0.R * turn(kQuarter, Eigen::Vector3d::UnitY()))
                .norm(),
            1e-14);
  // as it is seen: a quarter about the tracking frame's y (up) is one about W's z
  const Pose about_up = Pose::rotation(turn(kQuarter, Eigen::Vector3d::UnitY()) * X_VC0.R);
  EXPECT_LT((map_pose(mapping(webxr_mapping(), TurnAxes::kWorld), X_WE0, X_VC0, about_up).R -
             turn(kQuarter, Eigen::Vector3d::UnitZ()) * X_WE0.R)
                .norm(),
            1e-14);
}

TEST(PoseMapping, NothingMovesAtTheClutchIn) {
  RandomStream random(3, "clutch-in");
  for (int i = 0; i < 20; ++i) {
    const Pose X_WE0{turn(random.uniform(-3.0, 3.0), Eigen::Vector3d::UnitY()),
                     Eigen::Vector3d(random.uniform(-1.0, 1.0), 0.2, 0.3)};
    const Pose X_VC{turn(random.uniform(-3.0, 3.0), Eigen::Vector3d::UnitX()),
                    Eigen::Vector3d(0.4, random.uniform(-1.0, 1.0), 0.1)};
    for (const auto axes : {TurnAxes::kBody, TurnAxes::kWorld}) {
      PoseMapping m = mapping(grab_mapping(), axes, random.uniform(-3.0, 3.0));
      m.scale.setConstant(3.0);
      const Pose X = map_pose(m, X_WE0, X_VC, X_VC);
      EXPECT_LT((X.R - X_WE0.R).norm() + (X.p - X_WE0.p).norm(), 1e-14);
    }
  }
}

TEST(PoseMapping, VelocityIsThePosesDerivative) {
  RandomStream random(4, "velocity");
  constexpr double dt = 1e-6;
  for (int i = 0; i < 50; ++i) {
    const auto vector = [&] {
      return Eigen::Vector3d(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0),
                             random.uniform(-1.0, 1.0));
    };
    const Pose X_WE0{exp_so3(vector()), vector()}, X_VC0{exp_so3(vector()), vector()},
        X_VC{exp_so3(vector()), vector()};
    Vector6d V_VC;
    V_VC << vector(), vector();
    const Pose later{exp_so3(V_VC.tail<3>() * dt) * X_VC.R, X_VC.p + V_VC.head<3>() * dt};
    for (const auto axes : {TurnAxes::kBody, TurnAxes::kWorld}) {
      PoseMapping m = mapping(grab_mapping(), axes, random.uniform(-3.0, 3.0));
      m.scale = vector().cwiseAbs();
      const Pose X = map_pose(m, X_WE0, X_VC0, X_VC), X_later = map_pose(m, X_WE0, X_VC0, later);
      Vector6d V;
      V << (X_later.p - X.p) / dt, log_so3(X_later.R * X.R.transpose()) / dt;
      EXPECT_LT((map_velocity(m, X, X_VC, V_VC) - V).norm(), 1e-8) << "case " << i;
    }
  }
}

std::string error_of(auto run) {
  try {
    run();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// as a program does after the parts that handspan has: the schema was made before
TEST(Mappings, APresetOfAProgramIsReadByNameAndListed) {
  MappingRegistry mappings;
  register_mappings(mappings);
  const Schema<SpaceConfig> schema = space_schema(mappings);
  const Eigen::Matrix3d R = turn(0.5, Eigen::Vector3d::UnitX());
  mappings.add({"tracker", R, R.transpose(), "z is up"});
  const SpaceConfig space = parse_yaml("{preset: tracker, yaw: 0}", "space.yaml", schema);
  EXPECT_EQ(rotation_of(space), R);
  EXPECT_EQ(controller_axes_of(space), R.transpose());
  EXPECT_EQ(rotation_of(parse_yaml("{}", "space.yaml", schema)), rotation_of({}));
  const std::string described = describe(schema.description());
  EXPECT_NE(described.find("preset: text, one of webxr, toss, grab, tracker (default webxr)"),
            std::string::npos)
      << described;
  EXPECT_NE(described.find("tracker: z is up"), std::string::npos) << described;
  EXPECT_NE(error_of([&] {
              parse_yaml("preset: trakcer", "space.yaml", schema);
            }).find("space.yaml:1: preset is 'trakcer'; did you mean 'tracker'?"),
            std::string::npos)
      << error_of([&] { parse_yaml("preset: trakcer", "space.yaml", schema); });
}

TEST(Mappings, MessagesSayWhatIsWrong) {
  MappingRegistry mappings;
  register_mappings(mappings);
  EXPECT_EQ(mappings.names(), (std::vector<std::string>{"webxr", "toss", "grab"}));
  EXPECT_EQ(error_of([&] { mappings.find("webx"); }),
            "there is no mapping 'webx'; did you mean 'webxr'?");
  EXPECT_EQ(error_of([&] { mappings.add(toss_mapping()); }),
            "the mapping 'toss' is registered twice; choose another name");
  EXPECT_NE(error_of([&] { mappings.add({"two words"}); }).find("has no proper name"),
            std::string::npos);
  // a reflection, which turns left to right
  EXPECT_EQ(error_of([&] {
              mappings.add(
                  {"mirror", Eigen::Vector3d(1, -1, 1).asDiagonal(), Eigen::Matrix3d::Identity()});
            }),
            "the mapping 'mirror' has an R_WV that is no rotation; its rows must be orthogonal "
            "unit vectors, right-handed");
  EXPECT_NE(error_of([&] {
              mappings.add(
                  {"none", Eigen::Matrix3d::Identity(), Eigen::Matrix3d::Constant(std::nan(""))});
            }).find("has an R_EC that is no rotation"),
            std::string::npos);
}

}  // namespace pose_mapping_test
}  // namespace handspan
