#include "teleop/ride.hpp"

#include "control/whole_arm.hpp"
#include "core/error.hpp"
#include "core/object.hpp"
#include "core/values.hpp"
#include "math/so3.hpp"

namespace handspan {

Ride::Ride(const RideConfig& config, const SourceContext& context) : arms_(context.arms) {
  if (arms_ == nullptr)
    throw InputError("to ride on a body needs a whole-arm controller, and there is none");
  frame_ = arms_->system().frame(config.on);
}

SourceAnswer Ride::update(const Moment& moment, const Motion& reference, Motion& wanted) {
  const auto m = static_cast<std::size_t>(frame_.mechanism);
  const RobotModel& model = *arms_->system().mechanisms()[m].model;
  const RobotData& data = arms_->state().mechanisms[m].data;
  const Pose X_WB = frame_pose(model, data, frame_.frame);
  const Vector6d V_WB = frame_velocity(model, data, frame_.frame);
  const Pose& X_WE = reference.pose.X_WE;
  const Eigen::Vector3d w = V_WB.tail<3>(), v = V_WB.head<3>() + w.cross(X_WE.p - X_WB.p);
  wanted.pose.X_WE = {exp_so3(moment.dt * w) * X_WE.R, X_WE.p + moment.dt * v};
  wanted.pose.V_WE << v, w;
  wanted.pose.A_WE.setZero();
  return {};
}

void register_ride(SourceRegistry& registry) {
  registry.add("ride",
               object<RideConfig>("Ride", "a frame goes where a body takes it")
                   .required("on", &RideConfig::on, text(),
                             "body or frame of a robot, such as arm.torso_lift_link"),
               "a frame goes where a body takes it",
               [](const RideConfig& config, const SourceContext& context) {
                 return std::make_unique<Ride>(config, context);
               });
}

}  // namespace handspan
