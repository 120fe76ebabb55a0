// A base on wheels as joints in the plane, and joints that are fixed on import.
#include "import/import_base.hpp"

#include "core/text_file.hpp"
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

// where, what and what to do, of each robot that cannot drive about
TEST_F(ImportBase, RefusesARobotThatCannotDriveAbout) {
  std::string text = read_text_file(cart());
  const auto told = [&](const std::string& from, const std::string& to) {
    std::string wrong = text;
    for (std::size_t at = 0; (at = wrong.find(from, at)) != std::string::npos; at += to.size())
      wrong.replace(at, from.size(), to);
    const path file = write("wrong.urdf", wrong);
    std::string message = error([&] { import_robot(file, options()); });
    for (std::size_t at; (at = message.find(folder_.string() + "/")) != std::string::npos;)
      message.erase(at, folder_.string().size() + 1);
    return message;
  };
  EXPECT_EQ(told("'arm_1'", "'base_x'"),
            "wrong.urdf: --base would add the joint 'base_x', which is there; rename that joint");
  EXPECT_EQ(told("'arm'", "'base_axle'"),
            "wrong.urdf: --base would add the frame 'base_axle', which is there; rename it");
  // a link without mass that is the world: its child moves in it
  EXPECT_EQ(told("<link name='hull'>",
                 "<link name='world'/><joint name='slide' type='prismatic'><parent link='world'/>"
                 "<child link='hull'/><axis xyz='1 0 0'/>" +
                     test::kLimit + "</joint><link name='hull'>"),
            "wrong.urdf: --base would move 'hull', which the joint 'slide' moves already; leave "
            "--base out, or fix that joint with --fixed");
}

TEST_F(ImportBase, IsNotForMjcf) {
  const path file = write("m.xml",
                          "<mujoco model='m'><worldbody><body name='a'><inertial pos='0 0 0' "
                          "mass='1' diaginertia='1 1 1'/><joint name='j' range='-1 1'/></body>"
                          "</worldbody></mujoco>");
  ImportOptions given;
  given.velocity = given.effort = 1.0;
  for (const std::string option : {"--base", "--fixed"}) {
    given.base.reset();
    given.fixed.clear();
    if (option == "--base")
      given.base = BaseMotion::kPlanar;
    else
      given.fixed = {"j"};
    EXPECT_EQ(error([&] { import_robot(file, given); }),
              file.string() + ": " + option +
                  " is for URDF, which cannot say it; in an MJCF, give the root slide and hinge "
                  "joints, or take joints out");
  }
}

}  // namespace import_base_test
}  // namespace handspan
