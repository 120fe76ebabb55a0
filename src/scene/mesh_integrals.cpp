#include "scene/mesh_integrals.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace handspan {
namespace {

// less volume than this share of the cube around it is a plane but for rounding
constexpr double kFlat = 1e-9;

std::string place_text(const Eigen::Vector3d& p) {
  return fmt::format("({:.4g}, {:.4g}, {:.4g}) m", p[0] + 0.0, p[1] + 0.0, p[2] + 0.0);
}

// An edge with its triangles: those that go from the lower vertex to the higher, less the others.
struct MeshEdge {
  int low = 0, high = 0;
  int forward = 0, backward = 0;
};

// All edges, by lower vertex: a counting sort, so that it takes as long as there are triangles.
std::vector<MeshEdge> edges_of(const MeshSurface& mesh) {
  std::vector<std::size_t> begin(mesh.vertices.size() + 1, 0);
  const auto each = [&](const auto& what) {
    for (const auto& t : mesh.triangles) {
      if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue;
      for (std::size_t i = 0; i < 3; ++i) what(t[i], t[(i + 1) % 3]);
    }
  };
  each([&](int a, int b) { ++begin[static_cast<std::size_t>(std::min(a, b)) + 1]; });
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<MeshEdge> edges(begin.back());
  std::vector<std::size_t> end(begin.begin(), begin.end() - 1);
  each([&](int a, int b) {
    const auto low = static_cast<std::size_t>(std::min(a, b));
    const int high = std::max(a, b);
    std::size_t at = begin[low];
    while (at < end[low] && edges[at].high != high) ++at;
    if (at == end[low]) edges[end[low]++] = {static_cast<int>(low), high, 0, 0};
    ++(a < b ? edges[at].forward : edges[at].backward);
  });
  std::erase_if(edges, [](const MeshEdge& e) { return e.forward + e.backward == 0; });
  return edges;
}

// Those edges of the open ones that hang together with the first: the border of a hole.
std::vector<MeshEdge> first_hole(std::vector<MeshEdge> open) {
  std::vector<MeshEdge> hole = {open.front()};
  open.erase(open.begin());
  for (std::size_t i = 0; i < hole.size(); ++i) {
    const MeshEdge known = hole[i];
    const auto touches = [&](const MeshEdge& e) {
      return e.low == known.low || e.low == known.high || e.high == known.low ||
             e.high == known.high;
    };
    for (const MeshEdge& e : open)
      if (touches(e)) hole.push_back(e);
    std::erase_if(open, touches);
  }
  return hole;
}

Eigen::Vector3d middle_of(const MeshSurface& mesh, const std::vector<MeshEdge>& edges) {
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (const MeshEdge& e : edges)
    sum += 0.5 * (mesh.vertices[static_cast<std::size_t>(e.low)] +
                  mesh.vertices[static_cast<std::size_t>(e.high)]);
  return sum / static_cast<double>(edges.size());
}

// whether all vertices lie in one plane, but for rounding to single precision
bool in_a_plane(const MeshSurface& mesh) {
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  for (const auto& v : mesh.vertices) mean += v / static_cast<double>(mesh.vertices.size());
  Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
  for (const auto& v : mesh.vertices) spread += (v - mean) * (v - mean).transpose();
  const Eigen::Vector3d moments =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(spread, Eigen::EigenvaluesOnly).eigenvalues();
  return moments[0] <= 1e-12 * moments[2];
}

}  // namespace

MeshIntegrals mesh_integrals(const MeshSurface& mesh) {
  MeshIntegrals sum;
  if (mesh.vertices.empty()) return sum;
  // about a point of the mesh, so that a mesh far from its origin loses no digits
  const Eigen::Vector3d o = mesh.vertices.front();
  Eigen::Vector3d first = Eigen::Vector3d::Zero();
  Eigen::Array3d squares = Eigen::Array3d::Zero(), products = Eigen::Array3d::Zero();
  for (const auto& t : mesh.triangles) {
    const Eigen::Vector3d a = mesh.vertices[static_cast<std::size_t>(t[0])] - o;
    const Eigen::Vector3d b = mesh.vertices[static_cast<std::size_t>(t[1])] - o;
    const Eigen::Vector3d c = mesh.vertices[static_cast<std::size_t>(t[2])] - o;
    const Eigen::Vector3d s = a + b + c;
    const double d = a.dot(b.cross(c));  // six volumes
    sum.volume += d;
    first += d * s;
    // xx, yy, zz and yz, zx, xy: half of a symmetric matrix is half the work
    const Eigen::Array3d x = s.array(), u = a.array(), v = b.array(), w = c.array();
    squares += d * (x * x + u * u + v * v + w * w);
    for (int k = 0; k < 3; ++k) {
      const int n = (k + 1) % 3, m = (k + 2) % 3;
      products[k] += d * (x[n] * x[m] + u[n] * u[m] + v[n] * v[m] + w[n] * w[m]);
    }
  }
  sum.volume /= 6.0;
  if (sum.volume == 0.0) return sum;
  const Eigen::Vector3d r = first / (24.0 * sum.volume);
  Eigen::Matrix3d second;
  second << squares[0], products[2], products[1],  //
      products[2], squares[1], products[0],        //
      products[1], products[0], squares[2];
  second = second / 120.0 - sum.volume * r * r.transpose();
  sum.center = o + r;
  sum.inertia = second.trace() * Eigen::Matrix3d::Identity() - second;
  return sum;
}

std::optional<MeshFault> mesh_fault(const MeshSurface& mesh) {
  if (mesh.triangles.empty())
    return MeshFault{"has no triangles", "give a mesh with a surface, not points or lines alone"};
  if (in_a_plane(mesh))
    return MeshFault{fmt::format("is flat: all of it lies in a plane through {}",
                                 place_text(mesh.vertices.front())),
                     "give a solid, such as a box as thick as it is"};
  const std::vector<MeshEdge> edges = edges_of(mesh);
  std::vector<MeshEdge> open, twisted;
  for (const MeshEdge& e : edges) {
    if (e.forward == e.backward) continue;
    (e.forward + e.backward == 1 ? open : twisted).push_back(e);
  }
  if (!open.empty()) {
    const auto hole = first_hole(open);
    return MeshFault{
        fmt::format("is open: there is a hole of {} edges about {}{}", hole.size(),
                    place_text(middle_of(mesh, hole)),
                    hole.size() < open.size()
                        ? fmt::format(", and {} open edges elsewhere", open.size() - hole.size())
                        : ""),
        "close it in the program that made it, or give center_of_mass and inertia of the object"};
  }
  if (!twisted.empty())
    return MeshFault{fmt::format("has triangles that face opposite ways, beside each other at {}",
                                 place_text(middle_of(mesh, {twisted.front()}))),
                     "make all of them face outwards in the program that made it"};
  const double volume = mesh_integrals(mesh).volume;
  Eigen::AlignedBox3d box;
  for (const auto& v : mesh.vertices) box.extend(v);
  if (std::abs(volume) <= kFlat * std::pow(box.diagonal().norm(), 3))
    return MeshFault{fmt::format("is flat: it has no volume about {}", place_text(box.center())),
                     "give a solid, such as a box as thick as it is"};
  if (volume < 0.0)
    return MeshFault{
        fmt::format("is inside out: its triangles face inwards, such as that at {}",
                    place_text(mesh.vertices[static_cast<std::size_t>(mesh.triangles[0][0])])),
        "turn the order of their corners round (flip normals) in the program that made it"};
  return std::nullopt;
}

}  // namespace handspan
