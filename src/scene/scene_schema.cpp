// One file, since it is one schema for each part of a scene file.
#include "scene/scene_schema.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "core/error.hpp"
#include "scene/cover_mesh.hpp"
#include "scene/mesh_file.hpp"

namespace handspan {

// The words of defaults, for the documentation of the schema (core/defaults.hpp).
static std::string default_text(const Integrator& integrator) {
  constexpr const char* kWords[] = {"implicitfast", "implicit", "euler", "rk4"};
  return kWords[static_cast<std::size_t>(integrator)];
}
static std::string default_text(const FrictionCone& cone) {
  return cone == FrictionCone::kElliptic ? "elliptic" : "pyramidal";
}
static std::string default_text(const Touches& touches) {
  return touches == Touches::kEverything ? "everything" : "robots";
}

namespace {

// What is farther away, or larger, is a slip of the pen: at 1 km a double still has 1e-13 m [m].
constexpr double kFarthest = 1000.0;

Schema<PoseEntry> pose_schema() {
  return object<PoseEntry>("Pose", "in the world, or in its owner's frame")
      .place(&PoseEntry::place)
      .optional("position", &PoseEntry::position, vector<3>("m").min(-kFarthest).max(kFarthest))
      .optional("rpy", &PoseEntry::rpy, vector<3>("rad"), "roll, pitch, yaw about fixed x, y, z")
      .optional("quaternion", &PoseEntry::quaternion, quaternion(), "x y z w, instead of rpy")
      .check([](const PoseEntry& pose) -> std::optional<Fault> {
        if (pose.rpy && pose.quaternion)
          return Fault{"stands beside quaternion", "give one of them", "rpy"};
        // three angles reach every orientation within a turn: 180 is 180 deg, written without it
        for (int i = 0; pose.rpy && i < 3; ++i)
          if (std::abs((*pose.rpy)[i]) > 2.0 * std::numbers::pi)
            return Fault{fmt::format("has {} rad, more than a turn", (*pose.rpy)[i]),
                         fmt::format("write '{} deg' if degrees are meant", (*pose.rpy)[i]), "rpy"};
        return std::nullopt;
      });
}

struct Look {
  PoseEntry pose;
  std::string material;
  Eigen::Vector4d rgba = Eigen::Vector4d(0.7, 0.7, 0.72, 1.0);
  Touches touches = Touches::kEverything;
};

Shape make_shape(const Look& look, ShapeType type, const Eigen::Vector3d& size) {
  Shape shape;
  shape.type = type;
  shape.size = size;
  shape.X_BG = look.pose.placement();
  shape.material = look.material;
  for (int i = 0; i < 4; ++i)
    shape.rgba[static_cast<std::size_t>(i)] = static_cast<float>(look.rgba[i]);
  return shape;
}

template <class T>
ObjectSchema<T> with_look(ObjectSchema<T> schema) {
  return schema.optional("pose", &T::pose, pose_schema(), "in the body")
      .optional("material", &T::material, text().identifier(), "row of contact.pairs")
      .optional("rgba", &T::rgba, vector<4>().min(0).max(1))
      .optional(
          "touches", &T::touches,
          choice<Touches>({{"everything", Touches::kEverything}, {"robots", Touches::kRobots}}),
          "robots: shapes of robots only, such as a face for a cup where "
          "balls at its corners meet the rest");
}

struct BoxEntry : Look {
  Eigen::Vector3d size = Eigen::Vector3d::Zero();
};
struct RoundEntry : Look {
  double radius = 0.0, length = 0.0;
};
struct TrayEntry : Look {
  Eigen::Vector3d size = Eigen::Vector3d::Zero();
  double wall = 0.01;
};
struct MeshEntry : Look {
  Place place;
  std::filesystem::path file;
  double scale = 1.0;
  std::int64_t parts = 1;
};

// A floor and four walls of boxes, so that the edges are real ones; the origin is the middle of the
// floor's top.
ShapeEntry tray_shapes(const TrayEntry& tray) {
  const double l = tray.size[0], w = tray.size[1], h = tray.size[2], t = tray.wall;
  ShapeEntry out;
  out.touches = tray.touches;
  const auto add = [&](Eigen::Vector3d center, Eigen::Vector3d edges) {
    Shape shape = make_shape(tray, ShapeType::kBox, 0.5 * edges);
    shape.X_BG.p += shape.X_BG.q * center;
    out.shapes.push_back(std::move(shape));
  };
  add({0, 0, -t / 2}, {l + 2 * t, w + 2 * t, t});
  for (const double side : {-1.0, 1.0}) {
    add({side * (l + t) / 2, 0, h / 2}, {t, w + 2 * t, h});
    add({0, side * (w + t) / 2, h / 2}, {l, t, h});
  }
  return out;
}

// "" when the file holds no usable mesh
std::string mesh_problem(const MeshEntry& mesh) {
  try {
    const auto surface = load_mesh(mesh.file, Eigen::Vector3d::Constant(mesh.scale));
    return surface.vertices.size() < 4 ? "it has fewer than 4 vertices" : "";
  } catch (const InputError& error) {
    return error.what();
  }
}

// The convex hull, or so many convex parts that together cover the mesh.
ShapeEntry mesh_shapes(const MeshEntry& mesh) {
  ShapeEntry out;
  out.touches = mesh.touches;
  const Placement X_BG = mesh.pose.placement();
  MeshSurface surface = load_mesh(mesh.file, Eigen::Vector3d::Constant(mesh.scale));
  if (mesh.parts > 1) {
    CoverOptions options;
    options.max_shapes = static_cast<int>(mesh.parts);
    for (const Shape& part : cover_mesh_closely(surface, options)) {
      Shape shape = make_shape(mesh, part.type, part.size);
      shape.vertices = part.vertices;
      shape.X_BG = Placement::from(X_BG.pose() * part.X_BG.pose());
      out.shapes.push_back(std::move(shape));
    }
  } else {
    out.shapes.push_back(make_shape(mesh, ShapeType::kMesh, Eigen::Vector3d::Zero()));
    out.shapes.back().vertices = surface.vertices;
  }
  out.solid = MeshSolid{mesh.place, mesh.file.string(), {std::move(surface), X_BG}};
  return out;
}

Schema<ShapeEntry> shape_schema() {
  const auto one = [](const Look& look, Shape shape) {
    return ShapeEntry{{std::move(shape)}, look.touches, {}};
  };
  const auto box =
      with_look(object<BoxEntry>("Box").required("size", &BoxEntry::size,
                                                 vector<3>("m").above(0).max(kFarthest), "edges"))
          .map([one](const BoxEntry& b) {
            return one(b, make_shape(b, ShapeType::kBox, 0.5 * b.size));
          });
  const auto sphere =
      with_look(object<RoundEntry>("Sphere").required("radius", &RoundEntry::radius,
                                                      number("m").above(0).max(kFarthest)))
          .map([one](const RoundEntry& r) {
            return one(r, make_shape(r, ShapeType::kSphere, {r.radius, 0, 0}));
          });
  const auto round = [&](const char* name, ShapeType type, const char* length) {
    return with_look(
               object<RoundEntry>(name, "about its z axis")
                   .required("radius", &RoundEntry::radius, number("m").above(0).max(kFarthest))
                   .required("length", &RoundEntry::length, number("m").above(0).max(kFarthest),
                             length))
        .map([one, type](const RoundEntry& r) {
          return one(r, make_shape(r, type, {r.radius, 0.5 * r.length, 0}));
        });
  };
  const auto tray =
      with_look(object<TrayEntry>(
                    "Tray", "a floor with four walls; its origin is the middle of the floor's top")
                    .required("size", &TrayEntry::size, vector<3>("m").above(0).max(kFarthest),
                              "inside: length, width, height of the walls")
                    .optional("wall", &TrayEntry::wall, number("m").above(0).max(kFarthest),
                              "thickness of walls and floor"))
          .map(tray_shapes);
  const auto mesh =
      with_look(object<MeshEntry>("Mesh", "a solid; what touches it meets its convex hull or parts")
                    .place(&MeshEntry::place)
                    .required("file", &MeshEntry::file, file(), "STL, OBJ, DAE ...")
                    .optional("scale", &MeshEntry::scale, number().above(0).max(1e6))
                    .optional("parts", &MeshEntry::parts, integer().min(1).max(32),
                              "most convex parts that cover it; 1: its convex hull. More take "
                              "seconds to find"))
          .check([](const MeshEntry& m) -> std::optional<Fault> {
            if (const std::string problem = mesh_problem(m); !problem.empty())
              return Fault{"cannot be read as a mesh: " + problem, "give a mesh file", "file"};
            return std::nullopt;
          })
          .map(mesh_shapes);
  return one_of<ShapeEntry>(
      "type",
      {{"box", box},
       {"sphere", sphere},
       {"cylinder", round("Cylinder", ShapeType::kCylinder, "between the flat faces")},
       {"capsule", round("Capsule", ShapeType::kCapsule, "between the centres of the round ends")},
       {"tray", tray},
       {"mesh", mesh}});
}

// {height: 0.1 m, material: concrete}, or `none`
Schema<std::optional<Ground>> ground_schema() {
  const auto plane =
      object<Ground>("Ground", "a level plane; what is below it is solid")
          .optional("height", &Ground::height, number("m").min(-100).max(100), "of its surface")
          .optional("material", &Ground::material, text().identifier(), "row of contact.pairs");
  Description description = plane.description();
  description.rules.push_back("or 'none': what falls falls for ever, and is said");
  using Read = std::optional<std::optional<Ground>>;
  return {[plane](const Node& node, Reader& reader) -> Read {
            if (node.kind() == Node::Kind::kScalar && node.scalar() == "none")
              return Read(std::in_place, std::nullopt);
            if (const auto ground = plane.read(node, reader)) return Read(std::in_place, *ground);
            return std::nullopt;
          },
          std::move(description)};
}

ObjectSchema<BodyEntry> fixture_schema() {
  return object<BodyEntry>("Fixture", "fixed in the world")
      .place(&BodyEntry::place)
      .optional("pose", &BodyEntry::pose, pose_schema())
      .required("shapes", &BodyEntry::shapes, list(shape_schema()).min_size(1));
}

Schema<BodyEntry> object_schema() {
  return object<BodyEntry>("Object", "a body that moves freely")
      .place(&BodyEntry::place)
      .optional("pose", &BodyEntry::pose, pose_schema())
      .required("shapes", &BodyEntry::shapes, list(shape_schema()).min_size(1))
      .required("mass", &BodyEntry::mass, number("kg").above(0).max(1e6))
      .optional("center_of_mass", &BodyEntry::center_of_mass,
                vector<3>("m").min(-kFarthest).max(kFarthest),
                "in the body; left out: uniform density")
      .optional("inertia", &BodyEntry::inertia, matrix3(),
                "about the centre of mass, in the body's axes [kg m^2]; left out: uniform density")
      .check([](const BodyEntry& body) -> std::optional<Fault> {
        if (body.center_of_mass && !body.inertia)
          return Fault{"stands without inertia", "give both, or neither for uniform density",
                       "center_of_mass"};
        if (body.inertia && !body.inertia->isApprox(body.inertia->transpose(), 1e-12))
          return Fault{"is not symmetric", "", "inertia"};
        return std::nullopt;
      });
}

template <class T>
Schema<std::array<T, 2>> two(const Schema<std::vector<T>>& schema) {
  return schema.size(2).map([](const std::vector<T>& v) { return std::array<T, 2>{v[0], v[1]}; });
}

template <class T>
ObjectSchema<T> with_law(ObjectSchema<T> schema) {
  const auto impedance = vector<3>().above(0).map(
      [](const Eigen::Vector3d& v) { return std::array<double, 3>{v[0], v[1], v[2]}; });
  return schema.optional("friction", &T::friction, number().min(0).max(100), "Coulomb's mu")
      .optional("torsional_friction", &T::torsional_friction, number("m").min(0).max(10),
                "about the normal")
      .optional("rolling_friction", &T::rolling_friction, number("m").min(0).max(10))
      .optional("restitution", &T::restitution, number().min(0).max(0.95),
                "of one impact; the damping is solved for on a simulated drop")
      .optional("stiffness", &T::stiffness, number("1/s^2").above(0).max(1e12),
                "with restitution: per unit of effective mass")
      .optional("time_constant", &T::time_constant, number("s").above(0).max(100),
                "without restitution: how fast an overlap decays")
      .optional("damping_ratio", &T::damping_ratio, number().above(0).max(1000),
                "without restitution")
      .optional("friction_damping", &T::friction_damping, number("1/s").above(0).max(1e9),
                "rows only: how fast slip would decay. Low: slides smoothly at speed; high: creeps "
                "less at rest")
      .optional("impedance", &T::impedance, impedance,
                "MuJoCo's solimp: at contact, at full width, width [m]");
}

Schema<PairEntry> pair_schema() {
  struct Flat : ContactLaw {
    Place place;
    std::vector<std::string> materials;
  };
  return with_law(object<Flat>("MaterialPair", "how two materials meet")
                      .place(&Flat::place)
                      .required("materials", &Flat::materials, list(text().identifier()).size(2)))
      .map([](const Flat& f) { return PairEntry{f.place, f.materials, f}; });
}

struct ContactFile {
  ContactLaw default_law;
  std::vector<PairEntry> pairs;
};

Schema<Physics> physics_schema() {
  return object<Physics>("Physics")
      .optional("timestep", &Physics::timestep, number("s").above(0).max(0.02))
      .optional("integrator", &Physics::integrator,
                choice<Integrator>({{"implicitfast", Integrator::kImplicitFast},
                                    {"implicit", Integrator::kImplicit},
                                    {"euler", Integrator::kEuler},
                                    {"rk4", Integrator::kRungeKutta}}))
      .optional("cone", &Physics::cone,
                choice<FrictionCone>({{"elliptic", FrictionCone::kElliptic},
                                      {"pyramidal", FrictionCone::kPyramidal}}))
      .optional("friction_to_normal_impedance", &Physics::friction_to_normal_impedance,
                number().min(1).max(1e6), "MuJoCo's impratio")
      .optional("iterations", &Physics::iterations, integer().min(1).max(10000),
                "most of the constraint solver")
      .optional("tolerance", &Physics::tolerance, number().above(0).max(1),
                "of the constraint solver")
      .optional("noslip_iterations", &Physics::noslip_iterations, integer().min(0).max(1000),
                "of MuJoCo's extra friction solver")
      .optional("gravity", &Physics::gravity, vector<3>("m/s^2"));
}

}  // namespace

Placement PoseEntry::placement() const {
  if (quaternion) return {position, *quaternion};
  return Placement::from(Pose::from_rpy(position, rpy.value_or(Eigen::Vector3d::Zero())));
}

// One function, since it is the table of all keys.
Schema<SceneFile> scene_schema() {
  const auto robot =
      object<RobotEntry>("RobotInstance")
          .place(&RobotEntry::place)
          .required("robot", &RobotEntry::robot, text(), "a folder of robots/, by name or path")
          .optional("tool", &RobotEntry::tool, text(), "a tool of robots/, on the robot's mount")
          .optional("base", &RobotEntry::base, pose_schema())
          .optional("joint_friction", &RobotEntry::joint_friction, boolean(),
                    "false: joints without friction and damping")
          .optional("pose", &RobotEntry::pose, located(text()), "a named pose of robot.yaml")
          .optional("q", &RobotEntry::q, located(joint_values()),
                    "joint positions, instead of a named pose: of the first group, or by name")
          .optional("suction", &RobotEntry::suction, dictionary(suction_changes_schema()),
                    "by the cup's name in robot.yaml");
  const auto belt =
      object<BeltEntry>("Belt", "a box whose surface moves along its own x")
          .place(&BeltEntry::place)
          .optional("pose", &BeltEntry::pose, pose_schema(), "of the middle of the box")
          .required("size", &BeltEntry::size, vector<3>("m").above(0).max(kFarthest),
                    "length, width, height")
          .optional("speed", &BeltEntry::speed,
                    number("m/s").min(-kMostBeltSpeed).max(kMostBeltSpeed),
                    "settable while running")
          .optional("settable", &BeltEntry::settable,
                    two(list(number("m/s").min(-kMostBeltSpeed).max(kMostBeltSpeed))),
                    "lowest and highest speed that a person may set; left out: as far as twice "
                    "`speed`, at least 1 m/s, either way")
          .check([](const BeltEntry& b) -> std::optional<Fault> {
            if (!b.settable || (*b.settable)[0] < (*b.settable)[1]) return std::nullopt;
            return Fault{"has no room between its ends", "give the lowest speed, then the highest",
                         "settable"};
          })
          .optional("material", &BeltEntry::material, text().identifier());
  const auto waypoint = object<WaypointEntry>("Waypoint")
                            .required("time", &WaypointEntry::time, number("s").min(0).max(1e6))
                            .required("pose", &WaypointEntry::pose, pose_schema());
  const auto kinematic =
      object<KinematicEntry>("Kinematic", "a body that follows a motion whatever pushes against it")
          .place(&KinematicEntry::place)
          .required("shapes", &KinematicEntry::shapes, list(shape_schema()).min_size(1))
          .required("motion", &KinematicEntry::motion, list<WaypointEntry>(waypoint).min_size(1),
                    "straight lines at constant speed; before and after it stands")
          .check([](const KinematicEntry& k) -> std::optional<Fault> {
            for (std::size_t i = 1; i < k.motion.size(); ++i)
              if (k.motion[i].time <= k.motion[i - 1].time)
                return Fault{"has times that do not rise", "sort the waypoints by time", "motion"};
            return std::nullopt;
          });
  const auto camera =
      object<CameraEntry>("Camera", "x right, y down, z forward")
          .required("pose", &CameraEntry::pose, pose_schema())
          .optional("resolution", &CameraEntry::resolution,
                    two(list(integer().min(1).max(8192).map(
                        [](std::int64_t n) { return static_cast<int>(n); }))),
                    "width, height")
          .optional("fx", &CameraEntry::fx, number("pixel").above(0).max(1e6))
          .optional("fy", &CameraEntry::fy, number("pixel").above(0).max(1e6))
          .optional("cx", &CameraEntry::cx, number("pixel"))
          .optional("cy", &CameraEntry::cy, number("pixel"))
          .optional("rate", &CameraEntry::rate, number("Hz").above(0).max(1000))
          .optional("latency", &CameraEntry::latency, number("s").min(0).max(10))
          .check([](const CameraEntry& c) -> std::optional<Fault> {
            const auto differs = [](const std::optional<double>& given, double is) {
              return given && *given != is;
            };
            for (const auto& [key, wrong, is] :
                 {std::tuple{"fx", differs(c.fx, c.fy), c.fy},
                  {"cx", differs(c.cx, 0.5 * c.resolution[0]), 0.5 * c.resolution[0]},
                  {"cy", differs(c.cy, 0.5 * c.resolution[1]), 0.5 * c.resolution[1]}})
              if (wrong)
                return Fault{
                    "is not yet of any effect: pictures have square pixels and the "
                    "camera's axis in their middle",
                    fmt::format("leave it out, or write {}", is), key};
            return std::nullopt;
          });
  const auto view =
      object<View>("View", "where pictures are taken from")
          .required("eye", &View::eye, vector<3>("m").min(-kFarthest).max(kFarthest))
          .required("target", &View::target, vector<3>("m").min(-kFarthest).max(kFarthest));
  const auto contact =
      object<ContactFile>("Contact")
          .optional("default", &ContactFile::default_law,
                    with_law(object<ContactLaw>("ContactLaw", "how materials meet")),
                    "of materials without a row")
          .optional("pairs", &ContactFile::pairs, list(pair_schema()));
  struct File : SceneFile {
    ContactFile contact;
  };
  return object<File>("Scene", "a scene of scenes/: what there is and how it meets")
      .required("name", &File::name, text().identifier())
      .optional("physics", &File::physics, physics_schema())
      .optional("contact", &File::contact, contact)
      .optional("robots", &File::robots, dictionary<RobotEntry>(robot))
      .optional("objects", &File::objects, dictionary(object_schema()))
      .optional("fixtures", &File::fixtures, dictionary<BodyEntry>(fixture_schema()))
      .optional("belts", &File::belts, dictionary<BeltEntry>(belt))
      .optional("kinematic", &File::kinematics, dictionary<KinematicEntry>(kinematic))
      .optional("ground", &File::ground, ground_schema(), "left out: at height 0")
      .optional("cameras", &File::cameras, dictionary<CameraEntry>(camera))
      .optional("frames", &File::frames, dictionary(pose_schema()), "named poses in the world")
      .optional("views", &File::views, dictionary<View>(view))
      .map([](File file) {
        file.default_law = file.contact.default_law;
        file.pairs = std::move(file.contact.pairs);
        return static_cast<SceneFile>(std::move(file));
      });
}

}  // namespace handspan
