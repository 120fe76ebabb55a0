#include "scene/convex_hull.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "core/error.hpp"
#include "scene/mujoco_spec.hpp"

namespace handspan {
namespace {

// A model with the points as its only mesh.
MjModelPtr compile_hull(const std::vector<Eigen::Vector3d>& points, const std::string& what) {
  MjSpecPtr spec = make_spec();
  mjsMesh* mesh = mjs_addMesh(spec.get(), nullptr);
  mjs_setName(mesh->element, "hull");
  mesh->needsdf = 0;
  std::vector<float> flat;
  for (const auto& p : points)
    for (int i = 0; i < 3; ++i) flat.push_back(static_cast<float>(p[i]));
  mjs_setFloat(mesh->uservert, flat.data(), static_cast<int>(flat.size()));
  mjsBody* body = mjs_addBody(mjs_findBody(spec.get(), "world"), nullptr);
  mjsGeom* geom = mjs_addGeom(body, nullptr);
  geom->type = mjGEOM_MESH;
  geom->mass = 0.0;
  mjs_setString(geom->meshname, "hull");
  MjModelPtr model;
  try {
    model = compile_spec(spec.get(), what);
  } catch (const std::runtime_error& e) {
    throw InputError(fmt::format("{}; its vertices span no volume: use --shapes fit", e.what()));
  }
  if (model->mesh_graphadr[0] < 0) throw InputError(what + " has no convex hull; use --shapes fit");
  return model;
}

// MuJoCo moves the vertices to the mesh's principal frame.
Eigen::Vector3d hull_point(const mjModel& model, int vertex) {
  const Eigen::Map<const Eigen::Vector3d> p_mesh(model.mesh_pos);
  const Eigen::Matrix3d R = quaternion_from_mujoco(model.mesh_quat).toRotationMatrix();
  return p_mesh +
         R * Eigen::Map<const Eigen::Vector3f>(model.mesh_vert + 3 * vertex).cast<double>();
}

}  // namespace

// mesh_graph: number of hull vertices and faces, an edge address each vertex, then each vertex's
// index in the mesh, the edges, and three indices each face.

std::vector<Eigen::Vector3d> hull_vertices(const std::vector<Eigen::Vector3d>& points,
                                           const std::string& what) {
  const MjModelPtr model = compile_hull(points, what);
  const int* graph = model->mesh_graph + model->mesh_graphadr[0];
  // the mesh keeps the points' order when none is double
  const std::set<int> corners(graph + 2 + graph[0], graph + 2 + 2 * graph[0]);
  std::vector<Eigen::Vector3d> out;
  for (const int i : corners) out.push_back(hull_point(*model, i).cast<float>().cast<double>());
  return out;
}

MeshSurface hull_surface(const std::vector<Eigen::Vector3d>& points) {
  MeshSurface out;
  out.vertices = points;
  MjModelPtr model;
  try {
    model = compile_hull(points, "a mesh");
  } catch (const InputError&) {
    return out;
  }
  const int* graph = model->mesh_graph + model->mesh_graphadr[0];
  const int vertices = graph[0], faces = graph[1];
  const int* face = graph + 2 + 3 * vertices + 3 * faces;
  std::map<int, int> index;  // of a vertex of the mesh in `out`
  out.vertices.clear();
  for (int k = 0; k < vertices; ++k) {
    const int vertex = graph[2 + vertices + k];
    index[vertex] = k;
    out.vertices.push_back(hull_point(*model, vertex));
  }
  for (int k = 0; k < faces; ++k)
    out.triangles.push_back(
        {index.at(face[3 * k]), index.at(face[3 * k + 1]), index.at(face[3 * k + 2])});
  return out;
}

std::vector<Eigen::Vector3d> covering_polytope(const std::vector<Eigen::Vector3d>& points,
                                               int corners,
                                               const std::optional<HalfSpace>& inside) {
  const MeshSurface hull = hull_surface(points);
  if (hull.triangles.empty()) return {};
  const auto single = [](std::vector<Eigen::Vector3d> out) {
    for (auto& p : out) p = p.cast<float>().cast<double>();
    return out;
  };
  if (static_cast<int>(hull.vertices.size()) <= corners) return single(hull.vertices);
  std::set<std::size_t> extreme;
  for (int k = 0; k < corners; ++k) {
    // Fibonacci lattice on the sphere
    const double z = 1.0 - (2.0 * k + 1.0) / corners;
    const double angle = std::numbers::pi * (3.0 - std::sqrt(5.0)) * k, r = std::sqrt(1.0 - z * z);
    const Eigen::Vector3d n(r * std::cos(angle), r * std::sin(angle), z);
    std::size_t best = 0;
    for (std::size_t i = 1; i < hull.vertices.size(); ++i)
      if (n.dot(hull.vertices[i]) > n.dot(hull.vertices[best])) best = i;
    extreme.insert(best);
  }
  std::vector<Eigen::Vector3d> some;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  for (const std::size_t i : extreme) {
    some.push_back(hull.vertices[i]);
    center += hull.vertices[i] / static_cast<double>(extreme.size());
  }
  // what is made larger about a point of a plane stays on its side of it
  double lowest = 0.0;
  if (inside) {
    lowest = inside->n.dot(hull.vertices[0]);
    for (const auto& p : hull.vertices) lowest = std::min(lowest, inside->n.dot(p));
    center += (lowest - inside->n.dot(center)) * inside->n;
  }
  // as much larger as it must be to hold the points that were left out
  const MeshSurface small = hull_surface(some);
  double scale = 1.0;
  for (const auto& t : small.triangles) {
    const auto corner = [&](int i) -> const Eigen::Vector3d& {
      return small.vertices[static_cast<std::size_t>(t[static_cast<std::size_t>(i)])];
    };
    // a face on that plane has nothing beyond it, however rounding tilts it
    constexpr double kOnPlane = 1e-5;  // [m]
    if (inside && std::max({inside->n.dot(corner(0)), inside->n.dot(corner(1)),
                            inside->n.dot(corner(2))}) < lowest + kOnPlane)
      continue;
    const Eigen::Vector3d across = (corner(1) - corner(0)).cross(corner(2) - corner(0));
    if (across.norm() < 1e-14) continue;
    Eigen::Vector3d n = across.normalized();
    double height = n.dot(corner(0) - center);
    if (height < 0.0) {
      n = -n;
      height = -height;
    }
    constexpr double kThin = 1e-6;  // it goes through the centre
    if (height < kThin) continue;
    for (const auto& p : hull.vertices) scale = std::max(scale, n.dot(p - center) / height);
  }
  if (small.triangles.empty() || scale > 1.1) return single(hull.vertices);
  for (auto& p : some) p = center + (1.0 + 1e-6) * scale * (p - center);
  return single(some);
}

}  // namespace handspan
