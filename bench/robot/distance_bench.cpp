// Distances of 15 pairs of a robot's bodies beside the same calls of mj_geomDistance, poses of the
// geoms included.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <stdexcept>

#include "bench/figure.hpp"
#include "bench/robot/robots.hpp"
#include "robot/distance.hpp"
#include "robot/model_impl.hpp"
#include "robot/mujoco_shapes.hpp"

namespace handspan {
namespace {

constexpr std::size_t kPairs = 15;
constexpr double kLargestDistances = 12.0;  // [us]
constexpr double kGjk = 1e-9;               // what the peer's GJK may be wrong by [m]
constexpr double kLargest = 10.0;  // [m]: farther than any, so that every pair is measured in full

// The first pairs of bodies that no joint connects.
std::vector<BodyPair> chosen_pairs(const BenchRobot& robot) {
  const auto& bodies = robot.model.description().bodies;
  const auto colliding = [&](std::size_t b) {
    return std::ranges::any_of(bodies[b].shapes, [](const Shape& shape) { return shape.collides; });
  };
  std::vector<BodyPair> pairs;
  for (std::size_t a = 0; a < bodies.size(); ++a)
    for (std::size_t b = a + 1; b < bodies.size(); ++b) {
      const bool neighbours =
          bodies[b].parent == static_cast<int>(a) || bodies[a].parent == static_cast<int>(b);
      if (pairs.size() < kPairs && !neighbours && colliding(a) && colliding(b))
        pairs.push_back({0, static_cast<int>(a), 0, static_cast<int>(b)});
    }
  if (pairs.size() != kPairs)
    throw std::runtime_error(fmt::format("robot '{}' has {} pairs of bodies, not {}",
                                         robot.model.name(), pairs.size(), kPairs));
  return pairs;
}

// Without handspan: Pinocchio's body poses, MuJoCo's geoms and distances, and the least of each
// pair's.
class Direct {
 public:
  Direct(const BenchRobot& robot, const std::vector<BodyPair>& pairs) {
    const auto& bodies = robot.model.description().bodies;
    const MjSpecPtr spec = make_spec();
    spec->option.ccd_tolerance = 1e-10;  // as DistanceModel has it, for what has no form of its own
    spec->option.ccd_iterations = 200;
    std::vector<std::vector<int>> geoms_of(bodies.size());
    for (const auto& pair : pairs)
      for (const int body : {pair.body_a, pair.body_b}) {
        auto& of = geoms_of[static_cast<std::size_t>(body)];
        if (!of.empty()) continue;
        for (const auto& shape : bodies[static_cast<std::size_t>(body)].shapes) {
          if (!shape.collides) continue;
          add_shape(spec.get(), mjs_findBody(spec.get(), "world"), shape, 0);
          of.push_back(static_cast<int>(geoms_.size()));
          geoms_.push_back({static_cast<std::size_t>(robot.model.body_frame(body).index), {}});
        }
      }
    model_ = compile_spec(spec.get(), "bench");
    data_.reset(mj_makeData(model_.get()));
    for (std::size_t g = 0; g < geoms_.size(); ++g)
      geoms_[g].X_BG =
          pinocchio::SE3(quaternion_from_mujoco(model_->geom_quat + 4 * g).toRotationMatrix(),
                         Eigen::Vector3d::Map(model_->geom_pos + 3 * g));
    for (const auto& pair : pairs)
      pairs_.push_back({geoms_of[static_cast<std::size_t>(pair.body_a)],
                        geoms_of[static_cast<std::size_t>(pair.body_b)]});
    distances.resize(static_cast<Eigen::Index>(pairs.size()));
  }

  void update(const pinocchio::Data& poses) {
    for (std::size_t g = 0; g < geoms_.size(); ++g) {
      const pinocchio::SE3 X_WG = poses.oMf[geoms_[g].frame] * geoms_[g].X_BG;
      Eigen::Vector3d::Map(data_->geom_xpos + 3 * g) = X_WG.translation();
      Eigen::Matrix<double, 3, 3, Eigen::RowMajor>::Map(data_->geom_xmat + 9 * g) = X_WG.rotation();
    }
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      double nearest = kLargest, points[6];
      for (const int a : pairs_[p].first)
        for (const int b : pairs_[p].second)
          nearest =
              std::min(nearest, mj_geomDistance(model_.get(), data_.get(), a, b, nearest, points));
      distances[static_cast<Eigen::Index>(p)] = nearest;
    }
  }

  Eigen::VectorXd distances;

 private:
  struct Geom {
    std::size_t frame;
    pinocchio::SE3 X_BG;
  };
  std::vector<Geom> geoms_;
  std::vector<std::pair<std::vector<int>, std::vector<int>>> pairs_;
  MjModelPtr model_;
  MjDataPtr data_;
};

Workload make(const std::string& name, const std::filesystem::path& folder) {
  struct Shared {
    Shared(const std::filesystem::path& path)
        : robot(path),
          pairs(chosen_pairs(robot)),
          model({&robot.model}, pairs),
          data(model),
          direct(robot, pairs) {
      for (const auto& state : robot.states) {
        poses.emplace_back(robot.model);
        update_kinematics(robot.model, poses.back(), state.q, state.v);
      }
    }
    BenchRobot robot;
    std::vector<BodyPair> pairs;
    DistanceModel model;
    DistanceData data;
    Direct direct;
    std::vector<RobotData> poses;  // one a state
  };
  const auto shared = std::make_shared<Shared>(folder);
  const auto ours = [shared](std::size_t s) {
    const RobotData* robots[] = {&shared->poses[s]};
    update_distances(shared->model, robots, shared->data, kLargest);
    benchmark::DoNotOptimize(shared->data.distances.data());
  };
  const auto peer = [shared](std::size_t s) {
    shared->direct.update(shared->poses[s].impl().data);
    benchmark::DoNotOptimize(shared->direct.distances.data());
  };
  for (std::size_t s = 0; s < shared->poses.size(); ++s) {
    ours(s);
    peer(s);
    Eigen::VectorXd distances(shared->direct.distances.size());
    for (Eigen::Index p = 0; p < distances.size(); ++p)
      distances[p] = shared->data[static_cast<int>(p)].distance;
    expect_same(name, distances, shared->direct.distances, kGjk);
  }
  const auto cycle = [](auto one) {
    return [one, s = std::size_t{0}](int calls) mutable {
      for (int c = 0; c < calls; ++c, s = (s + 1) % BenchRobot::kStates) one(s);
    };
  };
  // whole rounds of the states: their costs differ by more than the two sides do
  return {cycle(ours), cycle(peer), {}, BenchRobot::kStates};
}

}  // namespace

std::vector<Figure> distance_figures(const std::filesystem::path& root) {
  std::vector<Figure> figures;
  for (const auto& robot : kBenchRobots) {
    Figure f;
    f.name = robot + "/distances15";
    f.peer = "mj_geomDistance";
    f.largest_ratio = kLargestLayer;
    f.largest_median = kLargestDistances;
    f.make = [name = f.name, folder = root / "robots" / robot] { return make(name, folder); };
    figures.push_back(std::move(f));
  }
  return figures;
}

}  // namespace handspan
