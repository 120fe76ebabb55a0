// Coordinates of a model in MuJoCo's order and conventions, and back.
#include "scene/mujoco_state.hpp"

#include <gtest/gtest.h>

#include <random>

#include "scene/mujoco_spec.hpp"
#include "support/alloc.hpp"
#include "support/random_model.hpp"

namespace handspan {
namespace mujoco_state_test {

struct Engines {
  explicit Engines(const ModelDescription& description) : model(description) {
    MjSpecPtr spec = make_spec();
    add_to_spec(spec.get(), description, 0);
    compiled = compile_spec(spec.get(), "t");
    data.reset(mj_makeData(compiled.get()));
  }
  RobotModel model;
  MjModelPtr compiled;
  MjDataPtr data;
};

TEST(MujocoState, ReadsWhatItWrites) {
  std::mt19937_64 random(3);
  for (const BaseType base : {BaseType::kFixed, BaseType::kFree, BaseType::kPlanar}) {
    Engines e(with_base(test::all_joints(random), base));
    const MujocoState state(*e.compiled, e.model);
    const Eigen::VectorXd q = test::random_configuration(e.model, random),
                          v = test::random_vector(e.model.nv(), random);
    Eigen::VectorXd q_read(q.size()), v_read(v.size());
    const test::AllocationCount count;
    state.write(q, v, *e.data);
    state.read(*e.data, q_read, v_read);
    EXPECT_EQ(count.count(), 0U);
    EXPECT_EQ(q_read, q);
    EXPECT_LT((v_read - v).norm(), 1e-14);
    // qvel = T v
    const Eigen::VectorXd qvel = state.velocity_map(*e.data) * v;
    for (int i = 0; i < e.model.nv(); ++i)
      EXPECT_NEAR(e.data->qvel[state.dofs()[static_cast<std::size_t>(i)]], qvel[i], 1e-14);
  }
}

TEST(MujocoState, TurnsAFreeBasesVelocityIntoTheWorld) {
  ModelDescription d;
  d.name = "d";
  std::mt19937_64 random(1);
  d.bodies.push_back({"b", -1, {}, test::random_inertial(random), {}, {}});
  Engines e(with_base(d, BaseType::kFree));
  const MujocoState state(*e.compiled, e.model);
  Eigen::VectorXd q(7), v(6);
  q << 1, 2, 3, 0, 0, std::sqrt(0.5), std::sqrt(0.5);  // turned by 90 deg about z; x y z w
  v << 1, 0, 0, 0, 0, 5;
  state.write(q, v, *e.data);
  EXPECT_DOUBLE_EQ(e.data->qpos[3], std::sqrt(0.5));  // MuJoCo's w is first
  EXPECT_NEAR(e.data->qvel[0], 0.0, 1e-15);
  EXPECT_NEAR(e.data->qvel[1], 1.0, 1e-15);
  EXPECT_EQ(e.data->qvel[5], 5.0);
}

TEST(MujocoState, NamesAJointThatIsNotThere) {
  std::mt19937_64 random(1);
  Engines e(test::all_joints(random));
  const RobotModel other(with_prefix(test::all_joints(random), "x."));
  try {
    const MujocoState state(*e.compiled, other);
    FAIL();
  } catch (const std::out_of_range& error) {
    EXPECT_EQ(std::string(error.what()).rfind("the compiled model has no joint 'x.", 0), 0U)
        << error.what();
  }
}

}  // namespace mujoco_state_test
}  // namespace handspan
