// Mass, centre and inertia of a mesh of 10,000 triangles, and whether it is closed.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "bench/figure.hpp"
#include "scene/mesh_integrals.hpp"

namespace handspan {
namespace {

constexpr int kAround = 100, kAlong = 50;  // 2 * 100 * 50 triangles
constexpr int kMeshCalls = 1000;
constexpr double kLargestMesh = 1000.0;  // [us]

// a ring: closed, and concave
MeshSurface ring() {
  MeshSurface mesh;
  const auto at = [](int i, int j) { return i % kAround * kAlong + j % kAlong; };
  for (int i = 0; i < kAround; ++i)
    for (int j = 0; j < kAlong; ++j) {
      const double u = 2.0 * std::numbers::pi * i / kAround,
                   v = 2.0 * std::numbers::pi * j / kAlong;
      const double r = 0.1 + 0.03 * std::cos(v);
      mesh.vertices.emplace_back(r * std::cos(u), r * std::sin(u), 0.03 * std::sin(v));
      mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  if (mesh_fault(mesh)) throw std::runtime_error("the ring " + mesh_fault(mesh)->cause);
  return mesh;
}

Figure mesh_figure(const char* name, double target,
                   const std::function<void(const MeshSurface&)>& work) {
  Figure f;
  f.name = name;
  f.largest_median = target;
  f.loop.ours = [work] {
    const MeshSurface mesh = ring();
    TickSamples samples;
    for (int i = 0; i < kMeshCalls; ++i) {
      const auto start = std::chrono::steady_clock::now();
      work(mesh);
      samples.seconds.push_back(
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return samples;
  };
  return f;
}

}  // namespace

std::vector<Figure> mesh_figures() {
  return {
      mesh_figure("mesh/mass", kLargestMesh,
                  [](const MeshSurface& mesh) { benchmark::DoNotOptimize(mesh_integrals(mesh)); }),
      mesh_figure("mesh/closed", 0.0, [](const MeshSurface& mesh) {
        benchmark::DoNotOptimize(mesh_fault(mesh).has_value());
      })};
}

}  // namespace handspan
