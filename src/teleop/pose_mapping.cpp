#include "teleop/pose_mapping.hpp"

#include "core/object.hpp"
#include "core/values.hpp"
#include "math/so3.hpp"

namespace handspan {

// The word of a default, for the documentation of the schema (core/defaults.hpp).
static std::string default_text(const SpaceConfig::Preset& preset) {
  constexpr const char* kWords[] = {"webxr", "toss", "grab"};
  return kWords[static_cast<std::size_t>(preset)];
}

namespace {

Eigen::Matrix3d rows(double a, double b, double c, double d, double e, double f, double g, double h,
                     double i) {
  return (Eigen::Matrix3d() << a, b, c, d, e, f, g, h, i).finished();
}

// of the preset alone
Eigen::Matrix3d preset_rotation(SpaceConfig::Preset preset) {
  switch (preset) {
    case SpaceConfig::Preset::kWebXr:
      return rows(0, 0, -1, -1, 0, 0, 0, 1, 0);
    case SpaceConfig::Preset::kToss:
      return rows(-1, 0, 0, 0, 0, 1, 0, 1, 0);
    case SpaceConfig::Preset::kGrab:
      return rows(0, 0, 1, 1, 0, 0, 0, 1, 0);
  }
  return Eigen::Matrix3d::Identity();
}

}  // namespace

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
  return exp_so3(space.yaw * Eigen::Vector3d::UnitZ()) * preset_rotation(space.preset);
}

Eigen::Matrix3d controller_axes_of(const SpaceConfig& space) {
  return space.preset == SpaceConfig::Preset::kGrab ? preset_rotation(space.preset)
                                                    : Eigen::Matrix3d::Identity();
}

Schema<SpaceConfig> space_schema() {
  using Preset = SpaceConfig::Preset;
  return object<SpaceConfig>("Space", "how the tracking frame lies in W")
      .optional("preset", &SpaceConfig::preset,
                choice<Preset>(
                    {{"webxr", Preset::kWebXr}, {"toss", Preset::kToss}, {"grab", Preset::kGrab}}),
                "webxr: the operator's forward is W's x; toss, grab: of those theses")
      .optional("yaw", &SpaceConfig::yaw, number("rad"), "of the operator's space, about W's z");
}

}  // namespace handspan
