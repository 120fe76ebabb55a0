#include "teleop/pose_mapping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/object.hpp"
#include "core/suggest.hpp"
#include "core/values.hpp"
#include "math/so3.hpp"

namespace handspan {
namespace {

Eigen::Matrix3d rows(double a, double b, double c, double d, double e, double f, double g, double h,
                     double i) {
  return (Eigen::Matrix3d() << a, b, c, d, e, f, g, h, i).finished();
}

// so far a preset's matrix may be from a rotation: figures as somebody writes them down
constexpr double kRotation = 1e-6;

bool is_rotation(const Eigen::Matrix3d& R) {
  return R.allFinite() &&
         (R * R.transpose() - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff() <= kRotation &&
         R.determinant() > 0.0;
}

}  // namespace

MappingPreset webxr_mapping() {
  return {"webxr", rows(0, 0, -1, -1, 0, 0, 0, 1, 0), Eigen::Matrix3d::Identity(),
          "the operator's forward is W's x"};
}

MappingPreset toss_mapping() {
  return {"toss", rows(-1, 0, 0, 0, 0, 1, 0, 1, 0), Eigen::Matrix3d::Identity(),
          "of van Gorp's thesis, forward is W's -y"};
}

MappingPreset grab_mapping() {
  const Eigen::Matrix3d R = rows(0, 0, 1, 1, 0, 0, 0, 1, 0);
  return {"grab", R, R, "of the grab thesis, forward is W's -x"};
}

void MappingRegistry::add(MappingPreset preset) {
  if (!schema_detail::is_identifier(preset.name))
    throw InputError(fmt::format("the mapping '{}' has no proper name; {}", shown(preset.name),
                                 schema_detail::kIdentifierHint));
  if (std::ranges::count(presets_, preset.name, &MappingPreset::name) > 0)
    throw InputError(
        fmt::format("the mapping '{}' is registered twice; choose another name", preset.name));
  for (const auto& [R, symbol] : {std::pair(&preset.R_WV, "R_WV"), std::pair(&preset.R_EC, "R_EC")})
    if (!is_rotation(*R))
      throw InputError(
          fmt::format("the mapping '{}' has an {} that is no rotation; its rows must be orthogonal "
                      "unit vectors, right-handed",
                      preset.name, symbol));
  presets_.push_back(std::move(preset));
}

const MappingPreset& MappingRegistry::find(const std::string& name) const {
  const auto found = std::ranges::find(presets_, name, &MappingPreset::name);
  if (found != presets_.end()) return *found;
  const std::string hint = did_you_mean(name, names(), "there are");
  throw InputError(fmt::format("there is no mapping '{}'{}", shown(name),
                               hint.empty() ? std::string() : "; " + hint));
}

std::vector<std::string> MappingRegistry::names() const {
  std::vector<std::string> all;
  for (const MappingPreset& preset : presets_) all.push_back(preset.name);
  return all;
}

std::string MappingRegistry::words() const {
  std::string all;
  for (const MappingPreset& preset : presets_)
    if (!preset.words.empty())
      all += fmt::format("{}{}: {}", all.empty() ? "" : "; ", preset.name, preset.words);
  return all;
}

void register_mappings(MappingRegistry& mappings) {
  for (const auto& preset : {webxr_mapping(), toss_mapping(), grab_mapping()}) mappings.add(preset);
}

Pose map_pose(const PoseMapping& m, const Pose& X_WE0, const Pose& X_VC0, const Pose& X_VC) {
  Pose X;
  X.p = X_WE0.p + m.scale.cwiseProduct(m.R_WV * (X_VC.p - X_VC0.p));
  if (m.turn == TurnAxes::kBody)
    X.R = X_WE0.R * m.R_EC * (X_VC0.R.transpose() * X_VC.R) * m.R_EC.transpose();
  else
    X.R = m.R_WV * (X_VC.R * X_VC0.R.transpose()) * m.R_WV.transpose() * X_WE0.R;
  return X;
}

Vector6d map_velocity(const PoseMapping& m, const Pose& X_WE, const Pose& X_VC,
                      const Vector6d& V_VC) {
  Vector6d V;
  V.head<3>() = m.scale.cwiseProduct(m.R_WV * V_VC.head<3>());
  if (m.turn == TurnAxes::kBody)
    V.tail<3>() = X_WE.R * m.R_EC * (X_VC.R.transpose() * V_VC.tail<3>());
  else
    V.tail<3>() = m.R_WV * V_VC.tail<3>();
  return V;
}

Eigen::Matrix3d rotation_of(const SpaceConfig& space) {
  return exp_so3(space.yaw * Eigen::Vector3d::UnitZ()) * space.preset.R_WV;
}

Eigen::Matrix3d controller_axes_of(const SpaceConfig& space) { return space.preset.R_EC; }

Schema<SpaceConfig> space_schema(const MappingRegistry& mappings) {
  return deferred<SpaceConfig>([&mappings] {
    const auto preset = text().one_of(mappings.names()).map([&mappings](const std::string& name) {
      return mappings.find(name);
    });
    return Schema<SpaceConfig>(
        object<SpaceConfig>("Space", "how the tracking frame lies in W")
            .optional("preset", &SpaceConfig::preset, preset, mappings.words())
            .optional("yaw", &SpaceConfig::yaw, number("rad"),
                      "of the operator's space, about W's z"));
  });
}

}  // namespace handspan
