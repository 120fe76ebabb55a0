#include "scene/cover_mesh.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace handspan {
namespace {

using Triangle = std::array<Eigen::Vector3d, 3>;

constexpr double kWeightOfAShape = 0.02;  // of the volume at the beginning

struct Piece {
  std::vector<Triangle> triangles;
  std::vector<HalfSpace> cuts;  // which it is inside of
  Shape shape;                  // found quickly
  double volume = 0.0;
  // the slabs that it is best cut into, if that pays, and the volume that each further one saves
  std::vector<Piece> slabs;
  double gain = 0.0;
};

std::vector<Eigen::Vector3d> corners(const std::vector<Triangle>& triangles) {
  std::vector<Eigen::Vector3d> out;
  out.reserve(3 * triangles.size());
  for (const auto& t : triangles) out.insert(out.end(), t.begin(), t.end());
  const auto less = [](const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  };
  std::sort(out.begin(), out.end(), less);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// The part of the triangle with n . x >= d as up to two triangles; nothing where it only touches
// the plane: the solid that a face in the plane belongs to has other faces on its side.
void clip(const Triangle& t, const Eigen::Vector3d& n, double d, std::vector<Triangle>& out) {
  constexpr double kTouching = 1e-9;  // [m]
  if (std::ranges::none_of(t, [&](const auto& p) { return n.dot(p) - d > kTouching; })) return;
  std::array<Eigen::Vector3d, 4> kept;
  std::size_t size = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const Eigen::Vector3d &a = t[i], &b = t[(i + 1) % 3];
    const double at_a = n.dot(a) - d, at_b = n.dot(b) - d;
    if (at_a >= 0.0) kept[size++] = a;
    if ((at_a > 0.0 && at_b < 0.0) || (at_a < 0.0 && at_b > 0.0))
      kept[size++] = a + (at_a / (at_a - at_b)) * (b - a);
  }
  if (size >= 3) out.push_back({kept[0], kept[1], kept[2]});
  if (size == 4) out.push_back({kept[0], kept[2], kept[3]});
}

std::vector<Triangle> inside(const std::vector<Triangle>& triangles, const HalfSpace& half) {
  std::vector<Triangle> out;
  for (const auto& t : triangles) clip(t, half.n, half.d, out);
  return out;
}

std::vector<Triangle> triangles_of(const MeshSurface& mesh) {
  std::vector<Triangle> out;
  out.reserve(mesh.triangles.size());
  for (const auto& t : mesh.triangles) {
    Triangle triangle;
    for (std::size_t i = 0; i < 3; ++i) triangle[i] = mesh.vertices[static_cast<std::size_t>(t[i])];
    out.push_back(triangle);
  }
  return out;
}

// At most kSearched triangles that look alike: all vertices in a cell of a grid become one.
std::vector<Triangle> simplified(std::vector<Triangle> triangles) {
  constexpr std::size_t kSearched = 1000;
  const std::vector<Eigen::Vector3d> points = corners(triangles);
  Eigen::Vector3d low = points[0], high = points[0];
  for (const auto& p : points) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  const std::vector<Triangle> all = triangles;
  for (double cells = 200.0; triangles.size() > kSearched && cells > 10.0; cells *= 0.7) {
    const double cell = (high - low).maxCoeff() / cells;
    std::map<std::array<int, 3>, std::pair<Eigen::Vector3d, int>> grid;
    const auto key = [&](const Eigen::Vector3d& p) {
      const Eigen::Vector3i i = ((p - low) / cell).array().floor().cast<int>();
      return std::array<int, 3>{i[0], i[1], i[2]};
    };
    for (const auto& p : points) {
      auto& [sum, count] =
          grid.try_emplace(key(p), std::pair{Eigen::Vector3d(0.0, 0.0, 0.0), 0}).first->second;
      sum += p;
      ++count;
    }
    triangles.clear();
    std::set<std::array<std::array<int, 3>, 3>> seen;
    for (const auto& t : all) {
      const std::array<std::array<int, 3>, 3> keys{key(t[0]), key(t[1]), key(t[2])};
      if (keys[0] == keys[1] || keys[1] == keys[2] || keys[2] == keys[0]) continue;
      if (!seen.insert(keys).second) continue;
      Triangle triangle;
      for (std::size_t i = 0; i < 3; ++i) {
        const auto& [sum, count] = grid.at(keys[i]);
        triangle[i] = sum / count;
      }
      triangles.push_back(triangle);
    }
  }
  return triangles.empty() ? all : triangles;
}

class Cover {
 public:
  Cover(const MeshSurface& mesh, const CoverOptions& options) : mesh_(mesh), options_(options) {}

  // The corners of each piece, of the mesh as it is.
  std::vector<std::vector<Eigen::Vector3d>> pieces() {
    const std::vector<Triangle> all = triangles_of(mesh_);
    // points without a surface: nothing to cut
    if (all.empty()) return {mesh_.vertices};
    std::vector<Piece> pieces;
    pieces.push_back(piece(simplified(all), {}));
    const double whole = pieces[0].volume;
    double volume = whole;
    cut(pieces[0]);
    for (;;) {
      const auto best = std::ranges::max_element(pieces, {}, &Piece::gain);
      const int left = options_.max_shapes - static_cast<int>(pieces.size());
      if (best->slabs.empty() || static_cast<int>(best->slabs.size()) - 1 > left ||
          best->gain < std::max(options_.min_gain * volume, kWeightOfAShape * whole))
        break;
      std::vector<Piece> slabs = std::move(best->slabs);
      volume -= best->gain * static_cast<double>(slabs.size() - 1);
      for (auto& slab : slabs) cut(slab);
      *best = std::move(slabs[0]);
      for (std::size_t i = 1; i < slabs.size(); ++i) pieces.push_back(std::move(slabs[i]));
    }
    std::vector<std::vector<Eigen::Vector3d>> out;
    for (const auto& p : pieces) {
      std::vector<Triangle> exact = all;
      for (const auto& half : p.cuts) exact = inside(exact, half);
      if (!exact.empty()) out.push_back(corners(exact));
    }
    return out;
  }

 private:
  Piece piece(std::vector<Triangle> triangles, std::vector<HalfSpace> cuts) const {
    Piece out;
    out.cuts = std::move(cuts);
    out.shape = fit_shape(corners(triangles), options_.inside, false);
    out.volume = shape_volume(out.shape);
    out.triangles = std::move(triangles);
    return out;
  }

  // Tries planes across the axes of the mesh's frame, of the piece and of its shape.
  void cut(Piece& whole) const {
    const std::vector<Eigen::Vector3d> points = corners(whole.triangles);
    Eigen::Vector3d mean = Eigen::Vector3d::Zero();
    for (const auto& p : points) mean += p / static_cast<double>(points.size());
    Eigen::Matrix3d moments = Eigen::Matrix3d::Zero();
    for (const auto& p : points) moments += (p - mean) * (p - mean).transpose();
    const Eigen::Matrix3d principal =
        Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(moments).eigenvectors();
    const Eigen::Matrix3d shape_axes = whole.shape.X_BG.q.toRotationMatrix();
    std::vector<Eigen::Vector3d> normals;
    for (const Eigen::Matrix3d& axes :
         {Eigen::Matrix3d(Eigen::Matrix3d::Identity()), principal, shape_axes})
      for (int k = 0; k < 3; ++k)
        if (std::ranges::none_of(
                normals, [&](const auto& n) { return std::abs(n.dot(axes.col(k))) > 0.98; }))
          normals.push_back(axes.col(k));
    for (const auto& n : normals) cut_along(n, points, whole);
  }

  // The best two or three slabs between parallel planes: an arm with a thick end on either side
  // gains nothing by being halved.
  void cut_along(const Eigen::Vector3d& n, const std::vector<Eigen::Vector3d>& points,
                 Piece& whole) const {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const auto& p : points) {
      low = std::min(low, n.dot(p));
      high = std::max(high, n.dot(p));
    }
    constexpr std::size_t kSlices = 8;
    const auto plane = [&](std::size_t k) { return low + (high - low) * double(k) / kSlices; };
    // between planes i and j
    std::array<std::array<std::optional<Piece>, kSlices + 1>, kSlices + 1> slabs;
    for (std::size_t i = 0; i < kSlices; ++i) {
      std::vector<HalfSpace> cuts = whole.cuts;
      std::vector<Triangle> above = whole.triangles;
      if (i > 0) {
        cuts.push_back({n, plane(i)});
        above = inside(above, cuts.back());
      }
      for (std::size_t j = i + 1; j <= kSlices; ++j) {
        if (i == 0 && j == kSlices) continue;
        std::vector<HalfSpace> both = cuts;
        std::vector<Triangle> between = above;
        if (j < kSlices) {
          both.push_back({-n, -plane(j)});
          between = inside(between, both.back());
        }
        if (!between.empty()) slabs[i][j] = piece(std::move(between), std::move(both));
      }
    }
    const auto offer = [&](const std::vector<std::pair<std::size_t, std::size_t>>& parts) {
      double volume = 0.0;
      for (const auto& [i, j] : parts) {
        if (!slabs[i][j]) return;
        volume += slabs[i][j]->volume;
      }
      const double gain = (whole.volume - volume) / static_cast<double>(parts.size() - 1);
      if (gain <= whole.gain) return;
      whole.gain = gain;
      whole.slabs.clear();
      for (const auto& [i, j] : parts) whole.slabs.push_back(*slabs[i][j]);
    };
    for (std::size_t i = 1; i < kSlices; ++i) {
      offer({{0, i}, {i, kSlices}});
      for (std::size_t j = i + 1; j < kSlices; ++j) offer({{0, i}, {i, j}, {j, kSlices}});
    }
  }

  const MeshSurface& mesh_;
  const CoverOptions& options_;
};

}  // namespace

std::vector<Shape> cover_mesh(const MeshSurface& mesh, const CoverOptions& options) {
  std::vector<Shape> out;
  for (const auto& points : Cover(mesh, options).pieces())
    out.push_back(fit_shape(points, options.inside));
  return out;
}

std::vector<Shape> cover_mesh_closely(const MeshSurface& mesh, const CoverOptions& options) {
  constexpr int kCorners = 100;
  std::vector<Shape> out;
  for (const auto& points : Cover(mesh, options).pieces()) {
    Shape hull;
    hull.type = ShapeType::kMesh;
    hull.vertices = covering_polytope(points, kCorners, options.inside);
    out.push_back(hull.vertices.empty() ? fit_shape(points, options.inside) : hull);
  }
  return out;
}

}  // namespace handspan
