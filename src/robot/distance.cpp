#include "robot/distance.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "core/error.hpp"
#include "robot/distance_impl.hpp"

namespace handspan {
namespace {

constexpr double kDirectionSingular = 1e-3;  // [m] below it the direction's rate is not used
// GJK stops here; analytic pairs are exact whatever it is
constexpr double kConvexTolerance = 1e-10;
// meshes of more vertices are not searched for urgent corners
constexpr std::size_t kMostCorners = 32;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

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

}  // namespace

DistanceModel::DistanceModel(std::vector<const RobotModel*> robots, std::vector<BodyPair> pairs)
    : robots_(std::move(robots)), pairs_(std::move(pairs)), impl_(std::make_unique<Impl>()) {
  // every shape is a geom of MuJoCo's world; its pose is written straight into the data
  MjSpecPtr spec = make_spec();
  spec->option.ccd_tolerance = kConvexTolerance;
  spec->option.ccd_iterations = 200;
  mjsBody* world = mjs_findBody(spec.get(), "world");
  const auto geoms_of = [&](int robot, int body) {
    if (robot < 0 || at(robot) >= robots_.size())
      throw InputError(fmt::format("there is no robot {}", robot));
    const auto& bodies = robots_[at(robot)]->description().bodies;
    if (body < 0 || at(body) >= bodies.size())
      throw InputError(fmt::format("model '{}' has no body {}", robots_[at(robot)]->name(), body));
    std::vector<int> out;
    for (std::size_t g = 0; g < impl_->geoms.size(); ++g)
      if (impl_->geoms[g].robot == robot && impl_->geoms[g].body == body)
        out.push_back(static_cast<int>(g));
    if (!out.empty()) return out;
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
      out.push_back(g);
    }
    if (out.empty())
      throw InputError(
          fmt::format("body '{}' has no shapes to keep a distance from", bodies[at(body)].name));
    return out;
  };
  for (const auto& pair : pairs_) {
    impl_->geoms_a.push_back(geoms_of(pair.robot_a, pair.body_a));
    impl_->geoms_b.push_back(geoms_of(pair.robot_b, pair.body_b));
    if (pair.robot_a == pair.robot_b && pair.body_a == pair.body_b)
      throw InputError(
          fmt::format("body '{}' is paired with itself",
                      robots_[at(pair.robot_a)]->description().bodies[at(pair.body_a)].name));
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
}
DistanceData::~DistanceData() = default;
DistanceData::DistanceData(DistanceData&&) noexcept = default;

void update_distances(const DistanceModel& model, std::span<const RobotData* const> robots,
                      DistanceData& data, double largest) {
  const auto& impl = model.impl();
  const mjModel* m = impl.model.get();
  mjData* d = data.impl().data.get();
  for (const auto& geom : impl.geoms) {
    const RobotModel& robot = *model.robots()[at(geom.robot)];
    const Pose X_WG =
        frame_pose(robot, *robots[at(geom.robot)], robot.body_frame(geom.body)) * geom.X_BG;
    Eigen::Vector3d::Map(d->geom_xpos + 3 * geom.id) = X_WG.p;
    Eigen::Matrix<double, 3, 3, Eigen::RowMajor>::Map(d->geom_xmat + 9 * geom.id) = X_WG.R;
  }
  for (std::size_t p = 0; p < model.pairs().size(); ++p) {
    Distance nearest;
    nearest.distance = largest;
    for (const int a : impl.geoms_a[p])
      for (const int b : impl.geoms_b[p]) {
        const auto &ga = impl.geoms[at(a)], &gb = impl.geoms[at(b)];
        // bounding spheres: most of a pair's shapes are farther apart than its nearest two
        const double centres = (Eigen::Vector3d::Map(d->geom_xpos + 3 * ga.id) -
                                Eigen::Vector3d::Map(d->geom_xpos + 3 * gb.id))
                                   .norm();
        if (centres - m->geom_rbound[ga.id] - m->geom_rbound[gb.id] >= nearest.distance) continue;
        double points[6];
        const double distance = mj_geomDistance(m, d, ga.id, gb.id, nearest.distance, points);
        if (distance >= nearest.distance) continue;
        nearest.distance = distance;
        nearest.p_WA = Eigen::Vector3d::Map(points);
        nearest.p_WB = Eigen::Vector3d::Map(points + 3);
        nearest.shape_a = ga.shape;
        nearest.shape_b = gb.shape;
      }
    if (nearest.shape_a >= 0) {
      // overlapping bodies part along the opposite of their witness points' difference
      const Eigen::Vector3d difference =
          (nearest.distance < 0.0 ? -1.0 : 1.0) * (nearest.p_WA - nearest.p_WB);
      const double length = difference.norm();
      // touching exactly: keep the last direction, which changes little from tick to tick
      nearest.n_W = length > 0.0 ? Eigen::Vector3d(difference / length) : data.distances[p].n_W;
    }
    data.distances[p] = nearest;
  }
}

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
