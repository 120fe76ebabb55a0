#include "scene/mujoco_spec.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "core/index.hpp"
#include "robot/mimic_chains.hpp"

namespace handspan {
namespace {

void copy(const Eigen::Vector3d& v, double* out) { Eigen::Vector3d::Map(out) = v; }

// mjs_setName returns nonzero when the name exists already
void set_name(mjsElement* element, const std::string& name) {
  if (mjs_setName(element, name.c_str()) != 0)
    throw std::runtime_error(fmt::format("two elements are named '{}'", name));
}

void add_joint(mjsBody* body, const JointDescription& joint) {
  mjsJoint* j =
      joint.type == JointType::kFree ? mjs_addFreeJoint(body) : mjs_addJoint(body, nullptr);
  set_name(j->element, joint.name);
  switch (joint.type) {
    case JointType::kRevolute:
      j->type = mjJNT_HINGE;
      break;
    case JointType::kPrismatic:
      j->type = mjJNT_SLIDE;
      break;
    case JointType::kBall:
      j->type = mjJNT_BALL;
      break;
    case JointType::kFree:
      j->type = mjJNT_FREE;
      return;
  }
  copy(joint.axis, j->axis);
  copy(joint.p_BJ, j->pos);
  j->limited = joint.range ? mjLIMITED_TRUE : mjLIMITED_FALSE;
  if (joint.range) {
    j->range[0] = (*joint.range)[0];
    j->range[1] = (*joint.range)[1];
  }
  j->armature = joint.armature;
  j->damping[0] = joint.damping;
  j->frictionloss = joint.friction_loss;
}

// What a description has no place for, and what would move differently without it.
void require_supported(const mjModel& m) {
  const auto refuse = [](bool present, const char* what, const char* hint) {
    if (present) throw std::runtime_error(fmt::format("the model has {}; {}", what, hint));
  };
  refuse(m.ntendon > 0, "tendons", "replace them by joints, or drop them in the file");
  refuse(m.nflex > 0, "flexes", "handspan knows rigid bodies only");
  refuse(m.nplugin > 0, "plugins", "remove them from the file");
  for (int e = 0; e < m.neq; ++e)
    refuse(m.eq_type[e] != mjEQ_JOINT || m.eq_obj2id[e] < 0,
           "an equality that is not a mimic joint",
           "only <joint joint1 joint2 polycoef/> with two coefficients is read");
  for (int e = 0; e < m.neq; ++e) {
    const mjtNum* c = m.eq_data + e * mjNEQDATA;
    refuse(c[2] != 0 || c[3] != 0 || c[4] != 0, "a mimic joint that is not linear",
           "use two coefficients");
  }
  for (int j = 0; j < m.njnt; ++j) {
    const char* name = mj_id2name(&m, mjOBJ_JOINT, j);
    const int q = m.jnt_qposadr[j];
    const bool scalar = m.jnt_type[j] == mjJNT_HINGE || m.jnt_type[j] == mjJNT_SLIDE;
    if (m.jnt_stiffness[j] != 0)
      throw std::runtime_error(
          fmt::format("joint '{}' has a spring (stiffness); remove it", name ? name : "?"));
    if (scalar && m.qpos0[q] != 0)
      throw std::runtime_error(fmt::format(
          "joint '{}' has ref {}; shift the body instead, so that the joint reads zero as drawn",
          name ? name : "?", m.qpos0[q]));
  }
  for (int b = 0; b < m.nbody; ++b)
    refuse(m.body_gravcomp[b] != 0, "a body with gravcomp",
           "give the arm a velocity drive in robot.yaml instead");
}

std::string name_or(const mjModel& m, int type, int id, const std::string& fallback,
                    const char* kind, std::vector<std::string>& notes) {
  if (const char* name = mj_id2name(&m, type, id); name && *name) return name;
  if (*kind) notes.push_back(fmt::format("a {} without a name is called '{}'", kind, fallback));
  return fallback;
}

JointDescription describe_joint(const mjModel& m, int j, const std::string& body,
                                std::vector<std::string>& notes) {
  JointDescription joint;
  joint.name = name_or(m, mjOBJ_JOINT, j, fmt::format("{}_joint{}", body, j), "joint", notes);
  switch (m.jnt_type[j]) {
    case mjJNT_HINGE:
      joint.type = JointType::kRevolute;
      break;
    case mjJNT_SLIDE:
      joint.type = JointType::kPrismatic;
      break;
    case mjJNT_BALL:
      joint.type = JointType::kBall;
      break;
    default:
      joint.type = JointType::kFree;
      break;
  }
  const int dof = m.jnt_dofadr[j];
  joint.armature = m.dof_armature[dof];
  joint.damping = m.dof_damping[dof];
  joint.friction_loss = m.dof_frictionloss[dof];
  if (joint.type == JointType::kFree) return joint;
  if (joint.type != JointType::kBall)
    joint.axis = Eigen::Map<const Eigen::Vector3d>(m.jnt_axis + 3 * j);
  if (joint.type != JointType::kPrismatic)
    joint.p_BJ = Eigen::Map<const Eigen::Vector3d>(m.jnt_pos + 3 * j);
  if (m.jnt_limited[j]) {
    if (joint.type == JointType::kBall)
      throw std::runtime_error(
          fmt::format("joint '{}' limits a ball joint; not supported", joint.name));
    joint.range = {m.jnt_range[2 * j], m.jnt_range[2 * j + 1]};
  }
  if (m.jnt_actfrclimited[j]) {
    const double lower = m.jnt_actfrcrange[2 * j], upper = m.jnt_actfrcrange[2 * j + 1];
    if (lower != -upper)
      throw std::runtime_error(
          fmt::format("joint '{}' has the force range {} to {}; it must be symmetric", joint.name,
                      lower, upper));
    joint.effort = upper;
  }
  return joint;
}

}  // namespace

Shape describe_geom(const mjModel& m, int g, const std::string& body,
                    std::vector<std::string>& notes) {
  Shape shape;
  shape.name =
      name_or(m, mjOBJ_GEOM, g,
              fmt::format("{}_shape{}", body, g - m.body_geomadr[m.geom_bodyid[g]]), "", notes);
  shape.size = Eigen::Map<const Eigen::Vector3d>(m.geom_size + 3 * g);
  switch (m.geom_type[g]) {
    case mjGEOM_BOX:
      shape.type = ShapeType::kBox;
      break;
    case mjGEOM_SPHERE:
      shape.type = ShapeType::kSphere;
      break;
    case mjGEOM_CAPSULE:
      shape.type = ShapeType::kCapsule;
      break;
    case mjGEOM_CYLINDER:
      shape.type = ShapeType::kCylinder;
      break;
    case mjGEOM_MESH:
      shape.type = ShapeType::kMesh;
      break;
    default:
      throw std::runtime_error(
          fmt::format("geom '{}' is a plane, height field, ellipsoid or signed-distance field; use "
                      "a box, sphere, capsule, "
                      "cylinder or mesh",
                      shape.name));
  }
  if (shape.type == ShapeType::kMesh) {
    const int mesh = m.geom_dataid[g];
    const float* v = m.mesh_vert + 3 * m.mesh_vertadr[mesh];
    for (int i = 0; i < m.mesh_vertnum[mesh]; ++i)
      shape.vertices.emplace_back(v[3 * i], v[3 * i + 1], v[3 * i + 2]);
  }
  shape.X_BG = {Eigen::Map<const Eigen::Vector3d>(m.geom_pos + 3 * g),
                quaternion_from_mujoco(m.geom_quat + 4 * g)};
  shape.collides = m.geom_contype[g] != 0 || m.geom_conaffinity[g] != 0;
  const int material = m.geom_matid[g];
  // MuJoCo draws a geom in its own colour where that is not the default, else in its material's
  const float* own = m.geom_rgba + 4 * g;
  const bool is_default = own[0] == 0.5F && own[1] == 0.5F && own[2] == 0.5F && own[3] == 1.0F;
  const float* rgba = material >= 0 && is_default ? m.mat_rgba + 4 * material : own;
  for (int i = 0; i < 4; ++i) shape.rgba[at(i)] = rgba[i];
  if (material >= 0)
    shape.material = name_or(m, mjOBJ_MATERIAL, material, "material", "material", notes);
  return shape;
}

namespace {

BodyDescription describe_body(const mjModel& m, int b, std::vector<std::string>& notes) {
  BodyDescription body;
  body.name = name_or(m, mjOBJ_BODY, b, fmt::format("body{}", b), "body", notes);
  body.parent = m.body_parentid[b] - 1;
  body.X_PB = {Eigen::Map<const Eigen::Vector3d>(m.body_pos + 3 * b),
               quaternion_from_mujoco(m.body_quat + 4 * b)};
  body.inertial.mass = m.body_mass[b];
  if (m.body_mass[b] > 0.0) {
    body.inertial.X_BC = {Eigen::Map<const Eigen::Vector3d>(m.body_ipos + 3 * b),
                          quaternion_from_mujoco(m.body_iquat + 4 * b)};
    body.inertial.principal = Eigen::Map<const Eigen::Vector3d>(m.body_inertia + 3 * b);
  }
  for (int k = 0; k < m.body_jntnum[b]; ++k)
    body.joints.push_back(describe_joint(m, m.body_jntadr[b] + k, body.name, notes));
  for (int k = 0; k < m.body_geomnum[b]; ++k)
    body.shapes.push_back(describe_geom(m, m.body_geomadr[b] + k, body.name, notes));
  return body;
}

}  // namespace

void add_to_spec(mjSpec* spec, const ModelDescription& description, int geom_group) {
  mjsBody* world = mjs_findBody(spec, "world");
  std::vector<mjsBody*> bodies;
  for (const auto& body : description.bodies) {
    mjsBody* b = mjs_addBody(body.parent < 0 ? world : bodies[at(body.parent)], nullptr);
    bodies.push_back(b);
    set_name(b->element, body.name);
    copy(body.X_PB.p, b->pos);
    quaternion_to_mujoco(body.X_PB.q, b->quat);
    b->explicitinertial = 1;
    b->mass = body.inertial.mass;
    if (body.inertial.mass > 0.0) {
      copy(body.inertial.X_BC.p, b->ipos);
      quaternion_to_mujoco(body.inertial.X_BC.q, b->iquat);
      copy(body.inertial.principal, b->inertia);
    }
    for (const auto& joint : body.joints) add_joint(b, joint);
    for (const auto& shape : body.shapes) add_shape(spec, b, shape, geom_group);
  }
  for (const auto& frame : description.frames) {
    mjsSite* s = mjs_addSite(frame.body < 0 ? world : bodies[at(frame.body)], nullptr);
    set_name(s->element, frame.name);
    copy(frame.X_BF.p, s->pos);
    quaternion_to_mujoco(frame.X_BF.q, s->quat);
    s->group = 5;
  }
  for (const auto& mimic : description.mimics) {
    mjsEquality* e = mjs_addEquality(spec, nullptr);
    e->type = mjEQ_JOINT;
    e->objtype = mjOBJ_JOINT;
    mjs_setString(e->name1, mimic.joint.c_str());
    mjs_setString(e->name2, mimic.master.c_str());
    for (double& c : e->data) c = 0.0;
    e->data[0] = mimic.offset;
    e->data[1] = mimic.multiplier;
    e->active = 1;
    // a gear, not a spring: as stiff as a step allows
    e->solref[0] = 2.0 * spec->option.timestep;
    e->solref[1] = 1.0;
    e->solimp[0] = e->solimp[1] = 0.9999;
  }
}

ModelDescription describe(const mjModel& m, const std::string& name,
                          std::vector<std::string>& notes) {
  require_supported(m);
  ModelDescription description;
  description.name = name;
  if (m.body_geomnum[0] > 0)
    throw std::runtime_error(
        "the model has geoms of the world itself; put them into a body, or into a scene");
  for (int b = 1; b < m.nbody; ++b) {
    if (m.body_mocapid[b] >= 0)
      throw std::runtime_error("the model has a mocap body; use a kinematic body of a scene");
    description.bodies.push_back(describe_body(m, b, notes));
  }
  for (int s = 0; s < m.nsite; ++s) {
    FrameDescription frame;
    frame.name = name_or(m, mjOBJ_SITE, s, fmt::format("frame{}", s), "site", notes);
    frame.body = m.site_bodyid[s] - 1;
    frame.X_BF = {Eigen::Map<const Eigen::Vector3d>(m.site_pos + 3 * s),
                  quaternion_from_mujoco(m.site_quat + 4 * s)};
    description.frames.push_back(std::move(frame));
  }
  for (int e = 0; e < m.neq; ++e) {
    const mjtNum* c = m.eq_data + e * mjNEQDATA;
    description.mimics.push_back({mj_id2name(&m, mjOBJ_JOINT, m.eq_obj1id[e]),
                                  mj_id2name(&m, mjOBJ_JOINT, m.eq_obj2id[e]), c[1], c[0]});
  }
  resolve_mimic_chains(description);
  if (m.nu > 0)
    notes.push_back(
        fmt::format("{} actuators are not kept: robot.yaml's groups say what is driven", m.nu));
  if (m.nsensor > 0)
    notes.push_back(fmt::format("{} sensors are not kept: robot.yaml names sensors", m.nsensor));
  if (m.nkey > 0)
    notes.push_back(fmt::format("{} keyframes are not kept: robot.yaml names poses", m.nkey));
  if (m.ncam > 0)
    notes.push_back(fmt::format("{} cameras are not kept: a scene has cameras", m.ncam));
  if (m.nexclude > 0 || m.npair > 0)
    notes.push_back("contact pairs and exclusions are not kept: robot.yaml lists ignored_pairs");
  return description;
}

int id_of(const mjModel& model, int type, const std::string& name) {
  const int id = mj_name2id(&model, type, name.c_str());
  if (id < 0) throw std::out_of_range(fmt::format("the scene has no '{}'", name));
  return id;
}

}  // namespace handspan
