// A compiled scene gets other numbers. All that is not a robot is compiled alone, which takes
// little time and gives MuJoCo's own bounds and hierarchies; its numbers are copied, laws of
// contact set, and what follows from all bodies together is computed anew.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "scene/mujoco_parts.hpp"
#include "scene/mujoco_scene.hpp"

namespace handspan {
namespace {

template <class T>
void copy_row(T* to, int to_row, const T* from, int from_row, int width) {
  std::copy_n(from + static_cast<std::ptrdiff_t>(width) * from_row, width,
              to + static_cast<std::ptrdiff_t>(width) * to_row);
}

class Renumbering {
 public:
  Renumbering(const Scene& scene, const mjModel& part, mjModel& whole)
      : scene_(scene), part_(part), whole_(whole) {
    bodies_ = ids(mjOBJ_BODY, static_cast<int>(part.nbody));
    geoms_ = ids(mjOBJ_GEOM, static_cast<int>(part.ngeom));
    sites_ = ids(mjOBJ_SITE, static_cast<int>(part.nsite));
    joints_ = ids(mjOBJ_JOINT, static_cast<int>(part.njnt));
  }

  /// Whether the whole has everything of the part, of the same kinds.
  bool possible() const {
    for (const auto* some : {&bodies_, &geoms_, &sites_, &joints_})
      if (std::ranges::count(*some, -1) > 0) return false;
    for (std::size_t g = 0; g < geoms_.size(); ++g) {
      const int from = static_cast<int>(g);
      if (part_.geom_type[from] != whole_.geom_type[geoms_[g]] ||
          bodies_[static_cast<std::size_t>(part_.geom_bodyid[from])] !=
              whole_.geom_bodyid[geoms_[g]])
        return false;
    }
    // simple: the centre of mass is where the body is, and its mass matrix is a diagonal
    for (std::size_t b = 1; b < bodies_.size(); ++b)
      if (part_.body_bvhnum[b] != whole_.body_bvhnum[bodies_[b]] ||
          part_.body_simple[b] != whole_.body_simple[bodies_[b]])
        return false;
    std::size_t own = 0;
    for (const auto& robot : scene_.robots)
      for (const auto& body : simulated_description(robot).bodies) own += body.shapes.size();
    // the floor, which is drawn only, has no name
    std::size_t named = 0;
    for (int g = 0; g < static_cast<int>(whole_.ngeom); ++g)
      named += mj_id2name(&whole_, mjOBJ_GEOM, g) != nullptr ? 1 : 0;
    return static_cast<std::size_t>(part_.ngeom) + own == named;
  }

  void copy() {
    // the world's own numbers are nobody's
    for (std::size_t b = 1; b < bodies_.size(); ++b) copy_body(static_cast<int>(b), bodies_[b]);
    for (std::size_t g = 0; g < geoms_.size(); ++g) copy_geom(static_cast<int>(g), geoms_[g]);
    for (std::size_t s = 0; s < sites_.size(); ++s) {
      const int from = static_cast<int>(s), to = sites_[s];
      copy_row(whole_.site_pos, to, part_.site_pos, from, 3);
      copy_row(whole_.site_quat, to, part_.site_quat, from, 4);
      copy_row(whole_.site_sameframe, to, part_.site_sameframe, from, 1);
    }
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const int from = static_cast<int>(j);
      const int n = part_.jnt_type[from] == mjJNT_FREE ? 7 : 1;
      for (const auto field : {&mjModel::qpos0, &mjModel::qpos_spring})
        std::copy_n(part_.*field + part_.jnt_qposadr[from], n,
                    whole_.*field + whole_.jnt_qposadr[joints_[j]]);
    }
  }

  void set_laws() {
    std::map<std::string, std::string> materials;  // of shapes that touch
    const auto collect = [&](const std::vector<Shape>& shapes) {
      for (const auto& shape : shapes)
        if (shape.collides) materials[shape.name] = shape.material;
    };
    for (const auto& robot : scene_.robots)
      for (const auto& body : simulated_description(robot).bodies) collect(body.shapes);
    for (const auto& body : scene_.objects) collect(body.shapes);
    for (const auto& body : scene_.fixtures) collect(body.shapes);
    for (const auto& belt : scene_.belts) collect(belt.body.shapes);
    for (const auto& kinematic : scene_.kinematics) collect(kinematic.body.shapes);
    const double step = scene_.physics.timestep;
    const SolverParameters defaults = solver_parameters(scene_.default_law, step);
    const auto name = [&](int geom) { return std::string(mj_id2name(&whole_, mjOBJ_GEOM, geom)); };
    for (int g = 0; g < static_cast<int>(whole_.ngeom); ++g) {
      if (whole_.geom_contype[g] == 0) continue;
      whole_.geom_condim[g] = defaults.condim;
      for (int i = 0; i < 3; ++i)
        whole_.geom_friction[3 * g + i] = defaults.friction[i == 0 ? 0 : i + 1];
      copy_row(whole_.geom_solref, g, defaults.solref, 0, mjNREF);
      copy_row(whole_.geom_solimp, g, defaults.solimp, 0, mjNIMP);
    }
    for (int p = 0; p < static_cast<int>(whole_.npair); ++p) {
      const ContactLaw& law =
          scene_.law(materials[name(whole_.pair_geom1[p])], materials[name(whole_.pair_geom2[p])]);
      const SolverParameters s = solver_parameters(law, step);
      whole_.pair_dim[p] = s.condim;
      copy_row(whole_.pair_solref, p, s.solref, 0, mjNREF);
      copy_row(whole_.pair_solimp, p, s.solimp, 0, mjNIMP);
      copy_row(whole_.pair_friction, p, s.friction, 0, 5);
      mjtNum* damping = whole_.pair_solreffriction + mjNREF * p;
      damping[0] = law.friction_damping ? -1.0 : 0.0;
      damping[1] = law.friction_damping ? -*law.friction_damping : 0.0;
    }
  }

 private:
  std::vector<int> ids(int type, int count) const {
    std::vector<int> found;
    for (int i = 0; i < count; ++i)
      found.push_back(mj_name2id(&whole_, type, mj_id2name(&part_, type, i)));
    return found;
  }

  void copy_body(int from, int to) {
    copy_row(whole_.body_pos, to, part_.body_pos, from, 3);
    copy_row(whole_.body_quat, to, part_.body_quat, from, 4);
    copy_row(whole_.body_ipos, to, part_.body_ipos, from, 3);
    copy_row(whole_.body_iquat, to, part_.body_iquat, from, 4);
    copy_row(whole_.body_mass, to, part_.body_mass, from, 1);
    copy_row(whole_.body_inertia, to, part_.body_inertia, from, 3);
    copy_row(whole_.body_sameframe, to, part_.body_sameframe, from, 1);
    copy_row(whole_.body_margin, to, part_.body_margin, from, 1);
    // bounds of its shapes, and their hierarchy: geoms by their numbers in the whole
    for (int n = 0; n < part_.body_bvhnum[from]; ++n) {
      const int a = part_.body_bvhadr[from] + n, b = whole_.body_bvhadr[to] + n;
      copy_row(whole_.bvh_aabb, b, part_.bvh_aabb, a, 6);
      copy_row(whole_.bvh_child, b, part_.bvh_child, a, 2);
      copy_row(whole_.bvh_depth, b, part_.bvh_depth, a, 1);
      const int geom = part_.bvh_nodeid[a];
      whole_.bvh_nodeid[b] = geom < 0 ? geom : geoms_[static_cast<std::size_t>(geom)];
    }
  }

  void copy_geom(int from, int to) {
    copy_row(whole_.geom_size, to, part_.geom_size, from, 3);
    copy_row(whole_.geom_aabb, to, part_.geom_aabb, from, 6);
    copy_row(whole_.geom_rbound, to, part_.geom_rbound, from, 1);
    copy_row(whole_.geom_pos, to, part_.geom_pos, from, 3);
    copy_row(whole_.geom_quat, to, part_.geom_quat, from, 4);
    copy_row(whole_.geom_sameframe, to, part_.geom_sameframe, from, 1);
    copy_row(whole_.geom_surfacevel, to, part_.geom_surfacevel, from, 6);
    copy_row(whole_.geom_rgba, to, part_.geom_rgba, from, 4);
  }

  const Scene& scene_;
  const mjModel& part_;
  mjModel& whole_;
  std::vector<int> bodies_, geoms_, sites_, joints_;  // by the part's numbers
};

// What compiling computes and mj_setConst() leaves: mean mass, and the mean of the diagonal of the
// mass matrix at qpos0, by which the solver's tolerance is scaled. Mean size, extent and centre of
// the scene, which pictures are drawn by, stay those of the first compile.
void set_means(mjModel& model, mjData& data) {
  mj_resetData(&model, &data);
  mj_forward(&model, &data);
  double mass = 0.0, inertia = 0.0;
  for (mjtSize b = 1; b < model.nbody; ++b) mass += model.body_mass[b];
  const auto n = static_cast<std::size_t>(model.nv);
  std::vector<mjtNum> M(n * n);
  mj_fullM(&model, &data, M.data());
  for (std::size_t i = 0; i < n; ++i) inertia += M[i * (n + 1)];
  if (model.nbody > 1) model.stat.meanmass = mass / static_cast<double>(model.nbody - 1);
  if (n > 0) model.stat.meaninertia = inertia / static_cast<double>(n);
}

}  // namespace

bool CompiledScene::renumber() {
  const MjModelPtr part = compile_without_robots(*scene_);
  Renumbering renumbering(*scene_, *part, *model_);
  if (!renumbering.possible()) return false;
  renumbering.copy();
  renumbering.set_laws();
  const MjDataPtr data(mj_makeData(model_.get()));
  mj_setConst(model_.get(), data.get());
  set_means(*model_, *data);
  // as compiling leaves them
  if (!scene_->belts.empty()) model_->flg_surfacevel = 1;
  forget_kinematic_masses(*scene_, *model_);
  return true;
}

}  // namespace handspan
