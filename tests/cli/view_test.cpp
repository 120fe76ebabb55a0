// `handspan view`: a robot, a tool, a scene or a description file on the page, without an app.
#include "support/program.hpp"

namespace view_test {

using handspan::test::InFolder;
using handspan::test::kRoot;
using handspan::test::Result;

class View : public InFolder {
 protected:
  Result view(const std::string& what) const {
    return run("view " + what + " --port 0 --no-page-open --for 0.3s");
  }
};

TEST_F(View, RobotsToolsAndScenesAreServed) {
  for (const std::string& what :
       {std::string("fr3"), std::string("gripper2f"), (kRoot / "robots" / "ur10").string(),
        std::string("fr3 --tool fr3_hand"), (kRoot / "scenes" / "lift.yaml").string()}) {
    const Result r = view(what);
    EXPECT_EQ(r.code, 0) << what << "\n" << r.output;
    EXPECT_TRUE(r.has("http://localhost:")) << r.output;
  }
  // nothing is left behind
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(View, AnRobotDescriptionFileIsImportedForTheTime) {
  write(
      "two.urdf",
      "<robot name=\"two\"><link name=\"base\"><inertial><mass value=\"1\"/><inertia ixx=\"0.1\" "
      "ixy=\"0\" ixz=\"0\" iyy=\"0.1\" iyz=\"0\" izz=\"0.1\"/></inertial></link><link name=\"arm\">"
      "<inertial><mass value=\"1\"/><inertia ixx=\"0.1\" ixy=\"0\" ixz=\"0\" iyy=\"0.1\" iyz=\"0\" "
      "izz=\"0.1\"/></inertial></link><joint name=\"j\" type=\"revolute\"><parent link=\"base\"/>"
      "<child link=\"arm\"/><axis xyz=\"0 1 0\"/><limit lower=\"-1\" upper=\"1\" velocity=\"0\" "
      "effort=\"0\"/></joint></robot>");
  const Result r = view("two.urdf");
  EXPECT_EQ(r.code, 0) << r.output;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "robots"));
}

TEST_F(View, WhatItCannotShowIsSaid) {
  const Result slip = view("fr4");
  EXPECT_EQ(slip.code, 2);
  EXPECT_TRUE(slip.has("fr3")) << slip.output;
  const Result app = view((kRoot / "apps" / "lift.yaml").string());
  EXPECT_EQ(app.code, 2);
  EXPECT_TRUE(app.has("is an app")) << app.output;
  EXPECT_TRUE(app.has("handspan serve")) << app.output;
  const Result tool = view((kRoot / "scenes" / "lift.yaml").string() + " --tool plate");
  EXPECT_EQ(tool.code, 2);
  EXPECT_TRUE(tool.has("--tool")) << tool.output;
}

}  // namespace view_test
