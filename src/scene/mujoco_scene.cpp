// One file, since it is one function for each kind of element, and all of them fill one table of
// indices.
#include "scene/mujoco_scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "core/index.hpp"
#include "robot/model.hpp"
#include "scene/mixed_drives.hpp"
#include "scene/mujoco_parts.hpp"
#include "scene/mujoco_state.hpp"
#include "scene/mujoco_suction.hpp"
#include "scene/surroundings.hpp"

namespace handspan {
namespace {

// Heavy enough that no contact moves it within a step, light enough for the arithmetic [kg].
constexpr double kKinematicMass = 1e6;

// Of a shape: of a robot, of something else, or of something else and there for robots alone.
enum class Kind { kRobot, kPlain, kRobotsOnly };

class Builder {
 public:
  explicit Builder(const Scene& scene, bool with_robots = true)
      : scene_(scene),
        spec_(make_spec()),
        defaults_(solver_parameters(scene.default_law, scene.physics.timestep)) {
    set_options();
    if (with_robots)
      for (const auto& robot : scene.robots) add_robot(robot);
    for (const auto& body : scene.objects) add_free_body(body, body.inertial);
    for (const auto& fixture : scene.fixtures) add_fixed(fixture);
    for (const auto& belt : scene.belts) add_belt(belt);
    for (const auto& kinematic : scene.kinematics) add_kinematic(kinematic);
    if (scene.ground) add_ground(*scene.ground);
    for (const auto& camera : scene.cameras) add_camera(camera);
    for (const auto& [name, X_WF] : scene.frames) add_frame(name, X_WF);
    if (with_robots)
      for (const auto& robot : scene.robots)
        for (const auto& suction : robot.suctions)
          add_cup(spec_.get(), scene, suction, lip_inertial(suction, robot.description));
    exclude_immovable();
    add_pairs();
    if (with_robots) add_surroundings(spec_.get(), scene.ground.has_value());
  }

  MjModelPtr compile() {
    MjModelPtr model =
        compile_spec(spec_.get(), scene_.file.empty() ? scene_.name : scene_.file.string());
    // MuJoCo looks at surface velocities only when one was not zero at compile time
    if (!scene_.belts.empty()) model->flg_surfacevel = 1;
    forget_kinematic_masses(scene_, *model);
    return model;
  }

 private:
  void set_options() {
    mjOption& option = spec_->option;
    option.timestep = scene_.physics.timestep;
    switch (scene_.physics.integrator) {
      case Integrator::kImplicitFast:
        option.integrator = mjINT_IMPLICITFAST;
        break;
      case Integrator::kImplicit:
        option.integrator = mjINT_IMPLICIT;
        break;
      case Integrator::kEuler:
        option.integrator = mjINT_EULER;
        break;
      case Integrator::kRungeKutta:
        option.integrator = mjINT_RK4;
        break;
    }
    option.cone =
        scene_.physics.cone == FrictionCone::kElliptic ? mjCONE_ELLIPTIC : mjCONE_PYRAMIDAL;
    option.impratio = scene_.physics.friction_to_normal_impedance;
    option.iterations = scene_.physics.iterations;
    option.tolerance = scene_.physics.tolerance;
    option.noslip_iterations = scene_.physics.noslip_iterations;
    // a run that diverges is stopped and said so by the plant, not started again behind its back
    option.disableflags |= mjDSBL_AUTORESET;
    Eigen::Vector3d::Map(option.gravity) = scene_.physics.gravity;
    mjs_setString(spec_->modelname, scene_.name.c_str());
  }

  void add_ground(const Ground& ground) {
    Shape shape;
    shape.name = kGround;
    shape.material = ground.material;
    mjsGeom* plane = mjs_addGeom(mjs_findBody(spec_.get(), "world"), nullptr);
    mjs_setName(plane->element, kGround);
    plane->type = mjGEOM_PLANE;
    plane->size[0] = plane->size[1] = 6.0;  // as far as it is drawn; it ends nowhere
    plane->size[2] = 0.1;
    plane->pos[2] = ground.height;
    make_touchable(plane, shape, Kind::kPlain);
    touchable_.push_back({kGround, ground.material, Kind::kPlain});
    body_of_[kGround] = "world";
    immovable_.insert("world");
  }

  // Contact bits and default parameters of a geom that may touch others. Two meet when one's type
  // has a bit of the other's affinity: robots take all, others the first bit only, and nothing has
  // an affinity for what robots alone touch.
  void make_touchable(mjsGeom* geom, const Shape& shape, Kind kind) {
    if (!shape.collides) return;
    geom->contype = kind == Kind::kRobotsOnly ? 2 : 1;
    geom->conaffinity = kind == Kind::kRobot ? 3 : kind == Kind::kPlain ? 1 : 0;
    geom->condim = defaults_.condim;
    for (int i = 0; i < 3; ++i) geom->friction[i] = defaults_.friction[i == 0 ? 0 : i + 1];
    std::copy_n(defaults_.solref, mjNREF, geom->solref);
    std::copy_n(defaults_.solimp, mjNIMP, geom->solimp);
  }

  void add_shapes(mjsBody* body, const SceneBody& from) {
    for (const auto& shape : from.shapes) {
      const Kind kind =
          std::ranges::count(from.robots_only, shape.name) ? Kind::kRobotsOnly : Kind::kPlain;
      make_touchable(add_shape(spec_.get(), body, shape, 0), shape, kind);
      if (shape.collides) touchable_.push_back({shape.name, shape.material, kind});
    }
  }

  void add_robot(const RobotInstance& robot) {
    const ModelDescription description = simulated_description(robot);
    add_to_spec(spec_.get(), description, 0);
    for (const auto& body : description.bodies) {
      for (const auto& shape : body.shapes) {
        make_touchable(mjs_asGeom(mjs_findElement(spec_.get(), mjOBJ_GEOM, shape.name.c_str())),
                       shape, Kind::kRobot);
        if (shape.collides) touchable_.push_back({shape.name, shape.material, Kind::kRobot});
      }
      // frames are drawn on request only; sites of a robot are its frames
    }
    exclude_neighbours(robot, description);
    add_actuators(robot);
    add_rollings(robot);
    add_sensors(robot);
    // MuJoCo compensates the gravity of bodies, for all joints before them: where some of those
    // take torques and bear it, the servos' commands carry that of their own joints (MujocoPlant)
    if (robot.groups.front().drive != Drive::kTorque && !has_mixed_drives(robot))
      for (const auto& body : robot.description.bodies)
        mjs_findBody(spec_.get(), body.name.c_str())->gravcomp = 1.0;
  }

  // Bodies that share a joint, or none, overlap by design; MuJoCo itself leaves out only parent and
  // child that both move, and nothing where a row of the table makes an explicit pair.
  void exclude_neighbours(const RobotInstance& robot, const ModelDescription& description) {
    const auto& bodies = description.bodies;
    std::vector<int> rigid(bodies.size());  // first body of the rigid group each belongs to
    for (std::size_t i = 0; i < bodies.size(); ++i)
      rigid[i] = bodies[i].joints.empty() && bodies[i].parent >= 0 ? rigid[at(bodies[i].parent)]
                                                                   : static_cast<int>(i);
    std::set<std::pair<std::string, std::string>> pairs;
    for (std::size_t i = 0; i < bodies.size(); ++i)
      for (std::size_t j = i + 1; j < bodies.size(); ++j) {
        const int a = rigid[i], b = rigid[j];
        const auto parent_group = [&](int group) {
          return bodies[at(group)].parent < 0 ? -1 : rigid[at(bodies[at(group)].parent)];
        };
        if (a == b || parent_group(a) == b || parent_group(b) == a)
          pairs.insert(std::minmax(bodies[i].name, bodies[j].name));
      }
    for (const auto& [a, b] : robot.ignored_pairs) pairs.insert(std::minmax(a, b));
    // a lip touches nothing that its gripper does not
    for (std::size_t lip = robot.description.bodies.size(); lip < bodies.size(); ++lip) {
      const std::string& gripper = bodies[at(bodies[lip].parent)].name;
      std::vector<std::pair<std::string, std::string>> more;
      for (const auto& [a, b] : pairs)
        if (a == gripper || b == gripper)
          more.push_back(std::minmax(bodies[lip].name, a == gripper ? b : a));
      for (const auto& pair : more)
        if (pair.first != pair.second) pairs.insert(pair);
    }
    for (const auto& [a, b] : pairs) exclude(a, b);
    excluded_.insert(pairs.begin(), pairs.end());
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      for (const auto& shape : bodies[i].shapes) body_of_[shape.name] = bodies[i].name;
      const auto& root = bodies[at(rigid[i])];
      if (root.parent < 0 && root.joints.empty()) immovable_.insert(bodies[i].name);
    }
  }

  void add_actuators(const RobotInstance& robot) {
    const RobotModel model(robot.description);
    RobotData data(model);
    Eigen::VectorXd q = model.neutral();
    for (std::size_t i = 0; i < robot.groups.front().joints.size(); ++i)
      q[model.joint(robot.groups.front().joints[i]).q] =
          robot.q_start[static_cast<Eigen::Index>(i)];
    for (const auto& [joint, start] : other_starts(robot)) q[model.joint(joint).q] = start;
    const Eigen::MatrixXd M = mass_matrix(model, data, q);
    for (const auto& group : robot.groups)
      for (const auto& joint : group.joints) {
        mjsActuator* actuator = mjs_addActuator(spec_.get(), nullptr);
        mjs_setName(actuator->element, joint.c_str());
        actuator->trntype = mjTRN_JOINT;
        mjs_setString(actuator->target, joint.c_str());
        const JointLimits& limits = *robot.limits.find(joint);
        mjsJoint* driven = mjs_asJoint(mjs_findElement(spec_.get(), mjOBJ_JOINT, joint.c_str()));
        actuator->forcelimited = mjLIMITED_TRUE;
        actuator->forcerange[0] = -limits.torque;
        actuator->forcerange[1] = limits.torque;
        if (group.drive == Drive::kTorque) {
          mjs_setToMotor(actuator);
          continue;
        }
        // a servo as stiff as its natural frequency says at the start pose's inertia, critically
        // damped about the moving set-point; gravity is carried by the drive, as a maker's integral
        // action does
        const int v = model.joint(joint).v;
        // it moves what mimics it, too
        double inertia = M(v, v);
        for (const auto& mimic : robot.description.mimics)
          if (mimic.master == joint) {
            const int follower = model.joint(mimic.joint).v;
            inertia += mimic.multiplier *
                       (mimic.multiplier * M(follower, follower) + 2.0 * M(v, follower));
          }
        const double w = 2.0 * std::numbers::pi * group.servo_frequency;
        actuator->dyntype = mjDYN_NONE;
        actuator->gaintype = mjGAIN_FIXED;
        actuator->gainprm[0] = 1.0;  // ctrl is the torque of the set-point, the plant's affair
        actuator->biastype = mjBIAS_AFFINE;
        actuator->biasprm[0] = 0.0;
        actuator->biasprm[1] = -inertia * w * w;
        actuator->biasprm[2] = -2.0 * inertia * w;
        driven->actgravcomp = 1;
      }
  }

  // A damper so stiff that side slip dies within a hundredth of a step, since MuJoCo has no
  // constraint on velocities. Only fully implicit integration keeps it stable while the base turns.
  void add_rollings(const RobotInstance& robot) {
    double mass = 0.0;
    for (const auto& body : robot.description.bodies) mass += body.inertial.mass;
    if (!robot.description.rollings.empty()) spec_->option.integrator = mjINT_IMPLICIT;
    for (const auto& rolling : robot.description.rollings) {
      mjsActuator* damper = mjs_addActuator(spec_.get(), nullptr);
      mjs_setName(damper->element, (rolling.frame + ".rolling").c_str());
      damper->trntype = mjTRN_SITE;
      mjs_setString(damper->target, rolling.frame.c_str());
      for (double& gear : damper->gear) gear = 0.0;
      damper->gear[1] = 1.0;
      damper->gaintype = mjGAIN_FIXED;
      damper->gainprm[0] = 0.0;
      damper->biastype = mjBIAS_AFFINE;
      damper->biasprm[2] = -100.0 * mass / scene_.physics.timestep;
    }
  }

  void add_sensors(const RobotInstance& robot) {
    for (const auto& sensor : robot.sensors)
      for (const auto& [type, suffix] :
           {std::pair(mjSENS_FORCE, ".force"), std::pair(mjSENS_TORQUE, ".torque")}) {
        mjsSensor* s = mjs_addSensor(spec_.get());
        mjs_setName(s->element, (sensor.name + suffix).c_str());
        s->type = type;
        s->objtype = mjOBJ_SITE;
        mjs_setString(s->objname, sensor.site.c_str());
      }
  }

  // Two bodies that nothing moves would push against each other without end where a motion takes
  // one through another. MuJoCo itself leaves out what is welded to the world.
  void exclude_immovable() {
    for (const auto& kinematic : scene_.kinematics)
      for (const auto& other : immovable_) {
        const std::string& name = kinematic.body.name;
        if (other == name || excluded_.contains(std::minmax(name, other))) continue;
        exclude(name, other);
        excluded_.insert(std::minmax(name, other));
      }
  }

  void exclude(const std::string& a, const std::string& b) {
    mjsExclude* exclude = mjs_addExclude(spec_.get());
    mjs_setString(exclude->bodyname1, a.c_str());
    mjs_setString(exclude->bodyname2, b.c_str());
  }

  mjsBody* add_body(const SceneBody& body) {
    mjsBody* b = mjs_addBody(mjs_findBody(spec_.get(), "world"), nullptr);
    mjs_setName(b->element, body.name.c_str());
    Eigen::Vector3d::Map(b->pos) = body.X_WB.p;
    quaternion_to_mujoco(body.X_WB.q, b->quat);
    add_shapes(b, body);
    for (const auto& shape : body.shapes) body_of_[shape.name] = body.name;
    return b;
  }

  void add_free_body(const SceneBody& body, const Inertial& inertial) {
    mjsBody* b = add_body(body);
    b->explicitinertial = 1;
    b->mass = inertial.mass;
    Eigen::Vector3d::Map(b->ipos) = inertial.X_BC.p;
    quaternion_to_mujoco(inertial.X_BC.q, b->iquat);
    Eigen::Vector3d::Map(b->inertia) = inertial.principal;
    mjsJoint* joint = mjs_addFreeJoint(b);
    mjs_setName(joint->element, body.name.c_str());
  }

  void add_fixed(const SceneBody& body) {
    immovable_.insert(body.name);
    add_body(body);
  }

  void add_belt(const Belt& belt) {
    add_fixed(belt.body);
    mjs_asGeom(mjs_findElement(spec_.get(), mjOBJ_GEOM, belt.body.name.c_str()))->surfacevel[0] =
        belt.speed;
  }

  void add_kinematic(const KinematicBody& kinematic) {
    Inertial heavy;
    heavy.mass = kKinematicMass;
    heavy.principal.setConstant(kKinematicMass);
    add_free_body(kinematic.body, heavy);
    mjs_findBody(spec_.get(), kinematic.body.name.c_str())->gravcomp = 1.0;
    immovable_.insert(kinematic.body.name);
  }

  void add_camera(const CameraDescription& camera) {
    mjsCamera* c = mjs_addCamera(mjs_findBody(spec_.get(), "world"), nullptr);
    mjs_setName(c->element, camera.name.c_str());
    Eigen::Vector3d::Map(c->pos) = camera.X_WC.p;
    // MuJoCo's camera looks along -z with y up
    const Eigen::Quaterniond q = camera.X_WC.q * Eigen::Quaterniond(Eigen::AngleAxisd(
                                                     std::numbers::pi, Eigen::Vector3d::UnitX()));
    quaternion_to_mujoco(q, c->quat);
    c->resolution[0] = camera.resolution[0];
    c->resolution[1] = camera.resolution[1];
    c->fovy = 2.0 * std::atan2(0.5 * camera.resolution[1], camera.fy) * 180.0 / std::numbers::pi;
  }

  void add_frame(const std::string& name, const Placement& X_WF) {
    mjsSite* site = mjs_addSite(mjs_findBody(spec_.get(), "world"), nullptr);
    mjs_setName(site->element, name.c_str());
    Eigen::Vector3d::Map(site->pos) = X_WF.p;
    quaternion_to_mujoco(X_WF.q, site->quat);
    site->group = 5;
  }

  // Rows of the table become explicit pairs, which override what MuJoCo would mix from the two
  // geoms. All others meet with the default law, which every geom carries.
  void add_pairs() {
    for (std::size_t i = 0; i < touchable_.size(); ++i)
      for (std::size_t j = i + 1; j < touchable_.size(); ++j) {
        const auto &a = touchable_[i], &b = touchable_[j];
        const ContactLaw& law = scene_.law(a.material, b.material);
        if (&law == &scene_.default_law || !may_touch(a, b)) continue;
        const SolverParameters p = solver_parameters(law, scene_.physics.timestep);
        mjsPair* pair = mjs_addPair(spec_.get(), nullptr);
        mjs_setString(pair->geomname1, a.name.c_str());
        mjs_setString(pair->geomname2, b.name.c_str());
        pair->condim = p.condim;
        std::copy_n(p.solref, mjNREF, pair->solref);
        std::copy_n(p.solimp, mjNIMP, pair->solimp);
        std::copy_n(p.friction, 5, pair->friction);
        if (law.friction_damping) {
          // the direct form wants a stiffness too, which friction has no use for
          pair->solreffriction[0] = -1.0;
          pair->solreffriction[1] = -*law.friction_damping;
        }
      }
  }

  struct Touchable {
    std::string name, material;
    Kind kind;
  };

  bool may_touch(const Touchable& a, const Touchable& b) const {
    // pairs take no heed of contact bits
    if ((a.kind == Kind::kRobotsOnly && b.kind != Kind::kRobot) ||
        (b.kind == Kind::kRobotsOnly && a.kind != Kind::kRobot))
      return false;
    const std::string &body_a = body_of_.at(a.name), &body_b = body_of_.at(b.name);
    if (body_a == body_b || (immovable_.contains(body_a) && immovable_.contains(body_b)))
      return false;
    return !excluded_.contains(std::minmax(body_a, body_b));
  }

  const Scene& scene_;
  MjSpecPtr spec_;
  SolverParameters defaults_;
  std::vector<Touchable> touchable_;
  std::map<std::string, std::string> body_of_;  // of each shape
  std::set<std::string> immovable_;             // bodies that no contact moves
  std::set<std::pair<std::string, std::string>> excluded_;
};

}  // namespace

CompiledScene::CompiledScene(const Scene& scene)
    : scene_(&scene), model_(Builder(scene).compile()) {}

MjModelPtr compile_without_robots(const Scene& scene) { return Builder(scene, false).compile(); }

void forget_kinematic_masses(const Scene& scene, mjModel& model) {
  if (scene.kinematics.empty()) return;
  const MjDataPtr data(mj_makeData(&model));
  mj_forward(&model, data.get());
  std::set<int> heavy;
  for (const auto& kinematic : scene.kinematics) {
    const int joint = mj_name2id(&model, mjOBJ_JOINT, kinematic.body.name.c_str());
    for (int i = 0; i < 6; ++i) heavy.insert(model.jnt_dofadr[joint] + i);
  }
  double sum = 0.0;
  int count = 0;
  std::vector<mjtNum> M(static_cast<std::size_t>(model.nv * model.nv));
  mj_fullM(&model, data.get(), M.data());
  for (int i = 0; i < static_cast<int>(model.nv); ++i) {
    if (heavy.contains(i)) continue;
    sum += M[static_cast<std::size_t>(i * (model.nv + 1))];
    ++count;
  }
  model.stat.meaninertia = count > 0 ? sum / count : 1.0;
}

}  // namespace handspan
