// One tick of the whole-arm controller with two FR3, from observation to command: with all limits,
// with five times as many collision pairs, and the part of it that TSID and placo have, beside
// them; and what jumps, gains of each axis and shares of feedback cost a tick more.
#include <fstream>
#include <stdexcept>

#include "bench/control/feature_loop.hpp"
#include "bench/control/two_arm_loop.hpp"
#include "bench/figure.hpp"
#include "bench/two_arms.hpp"
#include "core/private_folder.hpp"

namespace handspan {
namespace {

constexpr double kLargestMedian = 40.0, kLargestP99 = 100.0;  // [us]
constexpr double kLargestFeatures = 2.0;                      // [us] that features cost a tick
constexpr double kLargestRatio = 0.5;                         // of ours over a rival's

std::filesystem::path written_urdf(const std::filesystem::path& root) {
  // rivals are processes of their own: it stays until this one ends
  static const PrivateFolder folder("handspan_bench_");
  const auto file = folder.path() / "two_arms.urdf";
  std::ofstream out(file);
  out << two_arms_urdf(load_robot_folder(root / "robots/fr3"));
  out.close();
  if (!out)
    throw std::runtime_error(file.string() +
                             " cannot be written; free some disk space or set TMPDIR");
  return file;
}

}  // namespace

std::vector<Figure> control_figures(const std::filesystem::path& root) {
  Figure all;
  all.name = "control/two_arms";
  all.largest_median = kLargestMedian;
  all.largest_p99 = kLargestP99;
  all.loop.ours = [root] { return measure_two_arms(TwoArmProblem::kAllLimits, root); };
  Figure many = all;
  many.name = "control/two_arms_60";
  many.loop.ours = [root] { return measure_two_arms(TwoArmProblem::kManyPairs, root); };
  Figure features;
  features.name = "control/two_arms_features";
  features.largest_median = kLargestFeatures;
  features.loop.ours = [root] { return measure_features(root); };
  Figure shared;
  shared.name = "control/two_arms_no_collision";
  shared.largest_ratio = kLargestRatio;
  shared.loop.ours = [root] { return measure_two_arms(TwoArmProblem::kWithoutCollision, root); };
  shared.loop.rivals = two_arm_peers(root);
  shared.loop.input = [root] { return written_urdf(root); };
  return {all, many, features, shared};
}

}  // namespace handspan
