// MJCF files to descriptions and back.
#include "scene/mjcf.hpp"

#include <gtest/gtest.h>

#include <random>

#include "support/random_model.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace mjcf_test {

void expect_same_bits(const ModelDescription& a, const ModelDescription& b) {
  const auto place = [](const Placement& x, const Placement& y, const std::string& of) {
    EXPECT_EQ(x.p, y.p) << of;
    EXPECT_EQ(x.q.coeffs(), y.q.coeffs()) << of;
  };
  EXPECT_EQ(a.name, b.name);
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    const auto &x = a.bodies[i], &y = b.bodies[i];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.parent, y.parent) << x.name;
    place(x.X_PB, y.X_PB, x.name);
    EXPECT_EQ(x.inertial.mass, y.inertial.mass) << x.name;
    EXPECT_EQ(x.inertial.principal, y.inertial.principal) << x.name;
    place(x.inertial.X_BC, y.inertial.X_BC, x.name + "'s inertia");
    ASSERT_EQ(x.joints.size(), y.joints.size()) << x.name;
    for (std::size_t k = 0; k < x.joints.size(); ++k) {
      const auto &j = x.joints[k], &l = y.joints[k];
      EXPECT_EQ(j.name, l.name);
      EXPECT_EQ(j.type, l.type) << j.name;
      EXPECT_EQ(j.axis, l.axis) << j.name;
      EXPECT_EQ(j.p_BJ, l.p_BJ) << j.name;
      EXPECT_EQ(j.range, l.range) << j.name;
      EXPECT_EQ(j.effort, l.effort) << j.name;
      EXPECT_EQ(j.armature, l.armature) << j.name;
      EXPECT_EQ(j.damping, l.damping) << j.name;
      EXPECT_EQ(j.friction_loss, l.friction_loss) << j.name;
    }
    ASSERT_EQ(x.shapes.size(), y.shapes.size()) << x.name;
    for (std::size_t k = 0; k < x.shapes.size(); ++k) {
      const auto &s = x.shapes[k], &t = y.shapes[k];
      EXPECT_EQ(s.name, t.name);
      EXPECT_EQ(s.type, t.type) << s.name;
      EXPECT_EQ(s.size, t.size) << s.name;
      place(s.X_BG, t.X_BG, s.name);
      EXPECT_EQ(s.material, t.material) << s.name;
      EXPECT_EQ(s.collides, t.collides) << s.name;
      EXPECT_EQ(s.rgba, t.rgba) << s.name;
    }
  }
  ASSERT_EQ(a.frames.size(), b.frames.size());
  for (std::size_t i = 0; i < a.frames.size(); ++i) {
    EXPECT_EQ(a.frames[i].name, b.frames[i].name);
    EXPECT_EQ(a.frames[i].body, b.frames[i].body);
    place(a.frames[i].X_BF, b.frames[i].X_BF, a.frames[i].name);
  }
  ASSERT_EQ(a.mimics.size(), b.mimics.size());
  for (std::size_t i = 0; i < a.mimics.size(); ++i) {
    EXPECT_EQ(a.mimics[i].joint, b.mimics[i].joint);
    EXPECT_EQ(a.mimics[i].master, b.mimics[i].master);
    EXPECT_EQ(a.mimics[i].multiplier, b.mimics[i].multiplier);
    EXPECT_EQ(a.mimics[i].offset, b.mimics[i].offset);
  }
}

TEST(Mjcf, ReadsBackWhatItWritesToTheSameBits) {
  for (const char* name : {"fr3", "ur5", "ur10", "plate", "vacuum"}) {
    const ModelDescription d = load_robot_folder(test::kSource / "robots" / name).description;
    expect_same_bits(parse_mjcf(write_mjcf(d), name).description, d);
  }
  for (int seed = 0; seed < 10; ++seed) {
    std::mt19937_64 random(seed);
    // one reading normalises quaternions and axes by MuJoCo's own rounding; from then on bits stay
    const ModelDescription d = parse_mjcf(write_mjcf(test::all_joints(random)), "t").description;
    expect_same_bits(parse_mjcf(write_mjcf(d), "t").description, d);
  }
}

std::string error_of(const std::string& inside) {
  try {
    parse_mjcf(
        "<mujoco model='t'><compiler angle='radian' autolimits='true'/>" + inside + "</mujoco>",
        "t.xml");
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "no error";
}

const std::string kInertial = "<inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>";
std::string body(const std::string& inside) {
  return "<worldbody><body name='b'>" + kInertial + inside + "</body></worldbody>";
}

TEST(Mjcf, NamesWhatADescriptionCannotHold) {
  EXPECT_EQ(error_of(body("<joint name='j' stiffness='3'/>")),
            "t.xml: joint 'j' has a spring (stiffness); remove it");
  EXPECT_EQ(error_of(body("<joint name='j' ref='0.5'/>")),
            "t.xml: joint 'j' has ref 0.5; shift the body instead, so that the joint reads zero as "
            "drawn");
  EXPECT_EQ(error_of(body("<joint name='j' actuatorfrcrange='-1 2'/>")),
            "t.xml: joint 'j' has the force range -1 to 2; it must be symmetric");
  EXPECT_EQ(error_of(body("<joint name='j' type='ball' range='0 1'/>")),
            "t.xml: joint 'j' limits a ball joint; not supported");
  EXPECT_EQ(error_of(body("<geom name='g' type='ellipsoid' size='1 1 1'/>")),
            "t.xml: geom 'g' is a plane, height field, ellipsoid or signed-distance field; use a "
            "box, sphere, capsule, cylinder or mesh");
  EXPECT_EQ(
      error_of("<worldbody><geom type='sphere' size='1'/><body name='b'>" + kInertial +
               "</body></worldbody>"),
      "t.xml: the model has geoms of the world itself; put them into a body, or into a scene");
  EXPECT_EQ(error_of("<worldbody><body name='b' mocap='true'>" + kInertial + "</body></worldbody>"),
            "t.xml: the model has a mocap body; use a kinematic body of a scene");
  EXPECT_EQ(error_of("<worldbody><body name='b' gravcomp='1'>" + kInertial + "</body></worldbody>"),
            "t.xml: the model has a body with gravcomp; give the arm a velocity drive in "
            "robot.yaml instead");
  EXPECT_EQ(error_of(body("<joint name='j'/><site name='s'/>") +
                     "<tendon><fixed><joint joint='j' coef='1'/></fixed></tendon>"),
            "t.xml: the model has tendons; replace them by joints, or drop them in the file");
  EXPECT_EQ(error_of(body("<joint name='j'/>") +
                     "<equality><joint joint1='j' polycoef='1 0 0 0 0'/></equality>"),
            "t.xml: the model has an equality that is not a mimic joint; only <joint joint1 joint2 "
            "polycoef/> with two coefficients is read");
  EXPECT_EQ(error_of(body("<joint name='j'/><joint name='k' axis='0 1 0'/>") +
                     "<equality><joint joint1='j' joint2='k' polycoef='0 1 1 0 0'/></equality>"),
            "t.xml: the model has a mimic joint that is not linear; use two coefficients");
}

TEST(Mjcf, NotesWhatIsNotKept) {
  const DescribedFile file = parse_mjcf("<mujoco model='t'><worldbody><body>" + kInertial +
                                            "<joint name='j'/><camera name='c'/></body></worldbody>"
                                            "<actuator><motor joint='j'/></actuator></mujoco>",
                                        "t.xml");
  ASSERT_EQ(file.notes.size(), 3U);
  EXPECT_EQ(file.notes[0], "a body without a name is called 'body1'");
  EXPECT_EQ(file.notes[1], "1 actuators are not kept: robot.yaml's groups say what is driven");
  EXPECT_EQ(file.notes[2], "1 cameras are not kept: a scene has cameras");
}

TEST(Mjcf, NamesTheFile) {
  EXPECT_THROW(read_mjcf("/nonexistent/model.xml"), std::runtime_error);
  try {
    read_mjcf("/nonexistent/model.xml");
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "/nonexistent/model.xml: no such file");
  }
  EXPECT_EQ(error_of("<worldbody><bdy/></worldbody>").rfind("t.xml: ", 0), 0U);
}

}  // namespace mjcf_test
}  // namespace handspan
