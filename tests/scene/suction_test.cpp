// A cup's keys, and the lip as a body of its own.
#include "scene/suction.hpp"

#include <gtest/gtest.h>

#include "scene/mujoco_scene.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace suction_test {

using test::replaced;
using test::scene_error;
using test::scene_of;

const std::string kArm = "robots:\n  it: {robot: ur10, tool: vacuum}\n";

std::string with(const std::string& keys) {
  return "robots:\n  it: {robot: ur10, tool: vacuum, suction: {" + keys + "}}\n";
}

TEST(SuctionKeys, AreChangedByAScene) {
  const SuctionDescription usual = scene_of(kArm).robots.front().suctions.front();
  EXPECT_EQ(usual.name, "it.cup");
  EXPECT_EQ(usual.bellows.tilt, 8.0);
  EXPECT_EQ(usual.release.delay, 0.028);
  EXPECT_EQ(usual.bellows_shapes, std::vector<std::string>{"it.cup"});
  const SuctionDescription other =
      scene_of(with("cup: {lip: {mass: 40 g, radius: 29 mm}, bellows: {shear: 1, normal: 2, tilt: "
                    "3, torsion: 4, damping_ratio: 0.5}, seal: {angle: 6 deg, gap: 1 mm}, "
                    "evacuation: {time_constant: 5 ms, holds_at: 0.25}, release: {delay: 1 ms}, "
                    "blow_off: {impulse: 0.1, time: 2 ms}, break_away: {force: 7, friction: 0.8}}"))
          .robots.front()
          .suctions.front();
  EXPECT_EQ(other.lip.mass, 0.04);
  EXPECT_EQ(other.lip.radius, 0.029);
  EXPECT_EQ(other.bellows.shear, 1.0);
  EXPECT_EQ(other.bellows.normal, 2.0);
  EXPECT_EQ(other.bellows.tilt, 3.0);
  EXPECT_EQ(other.bellows.torsion, 4.0);
  EXPECT_EQ(other.bellows.damping_ratio, 0.5);
  EXPECT_NEAR(other.seal.angle, 0.10471975511965977, 1e-15);
  EXPECT_EQ(other.seal.gap, 0.001);
  EXPECT_EQ(other.evacuation.time_constant, 0.005);
  EXPECT_EQ(other.evacuation.holds_at, 0.25);
  EXPECT_EQ(other.release.delay, 0.001);
  EXPECT_EQ(other.blow_off.impulse, 0.1);
  EXPECT_EQ(other.blow_off.time, 0.002);
  EXPECT_EQ(other.break_away.force, 7.0);
  EXPECT_EQ(other.break_away.friction, 0.8);
  // one key changes nothing else
  const SuctionDescription one =
      scene_of(with("cup: {bellows: {tilt: 2}}")).robots.front().suctions.front();
  EXPECT_EQ(one.bellows.tilt, 2.0);
  EXPECT_EQ(one.bellows.shear, usual.bellows.shear);
  EXPECT_EQ(one.break_away.force, usual.break_away.force);
}

TEST(SuctionKeys, SayWhatIsWrongInAScene) {
  EXPECT_EQ(scene_error(with("cap: {}")),
            "t.yaml:3: the robot has no suction cup 'cap'; did you mean 'cup'?");
  EXPECT_EQ(scene_error("robots:\n  it: {robot: ur10, suction: {cup: {}}}\n"),
            "t.yaml:3: the robot has no suction cup 'cup'; name a tool that has one");
  EXPECT_EQ(scene_error(with("cup: {bellows: {tlt: 3}}")),
            "t.yaml:3: unknown key 'tlt' in robots.it.suction.cup.bellows; did you mean 'tilt'?");
  EXPECT_EQ(scene_error(with("cup: {bellows: {tilt: 0}}")),
            "t.yaml:3: robots.it.suction.cup.bellows.tilt is 0; it must be > 0");
  EXPECT_EQ(scene_error(with("cup: {seal: {angle: 50 deg}}")),
            "t.yaml:3: robots.it.suction.cup.seal.angle is 50 deg; it must be <= 0.8 rad");
  EXPECT_EQ(scene_error(with("cup: {evacuation: {holds_at: 1}}")),
            "t.yaml:3: robots.it.suction.cup.evacuation.holds_at is 1; it must be < 1");
  EXPECT_EQ(scene_error(with("cup: {release: {delay: -1 ms}}")),
            "t.yaml:3: robots.it.suction.cup.release.delay is -1 ms; it must be >= 0");
  EXPECT_EQ(scene_error(with("cup: {lip: {mass: 0.8}}")),
            "t.yaml:3: lip.mass is 0.8 kg, and body 'it.gripper' of which it is a part has "
            "0.702554051 kg; it must be less");
  EXPECT_EQ(scene_error(with("cup: {lip: {mass: 0.2}}")),
            "t.yaml:3: lip.mass is 0.2 kg; without a lip of that mass body 'it.gripper' has an "
            "inertia that no body can have; give it less, or the body more inertia");
  EXPECT_EQ(scene_error(with("cup: {blow_off: {time: 0}}")),
            "t.yaml:3: blow_off has an impulse and no time; give it a time > 0");
}

TEST(SuctionKeys, SayWhatIsWrongAtTheStart) {
  EXPECT_EQ(scene_error(with("cup: {holds: box}")), "t.yaml:3: the scene has no object 'box'");
  const std::string box =
      "objects:\n  box: {mass: 1, shapes: [{type: box, size: [0.1, 0.1, 0.1]}], pose: {position: "
      "[5, 0, 0]}}\n";
  EXPECT_EQ(scene_error(with("cup: {holds: bx}") + box),
            "t.yaml:3: the scene has no object 'bx'; did you mean 'box'?");
  EXPECT_EQ(scene_error(with("cup: {holds: box}") + box),
            "t.yaml: 'it.cup' is to hold 'box' at the start, but the lip does not lie on a face of "
            "it within the seal's gap and angle; move one of them, or give the object a face (a "
            "box) that the lip may touch");
  EXPECT_EQ(
      scene_error("robots:\n  a: {robot: ur10, tool: vacuum, suction: {cup: {holds: box}}}\n  b: "
                  "{robot: ur10, tool: vacuum, base: {position: [0, 3, 0]}, suction: {cup: {holds: "
                  "box}}}\n" +
                  box),
      "t.yaml:4: object 'box' is held by two cups; let one of them hold it");
}

// A tool folder as robots/vacuum, changed.
class Tool : public testing::Test {
 protected:
  std::string error(const std::string& from, const std::string& to,
                    const std::string& model_from = "", const std::string& model_to = "") {
    const auto vacuum = test::kSource / "robots" / "vacuum";
    std::string model = read_text_file(vacuum / "model.xml");
    if (!model_from.empty()) model = replaced(model, model_from, model_to);
    folder_.write("model.xml", model);
    folder_.write("robot.yaml", replaced(read_text_file(vacuum / "robot.yaml"), from, to));
    std::string message = "no error";
    try {
      load_robot_folder(folder_.path());
    } catch (const std::exception& e) {
      message = e.what();
    }
    const std::string path = folder_.path().string() + "/";
    for (std::size_t at; (at = message.find(path)) != std::string::npos;)
      message.erase(at, path.size());
    // without the line
    const std::size_t colon = message.find(": ");
    return colon == std::string::npos ? message : message.substr(colon + 2);
  }
  test::TemporaryFolder folder_;
};

using SuctionFolder = Tool;

TEST_F(SuctionFolder, SaysWhatIsWrong) {
  EXPECT_EQ(error("site: suction", "site: suction"), "no error");
  EXPECT_EQ(error("bellows_shapes: [cup]", "bellows_shapes: [cap]"),
            "there is no shape 'cap'; did you mean 'cup'?");
  EXPECT_EQ(error("    seal: {angle: 5 deg, gap: 2 mm}\n", "")
                .rfind("suction[0] has no key 'seal'; add 'seal: <Seal>'", 0),
            0U);
  EXPECT_EQ(error("radius: 30 mm", "radius: 0"), "suction[0].lip.radius is 0; it must be > 0");
  const std::string site = "<site name=\"suction\" pos=\"0 0 0.14\"/>";
  EXPECT_EQ(error("site: suction", "site: suction", site,
                  "<body name='tip'><inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>" + site +
                      "</body>"),
            "shape 'cup' is not of body 'tip', as site 'suction' is; put them on one body\n"
            "robot.yaml:13: shape 'lip' is not of body 'tip', as site 'suction' is; put them on "
            "one body");
}

// Total mass, centre and inertia at rest are those of the gripper in one piece.
TEST(SuctionLip, IsAPartOfTheGripper) {
  const Scene scene = scene_of(kArm);
  const RobotInstance& robot = scene.robots.front();
  const ModelDescription parts = simulated_description(robot);
  ASSERT_EQ(parts.bodies.size(), robot.description.bodies.size() + 1);
  const BodyDescription& lip = parts.bodies.back();
  EXPECT_EQ(lip.name, "it.lip");
  EXPECT_EQ(lip.inertial.mass, 0.05);
  EXPECT_EQ(lip.joints.size(), 6U);
  EXPECT_EQ(lip.shapes.size(), static_cast<std::size_t>(kLipBalls) + 1);
  const auto g = static_cast<std::size_t>(lip.parent);
  const Inertial &whole = robot.description.bodies[g].inertial, &rest = parts.bodies[g].inertial;
  const Pose X_GL = lip.X_PB.pose();
  const Eigen::Vector3d p_lip = X_GL * lip.inertial.X_BC.p;
  EXPECT_NEAR(rest.mass + lip.inertial.mass, whole.mass, 1e-15);
  EXPECT_LT(
      (rest.mass * rest.X_BC.p + lip.inertial.mass * p_lip - whole.mass * whole.X_BC.p).norm(),
      1e-15);
  const auto about_origin = [](double mass, const Eigen::Vector3d& c, const Eigen::Matrix3d& I) {
    return Eigen::Matrix3d(
        I + mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose()));
  };
  const Eigen::Matrix3d sum = about_origin(rest.mass, rest.X_BC.p, rest.inertia_B()) +
                              about_origin(lip.inertial.mass, p_lip,
                                           X_GL.R * lip.inertial.inertia_B() * X_GL.R.transpose());
  EXPECT_LT((sum - about_origin(whole.mass, whole.X_BC.p, whole.inertia_B())).norm(), 1e-16);
  // the bellows gives way; the rest of the gripper does not
  for (const auto& shape : parts.bodies[g].shapes)
    EXPECT_EQ(shape.collides, shape.name != "it.cup") << shape.name;
}

TEST(SuctionLip, MeetsWhatItsGripperMeets) {
  const std::string text =
      kArm +
      "objects:\n  box:\n    mass: 1\n    pose: {position: [5, 0, 0]}\n    shapes:\n      - {type: "
      "sphere, radius: 0.1}\n      - {type: box, size: [1, 1, 1], touches: robots, material: "
      "card}\nfixtures:\n  wall: {shapes: [{type: box, size: [1, 1, 1], material: stone}], pose: "
      "{position: [9, 0, 0]}}\n"
      "contact: {pairs: [{materials: [cup, card], friction: 0.9}, {materials: [card, stone], "
      "friction: 0.1}]}\n";
  const Scene scene = scene_of(text);
  const CompiledScene compiled(scene);
  const mjModel& m = compiled.model();
  const auto geom = [&](const char* name) { return mj_name2id(&m, mjOBJ_GEOM, name); };
  const auto meet = [&](const char* a, const char* b) {
    const int i = geom(a), j = geom(b);
    EXPECT_GE(i, 0) << a;
    EXPECT_GE(j, 0) << b;
    return (m.geom_contype[i] & m.geom_conaffinity[j]) != 0 ||
           (m.geom_contype[j] & m.geom_conaffinity[i]) != 0;
  };
  EXPECT_TRUE(meet("it.lip.ball1", "box_1"));
  EXPECT_TRUE(meet("it.lip.ball1", "box_2"));
  EXPECT_TRUE(meet("it.gripper_stem", "box_2"));
  EXPECT_TRUE(meet("it.lip.ball1", "wall"));
  EXPECT_TRUE(meet("box_1", "wall"));
  EXPECT_FALSE(meet("box_2", "wall"));
  EXPECT_FALSE(meet("it.cup", "box_2"));
  EXPECT_FALSE(meet("it.lip", "box_2")) << "its balls do";
  // an explicit pair each for the balls, none of box and wall, which must not meet
  int balls = 0, walls = 0;
  for (int p = 0; p < m.npair; ++p) {
    for (int i = 0; i < kLipBalls; ++i) {
      const int ball = geom(lip_ball(scene.robots.front().suctions.front(), i).c_str());
      balls += m.pair_geom1[p] == ball || m.pair_geom2[p] == ball;
    }
    walls += m.pair_geom1[p] == geom("wall") || m.pair_geom2[p] == geom("wall");
  }
  EXPECT_EQ(balls, kLipBalls);
  EXPECT_EQ(walls, 0);
  // stiffness by direction
  for (int i = 0; i < 6; ++i) {
    const SuctionDescription& cup = scene.robots.front().suctions.front();
    const int joint = mj_name2id(&m, mjOBJ_JOINT, lip_joint(cup, i).c_str());
    EXPECT_EQ(m.jnt_stiffness[joint],
              (std::array{8000.0, 8000.0, 4000.0, 8.0, 8.0, 12.0}[static_cast<std::size_t>(i)]));
  }
}

}  // namespace suction_test
}  // namespace handspan
