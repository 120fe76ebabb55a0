// Mimics of mimics in URDF, in whatever order the file names them.
#include "import/import.hpp"
#include "import/import_write.hpp"
#include "import/parity.hpp"
#include "import_fixture.hpp"

namespace handspan {
namespace import_mimic_test {

class ImportMimic : public test::ImportTest {
 protected:
  // a finger of three joints under one drive: `tip` follows `middle`, which follows `motor`
  test::fs::path finger() {
    const auto joint = [](const char* name, const char* parent, const char* child,
                          const std::string& mimic) {
      return fmt::format(
          "<joint name='{}' type='revolute'><parent link='{}'/><child link='{}'/><origin "
          "xyz='0 0 0.1'/><axis xyz='0 1 0'/>{}{}</joint>\n",
          name, parent, child, test::kLimit, mimic);
    };
    std::string text = "<robot name='finger'>";
    for (const char* link : {"palm", "a", "b", "c"})
      text += fmt::format("<link name='{}'>{}</link>", link, test::kInertial);
    return write(
        "finger.urdf",
        text + "\n" +
            joint("tip", "b", "c", "<mimic joint='middle' multiplier='-0.5' offset='0.2'/>") +
            joint("middle", "a", "b", "<mimic joint='motor' multiplier='0.8' offset='-0.1'/>") +
            joint("motor", "palm", "a", "") + "</robot>");
  }
};

TEST_F(ImportMimic, AChainFollowsItsFirstJointExactlyAndInBothEngines) {
  const ImportedRobot r = import_robot(finger(), {});
  ASSERT_EQ(r.description.mimics.size(), 2U);
  for (const auto& m : r.description.mimics) {
    EXPECT_EQ(m.master, "motor") << m.joint;
    const bool tip = m.joint == "tip";
    EXPECT_NEAR(m.multiplier, tip ? -0.4 : 0.8, 1e-15);
    EXPECT_NEAR(m.offset, tip ? 0.25 : -0.1, 1e-15);
  }
  EXPECT_TRUE(
      noted(r, "joint 'tip' mimics 'middle', which mimics another: it follows the first of them"));
  // one drive moves all of it
  ASSERT_EQ(r.groups.size(), 1U);
  EXPECT_EQ(r.groups[0].joints, std::vector<std::string>{"motor"});
  const Parity parity = compare_engines(r.description, 50, 1);
  EXPECT_LE(parity.worst(), 1e-9) << parity.summary();
  const auto folder = folder_ / "out";
  write_robot_folder(r, folder, false, [](const RobotFolder&) {});
  EXPECT_EQ(load_robot_folder(folder).description.mimics.size(), 2U);
}

}  // namespace import_mimic_test
}  // namespace handspan
