// One file, since it is one small step for each thing that a description does not hold, in the
// order in which they must come.
#include "import/import_reduce.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/index.hpp"
#include "import/import_inertia.hpp"
#include "scene/mujoco_spec.hpp"

namespace handspan {
namespace {

constexpr double kNoDistance = 1e-7;   // [m]
constexpr double kLevel = 1.0 - 1e-9;  // cosine to the vertical

std::string name_of(const mjModel& m, int type, int id, const char* kind) {
  const char* name = mj_id2name(&m, type, id);
  return name && *name ? fmt::format("'{}'", name) : fmt::format("{} {}", kind, id);
}

bool is_scalar(const mjModel& m, int joint) {
  return m.jnt_type[joint] == mjJNT_HINGE || m.jnt_type[joint] == mjJNT_SLIDE;
}

// Joints of a fixed tendon with their coefficients; none of a spatial one.
std::vector<std::pair<int, double>> tendon_joints(const mjModel& m, int tendon) {
  std::vector<std::pair<int, double>> out;
  for (int w = m.tendon_adr[tendon]; w < m.tendon_adr[tendon] + m.tendon_num[tendon]; ++w)
    if (m.wrap_type[w] == mjWRAP_JOINT) out.emplace_back(m.wrap_objid[w], m.wrap_prm[w]);
  return out;
}

// Motion of a body by one of its joints, in the body's frame before it.
Placement motion(const JointDescription& joint, double q) {
  if (joint.type == JointType::kPrismatic) return {q * joint.axis, Eigen::Quaterniond::Identity()};
  const Eigen::Quaterniond turn(Eigen::AngleAxisd(q, joint.axis));
  return {joint.p_BJ - turn * joint.p_BJ, turn};
}

class Reducer {
 public:
  explicit Reducer(mjModel& m) : m_(m) {}

  // What a description lacks is read and taken out of the model first; then it can be described,
  // and has the names that the notes use.
  ReducedModel reduce(const std::string& name) {
    joints();
    bodies();
    geoms();
    couplings();
    m_.nflex = m_.nplugin = 0;
    std::vector<std::string> notes;
    out_.description = describe(m_, name, notes);
    out_.notes.insert(out_.notes.begin(), notes.begin(), notes.end());
    for (const auto& body : out_.description.bodies)
      for (const auto& joint : body.joints) out_.joint_names.push_back(joint.name);
    tell_joints();
    drop_geoms();
    shift_zeros();
    couple();
    actuators();
    exclusions();
    keyframes();
    drop_mocap_bodies();
    rename_frames();
    repair_inertias();
    validate(out_.description);
    return std::move(out_);
  }

 private:
  void note(std::string text) { out_.notes.push_back(std::move(text)); }
  const std::string& joint(int id) const { return out_.joint_names[at(id)]; }

  void joints() {
    refs_.assign(static_cast<std::size_t>(m_.njnt), 0.0);
    for (int j = 0; j < m_.njnt; ++j) {
      const int q = m_.jnt_qposadr[j];
      if (m_.jnt_stiffness[j] != 0.0)
        springs_.emplace_back(
            j, is_scalar(m_, j) ? fmt::format("{} about {}", m_.jnt_stiffness[j], m_.qpos_spring[q])
                                : fmt::format("{}", m_.jnt_stiffness[j]));
      m_.jnt_stiffness[j] = 0.0;
      for (int k = 0; k < mjNPOLY; ++k)
        if (m_.dof_dampingpoly[mjNPOLY * m_.jnt_dofadr[j] + k] != 0.0) {
          curved_.push_back(j);
          break;
        }
      if (is_scalar(m_, j)) {
        refs_[at(j)] = m_.qpos0[q];
        m_.qpos0[q] = 0.0;
      } else if (m_.jnt_type[j] == mjJNT_BALL && m_.jnt_limited[j]) {
        m_.jnt_limited[j] = 0;
        balls_.push_back(j);
      }
      if (!m_.jnt_actfrclimited[j]) continue;
      const double lower = m_.jnt_actfrcrange[2 * j], upper = m_.jnt_actfrcrange[2 * j + 1];
      const double force = std::min(-lower, upper);
      if (force == upper && -lower == upper && force > 0.0) continue;
      uneven_.push_back({j, lower, upper});
      m_.jnt_actfrclimited[j] = force > 0.0;
      m_.jnt_actfrcrange[2 * j] = -force;
      m_.jnt_actfrcrange[2 * j + 1] = force;
    }
  }

  void bodies() {
    std::vector<std::string> compensated;
    for (int b = 1; b < m_.nbody; ++b) {
      if (m_.body_gravcomp[b] != 0.0) compensated.push_back(name_of(m_, mjOBJ_BODY, b, "body"));
      m_.body_gravcomp[b] = 0.0;
      if (m_.body_mocapid[b] >= 0) mocap_.push_back(b - 1);
      m_.body_mocapid[b] = -1;
    }
    if (!compensated.empty())
      note(
          fmt::format("gravcomp of {} is not kept: in robot.yaml a velocity or position drive, or "
                      "maker_gravity_compensation, carries gravity",
                      fmt::join(compensated, ", ")));
    if (m_.nflex > 0) note(fmt::format("{} flexes are not kept: bodies are rigid", m_.nflex));
    if (m_.nplugin > 0) note(fmt::format("{} plugins are not kept", m_.nplugin));
    const Eigen::Map<const Eigen::Vector3d> gravity(m_.opt.gravity), wind(m_.opt.wind);
    if (gravity != Eigen::Vector3d(0.0, 0.0, -9.81))
      note(fmt::format("gravity {} {} {} m/s^2 is not kept: a scene has gravity", gravity[0],
                       gravity[1], gravity[2]));
    for (const auto& [flag, what] : {std::pair{mjDSBL_GRAVITY, "gravity"},
                                     {mjDSBL_LIMIT, "joint limits"},
                                     {mjDSBL_CONTACT, "contact"},
                                     {mjDSBL_EQUALITY, "equalities"}})
      if ((m_.opt.disableflags & flag) != 0)
        note(fmt::format("the file switches {} off: not kept", what));
    if (m_.opt.density != 0.0 || m_.opt.viscosity != 0.0 || !wind.isZero())
      note("the fluid (density, viscosity, wind) is not kept: nothing drags");
  }

  void geoms() {
    std::vector<std::string> covered;
    for (int g = 0; g < m_.ngeom; ++g) {
      const int body = m_.geom_bodyid[g], type = m_.geom_type[g];
      const std::string name = name_of(m_, mjOBJ_GEOM, g, "geom");
      if (body == 0) {
        world_geom(g, name, covered);
      } else if (type == mjGEOM_ELLIPSOID) {
        cover_ellipsoid(g);
        covered.push_back(name);
      } else if (type != mjGEOM_BOX && type != mjGEOM_SPHERE && type != mjGEOM_CAPSULE &&
                 type != mjGEOM_CYLINDER && type != mjGEOM_MESH) {
        note(fmt::format("the geom {} is left out: a {}", name,
                         type == mjGEOM_PLANE    ? "plane of a body"
                         : type == mjGEOM_HFIELD ? "height field"
                                                 : "signed-distance field"));
        dropped_.emplace_back(body - 1, g - m_.body_geomadr[body]);
        // any shape that is described; drop_geoms() takes it out again
        m_.geom_type[g] = mjGEOM_SPHERE;
        m_.geom_size[3 * g] = 1.0;
      }
    }
    if (!covered.empty())
      note(fmt::format("ellipsoids are capsules that cover them: {}", fmt::join(covered, ", ")));
    m_.body_geomnum[0] = 0;
  }

  // what stands around the robot: the scene's ground and fixtures
  void world_geom(int g, const std::string& name, std::vector<std::string>& covered) {
    const int type = m_.geom_type[g];
    if (m_.geom_contype[g] == 0 && m_.geom_conaffinity[g] == 0) {
      note(fmt::format("the geom {} of the world is left out: it is only drawn", name));
      return;
    }
    if (type == mjGEOM_PLANE) {
      const Eigen::Quaterniond turn = quaternion_from_mujoco(m_.geom_quat + 4 * g);
      const double height = m_.geom_pos[3 * g + 2];
      if ((turn * Eigen::Vector3d::UnitZ()).z() > kLevel) {
        if (out_.ground)
          note(fmt::format(
              "of the level planes of the world the highest counts, not that at {:.6g} m",
              std::min(height, *out_.ground)));
        out_.ground = std::max(height, out_.ground.value_or(height));
        return;
      }
    } else if (type != mjGEOM_MESH && type != mjGEOM_HFIELD && type != mjGEOM_SDF) {
      if (type == mjGEOM_ELLIPSOID) {
        cover_ellipsoid(g);
        covered.push_back(name);
      }
      std::vector<std::string> renamed;  // shapes of a scene have no names
      Shape shape = describe_geom(m_, g, "world", renamed);
      for (float& part : shape.rgba) part = std::clamp(part, 0.0F, 1.0F);
      out_.surroundings.push_back(std::move(shape));
      return;
    }
    note(fmt::format("the geom {} of the world is left out: a {}", name,
                     type == mjGEOM_PLANE    ? "plane that is not level"
                     : type == mjGEOM_MESH   ? "mesh; a scene has it as a fixture, from its file"
                     : type == mjGEOM_HFIELD ? "height field"
                                             : "signed-distance field"));
  }

  // Semi-axes a >= b >= c: radius b and half length a - b along a cover it, for the point at x has
  // (x - (a - b))^2 <= (b x / a)^2 beyond the segment's end.
  void cover_ellipsoid(int g) {
    mjtNum* size = m_.geom_size + 3 * g;
    int longest = 0;
    for (int i = 1; i < 3; ++i)
      if (size[i] > size[longest]) longest = i;
    const double a = size[longest], b = std::max(size[(longest + 1) % 3], size[(longest + 2) % 3]);
    const Eigen::Quaterniond turn = Eigen::Quaterniond::FromTwoVectors(
        Eigen::Vector3d::UnitZ(), Eigen::Vector3d::Unit(longest));
    quaternion_to_mujoco((quaternion_from_mujoco(m_.geom_quat + 4 * g) * turn).normalized(),
                         m_.geom_quat + 4 * g);
    m_.geom_type[g] = a > b ? mjGEOM_CAPSULE : mjGEOM_SPHERE;
    size[0] = b;
    size[1] = a - b;
    size[2] = 0.0;
  }

  struct Coupling {
    int joint, master;
    double multiplier, offset;  // of coordinates that are 0 at ref
  };

  // Equalities that hold one coordinate to another; the model keeps none.
  void couplings() {
    static const std::map<int, const char*> kKinds = {{mjEQ_CONNECT, "connects two bodies"},
                                                      {mjEQ_WELD, "welds two bodies"},
                                                      {mjEQ_JOINT, "is of joints"},
                                                      {mjEQ_TENDON, "is of tendons"}};
    std::set<int> kept_tendons;
    for (int e = 0; e < m_.neq; ++e) {
      if (const auto coupling = m_.eq_active0[e] ? linear(e) : std::nullopt) {
        couplings_.push_back(*coupling);
        if (m_.eq_type[e] == mjEQ_TENDON) kept_tendons.insert(m_.eq_obj1id[e]);
        continue;
      }
      const auto kind = kKinds.find(m_.eq_type[e]);
      note(fmt::format(
          "equality {}, which {}, is not kept: {}", name_of(m_, mjOBJ_EQUALITY, e, "number"),
          kind == kKinds.end() ? "is of flexes" : kind->second,
          !m_.eq_active0[e] ? "the file has it inactive"
          : m_.eq_type[e] == mjEQ_CONNECT || m_.eq_type[e] == mjEQ_WELD
              ? "the loop that it closes is open, and what it holds moves freely"
              : "only a linear coupling of two joints is; what it couples moves freely"));
    }
    m_.neq = 0;
    std::vector<std::string> tendons;
    for (int t = 0; t < m_.ntendon; ++t)
      if (!kept_tendons.contains(t)) tendons.push_back(name_of(m_, mjOBJ_TENDON, t, "tendon"));
    if (!tendons.empty())
      note(fmt::format("tendons are not kept: {}; joints that they couple move each for itself",
                       fmt::join(tendons, ", ")));
    tendons_ = static_cast<int>(m_.ntendon);
    m_.ntendon = 0;
  }

  std::optional<Coupling> linear(int e) const {
    const mjtNum* c = m_.eq_data + mjNEQDATA * e;
    const int one = m_.eq_obj1id[e], two = m_.eq_obj2id[e];
    const bool curved = c[2] != 0.0 || c[3] != 0.0 || c[4] != 0.0;
    if (m_.eq_type[e] == mjEQ_JOINT && two >= 0 && !curved) return Coupling{one, two, c[1], c[0]};
    if (m_.eq_type[e] != mjEQ_TENDON || two >= 0) return std::nullopt;
    // length - length0 = c0, and the length is a sum of coefficient x coordinate
    const auto joints = tendon_joints(m_, one);
    if (joints.size() != 2 || joints[1].second == 0.0) return std::nullopt;
    return Coupling{joints[1].first, joints[0].first, -joints[0].second / joints[1].second,
                    c[0] / joints[1].second};
  }

  void tell_joints() {
    std::vector<std::string> springs, curved;
    for (const auto& [j, what] : springs_)
      springs.push_back(fmt::format("'{}' ({})", joint(j), what));
    if (!springs.empty())
      note(fmt::format("springs of joints are not kept: {}, in N m/rad or N/m",
                       fmt::join(springs, ", ")));
    for (const int j : curved_) curved.push_back("'" + joint(j) + "'");
    if (!curved.empty())
      note(fmt::format("of the damping of {} only the linear part is kept",
                       fmt::join(curved, ", ")));
    for (const int j : balls_)
      note(fmt::format("the limit of the ball joint '{}' is not kept", joint(j)));
    for (const auto& [j, lower, upper] : uneven_)
      note(fmt::format("joint '{}' has the force range {} to {}: {}", joint(j), lower, upper,
                       std::min(-lower, upper) > 0.0
                           ? fmt::format("the smaller, {}, is its effort", std::min(-lower, upper))
                           : "no effort both ways, not read"));
  }

  void drop_geoms() {
    // from the back, so that indices hold
    std::ranges::sort(dropped_, std::greater<>());
    for (const auto& [body, index] : dropped_) {
      auto& shapes = out_.description.bodies[at(body)].shapes;
      shapes.erase(shapes.begin() + index);
    }
  }

  void shift_zeros() {
    std::size_t next = 0;
    for (auto& body : out_.description.bodies) {
      const std::vector<double> refs(
          refs_.begin() + static_cast<std::ptrdiff_t>(next),
          refs_.begin() + static_cast<std::ptrdiff_t>(next + body.joints.size()));
      for (std::size_t k = 0; k < refs.size(); ++k)
        if (refs[k] != 0.0)
          note(fmt::format("joint '{}' has ref {}: its body is moved to where it is at 0",
                           body.joints[k].name, refs[k]));
      next += refs.size();
      if (std::ranges::any_of(refs, [](double ref) { return ref != 0.0; }))
        body = with_refs(std::move(body), refs);
    }
  }

  void couple() {
    const auto follows = [&](const std::string& name) {
      return std::ranges::find(out_.description.mimics, name, &MimicDescription::joint);
    };
    for (const auto& c : couplings_) {
      const auto end = out_.description.mimics.end();
      bool circle = c.joint == c.master;
      for (auto up = follows(joint(c.master)); up != end && !circle; up = follows(up->master))
        circle = up->master == joint(c.joint);
      if (circle || follows(joint(c.joint)) != end) {
        note(fmt::format("the coupling of joint '{}' to '{}' is not kept: {}", joint(c.joint),
                         joint(c.master), circle ? "it goes round in a circle" : "it has another"));
        continue;
      }
      out_.description.mimics.push_back(
          {joint(c.joint), joint(c.master), c.multiplier,
           c.offset + refs_[at(c.joint)] - c.multiplier * refs_[at(c.master)]});
    }
  }

  // Largest force of actuator i before its gear, both ways; 0: the file does not say.
  double force(int i) const {
    double out = 0.0;
    const auto least = [&](double lower, double upper) {
      const double both = std::min(-lower, upper);
      if (both > 0.0) out = out > 0.0 ? std::min(out, both) : both;
    };
    if (m_.actuator_forcelimited[i])
      least(m_.actuator_forcerange[2 * i], m_.actuator_forcerange[2 * i + 1]);
    // a motor: its control is its force but for the gain
    if (m_.actuator_ctrllimited[i] && m_.actuator_dyntype[i] == mjDYN_NONE &&
        m_.actuator_gaintype[i] == mjGAIN_FIXED && m_.actuator_biastype[i] == mjBIAS_NONE) {
      const double gain = std::abs(m_.actuator_gainprm[mjNGAIN * i]);
      least(gain * m_.actuator_ctrlrange[2 * i], gain * m_.actuator_ctrlrange[2 * i + 1]);
    }
    return out;
  }

  void actuators() {
    for (int i = 0; i < m_.nu; ++i) {
      const int id = m_.actuator_trnid[2 * i];
      std::vector<std::pair<int, double>> joints;
      if (m_.actuator_trntype[i] == mjTRN_JOINT || m_.actuator_trntype[i] == mjTRN_JOINTINPARENT)
        joints = {{id, 1.0}};
      else if (m_.actuator_trntype[i] == mjTRN_TENDON && id < tendons_)
        joints = tendon_joints(m_, id);
      if (joints.empty())
        note(fmt::format("actuator {} does not act on a joint: not read",
                         name_of(m_, mjOBJ_ACTUATOR, i, "number")));
      for (const auto& [j, coefficient] : joints) {
        if (!is_scalar(m_, j)) continue;
        out_.actuated.insert(joint(j));
        const double effort = force(i) * std::abs(m_.actuator_gear[6 * i] * coefficient);
        if (effort > 0.0) {
          double& most = out_.efforts[joint(j)];
          most = std::max(most, effort);
        }
        if (m_.actuator_forcelimited[i] &&
            m_.actuator_forcerange[2 * i] != -m_.actuator_forcerange[2 * i + 1])
          note(fmt::format(
              "the actuator of joint '{}' has the force range {} to {}: the smaller "
              "is its effort",
              joint(j), m_.actuator_forcerange[2 * i], m_.actuator_forcerange[2 * i + 1]));
      }
    }
    for (const auto& body : out_.description.bodies)
      for (const auto& j : body.joints)
        if (j.effort) out_.efforts[j.name] = *j.effort;
  }

  void exclusions() {
    for (int i = 0; i < m_.nexclude; ++i) {
      const int a = m_.exclude_signature[i] >> 16, b = m_.exclude_signature[i] & 0xFFFF;
      if (a > 0 && b > 0)
        out_.excluded.emplace_back(out_.description.bodies[at(a - 1)].name,
                                   out_.description.bodies[at(b - 1)].name);
    }
  }

  void keyframes() {
    for (int k = 0; k < m_.nkey; ++k) {
      std::map<std::string, double> q;
      for (int j = 0; j < m_.njnt; ++j)
        if (is_scalar(m_, j)) q[joint(j)] = m_.key_qpos[k * m_.nq + m_.jnt_qposadr[j]];
      const char* name = mj_id2name(&m_, mjOBJ_KEY, k);
      out_.keys.emplace_back(name && *name ? name : fmt::format("key{}", k), std::move(q));
    }
  }

  // Handles that a person drags: no part of a robot.
  void drop_mocap_bodies() {
    auto& d = out_.description;
    for (auto b = mocap_.rbegin(); b != mocap_.rend(); ++b) {
      const std::string name = d.bodies[at(*b)].name;
      if (std::ranges::count(d.bodies, *b, &BodyDescription::parent) > 0) {
        note(fmt::format("the mocap body '{}' is fixed in the world", name));
        continue;
      }
      note(fmt::format("the mocap body '{}' is left out", name));
      d.bodies.erase(d.bodies.begin() + *b);
      for (auto& body : d.bodies) body.parent -= body.parent > *b;
      std::erase_if(d.frames, [&](const FrameDescription& f) { return f.body == *b; });
      for (auto& frame : d.frames) frame.body -= frame.body > *b;
      std::erase_if(out_.excluded,
                    [&](const auto& pair) { return pair.first == name || pair.second == name; });
    }
  }

  // bodies are frames too, so a site cannot share a body's name
  void rename_frames() {
    auto& d = out_.description;
    for (auto& frame : d.frames) {
      if (d.body_index(frame.name) < 0) continue;
      std::string name = frame.name + "_site";
      while (d.body_index(name) >= 0 || d.frame_index(name) >= 0) name += "_";
      note(fmt::format("a site and a body are both named '{}': the site is called '{}'", frame.name,
                       name));
      frame.name = name;
    }
  }

  // MuJoCo takes a body at rest in its parent with a moment of 0
  void repair_inertias() {
    for (auto& body : out_.description.bodies) {
      // a mesh's rounding, which MuJoCo takes for 0 where the body is free
      if (Eigen::Vector3d& p = body.inertial.X_BC.p; !p.isZero(0.0) && p.norm() < kNoDistance) {
        note(fmt::format("the centre of mass of '{}' is {:.0e} m from its origin: 0", body.name,
                         p.norm()));
        p.setZero();
      }
      if (!(body.inertial.mass > 0.0) || body.inertial.principal.minCoeff() > 0.0) continue;
      RepairedInertia repaired = repair_inertia(body.name, body.inertial.mass, body.inertial.X_BC.p,
                                                body.inertial.inertia_B());
      body.inertial = repaired.inertial;
      if (repaired.repair) out_.repairs.push_back(std::move(*repaired.repair));
    }
  }

  struct Uneven {
    int joint;
    double lower, upper;
  };

  mjModel& m_;
  ReducedModel out_;
  std::vector<double> refs_;  // by joint
  std::vector<std::pair<int, std::string>> springs_;
  std::vector<int> curved_, balls_;  // joints
  std::vector<Uneven> uneven_;
  std::vector<std::pair<int, int>> dropped_;  // body, shape
  std::vector<int> mocap_;                    // bodies
  std::vector<Coupling> couplings_;
  int tendons_ = 0;
};

}  // namespace

ReducedModel reduce(mjModel& model, const std::string& name) { return Reducer(model).reduce(name); }

BodyDescription with_refs(BodyDescription body, const std::vector<double>& refs) {
  // J1(q1 - r1) J2(q2 - r2) = [J1(-r1) J2(-r2)] [J2(r2) J1(q1) J2(-r2)] J2(q2): all constants move
  // to the front, and each joint's axis by those behind it
  for (std::size_t k = 0; k < refs.size(); ++k) {
    if (refs[k] == 0.0) continue;
    const Placement back = motion(body.joints[k], -refs[k]),
                    forth = motion(body.joints[k], refs[k]);
    body.X_PB = body.X_PB * back;
    for (std::size_t i = 0; i < k; ++i) {
      JointDescription& before = body.joints[i];
      before.axis = (forth.q * before.axis).normalized();
      if (before.type == JointType::kRevolute) before.p_BJ = forth.p + forth.q * before.p_BJ;
    }
  }
  return body;
}

}  // namespace handspan
