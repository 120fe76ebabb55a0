// A compiled scene that got other numbers is, bit for bit, the one compiled of them.

#include <gtest/gtest.h>

#include <cstring>

#include "core/error.hpp"
#include "core/file_trees.hpp"
#include "scene/load_scene.hpp"
#include "scene/mujoco_scene.hpp"

namespace handspan {
namespace scene_numbers_test {

const std::filesystem::path kRoot = HANDSPAN_SOURCE_DIR;

// everything that a model is saved as but what only pictures and sleeping trees use, with the
// fields that differ
std::string differences(const mjModel& a, const mjModel& b) {
  const auto bytes = [](const mjModel& m) {
    const MjModelPtr copy(mj_copyModel(nullptr, &m));
    copy->stat.meansize = copy->stat.extent = 0.0;
    for (double& c : copy->stat.center) c = 0.0;
    std::fill_n(copy->dof_length, copy->nv, 0.0);
    std::vector<char> out(static_cast<std::size_t>(mj_sizeModel(copy.get())));
    mj_saveModel(copy.get(), nullptr, out.data(), static_cast<int>(out.size()));
    return out;
  };
  if (bytes(a) == bytes(b)) return "";
  std::string found = "differ in";
  const auto field = [&](const char* name, const auto* x, const auto* y, mjtSize n) {
    for (mjtSize i = 0; i < n; ++i)
      if (std::memcmp(x + i, y + i, sizeof *x) != 0) {
        found += std::string(" ") + name + "[" + std::to_string(i) + "]" + " " +
                 std::to_string(static_cast<double>(x[i])) + " " +
                 std::to_string(static_cast<double>(y[i]));
        return;
      }
  };
#define FIELD(name, n) field(#name, a.name, b.name, n)
  FIELD(qpos0, a.nq);
  FIELD(qpos_spring, a.nq);
  FIELD(body_pos, 3 * a.nbody);
  FIELD(body_quat, 4 * a.nbody);
  FIELD(body_ipos, 3 * a.nbody);
  FIELD(body_iquat, 4 * a.nbody);
  FIELD(body_mass, a.nbody);
  FIELD(body_subtreemass, a.nbody);
  FIELD(body_inertia, 3 * a.nbody);
  FIELD(body_invweight0, 2 * a.nbody);
  FIELD(body_margin, a.nbody);
  FIELD(body_sameframe, a.nbody);
  FIELD(bvh_aabb, 6 * a.nbvh);
  FIELD(bvh_child, 2 * a.nbvh);
  FIELD(bvh_nodeid, a.nbvh);
  FIELD(geom_size, 3 * a.ngeom);
  FIELD(geom_aabb, 6 * a.ngeom);
  FIELD(geom_rbound, a.ngeom);
  FIELD(geom_pos, 3 * a.ngeom);
  FIELD(geom_quat, 4 * a.ngeom);
  FIELD(geom_friction, 3 * a.ngeom);
  FIELD(geom_solref, mjNREF * a.ngeom);
  FIELD(geom_solimp, mjNIMP * a.ngeom);
  FIELD(geom_condim, a.ngeom);
  FIELD(geom_surfacevel, 6 * a.ngeom);
  FIELD(geom_sameframe, a.ngeom);
  FIELD(site_pos, 3 * a.nsite);
  FIELD(site_quat, 4 * a.nsite);
  FIELD(site_sameframe, a.nsite);
  FIELD(dof_invweight0, a.nv);
  FIELD(dof_M0, a.nv);
  FIELD(actuator_acc0, a.nactuator);
  FIELD(pair_dim, a.npair);
  FIELD(pair_solref, mjNREF * a.npair);
  FIELD(pair_solreffriction, mjNREF * a.npair);
  FIELD(pair_solimp, mjNIMP * a.npair);
  FIELD(pair_friction, 5 * a.npair);
  FIELD(eq_data, mjNEQDATA * a.neq);
#undef FIELD
  field("stat", &a.stat.meaninertia, &b.stat.meaninertia, sizeof a.stat / sizeof(mjtNum));
  if (std::memcmp(&a.opt, &b.opt, sizeof a.opt) != 0) found += " opt";
  return found;
}

struct NumberChange {
  std::vector<TreeStep> steps;
  std::string value;
  std::string before = {};  // what the file is made to say first; empty: as it is
};

constexpr std::size_t k0 = 0, k1 = 1, k2 = 2;

void give_the_bits_of_a_fresh_compile(const std::filesystem::path& file,
                                      const std::vector<NumberChange>& changes) {
  Node tree = load_tree(file);
  for (const NumberChange& change : changes)
    if (!change.before.empty())
      tree = with_value(tree, change.steps, parse_tree(change.before, "before"));
  Node changed = tree;
  for (const NumberChange& change : changes) {
    EXPECT_TRUE(is_number_of_scene(change.steps)) << text_of(change.steps);
    changed = with_value(changed, change.steps, parse_tree(change.value, "change"));
  }
  FileTrees trees;
  trees.give(file, changed);
  const Scene fresh = load_scene(file);
  const CompiledScene wanted(fresh);

  trees.give(file, tree);
  Scene scene = load_scene(file);
  const RobotInstance* robot = &scene.robots.front();
  CompiledScene compiled(scene);
  ASSERT_NE(differences(compiled.model(), wanted.model()), "") << "the change changes nothing";
  scene = renumbered_scene(changed, scene);
  EXPECT_EQ(robot, &scene.robots.front());
  ASSERT_TRUE(compiled.renumber());
  EXPECT_EQ(differences(compiled.model(), wanted.model()), "");
  // and back
  scene = renumbered_scene(tree, scene);
  ASSERT_TRUE(compiled.renumber());
  trees.give(file, tree);
  const Scene first = load_scene(file);
  EXPECT_EQ(differences(compiled.model(), CompiledScene(first).model()), "");
}

class SceneNumbers : public ::testing::TestWithParam<std::vector<NumberChange>> {};

TEST_P(SceneNumbers, GiveTheBitsOfAFreshCompile) {
  give_the_bits_of_a_fresh_compile(kRoot / "scenes/hold.yaml", GetParam());
}

// a cup's lip is a body of the robot that no file names, with springs and welds
TEST(SceneNumbersKeys, OfASceneWithACupGiveTheBitsToo) {
  const auto file = kRoot / "scenes/toss.yaml";
  give_the_bits_of_a_fresh_compile(
      file, {{{"objects", "box", "mass"}, "0.6"},
             {{"objects", "box", "center_of_mass"}, "[0.001, 0, 0.002]", "[0.002, 0, 0.001]"}});
  give_the_bits_of_a_fresh_compile(
      file, {{{"objects", "box", "shapes", k0, "size"}, "[0.15, 0.27, 0.112]"},
             {{"objects", "box", "shapes", k1, "pose", "position"}, "[0.07, 0.13, 0.051]"},
             {{"objects", "box", "shapes", k1, "radius"}, "0.004"}});
  give_the_bits_of_a_fresh_compile(file, {{{"contact", "pairs", k0, "restitution"}, "0.2"},
                                          {{"contact", "pairs", k1, "friction"}, "0.3"},
                                          {{"contact", "default", "friction"}, "0.4"}});
  give_the_bits_of_a_fresh_compile(file, {{{"belts", "conveyor", "speed"}, "1.5"},
                                          {{"fixtures", "hook", "pose", "position", k1}, "-0.905"},
                                          {{"frames", "pick", "position", k2}, "0.95"}});
}

INSTANTIATE_TEST_SUITE_P(
    Keys, SceneNumbers,
    ::testing::Values(
        std::vector<NumberChange>{{{"objects", "box", "mass"}, "0.731"}},
        std::vector<NumberChange>{{{"objects", "box", "shapes", k0, "size", k2}, "0.2"},
                                  {{"objects", "box", "pose", "position", k2}, "0.271"}},
        std::vector<NumberChange>{{{"contact", "pairs", k0, "friction"}, "0.61"}},
        std::vector<NumberChange>{{{"contact", "pairs", k1, "restitution"}, "0.3"}},
        std::vector<NumberChange>{{{"contact", "pairs", k1, "friction_damping"}, "20"}},
        std::vector<NumberChange>{{{"contact", "pairs", k1, "torsional_friction"}, "0.01"}},
        std::vector<NumberChange>{{{"contact", "default", "friction"}, "0.7"},
                                  {{"contact", "default", "time_constant"}, "0.03"}},
        std::vector<NumberChange>{{{"contact", "default", "friction"}, "0"}},
        std::vector<NumberChange>{
            {{"objects", "parcel", "center_of_mass"}, "[0.01, -0.02, 0.003]", "[0.005, 0, 0]"},
            {{"objects", "parcel", "inertia"},
             "[[0.003, 0.0001, 0], [0.0001, 0.004, 0], [0, 0, 0.005]]",
             "[[0.004, 0, 0], [0, 0.004, 0], [0, 0, 0.005]]"}},
        std::vector<NumberChange>{{{"objects", "box", "pose", "position"}, "[-1.0, 0.41, 0.2905]"},
                                  {{"objects", "box", "pose", "rpy"}, "[0, 0, 10 deg]"}},
        std::vector<NumberChange>{{{"objects", "box", "shapes", k0, "pose", "position"},
                                   "[0.01, 0, 0.01]",
                                   "[0, 0.005, 0]"}},
        std::vector<NumberChange>{{{"belts", "conveyor", "speed"}, "0"}},
        std::vector<NumberChange>{{{"belts", "conveyor", "size", k0}, "2.4"},
                                  {{"belts", "conveyor", "pose", "position", k0}, "0.35"}},
        std::vector<NumberChange>{{{"fixtures", "pillar", "shapes", k0, "size", k0}, "0.18"},
                                  {{"fixtures", "bench", "pose", "position", k2}, "0.44"}}),
    [](const auto& at) { return "Case" + std::to_string(at.index); });

TEST(SceneNumbersKeys, MoreThanNumbersIsSaidSo) {
  const auto number = [](std::vector<TreeStep> steps) { return is_number_of_scene(steps); };
  EXPECT_FALSE(number({"objects", "box", "shapes", k0, "type"}));
  EXPECT_FALSE(number({"objects", "box", "shapes", k0, "material"}));
  EXPECT_FALSE(number({"objects", "box", "shapes", k0, "touches"}));
  EXPECT_FALSE(number({"objects", "box", "shapes", k0, "scale"}));
  EXPECT_FALSE(number({"objects", "box", "shapes", k0}));
  EXPECT_FALSE(number({"objects", "box", "shapes"}));
  EXPECT_FALSE(number({"objects", "box"}));
  EXPECT_FALSE(number({"contact", "pairs", k0, "materials"}));
  EXPECT_FALSE(number({"contact", "pairs"}));
  EXPECT_FALSE(number({"physics", "timestep"}));
  EXPECT_FALSE(number({"robots", "left", "pose"}));
  EXPECT_FALSE(number({"kinematic", "pusher", "motion"}));
  EXPECT_FALSE(number({"belts", "conveyor", "material"}));
  EXPECT_FALSE(number({"name"}));
}

TEST(SceneNumbersKeys, AnotherShapeIsNotTakenOver) {
  const auto file = kRoot / "scenes/hold.yaml";
  Scene scene = load_scene(file);
  CompiledScene compiled(scene);
  const Scene before = load_scene(file);
  const CompiledScene as_it_was(before);
  const std::vector<TreeStep> shapes = {"objects", "box", "shapes"};
  for (const char* other :
       {"[{type: sphere, radius: 0.1}]",
        "[{type: box, size: [0.1, 0.1, 0.1]}, {type: box, size: [0.1, 0.1, 0.1]}]"}) {
    scene = renumbered_scene(with_value(load_tree(file), shapes, parse_tree(other, "x")), scene);
    EXPECT_FALSE(compiled.renumber()) << other;
    EXPECT_EQ(differences(compiled.model(), as_it_was.model()), "") << other;
  }
}

TEST(SceneNumbersKeys, ErrorsAreThoseOfLoading) {
  const auto file = kRoot / "scenes/hold.yaml";
  Scene scene = load_scene(file);
  const std::size_t robots = scene.robots.size();
  const Node bad = with_value(load_tree(file), std::vector<TreeStep>{"objects", "box", "mass"},
                              scalar_node("-1", {"study.yaml", 5, 0}));
  try {
    renumbered_scene(bad, scene);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "study.yaml:5: objects.box.mass is -1; it must be > 0");
  }
  EXPECT_EQ(scene.robots.size(), robots);
}

}  // namespace scene_numbers_test
}  // namespace handspan
