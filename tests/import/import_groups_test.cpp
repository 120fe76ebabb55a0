// Which joints are commanded together: by branches, by an SRDF, by hand.
#include "import/import_groups.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "import/import_fixture.hpp"
#include "import/import_srdf.hpp"
#include "import/import_write.hpp"

namespace handspan {
namespace import_groups_test {

namespace fs = std::filesystem;
using test::kInertial;

// A tree of joints, each "name<parent" with what turns without end marked by a trailing *.
class Tree {
 public:
  Tree& chain(const std::string& prefix, int n, int parent) {
    for (int i = 1; i <= n; ++i) parent = joint(fmt::format("{}{}", prefix, i), parent);
    last_ = parent;
    return *this;
  }
  int joint(const std::string& name, int parent, JointType type = JointType::kRevolute,
            bool endless = false) {
    BodyDescription b;
    b.name = name + "_link";
    b.parent = parent;
    JointDescription j;
    j.name = name;
    j.type = type;
    if (!endless) j.range = {-1.0, 1.0};
    b.joints.push_back(j);
    d_.bodies.push_back(b);
    driven_.push_back(name);
    return static_cast<int>(d_.bodies.size()) - 1;
  }
  int last() const { return last_; }
  ModelDescription& description() { return d_; }
  void mimic(const std::string& joint, const std::string& master) {
    d_.mimics.push_back({joint, master, 1.0, 0.0});
    std::erase(driven_, joint);
  }
  // "arm: a1 a2 | gripper: f"
  std::string groups() const {
    std::string out;
    for (const auto& group : groups_by_branches(d_, driven_))
      out += fmt::format("{}{}: {}", out.empty() ? "" : " | ", group.name,
                         fmt::join(group.joints, " "));
    return out;
  }
  std::vector<ActuatorGroup> all() const { return groups_by_branches(d_, driven_); }

 private:
  ModelDescription d_;
  std::vector<std::string> driven_;
  int last_ = -1;
};

TEST(ImportGroups, AChainIsAnArmWhateverItsLength) {
  EXPECT_EQ(Tree().chain("j", 1, -1).groups(), "arm: j1");
  EXPECT_EQ(Tree().chain("j", 7, -1).groups(), "arm: j1 j2 j3 j4 j5 j6 j7");
}

TEST(ImportGroups, AnArmsLastJointIsItsGripperByNameMimicOrSlide) {
  Tree named;
  named.chain("j", 5, -1);
  named.joint("gripper", named.last());
  EXPECT_EQ(named.groups(), "arm: j1 j2 j3 j4 j5 | gripper: gripper");
  Tree slide;
  slide.chain("j", 6, -1);
  slide.joint("x", slide.last(), JointType::kPrismatic);
  EXPECT_EQ(slide.groups(), "arm: j1 j2 j3 j4 j5 j6 | gripper: x");
  Tree mimicked;
  mimicked.chain("j", 4, -1);
  const int wrist = mimicked.last();
  mimicked.joint("l", wrist);
  mimicked.joint("r", wrist);
  mimicked.mimic("r", "l");
  EXPECT_EQ(mimicked.groups(), "arm: j1 j2 j3 j4 | gripper: l");
  // a slide in an arm of few joints is one of its joints
  Tree scara;
  scara.chain("j", 3, -1);
  scara.joint("z", scara.last(), JointType::kPrismatic);
  EXPECT_EQ(scara.groups(), "arm: j1 j2 j3 z");
}

// Two arms with hands on a lift, a head, wheels: like TIAGO's
TEST(ImportGroups, AMobileRobotOfTwoArmsIsTakenApart) {
  Tree t;
  t.joint("wheel_l", -1, JointType::kRevolute, true);
  t.joint("wheel_r", -1, JointType::kRevolute, true);
  const int lift = t.joint("lift", -1, JointType::kPrismatic);
  for (const char* side : {"left", "right"}) {
    t.chain(fmt::format("arm_{}_", side), 7, lift);
    const int wrist = t.last();
    t.joint(fmt::format("{}_a", side), wrist);
    const int b = t.joint(fmt::format("{}_b", side), wrist);
    t.joint(fmt::format("{}_c", side), b);
    t.joint(fmt::format("{}_d", side), b);
  }
  t.chain("head_", 2, lift);
  EXPECT_EQ(t.groups(),
            "left_arm: arm_left_1 arm_left_2 arm_left_3 arm_left_4 arm_left_5 arm_left_6 "
            "arm_left_7 | right_arm: arm_right_1 arm_right_2 arm_right_3 arm_right_4 arm_right_5 "
            "arm_right_6 arm_right_7 | torso: lift | head: head_1 head_2 | wheels: wheel_l wheel_r "
            "| left_hand: left_a left_b left_c left_d | right_hand: right_a right_b right_c "
            "right_d");
  std::map<std::string, Drive> drives;
  for (const auto& group : t.all()) drives[group.name] = group.drive;
  EXPECT_EQ(drives["left_arm"], Drive::kTorque);
  EXPECT_EQ(drives["torso"], Drive::kPosition);
  EXPECT_EQ(drives["wheels"], Drive::kVelocity);
  EXPECT_EQ(drives["left_hand"], Drive::kPosition);
}

TEST(ImportGroups, LegsAreToldByTheirNamesAndSidesByNumbersWhereNamesHaveNone) {
  Tree legs;
  for (const char* leg : {"FL_HAA", "FR_HAA"}) legs.chain(leg, 3, -1);
  EXPECT_EQ(legs.groups(), "leg1: FL_HAA1 FL_HAA2 FL_HAA3 | leg2: FR_HAA1 FR_HAA2 FR_HAA3");
}

class ImportSrdf : public test::ImportTest {
 protected:
  // base - a - b - c (fixed: tip), a finger on c
  fs::path robot() {
    const auto joint = [](const std::string& name, const std::string& parent,
                          const std::string& child) {
      return "<joint name='" + name + "' type='revolute'><parent link='" + parent +
             "'/><child link='" + child + "'/><origin xyz='0 0 0.3'/><axis xyz='0 1 0'/>" +
             test::kLimit + "</joint>";
    };
    std::string links;
    for (const char* link : {"base", "a", "b", "c", "f"})
      links += "<link name='" + std::string(link) + "'>" + kInertial +
               "<collision><geometry><sphere radius='0.05'/></geometry></collision></link>";
    return write("r.urdf", "<robot name='r'>" + links + "<link name='tip'/>" +
                               joint("j1", "base", "a") + joint("j2", "a", "b") +
                               joint("j3", "b", "c") + joint("j4", "c", "f") +
                               "<joint name='t' type='fixed'><parent link='c'/><child link='tip'/>"
                               "</joint></robot>");
  }
  static std::string text(const ImportedRobot& r) {
    std::string out;
    for (const auto& group : r.groups)
      out += fmt::format("{}: {}\n", group.name, fmt::join(group.joints, " "));
    return out;
  }
};

const std::string kSrdf = R"(<robot name='r'>
<group name='finger'><joint name='j4'/></group>
<group name='the arm'><chain base_link='base' tip_link='tip'/></group>
<group name='all'><group name='the arm'/><group name='finger'/></group>
<group_state name='home' group='the arm'><joint name='j1' value='0.5'/><joint name='j2' value='1'/>
<joint name='j3' value='-0.5'/></group_state>
<group_state name='far' group='the arm'><joint name='j1' value='2.5'/><joint name='j2' value='1'/>
<joint name='j3' value='-0.5'/></group_state>
<group_state name='part' group='the arm'><joint name='j1' value='0.5'/></group_state>
<disable_collisions link1='tip' link2='a' reason='Never'/>
<disable_collisions link1='a' link2='b' reason='Adjacent'/>
<disable_collisions link1='lost' link2='b' reason='Never'/></robot>)";

TEST_F(ImportSrdf, BesideTheFileGivesGroupsPosesAndPairs) {
  const auto file = robot();
  write("srdf/r.srdf", kSrdf);
  const ImportedRobot r = import_robot(file);
  // the arm comes first, for it has the poses; what overlaps is told
  EXPECT_EQ(text(r), "the_arm: j1 j2 j3\nfinger: j4\n");
  EXPECT_TRUE(noted(r, "groups of the SRDF that share joints with others are not kept: all"));
  EXPECT_EQ(r.groups[0].drive, Drive::kTorque);
  EXPECT_EQ(r.groups[1].drive, Drive::kPosition);
  ASSERT_EQ(r.poses.size(), 2U);
  EXPECT_EQ(r.poses[0].name, "ready");
  EXPECT_EQ(r.poses[1].name, "home");
  EXPECT_EQ(r.poses[1].q, Eigen::Vector3d(0.5, 1.0, -0.5));
  EXPECT_TRUE(noted(r,
                    "poses of the file that do not place all joints of 'the_arm' within their "
                    "limits, or are named twice, are not kept: far, part"));
  // the tip is fixed to c; parent and child never collide anyway
  EXPECT_EQ(r.ignored_pairs, (std::vector<std::pair<std::string, std::string>>{{"a", "c"}}));
  EXPECT_TRUE(noted(r, "the SRDF names what the robot does not have: lost"));
  write_robot_folder(r, folder_ / "out");
  const RobotFolder folder = load_robot_folder(folder_ / "out");
  ASSERT_EQ(folder.groups.size(), 2U);
  EXPECT_EQ(folder.pose("home")->q, r.poses[1].q);
}

TEST_F(ImportSrdf, AnArmAndItsJawsInOneGroupAreTakenApart) {
  std::stringstream read;
  read << std::ifstream(robot()).rdbuf();
  std::string urdf = read.str();
  for (std::size_t at; (at = urdf.find("'j4'")) != std::string::npos;)
    urdf.replace(at, 4, "'jaw_joint'");
  const auto file = write("g.urdf", urdf);
  write("srdf/g.srdf",
        "<robot name='r'><group name='whole'><joint name='j1'/><joint name='j2'/><joint "
        "name='j3'/><joint name='jaw_joint'/></group></robot>");
  const ImportedRobot r = import_robot(file);
  EXPECT_EQ(text(r), "whole: j1 j2 j3\ngripper: jaw_joint\n");
  EXPECT_TRUE(noted(r,
                    "group whole of the SRDF has an arm and jaws: they are apart, as whole and "
                    "gripper"));
}

TEST_F(ImportSrdf, IsReadFromWhereItIsStatedAndMustBeOne) {
  const auto file = robot();
  EXPECT_EQ(text(import_robot(file)), "arm: j1 j2 j3 j4\n");
  ImportOptions options;
  options.srdf = write("else/where.xml", kSrdf);
  EXPECT_EQ(text(import_robot(file, options)), "the_arm: j1 j2 j3\nfinger: j4\n");
  options.srdf = file.parent_path() / "none.srdf";
  EXPECT_NE(error([&] { import_robot(file, options); }).find("none.srdf: cannot be read"),
            std::string::npos);
  options.srdf = write("m.xml", "<mujoco/>");
  EXPECT_NE(error([&] { import_robot(file, options); }).find("m.xml:1: is not an SRDF"),
            std::string::npos);
}

TEST_F(ImportSrdf, GroupsStatedByHandComeBeforeAll) {
  const auto file = robot();
  write("srdf/r.srdf", kSrdf);
  ImportOptions options;
  options.groups = {{"wrist", {"j3", "j4"}}};
  options.drive = Drive::kVelocity;
  const ImportedRobot r = import_robot(file, options);
  // the SRDF's groups share j3 and j4: what is left goes by branches
  EXPECT_EQ(text(r), "wrist: j3 j4\narm: j1 j2\n");
  for (const auto& group : r.groups) EXPECT_EQ(group.drive, Drive::kVelocity);
  options.groups = {{"wrist", {"j3", "jj"}}, {"other", {"j3"}}};
  const std::string what = error([&] { import_robot(file, options); });
  EXPECT_NE(what.find("--group wrist: there is no joint 'jj'"), std::string::npos) << what;
  EXPECT_NE(what.find("--group other: joint 'j3' is in two groups"), std::string::npos) << what;
}

}  // namespace import_groups_test
}  // namespace handspan
