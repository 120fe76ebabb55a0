#include "teleop/ride.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "control/posture_task.hpp"
#include "control/whole_arm.hpp"
#include "core/error.hpp"
#include "core/object.hpp"
#include "core/values.hpp"

namespace handspan {
namespace {

WholeArm& arms_of_ride(const SourceContext& context) {
  if (context.arms == nullptr || context.arbiter == nullptr)
    throw InputError(
        "to ride on a body needs a whole-arm controller, and there is none; add whole_arm");
  return *context.arms;
}

const RobotModel& ride_model(const WholeArm& arms, int mechanism) {
  return *arms.system().mechanisms()[static_cast<std::size_t>(mechanism)].model;
}

}  // namespace

Ride::Ride(const RideConfig& config, const SourceContext& context)
    : arbiter_(context.arbiter),
      arms_(&arms_of_ride(context)),
      frame_(arms_->system().frame(config.on)),
      data_(ride_model(*arms_, frame_.mechanism)) {
  const RobotModel& model = ride_model(*arms_, frame_.mechanism);
  q_ = model.neutral();
  v_ = Eigen::VectorXd::Zero(model.nv());
  update_kinematics(model, data_, q_, v_);
  Matrix6Xd J = Matrix6Xd::Zero(6, model.nv());
  frame_jacobian(model, data_, frame_.frame, J);
  for (const ReferenceIndex r : arbiter_->references()) {
    const auto* posture = dynamic_cast<const PostureTask*>(&arbiter_->reference(r).task());
    if (posture == nullptr || posture->mechanism() != frame_.mechanism) continue;
    Carrier carrier{r, {}, {}, {}};
    for (std::size_t row = 0; row < posture->v_indices().size(); ++row) {
      const int v = posture->v_indices()[row];
      // a joint of the body or of one that it stands on
      if (J.col(v).isZero(0.0)) continue;
      carrier.rows.push_back(row);
      carrier.q_index.push_back(posture->q_indices()[row]);
      carrier.v_index.push_back(v);
    }
    if (!carrier.rows.empty()) carriers_.push_back(std::move(carrier));
  }
  if (carriers_.empty())
    throw InputError(fmt::format(
        "on: no task drives '{}': give a posture of joints that move it, such as a base's",
        config.on));
}

// where the body was meanwhile does not count
void Ride::start(const Moment&, const Motion&) {
  for (Carrier& carrier : carriers_) carrier.drives = false;
}

void Ride::take(const Carrier& carrier) {
  const Motion& motion = arbiter_->reference(carrier.reference).motion();
  for (std::size_t i = 0; i < carrier.rows.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(carrier.rows[i]);
    q_[carrier.q_index[i]] = motion.q[row];
    v_[carrier.v_index[i]] = motion.v[row];
  }
}

SourceAnswer Ride::update(const Moment&, const Motion& reference, Motion& wanted) {
  const auto drives = [&](const Carrier& c) { return !arbiter_->holding(c.reference); };
  const bool drove = std::ranges::any_of(carriers_, &Carrier::drives);
  if (std::ranges::none_of(carriers_, drives)) {
    for (Carrier& carrier : carriers_) carrier.drives = false;
    return {SourceStatus::kSilent, "nothing that it rides on is driven", kAllAxes};
  }
  const RobotModel& model = ride_model(*arms_, frame_.mechanism);
  if (!drove) q_ = arms_->state().mechanisms[static_cast<std::size_t>(frame_.mechanism)].q;
  v_.setZero();
  // one that begins to drive takes the body nowhere by that
  for (Carrier& carrier : carriers_) {
    if (drives(carrier) && !carrier.drives) take(carrier);
    carrier.drives = drives(carrier);
  }
  update_kinematics(model, data_, q_, v_);
  const Pose X_WB_before = frame_pose(model, data_, frame_.frame);
  for (const Carrier& carrier : carriers_)
    if (carrier.drives) take(carrier);
  update_kinematics(model, data_, q_, v_);
  const Pose X_WB = frame_pose(model, data_, frame_.frame);
  const Vector6d V_WB = frame_velocity(model, data_, frame_.frame);

  wanted.pose.X_WE = X_WB * (X_WB_before.inverse() * reference.pose.X_WE);
  const Eigen::Vector3d w = V_WB.tail<3>();
  // of E as a point of the body (Featherstone 2008, 2.2)
  wanted.pose.V_WE << V_WB.head<3>() + w.cross(wanted.pose.X_WE.p - X_WB.p), w;
  wanted.pose.A_WE.setZero();
  return {};
}

void Ride::state(StateArchive& archive) { archive(carriers_, q_, v_); }

void register_ride(SourceRegistry& registry) {
  registry.add("ride",
               object<RideConfig>("Ride", "a frame goes where a body is driven")
                   .required("on", &RideConfig::on, text(),
                             "body or frame of a robot, such as arm.torso_lift_link"),
               "a frame goes where a body is driven",
               [](const RideConfig& config, const SourceContext& context) {
                 return std::make_unique<Ride>(config, context);
               });
}

}  // namespace handspan
