#include "study/subject_files.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/yaml.hpp"
#include "study_support.hpp"

namespace handspan {
namespace subject_files_test {

class SubjectFilesTest : public ::testing::Test {
 protected:
  SubjectFilesTest() : files_(SubjectFiles::of_app(folder_.file("test.yaml", test::kHoldApp))) {}

  std::string at(const std::string& key) {
    const KeyAddress address = files_.address(key, {"s.yaml", 4, 0});
    return files_.path(address.file).filename().string() + ": " + text_of(address.steps);
  }
  std::string error(const std::string& key) {
    try {
      files_.address(key, {"s.yaml", 4, 0});
    } catch (const ConfigError& e) {
      return e.what();
    }
    return "";
  }

  const test::StudyFolder folder_;
  SubjectFiles files_;
};

TEST_F(SubjectFilesTest, KeysLeadThroughTheFilesThatOneAnotherName) {
  EXPECT_EQ(at("duration"), "test.yaml: duration");
  EXPECT_EQ(at("scene.objects.box.mass"), "scene.yaml: objects.box.mass");
  EXPECT_EQ(at("scene.objects.box.shapes[0].size[2]"), "scene.yaml: objects.box.shapes[0].size[2]");
  EXPECT_EQ(at("scene.robots.left.robot.groups[0].delay_ticks"),
            "robot.yaml: groups[0].delay_ticks");
  EXPECT_EQ(at("scene.robots.left.robot.limits.joints.joint1.torque"),
            "limits.yaml: joints.joint1.torque");
  // a key with dots in it
  EXPECT_EQ(at("controllers.left.arm.type"), "test.yaml: controllers.left.arm.type");
  EXPECT_EQ(files_.path(files_.scene()).filename(), "scene.yaml");
}

TEST_F(SubjectFilesTest, KeysThatMayBeLeftOutNeedNotBeThere) {
  EXPECT_EQ(at("seed"), "test.yaml: seed");
  EXPECT_EQ(at("scene.physics.timestep"), "scene.yaml: physics.timestep");
  EXPECT_EQ(at("scene.objects.box.center_of_mass"), "scene.yaml: objects.box.center_of_mass");
}

TEST_F(SubjectFilesTest, SlipsAreErrorsWithTheirHint) {
  EXPECT_EQ(error("scene.objects.bx.mass"),
            "s.yaml:4: the key 'scene.objects.bx.mass' has 'bx', which objects of scene.yaml does "
            "not have; did you mean 'box'?");
  EXPECT_EQ(error("scene.objects.crate.mass"),
            "s.yaml:4: the key 'scene.objects.crate.mass' has 'crate', which objects of scene.yaml "
            "does not have; it has: box, parcel");
  EXPECT_EQ(error("scene.objects.box.mass.kg"),
            "s.yaml:4: the key 'scene.objects.box.mass.kg' goes on below objects.box.mass of "
            "scene.yaml, which is 0.5; name a key that is there");
  EXPECT_EQ(error("scene.objects.box.shapes[1].size"),
            "s.yaml:4: the key 'scene.objects.box.shapes[1].size' has [1] of objects.box.shapes of "
            "scene.yaml, which has 1 items; the first is [0]");
  EXPECT_EQ(error("scene.objects.box.shapes.size"),
            "s.yaml:4: the key 'scene.objects.box.shapes.size' has 'size' of objects.box.shapes of "
            "scene.yaml, which is a list; write [i] for one of its items");
  EXPECT_EQ(error("scene[0]"),
            "s.yaml:4: the key 'scene[0]' has [0] of scene.yaml, which is an object; use names "
            "there");
  for (const char* path : {"", "a..b", ".a", "a.", "a[", "a[x]", "a[0]b", "[0]"})
    EXPECT_NE(error(path).find("is not a path; write names with dots between them"),
              std::string::npos)
        << path << ": " << error(path);
}

TEST_F(SubjectFilesTest, KeysLeadThroughWhatChangesPutThere) {
  const KeyAddress tray = files_.address("scene.fixtures.tray", {});
  const std::vector<KeyChange> before = {
      {tray, parse_tree("{pose: {position: [1, 2, 3]}, shapes: []}", "t")}};
  const KeyAddress y = files_.address("scene.fixtures.tray.pose.position[1]", {}, before);
  EXPECT_EQ(y.file, tray.file);
  EXPECT_EQ(find(files_.changed(before)[y.file], y.steps)->scalar(), "2");
  EXPECT_THROW(files_.address("scene.fixtures.tray.pose.position[1]", {}), InputError);
  EXPECT_THROW(files_.address("scene.fixtures.tray.pose.position[3]", {}, before), InputError);
}

TEST_F(SubjectFilesTest, ChangesComeInTurn) {
  const KeyAddress mass = files_.address("scene.objects.box.mass", {});
  const std::vector<KeyChange> changes = {{mass, scalar_node("1", {})},
                                          {mass, scalar_node("2", {})}};
  const auto changed = files_.changed(changes);
  EXPECT_EQ(find(changed[mass.file], mass.steps)->scalar(), "2");
  EXPECT_EQ(files_.written(mass)->scalar(), "0.5");
}

}  // namespace subject_files_test
}  // namespace handspan
