#include "person/held_pose.hpp"

#include <cmath>

#include "core/object.hpp"
#include "core/values.hpp"
#include "device/headset.hpp"

namespace handspan {
namespace {

class HeldPose : public HeldDevice {
 public:
  /// @param pose of the layout
  HeldPose(const HeldContext& context, const DeviceLayout& layout, std::size_t pose)
      : HeldDevice(context, layout),
        tracking_(context.tracking),
        place_(context.place),
        pose_(pose),
        R_WV_(rotation_of(tracking_.space)),
        R_EC_(controller_axes_of(tracking_.space)),
        p_VRest_(
            place_.rest.value_or(Eigen::Vector3d(context.side == 0 ? -0.2 : 0.2, 1.1, -0.35))) {}

  bool has_reach() const override { return true; }
  Pose rest() const override { return {Eigen::Matrix3d::Identity(), p_VRest_}; }
  bool within_reach(const Pose& X_VC) const override {
    return (X_VC.p - p_VRest_).norm() <= place_.reach &&
           log_so3(X_VC.R).norm() <= place_.turn_reach;
  }
  Eigen::Matrix3d way() const override {
    return R_WV_.transpose() * tracking_.scale.cwiseInverse().asDiagonal();
  }
  Eigen::Vector3d way(const Eigen::Vector3d& d_W) const override {
    return R_WV_.transpose() * d_W.cwiseQuotient(tracking_.scale);
  }
  Eigen::Vector3d turn(const Eigen::Vector3d& phi_W, const Pose& X_VC,
                       const Eigen::Matrix3d& R_WE) const override {
    return tracking_.turn == TurnAxes::kWorld
               ? Eigen::Vector3d(R_WV_.transpose() * phi_W)
               : Eigen::Vector3d(X_VC.R * R_EC_.transpose() * R_WE.transpose() * phi_W);
  }

 protected:
  void write_movement(const SubMovement& movement, const Eigen::Vector3d& tremor, Nanoseconds now,
                      DeviceSample& sample) const override {
    const Pose X = movement.at(now);
    Eigen::Vector3d p = X.p + tremor;
    if (tracking_.resolution > 0.0)
      for (int i = 0; i < 3; ++i)
        p[i] = tracking_.resolution * std::round(p[i] / tracking_.resolution);
    sample.set_pose(pose_, TrackedAs::kController, p, X.quaternion());
  }

 private:
  const TrackingConfig& tracking_;
  const HandPlace& place_;
  std::size_t pose_;
  Eigen::Matrix3d R_WV_, R_EC_;
  Eigen::Vector3d p_VRest_;
};

struct HeldHeadsetConfig {};

class HeldHeadset : public HeldPose {
 public:
  explicit HeldHeadset(const HeldContext& context)
      : HeldPose(context, headset_layout(), context.side) {}

 protected:
  bool offers(const Control& control) const override {
    const auto& names = control.is_axis ? layout().axes : layout().buttons;
    return names[control.index].starts_with(name_of_side(context().side));
  }
  void write_movement(const SubMovement& movement, const Eigen::Vector3d& tremor, Nanoseconds now,
                      DeviceSample& sample) const override {
    HeldPose::write_movement(movement, tremor, now, sample);
    sample.set_pose(2, TrackedAs::kHead, {0.0, 1.6, 0.0}, Eigen::Quaterniond::Identity());
  }
};

struct StylusConfig {
  HoldingHand hand = HoldingHand::kRight;
  std::vector<std::string> buttons = {"button0", "button1"};
};

class HeldStylus : public HeldPose {
 public:
  HeldStylus(const StylusConfig& config, const HeldContext& context)
      : HeldPose(context, {{"stylus"}, {}, config.buttons, {}}, 0),
        in_hand_(holds(config.hand, context.side)) {}
  bool in_hand() const override { return in_hand_; }

 private:
  bool in_hand_;
};

}  // namespace

std::unique_ptr<HeldDevice> hold_headset(const HeldContext& context) {
  return std::make_unique<HeldHeadset>(context);
}

void register_held_poses(HeldDeviceRegistry& registry) {
  registry.add(
      "headset", object<HeldHeadsetConfig>("HeldHeadset"), "a controller of a headset in each hand",
      [](const HeldHeadsetConfig&, const HeldContext& context) { return hold_headset(context); });
  registry.add("stylus",
               object<StylusConfig>("HeldStylus")
                   .optional("hand", &StylusConfig::hand, holding_hand_schema(), "that holds it")
                   .optional("buttons", &StylusConfig::buttons, list(text()), "their names")
                   .check([](const StylusConfig& c) { return controls_named_twice({}, c.buttons); },
                          "controls have different names"),
               "a pen that is tracked, its pose is called stylus",
               [](const StylusConfig& config, const HeldContext& context) {
                 return std::make_unique<HeldStylus>(config, context);
               });
}

}  // namespace handspan
