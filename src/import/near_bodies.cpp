#include "import/near_bodies.hpp"

#include <algorithm>
#include <array>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "robot/model.hpp"
#include "scene/mujoco_spec.hpp"
#include "scene/mujoco_state.hpp"

namespace handspan {
namespace {

Eigen::VectorXd random_configuration(const RobotModel& model, std::mt19937_64& random) {
  Eigen::VectorXd q = model.neutral();
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  std::map<std::string, double> values;
  for (const auto& body : model.description().bodies)
    for (const auto& joint : body.joints) {
      if (joint.type == JointType::kFree || joint.type == JointType::kBall) continue;
      const double reach = joint.type == JointType::kRevolute ? std::numbers::pi : 0.5;
      const auto [lower, upper] = joint.range.value_or(std::array{-reach, reach});
      values[joint.name] = lower + (upper - lower) * unit(random);
    }
  // a chain of n mimics is settled after n passes
  for (std::size_t pass = 0; pass < model.description().mimics.size(); ++pass)
    for (const auto& mimic : model.description().mimics)
      values[mimic.joint] = mimic.multiplier * values[mimic.master] + mimic.offset;
  for (const auto& [name, value] : values) q[model.joint(name).q] = value;
  return q;
}

}  // namespace

std::map<std::pair<int, int>, int> near_counts(const ModelDescription& description,
                                               int configurations, double nearer_than) {
  const RobotModel model(description);
  MjSpecPtr spec = make_spec();
  add_to_spec(spec.get(), description, 0);
  const MjModelPtr compiled = compile_spec(spec.get(), description.name);
  const MjDataPtr data(mj_makeData(compiled.get()));
  const MujocoState state(*compiled, model);
  std::vector<std::vector<int>> geoms;
  for (const auto& body : description.bodies) {
    auto& ids = geoms.emplace_back();
    for (const auto& shape : body.shapes)
      if (shape.collides) ids.push_back(mj_name2id(compiled.get(), mjOBJ_GEOM, shape.name.c_str()));
  }
  const auto near = [&](int a, int b) {
    const Eigen::Map<const Eigen::Vector3d> p_a(data->geom_xpos + 3 * a),
        p_b(data->geom_xpos + 3 * b);
    // spheres around both
    const double apart = (p_a - p_b).norm() - compiled->geom_rbound[a] - compiled->geom_rbound[b];
    return apart < nearer_than && mj_geomDistance(compiled.get(), data.get(), a, b,
                                                  2.0 * nearer_than + 1e-3, nullptr) < nearer_than;
  };
  std::map<std::pair<int, int>, int> counts;
  std::mt19937_64 random(1);
  const Eigen::VectorXd v = Eigen::VectorXd::Zero(model.nv());
  for (int k = 0; k < configurations; ++k) {
    state.write(k == 0 ? model.neutral() : random_configuration(model, random), v, *data);
    mj_kinematics(compiled.get(), data.get());
    for (int a = 0; a < static_cast<int>(geoms.size()); ++a)
      for (int b = a + 1; b < static_cast<int>(geoms.size()); ++b) {
        if (description.bodies[static_cast<std::size_t>(b)].parent == a) continue;
        const auto& of_a = geoms[static_cast<std::size_t>(a)];
        const auto& of_b = geoms[static_cast<std::size_t>(b)];
        if (std::ranges::any_of(of_a, [&](int i) {
              return std::ranges::any_of(of_b, [&](int j) { return near(i, j); });
            }))
          ++counts[{a, b}];
      }
  }
  return counts;
}

std::vector<std::pair<std::string, std::string>> always_overlapping(
    const ModelDescription& description) {
  constexpr int kConfigurations = 40;
  // nearer than what collision constraints keep apart: they would push forever
  constexpr double kNear = 0.01;
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [pair, count] : near_counts(description, kConfigurations, kNear))
    if (count == kConfigurations)
      out.emplace_back(description.bodies[static_cast<std::size_t>(pair.first)].name,
                       description.bodies[static_cast<std::size_t>(pair.second)].name);
  return out;
}

}  // namespace handspan
