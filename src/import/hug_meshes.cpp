#include "import/hug_meshes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "import/near_bodies.hpp"
#include "scene/cover_mesh.hpp"

namespace handspan {
std::optional<HalfSpace> mounting_plane(const ModelDescription& description,
                                        const BodyDescription& body) {
  Placement X_RB;                     // R root
  std::vector<Eigen::Vector3d> axes;  // that the body turns about, in R at q = 0
  for (const BodyDescription* b = &body;;
       b = &description.bodies[static_cast<std::size_t>(b->parent)]) {
    for (auto& axis : axes) axis = b->X_PB.q * axis;
    if (b->parent < 0) {
      if (!b->joints.empty()) return std::nullopt;
      // the root's own placement in the world is not the robot's
      for (auto& axis : axes) axis = b->X_PB.q.inverse() * axis;
      break;
    }
    X_RB = b->X_PB * X_RB;
    for (const auto& joint : b->joints) {
      if (joint.type != JointType::kRevolute) return std::nullopt;
      axes.push_back(b->X_PB.q * joint.axis);
    }
  }
  for (const auto& axis : axes)
    if (axis.head<2>().norm() > 1e-6) return std::nullopt;
  return HalfSpace{X_RB.q.inverse() * Eigen::Vector3d::UnitZ(), -X_RB.p.z()};
}

namespace {

using Covering = std::vector<Shape> (*)(const MeshSurface&, const CoverOptions&);

// One mesh after the other on each core; the same whatever their number.
std::vector<std::vector<Shape>> covered(const std::vector<BodyMesh>& meshes,
                                        const std::vector<CoverOptions>& options, Covering cover,
                                        const char* what, const ImportProgress& progress) {
  std::vector<std::vector<Shape>> out(meshes.size());
  std::atomic<std::size_t> next = 0;
  std::mutex telling;
  std::size_t done = 0;
  std::exception_ptr failed;
  std::size_t failed_at = meshes.size();
  const auto work = [&] {
    for (std::size_t i; (i = next++) < meshes.size();) {
      std::exception_ptr wrong;
      try {
        out[i] = cover(meshes[i].mesh, options[i]);
      } catch (...) {
        wrong = std::current_exception();
      }
      const std::scoped_lock lock(telling);
      if (wrong && i < failed_at) {
        failed = wrong;
        failed_at = i;
      }
      if (progress) progress(what, ++done, meshes.size());
    }
  };
  {
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::jthread> others;
    try {
      for (std::size_t k = 1; k < std::min(cores, meshes.size()); ++k) others.emplace_back(work);
    } catch (const std::system_error&) {
      // fewer threads do it too
    }
    work();
  }
  if (failed) std::rethrow_exception(failed);
  return out;
}

}  // namespace

// One function, since each step narrows what the one before it found.
std::vector<Hugged> hug_meshes(ModelDescription& description, const std::vector<BodyMesh>& meshes,
                               std::set<std::string>& taken, const ImportProgress& progress) {
  constexpr int kConfigurations = 400;
  constexpr double kMoreOverlaps = 0.01;
  // the covers of each mesh: simple ones, and convex pieces where they are asked for
  std::vector<std::vector<Shape>> simple, close;
  std::vector<std::size_t> body_of;
  std::vector<CoverOptions> options;
  for (const auto& mesh : meshes) {
    const auto body = static_cast<std::size_t>(description.body_index(mesh.body));
    body_of.push_back(body);
    auto& o = options.emplace_back();
    o.max_shapes = mesh.max_shapes;
    if (const auto plane = mounting_plane(description, description.bodies[body]))
      o.inside = HalfSpace{mesh.shape.X_BG.q.inverse() * plane->n,
                           plane->d - plane->n.dot(mesh.shape.X_BG.p)};
  }
  simple = covered(meshes, options, cover_mesh, "shapes around meshes", progress);
  const auto with = [&](const std::vector<const std::vector<Shape>*>& covers,
                        std::set<std::string>& names) {
    ModelDescription out = description;
    for (std::size_t i = 0; i < meshes.size(); ++i)
      for (std::size_t k = 0; k < covers[i]->size(); ++k) {
        const Shape& cover = (*covers[i])[k];
        Shape s = meshes[i].shape;
        for (std::size_t n = k + 1; k > 0; ++n) {
          s.name = fmt::format("{}_{}", meshes[i].shape.name, n);
          if (names.insert(s.name).second) break;
        }
        s.type = cover.type;
        s.size = cover.size;
        s.vertices = cover.vertices;
        s.X_BG = s.X_BG * cover.X_BG;
        out.bodies[body_of[i]].shapes.push_back(std::move(s));
      }
    return out;
  };
  std::vector<const std::vector<Shape>*> chosen;
  for (const auto& covers : simple) chosen.push_back(&covers);
  std::vector<Hugged> out(meshes.size());
  try {
    std::set<std::string> scratch = taken;
    auto counts = near_counts(with(chosen, scratch), kConfigurations, 0.0);
    if (!counts.empty()) {
      // finer pieces: what is compared with should be the mesh
      for (auto& o : options) {
        o.max_shapes += 2;
        o.min_gain = 0.025;
      }
      close = covered(meshes, options, cover_mesh_closely, "convex pieces of meshes", progress);
      std::vector<const std::vector<Shape>*> closest;
      for (const auto& covers : close) closest.push_back(&covers);
      scratch = taken;
      auto least = near_counts(with(closest, scratch), kConfigurations, 0.0);
      // the body with the most of them first: what it touches may then be near enough as it is
      std::set<std::size_t> refined;
      for (;;) {
        std::map<std::size_t, int> more;
        for (const auto& [pair, count] : counts) {
          const int beyond = count - least[pair];
          for (const int body : {pair.first, pair.second})
            if (beyond > kMoreOverlaps * kConfigurations &&
                std::ranges::count(body_of, static_cast<std::size_t>(body)) > 0 &&
                !refined.contains(static_cast<std::size_t>(body)))
              more[static_cast<std::size_t>(body)] += beyond;
        }
        if (more.empty()) break;
        const std::size_t body =
            std::ranges::max_element(more, {}, [](const auto& m) { return m.second; })->first;
        refined.insert(body);
        for (std::size_t i = 0; i < meshes.size(); ++i)
          if (body_of[i] == body) {
            chosen[i] = closest[i];
            out[i].convex_pieces = true;
          }
        scratch = taken;
        counts = near_counts(with(chosen, scratch), kConfigurations, 0.0);
      }
    }
  } catch (const std::exception&) {
    // what is wrong with the robot itself is said where it is put together
  }
  description = with(chosen, taken);
  for (std::size_t i = 0; i < meshes.size(); ++i) out[i].shapes = chosen[i]->size();
  return out;
}

}  // namespace handspan
