// Reading of URDF text and the checks of its tree and limits: every error with its words.
#include "import/urdf.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <locale>

#include "core/error.hpp"
#include "import/urdf_check.hpp"

namespace handspan {
namespace urdf_test {

const std::string kInertial =
    "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' "
    "izz='1'/></inertial>";

std::string link(const std::string& name) {
  return "<link name='" + name + "'>" + kInertial + "</link>\n";
}
std::string joint(const std::string& name, const std::string& type, const std::string& parent,
                  const std::string& child, const std::string& rest) {
  return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent +
         "'/><child link='" + child + "'/>" + rest + "</joint>\n";
}
const std::string kLimit = "<limit lower='-1' upper='1' effort='5' velocity='2'/>";
std::string robot(const std::string& inside) { return "<robot name='r'>\n" + inside + "</robot>"; }
std::string two_links(const std::string& type, const std::string& rest) {
  return robot(link("base") + link("arm") + joint("a", type, "base", "arm", rest));
}

// all faults of the text, one a line
std::string faults(const std::string& xml, const UrdfLimitOptions& options = {}) {
  try {
    const UrdfRobot urdf = parse_urdf(xml, "r.urdf");
    std::string out;
    auto issues = check_urdf_tree(urdf);
    for (const auto& issue : check_urdf_limits(urdf, options)) issues.push_back(issue);
    for (const auto& issue : issues) out += (out.empty() ? "" : "\n") + issue.text();
    return out;
  } catch (const ConfigError& e) {
    return e.what();
  }
}

TEST(Urdf, OfTwoLinksHasNoFaults) { EXPECT_EQ(faults(two_links("revolute", kLimit)), ""); }

struct Fault {
  const char* name;
  std::string xml, message;
};

class UrdfFault : public testing::TestWithParam<Fault> {};

TEST_P(UrdfFault, IsNamedWithItsPlaceAndHint) {
  EXPECT_EQ(faults(GetParam().xml), GetParam().message);
}

const std::string kDriveHint = "; a driven joint needs one: give --";
const std::string kLimitLine = "r.urdf:4: joint 'a' ";

INSTANTIATE_TEST_SUITE_P(
    Text, UrdfFault,
    testing::Values(
        Fault{"malformed", "<robot name='r'>\n<link name='a'>\n</robot>",
              "r.urdf:2: is not well-formed XML (XML_ERROR_MISMATCHED_ELEMENT); an editor that "
              "knows XML shows the place"},
        Fault{"other_root", "<sdf/>",
              "r.urdf:1: is not a URDF: its root element is <sdf>; a URDF's is <robot>; MJCF files "
              "end in .xml and start with <mujoco>"},
        Fault{"xacro", robot(link("base") + "<xacro:arm/>"),
              "r.urdf:3: is not yet a URDF: it has <xacro:arm>; make one of it with xacro: `pip "
              "install xacrodoc`, then `xacrodoc FILE.xacro -o robot.urdf`, and import that"},
        Fault{"not_utf8", "<robot name='\xff'/>",
              "r.urdf:1: is not UTF-8; save it in that encoding"},
        Fault{"empty_name", robot("<link name=' '/>"),
              "r.urdf:2: <link> has an empty name; give it name=\"...\""},
        Fault{"decimal_comma",
              two_links("revolute", "<limit lower='-0,5' upper='1' effort='5' velocity='2'/>"),
              "r.urdf:4: joint 'a' limit has lower '-0,5'; write a finite decimal number with a "
              "point, such as 0.5"},
        Fault{"infinite",
              two_links("revolute", "<limit lower='-inf' upper='1' effort='5' velocity='2'/>"),
              "r.urdf:4: joint 'a' limit has lower '-inf'; write a finite decimal number with a "
              "point, such as 0.5"},
        Fault{"nan",
              two_links("revolute", "<limit lower='-1' upper='1' effort='nan' velocity='2'/>"),
              "r.urdf:4: joint 'a' limit has effort 'nan'; write a finite decimal number with a "
              "point, such as 0.5"},
        Fault{"overflow",
              two_links("revolute", "<limit lower='-1' upper='1' effort='1e999' velocity='2'/>"),
              "r.urdf:4: joint 'a' limit has effort '1e999'; write a finite decimal number with a "
              "point, such as 0.5"},
        Fault{"trailing", two_links("revolute", "<axis xyz='0 0 1m'/>" + kLimit),
              "r.urdf:4: joint 'a' axis has xyz '0 0 1m'; write a finite decimal number with a "
              "point, such as 0.5"},
        Fault{"comma_at_the_end", two_links("revolute", "<axis xyz='0 0 1,'/>" + kLimit),
              "r.urdf:4: joint 'a' axis has xyz '0 0 1,'; write a finite decimal number with a "
              "point, such as 0.5"},
        Fault{"two_numbers", two_links("revolute", "<axis xyz='0 1'/>" + kLimit),
              "r.urdf:4: joint 'a' axis has xyz '0 1'; write 3 numbers with blanks between"},
        Fault{"unknown_type", two_links("hinge", ""),
              "r.urdf:4: joint 'a' has the unknown type 'hinge'; use revolute, continuous, "
              "prismatic, fixed, floating or planar"},
        Fault{"no_parent",
              robot(link("base") + "<joint name='a' type='fixed'><child link='base'/></joint>"),
              "r.urdf:3: joint 'a' has no parent link; give it <parent link=\"...\"/>"},
        Fault{"two_limits", two_links("revolute", kLimit + kLimit),
              "r.urdf:4: joint 'a' has two <limit>; keep one"},
        Fault{"negative_damping", two_links("revolute", kLimit + "<dynamics damping='-1'/>"),
              "r.urdf:4: joint 'a' has damping -1; it must not be negative"},
        Fault{"no_mass",
              robot("<link name='b'><inertial><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' "
                    "izz='1'/></inertial></link>"),
              "r.urdf:2: link 'b' has an <inertial> without <mass>; give it <mass value=\"...\"/>"},
        Fault{"no_izz",
              robot("<link name='b'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' "
                    "iyy='1' iyz='0'/></inertial></link>"),
              "r.urdf:2: link 'b' inertia has no izz; give it izz=\"...\""},
        Fault{"flat_box",
              robot("<link name='b'><collision><geometry><box size='1 0 "
                    "1'/></geometry></collision></link>"),
              "r.urdf:2: link 'b' collision has a box of size 0; each size must be > 0"},
        Fault{"unknown_shape",
              robot("<link name='b'><collision><geometry><cone/></geometry></collision></link>"),
              "r.urdf:2: link 'b' collision has the unknown shape <cone>; use box, sphere, "
              "cylinder, capsule or mesh"},
        Fault{"no_shape", robot("<link name='b'><collision/></link>"),
              "r.urdf:2: link 'b' collision has no shape in <geometry>; give it <box>, <sphere>, "
              "<cylinder> or <mesh>"},
        Fault{"no_filename",
              robot("<link name='b'><collision><geometry><mesh/></geometry></collision></link>"),
              "r.urdf:2: link 'b' collision has a mesh without filename; name its file"}),
    [](const auto& instance) { return instance.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Tree, UrdfFault,
    testing::Values(
        Fault{"no_links", robot(""), "r.urdf: has no links; a robot has at least one"},
        Fault{"equal_links", robot(link("b") + link("b")),
              "r.urdf:3: link 'b' is there twice (line 2); rename one"},
        Fault{"equal_joints",
              robot(link("b") + link("c") + link("d") + joint("j", "fixed", "b", "c", "") +
                    joint("j", "fixed", "b", "d", "")),
              "r.urdf:6: joint 'j' is there twice (line 5); rename one"},
        Fault{"unknown_link", robot(link("b") + joint("j", "fixed", "b", "c", "")),
              "r.urdf:3: joint 'j' has the child link 'c', which does not exist; name a link of "
              "the file"},
        Fault{"itself", robot(link("b") + joint("j", "fixed", "b", "b", "")),
              "r.urdf:3: joint 'j' joins link 'b' to itself; name two different links"},
        Fault{"two_parents",
              robot(link("b") + link("c") + link("d") + joint("i", "fixed", "b", "d", "") +
                    joint("j", "fixed", "c", "d", "")),
              "r.urdf:6: link 'd' has two parents, by the joints 'i' and 'j'; a tree has one; "
              "close loops by a constraint, not by a joint"},
        Fault{
            "no_root",
            robot(link("b") + link("c") + joint("i", "fixed", "b", "c", "") +
                  joint("j", "fixed", "c", "b", "")),
            "r.urdf: has a loop: the links 'b', 'c' hang on one another; cut one of their joints\n"
            "r.urdf: has no root link: every link is some joint's child; a tree has one link "
            "without a parent"},
        Fault{
            "loop_beside_root",
            robot(link("a") + link("b") + link("c") + joint("i", "fixed", "b", "c", "") +
                  joint("j", "fixed", "c", "b", "")),
            "r.urdf: has a loop: the links 'b', 'c' hang on one another; cut one of their joints"},
        Fault{"two_roots", robot(link("b") + link("c")),
              "r.urdf: has 2 root links: 'b', 'c'; join them by fixed joints to one link, or "
              "import them as robots of their own"},
        Fault{"heavy_world", robot(link("world")),
              "r.urdf:2: link 'world' has mass or shapes; rename it: 'world' is the fixed world"},
        Fault{"null_axis", two_links("revolute", "<axis xyz='0 0 0'/>" + kLimit),
              kLimitLine + "has a null axis; give the direction it turns about or slides along"},
        Fault{"no_master", two_links("revolute", kLimit + "<mimic joint='z'/>"),
              kLimitLine + "mimics the joint 'z', which does not exist; name a joint of the file"},
        Fault{"mimics_itself", two_links("revolute", kLimit + "<mimic joint='a'/>"),
              kLimitLine + "mimics in a circle: a -> a; let one of them be free"},
        Fault{"mimic_circle",
              robot(link("b") + link("c") + link("d") +
                    joint("i", "revolute", "b", "c", kLimit + "<mimic joint='j'/>") +
                    joint("j", "revolute", "c", "d", kLimit + "<mimic joint='i'/>")),
              "r.urdf:5: joint 'i' mimics in a circle: i -> j -> i; let one of them be free\n"
              "r.urdf:6: joint 'j' mimics in a circle: j -> i -> j; let one of them be free"},
        Fault{"mimic_planar",
              robot(link("b") + link("c") + link("d") + joint("i", "planar", "b", "c", "") +
                    joint("j", "revolute", "c", "d", kLimit + "<mimic joint='i'/>")),
              "r.urdf:6: joint 'j' mimics with 'i', which is fixed, floating or planar; revolute, "
              "continuous and prismatic joints can"},
        Fault{"moves_without_inertia",
              robot(link("b") + "<link name='c'><inertial><mass value='1'/></inertial></link>\n" +
                    joint("j", "revolute", "b", "c", kLimit)),
              "r.urdf:3: link 'c' moves and has an <inertial> without <inertia>; give its six "
              "numbers"},
        Fault{"massless",
              robot(link("b") + "<link name='c'/>\n" + joint("j", "revolute", "b", "c", kLimit)),
              "r.urdf:3: link 'c' moves and has no mass; give it an <inertial>, or make the joint "
              "'j' fixed"},
        Fault{"negative_mass",
              robot("<link name='b'><inertial><mass value='-1'/><inertia ixx='1' ixy='0' ixz='0' "
                    "iyy='1' iyz='0' izz='1'/></inertial></link>"),
              "r.urdf:2: link 'b' has mass -1 kg; it must not be negative"},
        Fault{"huge_mass",
              robot("<link name='b'><inertial><mass value='2e6'/><inertia ixx='1' ixy='0' ixz='0' "
                    "iyy='1' iyz='0' izz='1'/></inertial></link>"),
              "r.urdf:2: link 'b' has mass 2000000 kg; more than 1e6 kg is not a robot: is it in "
              "grams?"},
        Fault{"zero_mass",
              robot("<link name='b'><inertial><mass value='0'/><inertia ixx='1' ixy='0' ixz='0' "
                    "iyy='1' iyz='0' izz='1'/></inertial></link>"),
              "r.urdf:2: link 'b' has an inertia and mass 0; give the mass, or remove its "
              "<inertial>"}),
    [](const auto& instance) { return instance.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Limits, UrdfFault,
    testing::Values(
        Fault{"missing", two_links("prismatic", ""),
              kLimitLine +
                  "has no limits; give it <limit lower=... upper=... effort=... velocity=.../>, or "
                  "make it continuous\n" +
                  kLimitLine + "has no velocity" + kDriveHint +
                  "velocity, or list the joint as passive with --passive a\n" + kLimitLine +
                  "has no effort" + kDriveHint +
                  "effort, or list the joint as passive with --passive a"},
        Fault{"swapped",
              two_links("revolute", "<limit lower='1' upper='-1' effort='5' velocity='2'/>"),
              kLimitLine + "has the limits 1 to -1; they are swapped: lower must be below upper"},
        Fault{"equal",
              two_links("revolute", "<limit lower='1' upper='1' effort='5' velocity='2'/>"),
              kLimitLine + "has the limits 1 to 1; they are equal: make the joint fixed"},
        Fault{"degrees",
              two_links("revolute", "<limit lower='-170' upper='170' effort='5' velocity='2'/>"),
              kLimitLine + "has the limits -170 to 170, which are degrees by their size; write "
                           "radians; a joint that turns more than twice "
                           "each way is continuous"},
        Fault{"effort_0",
              two_links("revolute", "<limit lower='-1' upper='1' effort='0' velocity='2'/>"),
              kLimitLine + "has effort 0" + kDriveHint +
                  "effort, or list the joint as passive with --passive a"},
        Fault{"velocity_0",
              two_links("revolute", "<limit lower='-1' upper='1' effort='5' velocity='0'/>"),
              kLimitLine + "has velocity 0" + kDriveHint +
                  "velocity, or list the joint as passive with --passive a"},
        Fault{"negative_velocity",
              two_links("revolute", "<limit lower='-1' upper='1' effort='5' velocity='-2'/>"),
              kLimitLine + "has velocity -2; it must be > 0"},
        Fault{"negative_effort",
              two_links("revolute", "<limit lower='-1' upper='1' effort='-5' velocity='2'/>"),
              kLimitLine + "has effort -5; it must be > 0"}),
    [](const auto& instance) { return instance.param.name; });

TEST(UrdfLimits, MayBeStatedForJointsThatLackThemAndAreNotNeededByPassiveOnes) {
  const std::string xml = two_links("continuous", "");
  UrdfLimitOptions stated;
  stated.velocity = 1.0;
  stated.effort = 2.0;
  EXPECT_EQ(faults(xml, stated), "");
  UrdfLimitOptions passive;
  passive.passive = {"a"};
  EXPECT_EQ(faults(xml, passive), "");
  // what is wrong stays wrong
  EXPECT_NE(faults(two_links("revolute", "<limit lower='-1' upper='1' effort='-5' velocity='2'/>"),
                   stated),
            "");
  // for one joint
  UrdfLimitOptions one;
  one.velocity_by_joint = {{"a", 1.0}};
  EXPECT_EQ(faults(xml, one), kLimitLine + "has no effort" + kDriveHint +
                                  "effort, or list the joint as passive with --passive a");
  one.effort_by_joint = {{"a", 1.0}, {"z", 1.0}};
  EXPECT_EQ(faults(xml, one),
            "r.urdf: has no joint 'z' that --effort names; list joints of the "
            "file");
  passive.passive = {"b"};
  EXPECT_EQ(faults(two_links("revolute", kLimit), passive),
            "r.urdf: has no joint 'b' that --passive names; list joints of the file");
}

TEST(UrdfLimits, UpToTwoTurnsEachWayAreRadians) {
  EXPECT_EQ(
      faults(two_links("revolute",
                       "<limit lower='-12.566371' upper='12.566371' effort='5' velocity='2'/>")),
      "");
  EXPECT_EQ(
      faults(two_links("prismatic", "<limit lower='-100' upper='100' effort='5' velocity='2'/>")),
      "");
}

TEST(Urdf, ReportsAllFaultsAtOnce) {
  EXPECT_EQ(faults(robot(
                link("b") +
                "<link/>\n<joint name='j' type='x'><parent link='b'/><child link='b'/></joint>")),
            "r.urdf:3: <link> has no name; give it name=\"...\"\n"
            "r.urdf:4: joint 'j' has the unknown type 'x'; use revolute, continuous, prismatic, "
            "fixed, floating or planar");
}

TEST(Urdf, FileThatDoesNotExistIsNamed) {
  try {
    read_urdf("/nowhere/r.urdf");
    FAIL();
  } catch (const ConfigError& e) {
    EXPECT_STREQ(e.what(), "/nowhere/r.urdf: cannot be read; give the path of a URDF file");
  }
}

struct CommaPoint : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
};

TEST(UrdfNumber, HasAPointInEveryLocale) {
  const std::locale before =
      std::locale::global(std::locale(std::locale::classic(), new CommaPoint));
  std::setlocale(LC_ALL, "de_DE.UTF-8");
  EXPECT_EQ(urdf_number(" +0.25 "), 0.25);
  EXPECT_EQ(urdf_number("-1e-3"), -1e-3);
  for (const char* none :
       {"0,25", "", " ", "1.0f", "0x10", "inf", "nan", "1e999", "+-1", "1 2", "--1"})
    EXPECT_FALSE(urdf_number(none)) << none;
  std::setlocale(LC_ALL, "C");
  std::locale::global(before);
}

}  // namespace urdf_test
}  // namespace handspan
