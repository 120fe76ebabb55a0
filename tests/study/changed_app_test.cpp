#include "study/changed_app.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "session/session.hpp"
#include "study_support.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace changed_app_test {

class ChangedApps : public testing::Test {
 protected:
  ChangedApps() : app_(folder_.file("app.yaml", test::kHoldApp)) {
    std::string other = test::kHoldScene;
    other.replace(other.find("mass: 0.5"), 9, "mass: 2.5");
    folder_.file("other.yaml", other);
  }
  std::string error(const std::vector<ParameterOverride>& parameters) const {
    try {
      ChangedApp changed(app_, test_parts(), parameters);
    } catch (const InputError& error) {
      return folder_.without_path(error.what());
    }
    return "";
  }
  static double mass(const App& app) {
    for (const auto& object : app.scene.objects)
      if (object.name == "box") return object.inertial.mass;
    return 0.0;
  }

  test::StudyFolder folder_;
  std::filesystem::path app_;
};

TEST_F(ChangedApps, KeysOfAppSceneAndRobotGetTheirValues) {
  const ChangedApp changed(app_, test_parts(),
                           {{"duration", "0.1 s"},
                            {"seed", "7"},
                            {"scene.objects.box.mass", "600 g"},
                            {"scene.robots.left.robot.limits.rate", "500"},
                            {"scene.objects.box.mass", "0x2"}});
  EXPECT_EQ(changed.app.duration, 0.1);
  EXPECT_EQ(changed.app.seed, 7U);
  EXPECT_EQ(mass(changed.app), 2.0) << "the last one counts";
  EXPECT_EQ(changed.app.scene.robots[0].limits.rate, Rate::of(500));
  // what is on the disk stays
  EXPECT_EQ(mass(load_app(app_, test_parts())), 0.5);
}

TEST_F(ChangedApps, TheCopiesSayTheSameAndGoWithTheObject) {
  std::filesystem::path copy;
  {
    const ChangedApp changed(app_, test_parts(), {{"scene.objects.box.mass", "0.6"}});
    copy = changed.app.file;
    EXPECT_NE(copy, app_);
    const App again = load_app(copy, test_parts());
    EXPECT_EQ(mass(again), 0.6);
    EXPECT_EQ(again.files.size(), changed.app.files.size());
    for (const auto& file : changed.app.files) EXPECT_TRUE(std::filesystem::exists(file)) << file;
  }
  EXPECT_FALSE(std::filesystem::exists(copy));
}

TEST_F(ChangedApps, WithoutParametersItIsTheFile) {
  const ChangedApp changed(app_, test_parts(), {});
  EXPECT_EQ(changed.app.file, app_);
  EXPECT_EQ(mass(changed.app), 0.5);
}

TEST_F(ChangedApps, AParameterMayReplaceTheSceneThatALaterOneIsIn) {
  const ChangedApp changed(app_, test_parts(), {{"scene", "other.yaml"}, {"duration", "1"}});
  EXPECT_EQ(mass(changed.app), 2.5);
  const ChangedApp both(app_, test_parts(),
                        {{"scene", "other.yaml"}, {"scene.objects.box.mass", "3"}});
  EXPECT_EQ(mass(both.app), 3.0);
  EXPECT_EQ(error({{"scene.objects.box.mass", "3"}, {"scene", "other.yaml"}}),
            "--param: the key 'scene.objects.box.mass' is in scene.yaml, which another --param "
            "replaces; give it after that one, or leave it out");
}

TEST_F(ChangedApps, ErrorsHaveTheirPlaceCauseAndHint) {
  EXPECT_EQ(error({{"scene.objects.bx.mass", "1"}}),
            "--param: the key 'scene.objects.bx.mass' has 'bx', which objects of scene.yaml does "
            "not have; did you mean 'box'?");
  EXPECT_EQ(error({{"scene.objects.box.mass", "heavy"}}),
            "--param scene.objects.box.mass:1: objects.box.mass is 'heavy'; it must be a number in "
            "kg");
  EXPECT_EQ(error({{"scene.objects.box.mas", "1"}}).find("unknown key 'mas'") == std::string::npos,
            false);
  EXPECT_EQ(
      error({{"a..b", "1"}}),
      "--param: the key 'a..b' is not a path; write names with dots between them, and [i] for "
      "items");
  EXPECT_NE(error({{"duration", "[1"}}).find("--param duration:1: not YAML"), std::string::npos);
}

}  // namespace changed_app_test
}  // namespace handspan
