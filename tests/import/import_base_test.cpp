// A base on wheels as joints in the plane, and joints that are fixed on import.
#include "import/import_base.hpp"

#include "import/import_write.hpp"
#include "import_fixture.hpp"

namespace handspan {
namespace import_base_test {

using test::fs::path;

class ImportBase : public test::ImportTest {
 protected:
  // a hull on a wheel, with an arm
  path cart() {
    return write("cart.urdf",
                 "<robot name='cart'><link name='hull'>" + test::kInertial +
                     "<collision><origin xyz='0 0 0.3'/><geometry><box size='0.4 0.4 0.2'/>"
                     "</geometry></collision></link><link name='wheel'>" +
                     test::kInertial +
                     "<collision><geometry><sphere radius='0.1'/></geometry></collision></link>"
                     "<link name='arm'>" +
                     test::kInertial +
                     "</link><joint name='roll' type='continuous'><parent link='hull'/><child "
                     "link='wheel'/><origin xyz='0 0.2 0.1'/><axis xyz='0 1 0'/></joint><joint "
                     "name='arm_1' type='revolute'><parent link='hull'/><child link='arm'/><origin "
                     "xyz='0 0 0.5'/><axis xyz='0 1 0'/>" +
                     test::kLimit + "</joint></robot>");
  }
  static ImportOptions options() {
    ImportOptions options;
    options.base = BaseMotion::kDifferential;
    options.fixed = {"roll"};
    options.velocity_by_joint = {{"base_x", 1.0}, {"base_y", 1.0}, {"base_yaw", 2.0}};
    options.effort = 100.0;
    return options;
  }
};

TEST_F(ImportBase, DrivesInThePlaneWithoutSideSlipAsAGroupOfItsOwn) {
  const ImportedRobot r = import_robot(cart(), options());
  ASSERT_EQ(r.groups.size(), 2U);
  // the arm has the poses
  EXPECT_EQ(r.groups[0].joints, std::vector<std::string>{"arm_1"});
  EXPECT_EQ(r.groups[1].name, "base");
  EXPECT_EQ(r.groups[1].drive, Drive::kVelocity);
  EXPECT_EQ(r.groups[1].joints, (std::vector<std::string>{"base_x", "base_y", "base_yaw"}));
  ASSERT_EQ(r.limits.size(), 4U);
  EXPECT_EQ(r.limits[2].joint, "base_yaw");
  EXPECT_EQ(r.limits[2].limits.velocity, 2.0);
  EXPECT_EQ(r.limits[2].limits.torque, 100.0);
  EXPECT_TRUE(r.limits[2].limits.continuous);
  const path folder = folder_ / "out";
  write_robot_folder(r, folder, false, [](const RobotFolder&) {});
  const RobotFolder made = load_robot_folder(folder);
  ASSERT_EQ(made.description.rollings.size(), 1U);
  EXPECT_EQ(made.description.rollings[0].frame, "base_axle");
  EXPECT_EQ(made.description.nv(), 4);
}

TEST_F(ImportBase, IsNotCarriedByItsWheels) {
  const ImportedRobot r = import_robot(cart(), options());
  const auto collides = [&](const char* body) {
    return r.description.bodies[static_cast<std::size_t>(r.description.body_index(body))]
        .shapes.front()
        .collides;
  };
  EXPECT_FALSE(collides("wheel"));
  EXPECT_TRUE(collides("hull"));
  EXPECT_TRUE(noted(r, "joint 'roll' does not move, as --fixed says"));
}

TEST_F(ImportBase, OfOmnidirectionalWheelsMayGoAnyWay) {
  ImportOptions planar = options();
  planar.base = BaseMotion::kPlanar;
  EXPECT_TRUE(import_robot(cart(), planar).rolling.empty());
}

TEST_F(ImportBase, SaysWhatIsMissing) {
  const std::string file = cart().string();
  ImportOptions wrong = options();
  wrong.velocity_by_joint.erase("base_y");
  EXPECT_EQ(error([&] { import_robot(file, wrong); }),
            file +
                ": joint 'base_y' has no velocity, since no file states that of a base; give "
                "--velocity NUMBER, or --velocity FILE with the line `base_y: NUMBER`");
  wrong = options();
  wrong.fixed.insert("rol");
  EXPECT_EQ(error([&] { import_robot(file, wrong); }),
            file + ": --fixed names the joint 'rol', which is not there; did you mean 'roll'?");
}

}  // namespace import_base_test
}  // namespace handspan
