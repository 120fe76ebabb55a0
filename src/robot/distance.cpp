// One file, since pairs, their bounds and their rows share the buffers of one look.
#include "robot/distance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/error.hpp"
#include "core/index.hpp"
#include "robot/distance_impl.hpp"
#include "robot/support.hpp"

namespace handspan {
namespace {

constexpr double kDirectionSingular = 1e-3;  // [m] below it the direction's rate is not used
// GJK stops here; what has a form of its own is exact whatever it is
constexpr double kConvexTolerance = 1e-10;
// meshes of more vertices are not searched for urgent corners
constexpr std::size_t kMostCorners = 32;
// what rounding may take from a bound on a distance, and GJK from a distance [m]
constexpr double kRounding = 1e-9;

}  // namespace

namespace {

using Geom = DistanceModel::Impl::Geom;

void add_corners(Geom& geom, const mjModel& model) {
  const auto add = [&](double x, double y, double z) { geom.corners.emplace_back(x, y, z); };
  const Eigen::Vector3d& size = geom.size;
  switch (geom.type) {
    case ShapeType::kBox:
      for (const double x : {-size[0], size[0]})
        for (const double y : {-size[1], size[1]})
          for (const double z : {-size[2], size[2]}) add(x, y, z);
      break;
    case ShapeType::kSphere:
      geom.round = size[0];
      add(0.0, 0.0, 0.0);
      break;
    case ShapeType::kCapsule:
      geom.round = size[0];
      add(0.0, 0.0, -size[1]);
      add(0.0, 0.0, size[1]);
      break;
    case ShapeType::kCylinder:
      break;
    case ShapeType::kMesh: {
      const int mesh = model.geom_dataid[geom.id];
      const float* p = model.mesh_vert + 3 * model.mesh_vertadr[mesh];
      if (at(model.mesh_vertnum[mesh]) > kMostCorners) break;
      for (int i = 0; i < model.mesh_vertnum[mesh]; ++i, p += 3) add(p[0], p[1], p[2]);
    }
  }
}

// around the shapes of a body
void add_ball(DistanceModel::Impl::Body& body, const std::vector<Geom>& geoms) {
  Eigen::Vector3d low = Eigen::Vector3d::Constant(std::numeric_limits<double>::infinity()),
                  high = -low;
  for (const int g : body.geoms) {
    const Geom& geom = geoms[at(g)];
    low = low.cwiseMin(geom.X_BG.p - Eigen::Vector3d::Constant(geom.radius));
    high = high.cwiseMax(geom.X_BG.p + Eigen::Vector3d::Constant(geom.radius));
  }
  body.centre_B = 0.5 * (low + high);
  for (const int g : body.geoms)
    body.radius =
        std::max(body.radius, (geoms[at(g)].X_BG.p - body.centre_B).norm() + geoms[at(g)].radius);
}

}  // namespace

DistanceModel::DistanceModel(std::vector<const RobotModel*> robots, std::vector<BodyPair> pairs)
    : robots_(std::move(robots)), pairs_(std::move(pairs)), impl_(std::make_unique<Impl>()) {
  // every shape is a geom of MuJoCo's world; its pose is written straight into the data
  MjSpecPtr spec = make_spec();
  spec->option.ccd_tolerance = kConvexTolerance;
  spec->option.ccd_iterations = 200;
  mjsBody* world = mjs_findBody(spec.get(), "world");
  const auto body_of = [&](int robot, int body) {
    if (robot < 0 || at(robot) >= robots_.size())
      throw InputError(fmt::format("there is no robot {}", robot));
    const auto& bodies = robots_[at(robot)]->description().bodies;
    if (body < 0 || at(body) >= bodies.size())
      throw InputError(fmt::format("model '{}' has no body {}", robots_[at(robot)]->name(), body));
    for (std::size_t b = 0; b < impl_->bodies.size(); ++b)
      if (impl_->bodies[b].robot == robot && impl_->bodies[b].body == body)
        return static_cast<int>(b);
    Impl::Body out{robot, body, {}, Eigen::Vector3d::Zero(), 0.0};
    const auto& shapes = bodies[at(body)].shapes;
    for (std::size_t s = 0; s < shapes.size(); ++s) {
      if (!shapes[s].collides) continue;
      Shape named = shapes[s];
      named.name = fmt::format("{}:{}", robot, named.name);
      add_shape(spec.get(), world, named, 0);
      const int g = static_cast<int>(impl_->geoms.size());
      impl_->geoms.push_back({robot,
                              body,
                              static_cast<int>(s),
                              named.X_BG.pose(),
                              g,
                              named.type,
                              named.size,
                              0.0,
                              {},
                              0.0});
      out.geoms.push_back(g);
    }
    if (out.geoms.empty())
      throw InputError(
          fmt::format("body '{}' has no shapes to keep a distance from", bodies[at(body)].name));
    impl_->bodies.push_back(std::move(out));
    return static_cast<int>(impl_->bodies.size()) - 1;
  };
  for (const auto& pair : pairs_) {
    const int a = body_of(pair.robot_a, pair.body_a), b = body_of(pair.robot_b, pair.body_b);
    if (a == b)
      throw InputError(
          fmt::format("body '{}' is paired with itself",
                      robots_[at(pair.robot_a)]->description().bodies[at(pair.body_a)].name));
    impl_->pairs.push_back({a, b, impl_->shape_pairs});
    impl_->shape_pairs +=
        static_cast<int>(impl_->bodies[at(a)].geoms.size() * impl_->bodies[at(b)].geoms.size());
  }
  impl_->model = compile_spec(spec.get(), "distances");
  for (auto& geom : impl_->geoms) {
    const auto& shape =
        robots_[at(geom.robot)]->description().bodies[at(geom.body)].shapes[at(geom.shape)];
    geom.id = mj_name2id(impl_->model.get(), mjOBJ_GEOM,
                         fmt::format("{}:{}", geom.robot, shape.name).c_str());
    // MuJoCo centres a mesh on its own inertia: the compiled pose is the one its vertices refer to
    geom.X_BG = Placement{Eigen::Vector3d::Map(impl_->model->geom_pos + 3 * geom.id),
                          quaternion_from_mujoco(impl_->model->geom_quat + 4 * geom.id)}
                    .pose();
    geom.radius = impl_->model->geom_rbound[geom.id];
    add_corners(geom, *impl_->model);
  }
  for (auto& body : impl_->bodies) add_ball(body, impl_->geoms);
}

DistanceModel::~DistanceModel() = default;
DistanceModel::DistanceModel(DistanceModel&&) noexcept = default;

std::string DistanceModel::pair_name(int pair) const {
  const BodyPair& p = pairs_[at(pair)];
  return fmt::format("{} - {}", robots_[at(p.robot_a)]->description().bodies[at(p.body_a)].name,
                     robots_[at(p.robot_b)]->description().bodies[at(p.body_b)].name);
}

DistanceData::DistanceData(const DistanceModel& model)
    : distances(model.pairs().size()), impl_(std::make_unique<Impl>()) {
  impl_->data.reset(mj_makeData(model.impl().model.get()));
  impl_->bodies.resize(model.impl().bodies.size());
  impl_->shapes.resize(model.impl().geoms.size());
  for (const auto& geom : model.impl().geoms) {
    impl_->shapes[at(geom.id)].type = geom.type;
    impl_->shapes[at(geom.id)].size = geom.size;
  }
  std::size_t most = 0;
  for (const auto& pair : model.impl().pairs)
    most = std::max(most, model.impl().bodies[at(pair.a)].geoms.size() *
                              model.impl().bodies[at(pair.b)].geoms.size());
  impl_->candidates.reserve(most);
  impl_->clear.assign(model.pairs().size(), -std::numeric_limits<double>::infinity());
  impl_->shapes_clear.assign(at(model.impl().shape_pairs),
                             -std::numeric_limits<double>::infinity());
  impl_->axes.assign(at(model.impl().shape_pairs), Eigen::Vector3d::Zero());
}
DistanceData::~DistanceData() = default;
DistanceData::DistanceData(DistanceData&&) noexcept = default;

void update_motions(const DistanceModel& model, std::span<const RobotData* const> robots,
                    DistanceData& data) {
  const auto& impl = model.impl();
  double farthest = 0.0, fastest = 0.0;
  for (std::size_t i = 0; i < impl.bodies.size(); ++i) {
    const auto& body = impl.bodies[i];
    auto& motion = data.impl().bodies[i];
    const RobotModel& robot = *model.robots()[at(body.robot)];
    const FrameId frame = robot.body_frame(body.body);
    const Pose X_WB = frame_pose(robot, *robots[at(body.robot)], frame);
    const Vector6d V = frame_velocity(robot, *robots[at(body.robot)], frame);
    const Eigen::Vector3d centre = X_WB * body.centre_B;
    // a rotation moves no point at x from the centre farther than |R - R'|_F |x| / sqrt(2)
    const double travelled =
        (centre - motion.centre).norm() + body.radius * std::sqrt(0.5) * (X_WB.R - motion.R).norm();
    motion.travelled += travelled;
    motion.omega = V.tail<3>();
    motion.v = V.head<3>() - motion.omega.cross(X_WB.p);
    farthest = std::max(farthest, travelled);
    motion.speed = motion.at(centre).norm() + motion.omega.norm() * body.radius;
    fastest = std::max(fastest, motion.speed);
    motion.placed = false;
    motion.centre = centre;
    motion.R = X_WB.R;
    motion.p = X_WB.p;
  }
  data.impl().farthest += farthest;
  data.impl().fastest = fastest;
}

void place_shapes(const DistanceModel::Impl& model, DistanceData::Impl& data, int body) {
  auto& motion = data.bodies[at(body)];
  if (motion.placed) return;
  motion.placed = true;
  for (const int g : model.bodies[at(body)].geoms) {
    const auto& geom = model.geoms[at(g)];
    PlacedShape& shape = data.shapes[at(geom.id)];
    shape.p_WG = motion.p + motion.R * geom.X_BG.p;
    shape.R_WG.noalias() = motion.R * geom.X_BG.R;
  }
}

void update_shapes(const DistanceModel& model, DistanceData& data) {
  for (std::size_t i = 0; i < model.impl().bodies.size(); ++i)
    place_shapes(model.impl(), data.impl(), static_cast<int>(i));
}

void update_bodies(const DistanceModel& model, std::span<const RobotData* const> robots,
                   DistanceData& data) {
  update_motions(model, robots, data);
  update_shapes(model, data);
}

double least_of_balls(const DistanceData::Impl& data, const Geom& a, const Geom& b) {
  return (centre(data, a) - centre(data, b)).norm() - a.radius - b.radius - kRounding;
}

double least_along(const DistanceData::Impl& data, const Geom& a, const Geom& b,
                   const Eigen::Vector3d& axis) {
  if (axis.isZero(0.0)) return -std::numeric_limits<double>::infinity();
  // shapes are their own mirror images: n and -n have the same support
  const auto reach = [&](const Geom& g) {
    return has_support(g.type) ? support(g.type, g.size, rotation(data, g).transpose() * axis)
                               : g.radius;
  };
  return axis.dot(centre(data, a) - centre(data, b)) - reach(a) - reach(b) - kRounding;
}

namespace {

// by GJK, and EPA where they overlap
void mujoco_distance(const DistanceModel& model, DistanceData::Impl& data, const Geom& a,
                     const Geom& b, double largest, Eigen::Vector3d& axis, Distance& out) {
  for (const Geom* g : {&a, &b}) {
    Eigen::Vector3d::Map(data.data->geom_xpos + 3 * g->id) = centre(data, *g);
    Eigen::Matrix<double, 3, 3, Eigen::RowMajor>::Map(data.data->geom_xmat + 9 * g->id) =
        rotation(data, *g);
  }
  double points[6];
  out.distance =
      mj_geomDistance(model.impl().model.get(), data.data.get(), a.id, b.id, largest, points);
  if (out.distance >= largest) return;
  out.p_WA = Eigen::Vector3d::Map(points);
  out.p_WB = Eigen::Vector3d::Map(points + 3);
  // overlapping bodies part along the opposite of their witness points' difference
  const Eigen::Vector3d difference = (out.distance < 0.0 ? -1.0 : 1.0) * (out.p_WA - out.p_WB);
  const double length = difference.norm();
  // touching exactly: keep the last direction, which changes little from tick to tick
  if (length > 0.0) axis = difference / length;
  out.n_W = axis;
}

}  // namespace

Distance geom_distance(const DistanceModel& model, DistanceData::Impl& data, const Geom& a,
                       const Geom& b, double largest, Eigen::Vector3d& axis) {
  Distance out;
  NearestPoints nearest;
  const ShapeDistance result =
      shape_distance(data.shapes[at(a.id)], data.shapes[at(b.id)], largest, nearest);
  if (result == ShapeDistance::kUnknown) {
    mujoco_distance(model, data, a, b, largest, axis, out);
  } else {
    out.distance = nearest.distance;
    axis = nearest.n_W;
    if (result == ShapeDistance::kFound) {
      out.p_WA = nearest.p_WA;
      out.p_WB = nearest.p_WB;
      out.n_W = nearest.n_W;
    }
  }
  if (out.distance >= largest) return out;
  out.shape_a = a.shape;
  out.shape_b = b.shape;
  return out;
}

namespace {

// The nearest of a pair's shapes, when nearer than `largest`. The likeliest ones are looked at
// first; in an order, and with ties, that do not depend on what was known before.
Distance pair_distance(const DistanceModel& model, DistanceData& data, int pair, double largest) {
  const auto& impl = model.impl();
  auto& kept = data.impl();
  const auto& p = impl.pairs[at(pair)];
  const double travelled = kept.bodies[at(p.a)].travelled + kept.bodies[at(p.b)].travelled;
  place_shapes(impl, kept, p.a);
  place_shapes(impl, kept, p.b);
  double least = largest;
  kept.candidates.clear();
  int k = p.first;
  for (const int a : impl.bodies[at(p.a)].geoms)
    for (const int b : impl.bodies[at(p.b)].geoms) {
      double& clear = kept.shapes_clear[at(k)];
      double bound = clear - travelled;
      if (bound < largest) {
        bound = least_of_balls(kept, impl.geoms[at(a)], impl.geoms[at(b)]);
        clear = std::max(clear, bound + travelled);
      }
      if (bound < largest)
        kept.candidates.push_back({bound, a, b, k});
      else
        least = std::min(least, bound);
      ++k;
    }
  std::ranges::sort(kept.candidates, [](const auto& x, const auto& y) {
    return x.bound != y.bound ? x.bound < y.bound : x.k < y.k;
  });
  Distance nearest;
  nearest.distance = largest;
  for (const auto& [bound, a, b, pair_of_shapes] : kept.candidates) {
    const auto &ga = impl.geoms[at(a)], &gb = impl.geoms[at(b)];
    Eigen::Vector3d& axis = kept.axes[at(pair_of_shapes)];
    double& clear = kept.shapes_clear[at(pair_of_shapes)];
    if (clear - travelled < nearest.distance)
      clear = std::max(clear, travelled + least_along(kept, ga, gb, axis));
    if (clear - travelled < nearest.distance) {
      // what is as near as the nearest is not left out by rounding
      const Distance d =
          geom_distance(model, kept, ga, gb, std::min(largest, nearest.distance + kRounding), axis);
      clear = travelled + d.distance - kRounding;
      if (d.distance < nearest.distance) nearest = d;
    }
    least = std::min(least, clear - travelled);
  }
  kept.clear[at(pair)] = least + travelled;
  return nearest;
}

}  // namespace

void update_distances(const DistanceModel& model, std::span<const RobotData* const> robots,
                      DistanceData& data, double largest) {
  update_bodies(model, robots, data);
  for (int p = 0; p < static_cast<int>(model.pairs().size()); ++p)
    data.distances[at(p)] = pair_distance(model, data, p, largest);
}

double nearest_distance(const DistanceModel& model, DistanceData& data, double largest) {
  auto& impl = data.impl();
  double nearest = largest;
  const auto look = [&](int pair) {
    const auto& p = model.impl().pairs[at(pair)];
    if (impl.clear[at(pair)] - impl.bodies[at(p.a)].travelled - impl.bodies[at(p.b)].travelled >=
        nearest)
      return;
    const Distance d = pair_distance(model, data, pair, nearest);
    if (d.distance >= nearest) return;
    nearest = d.distance;
    impl.nearest_pair = pair;
  };
  // the others need not be looked at where their bounds are above it
  look(impl.nearest_pair);
  for (int p = 0; p < static_cast<int>(model.pairs().size()); ++p) look(p);
  return nearest;
}

int nearest_pair(DistanceData& data) { return data.impl().nearest_pair; }

void distance_row(const DistanceModel& model, int pair, const Distance& d, int robot,
                  RobotData& robot_data, Eigen::Ref<Eigen::RowVectorXd> row) {
  const BodyPair& p = model.pairs()[at(pair)];
  const RobotModel& m = *model.robots()[at(robot)];
  row.setZero();
  if (d.shape_a < 0) return;
  const auto add = [&](int body, const Eigen::Vector3d& p_WP, double sign) {
    // n . (v_F + omega x r), column by column, as point_jacobian would without its 3 x nv scratch
    const Eigen::Vector3d r = p_WP - frame_pose(m, robot_data, m.body_frame(body)).p;
    Vector6d generalized;
    generalized << d.n_W, r.cross(d.n_W);
    add_frame_jacobian_transpose(m, robot_data, m.body_frame(body), sign * generalized, row);
  };
  if (p.robot_a == robot) add(p.body_a, d.p_WA, 1.0);
  if (p.robot_b == robot) add(p.body_b, d.p_WB, -1.0);
}

double distance_bias(const DistanceModel& model, int pair, const Distance& d,
                     std::span<const RobotData* const> robots, bool with_direction) {
  const BodyPair& p = model.pairs()[at(pair)];
  if (d.shape_a < 0) return 0.0;
  const RobotModel &a = *model.robots()[at(p.robot_a)], &b = *model.robots()[at(p.robot_b)];
  const RobotData &data_a = *robots[at(p.robot_a)], &data_b = *robots[at(p.robot_b)];
  const FrameId body_a = a.body_frame(p.body_a), body_b = b.body_frame(p.body_b);
  const Eigen::Vector3d v =
      point_velocity(a, data_a, body_a, d.p_WA) - point_velocity(b, data_b, body_b, d.p_WB);
  const Eigen::Vector3d acceleration = point_bias_acceleration(a, data_a, body_a, d.p_WA) -
                                       point_bias_acceleration(b, data_b, body_b, d.p_WB);
  double bias = d.n_W.dot(acceleration);
  if (with_direction && d.distance > kDirectionSingular)
    bias += (v.squaredNorm() - std::pow(d.n_W.dot(v), 2)) / d.distance;
  return bias;
}

}  // namespace handspan
