#include "session/app.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "core/error.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace app_test {

const std::filesystem::path kRoot = HANDSPAN_SOURCE_DIR;

// An app in a folder of its own, with the tree's scene.
std::string message_of(const std::string& rest) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("handspan_app_test_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "app.yaml")
      << "name: test\nscene: " << (kRoot / "scenes/hold.yaml").string() << "\n"
      << rest;
  std::string message = "accepted";
  try {
    load_app(folder / "app.yaml", test_parts());
  } catch (const InputError& e) {
    message = e.what();
    // the folder's name is not part of the claim
    for (std::size_t at; (at = message.find(folder.string() + "/")) != std::string::npos;)
      message.erase(at, folder.string().size() + 1);
  }
  std::filesystem::remove_all(folder);
  return message;
}

TEST(App, OfTheTreeLoads) {
  const App app = load_app(kRoot / "apps/hold.yaml", test_parts());
  EXPECT_EQ(app.name, "hold");
  EXPECT_EQ(app.duration, 10.0);
  EXPECT_EQ(app.controllers.size(), 3U);
  EXPECT_EQ(app.scene.robots.size(), 3U);
}

TEST(App, ErrorsHavePlaceCauseAndHint) {
  EXPECT_EQ(message_of("controllers: {left.arm: {type: joint_springs}}\n"), "accepted");
  EXPECT_EQ(message_of("controllers:\n  left.arn: {type: joint_springs}\n"),
            "app.yaml:4: controllers names the group 'left.arn', which the scene does not have; "
            "did you mean 'left.arm'?");
  EXPECT_EQ(message_of("duration: -1 s\n"), "app.yaml:3: duration is -1 s; it must be > 0");
  EXPECT_EQ(message_of("durations: 1 s\n"),
            "app.yaml:3: unknown key 'durations'; did you mean 'duration'?");
  EXPECT_NE(message_of("picture: {size: [1, 1]}\n").find("app.yaml:3: picture.size[0] is 1"),
            std::string::npos);
}

TEST(App, WholeArmAndItsGoalsAreChecked) {
  const std::string arm = "whole_arm:\n  arms: {left.arm: {}}\n  tasks: {}\n";
  EXPECT_EQ(message_of(arm), "accepted");
  EXPECT_EQ(message_of(arm + "controllers: {left.arm: {type: joint_springs}}\n"),
            "app.yaml:6: controllers gives 'left.arm' a controller, which whole_arm controls too; "
            "name it in one of them");
  EXPECT_EQ(message_of("goals: [{task: hand, centre: [0, 0, 0], radius: 1}]\n"),
            "app.yaml: goals are for the tasks of the whole-arm QP, which is not there; add it or "
            "take them away");
}

TEST(App, MissingSceneAndMissingAppAreNamed) {
  EXPECT_THROW(load_app("/nonexistent/app.yaml", test_parts()), InputError);
}

TEST(App, SchemaDocumentsTheControllers) {
  const std::string text = describe(app_description(test_parts()));
  EXPECT_NE(text.find("joint_springs"), std::string::npos);
  EXPECT_NE(text.find("duration"), std::string::npos);
}

}  // namespace app_test
}  // namespace handspan
