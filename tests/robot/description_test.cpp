#include "robot/description.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "core/error.hpp"
#include "support/random_model.hpp"

namespace handspan {
namespace description_test {

ModelDescription two_links() {
  ModelDescription d;
  d.name = "two_links";
  for (int i = 0; i < 2; ++i) {
    BodyDescription body;
    body.name = i == 0 ? "upper" : "lower";
    body.parent = i - 1;
    body.inertial = {1.0, {}, Eigen::Vector3d(0.1, 0.1, 0.1)};
    JointDescription joint;
    joint.name = i == 0 ? "shoulder" : "elbow";
    body.joints.push_back(joint);
    Shape shape;
    shape.name = body.name + "_shape";
    shape.size = Eigen::Vector3d(0.05, 0, 0);
    body.shapes.push_back(shape);
    d.bodies.push_back(body);
  }
  d.frames.push_back({"tip", 1, {Eigen::Vector3d(0, 0, 0.3), Eigen::Quaterniond::Identity()}});
  return d;
}

struct Wrong {
  const char* message;
  std::function<void(ModelDescription&)> spoil;
};

class Violation : public testing::TestWithParam<Wrong> {};

TEST_P(Violation, IsNamed) {
  ModelDescription d = two_links();
  EXPECT_NO_THROW(validate(d));
  GetParam().spoil(d);
  try {
    validate(d);
    FAIL() << "accepted; expected: " << GetParam().message;
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), GetParam().message);
  }
}

const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInf = std::numeric_limits<double>::infinity();

INSTANTIATE_TEST_SUITE_P(
    All, Violation,
    testing::Values(
        Wrong{"model 'two_links' has no bodies", [](auto& d) { d.bodies.clear(); }},
        Wrong{"two elements of kind body are named 'upper'",
              [](auto& d) { d.bodies[1].name = "upper"; }},
        Wrong{"a joint has no name", [](auto& d) { d.bodies[0].joints[0].name = ""; }},
        Wrong{"two elements of kind joint are named 'elbow'",
              [](auto& d) {
                d.bodies[0].joints[0].name = "elbow";
                d.bodies[1].joints[0].name = "elbow";
              }},
        Wrong{"body 'upper' stands before its parent", [](auto& d) { d.bodies[0].parent = 1; }},
        Wrong{"body 'lower' has a pose that is not finite",
              [](auto& d) { d.bodies[1].X_PB.p[1] = kNan; }},
        Wrong{"body 'lower' has a quaternion of norm 2; it must be 1",
              [](auto& d) { d.bodies[1].X_PB.q.coeffs() *= 2; }},
        Wrong{"body 'lower' has an inertia that is not finite",
              [](auto& d) { d.bodies[1].inertial.mass = kInf; }},
        Wrong{"body 'lower' has mass -1 kg; it must not be negative",
              [](auto& d) { d.bodies[1].inertial.mass = -1; }},
        Wrong{"body 'lower' moves but has no mass; give it an inertia or fix it to its parent",
              [](auto& d) { d.bodies[1].inertial = {}; }},
        Wrong{"body 'lower' has principal inertias 0.1, 0, 0.1 kg m^2; each must be > 0",
              [](auto& d) { d.bodies[1].inertial.principal[1] = 0; }},
        Wrong{"body 'lower' has principal inertias 0.1, 0.1, 0.3 kg m^2, which no body can have: "
              "the largest exceeds the sum of the others",
              [](auto& d) { d.bodies[1].inertial.principal[2] = 0.3; }},
        Wrong{"joint 'elbow' has an axis of length 0; it must be 1",
              [](auto& d) { d.bodies[1].joints[0].axis.setZero(); }},
        Wrong{"joint 'elbow' has an anchor that is not finite",
              [](auto& d) { d.bodies[1].joints[0].p_BJ[0] = kInf; }},
        Wrong{"joint 'elbow' has the range 1 to -1; the lower end must be smaller",
              [](auto& d) { d.bodies[1].joints[0].range = {1.0, -1.0}; }},
        Wrong{"joint 'elbow' has a range that is not finite",
              [](auto& d) { d.bodies[1].joints[0].range = {-kInf, 1.0}; }},
        Wrong{"joint 'elbow' is a ball or free joint, which has no range",
              [](auto& d) {
                d.bodies[1].joints[0].type = JointType::kBall;
                d.bodies[1].joints[0].range = {-1.0, 1.0};
              }},
        Wrong{"joint 'elbow' has effort 0; it must be > 0 and finite",
              [](auto& d) { d.bodies[1].joints[0].effort = 0.0; }},
        Wrong{"joint 'elbow': armature, damping and friction_loss must be finite and not negative",
              [](auto& d) { d.bodies[1].joints[0].damping = -1; }},
        Wrong{"joint 'elbow' is free; it must be the only joint of a body of the world",
              [](auto& d) { d.bodies[1].joints[0].type = JointType::kFree; }},
        Wrong{"shape 'lower_shape' has size 0; each size must be > 0",
              [](auto& d) { d.bodies[1].shapes[0].size.setZero(); }},
        Wrong{"shape 'lower_shape' is a mesh of fewer than 4 vertices",
              [](auto& d) { d.bodies[1].shapes[0].type = ShapeType::kMesh; }},
        Wrong{"shape 'lower_shape' has a vertex that is not finite",
              [](auto& d) {
                d.bodies[1].shapes[0].type = ShapeType::kMesh;
                d.bodies[1].shapes[0].vertices.assign(4, Eigen::Vector3d::Constant(kNan));
              }},
        Wrong{"frame 'tip' is on a body that does not exist",
              [](auto& d) { d.frames[0].body = 7; }},
        Wrong{"mimic of joint 'elbow' names the joint 'wrist', which does not exist",
              [](auto& d) { d.mimics.push_back({"elbow", "wrist", 1, 0}); }},
        Wrong{
            "mimic of joint 'elbow' goes round in a circle",
            [](auto& d) { d.mimics = {{"elbow", "shoulder", 1, 0}, {"shoulder", "elbow", 1, 0}}; }},
        Wrong{"mimic of joint 'elbow' goes round in a circle",
              [](auto& d) { d.mimics = {{"elbow", "elbow", 1, 0}}; }},
        Wrong{
            "joint 'elbow' mimics two joints",
            [](auto& d) { d.mimics = {{"elbow", "shoulder", 1, 0}, {"elbow", "shoulder", 2, 0}}; }},
        Wrong{"mimic of joint 'elbow' has a number that is not finite",
              [](auto& d) { d.mimics = {{"elbow", "shoulder", kNan, 0}}; }},
        Wrong{"rolling constraint names the frame 'axle', which does not exist",
              [](auto& d) { d.rollings.push_back({"axle"}); }}));

TEST(Description, FullInertiaSurvivesItsPrincipalForm) {
  std::mt19937_64 random(5);
  for (int k = 0; k < 100; ++k) {
    const Inertial inertial = test::random_inertial(random);
    const Inertial again =
        Inertial::from_full(inertial.mass, inertial.X_BC.p, inertial.inertia_B());
    EXPECT_TRUE((again.inertia_B() - inertial.inertia_B()).isZero(1e-15)) << k;
    EXPECT_NEAR(again.X_BC.q.norm(), 1.0, 1e-15);
  }
}

TEST(Description, MassOfAFixedChildLetsAMasslessBodyMove) {
  ModelDescription d = two_links();
  d.bodies[0].inertial = {};
  d.bodies[1].joints.clear();
  EXPECT_NO_THROW(validate(d));
}

TEST(Description, ToolStandsAtTheFrameItIsMountedOn) {
  ModelDescription tool;
  tool.name = "tool";
  BodyDescription body;
  body.name = "hand";
  body.X_PB.p = Eigen::Vector3d(0, 0, 0.1);
  body.inertial = {0.5, {}, Eigen::Vector3d(0.01, 0.01, 0.01)};
  tool.bodies.push_back(body);
  tool.frames.push_back({"tcp", 0, {Eigen::Vector3d(0, 0, 0.05), Eigen::Quaterniond::Identity()}});
  const RobotModel model(mounted(two_links(), "tip", with_prefix(tool, "left.")));
  RobotData data(model);
  update_kinematics(model, data, model.neutral(), Eigen::VectorXd::Zero(2));
  EXPECT_TRUE(frame_pose(model, data, model.frame("left.tcp"))
                  .p.isApprox(Eigen::Vector3d(0, 0, 0.45), 1e-14));
  EXPECT_DOUBLE_EQ(model.mass(), 2.5);
}

TEST(Description, MountingAndBasesRefuseWhatTheyCannotDo) {
  const auto message = [](auto&& f) -> std::string {
    try {
      f();
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  };
  ModelDescription tool = two_links();
  EXPECT_EQ(message([&] { mounted(two_links(), "flange", tool); }),
            "robot 'two_links' has no frame 'flange' to mount 'two_links' on");
  EXPECT_EQ(message([&] { mounted(two_links(), "tip", tool); }),
            "tool 'two_links' moves against its mount; its root must have no joint");
  tool.bodies[0].joints.clear();
  EXPECT_EQ(message([&] { mounted(two_links(), "tip", tool); }),
            "two elements of kind body are named 'upper'");
  tool.bodies[1].parent = -1;
  EXPECT_EQ(message([&] { mounted(two_links(), "tip", tool); }),
            "tool 'two_links' has 2 root bodies; a tool has one");
  EXPECT_EQ(message([&] { with_base(tool, BaseType::kFree); }),
            "model 'two_links' has several roots; a moving base needs one");
  EXPECT_EQ(message([&] { with_base(two_links(), BaseType::kFree); }),
            "the root of model 'two_links' has joints already");
}

TEST(Description, PlacingMovesTheRootsAndWhatHangsOnThem) {
  const Placement X{Eigen::Vector3d(1, 2, 3),
                    Eigen::Quaterniond(Eigen::AngleAxisd(0.5, Eigen::Vector3d::UnitZ()))};
  const RobotModel at_origin(two_links()), moved(placed(two_links(), X));
  RobotData a(at_origin), b(moved);
  const Eigen::VectorXd q = Eigen::Vector2d(0.3, -0.4), v = Eigen::Vector2d::Zero();
  update_kinematics(at_origin, a, q, v);
  update_kinematics(moved, b, q, v);
  const Pose expected = X.pose() * frame_pose(at_origin, a, at_origin.frame("tip"));
  EXPECT_TRUE(frame_pose(moved, b, moved.frame("tip")).p.isApprox(expected.p, 1e-14));
  EXPECT_TRUE(frame_pose(moved, b, moved.frame("tip")).R.isApprox(expected.R, 1e-14));
}

}  // namespace description_test
}  // namespace handspan
