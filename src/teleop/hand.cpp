#include "teleop/hand.hpp"

#include "core/error.hpp"
#include "core/object.hpp"
#include "core/values.hpp"
#include "device/devices.hpp"
#include "math/so3.hpp"
#include "reference/pose_channel.hpp"
#include "scene/scene_frame.hpp"

namespace handspan {

namespace {

// so far ahead of its reference a snap asks a frame to turn: less than a leash lets it [rad]
constexpr double kSnapLead = 0.1;

}  // namespace

Hand::Hand(const HandConfig& config, const SourceContext& context)
    : name_(context.name),
      config_(config),
      device_(&device_of(context, config.device)),
      pose_(device_->pose_index(config.pose)),
      clutch_(config.clutch, *device_, pose_, config.tracked_as) {
  mapping_.R_WV = rotation_of(config.space);
  mapping_.R_EC = controller_axes_of(config.space);
  mapping_.scale = config.scale;
  mapping_.turn = config.turn;
  if (!config.snap) return;
  snap_ = device_->control(config.snap->control);
  if (context.scene == nullptr) throw InputError("there is no scene whose frame it could snap to");
  R_WS_ = scene_frame(*context.scene, config.snap->frame).R;
}

void Hand::start(const Moment& moment, const Motion& reference) {
  // authority was given: a clutch that happens to be held is not meant for it
  clutch_.open();
  based_ = false;
  tick_ = moment.tick - 1;
  X_WE_ = reference.pose.X_WE;
}

void Hand::resume(const Moment& moment, const Motion& reference) {
  // not asked for a while: it was stopped, and goes on only when it is clutched in anew
  if (tick_ < moment.tick - 1) clutch_.open();
  tick_ = moment.tick;
  based_ = false;
  X_WE_ = reference.pose.X_WE;
}

SourceAnswer Hand::update(const Moment& moment, const Motion& reference, Motion& wanted) {
  tick_ = moment.tick;
  if (!clutch_.update(*device_)) {
    based_ = false;
    X_WE_ = reference.pose.X_WE;
    return {SourceStatus::kSilent, clutch_.reason()};
  }
  const PoseTrack& pose = device_->pose(pose_);
  const PoseEstimate estimate = pose.estimate(moment.now);
  const Pose X_VC = X_VC_ = Pose::from(estimate.p_VC, estimate.q_VC);
  if (!based_) {
    X_WE0_ = reference.pose.X_WE;
    X_VC0_ = X_VC;
    based_ = true;
    snaps_ = false;
  }
  const bool snaps = snap_ && device_->pressed(*snap_);
  if (snaps && !snap_was_) {
    X_WE0_ = map_pose(mapping_, X_WE0_, X_VC0_, X_VC);
    X_VC0_ = X_VC;
    R_WSnap_ = R_WS_;
    snaps_ = true;
  }
  snap_was_ = snaps;
  if (snaps_) turn_on(reference.pose.X_WE, X_VC);
  X_WE_ = map_pose(mapping_, X_WE0_, X_VC0_, Pose::from(pose.p_VC(), pose.q_VC()));
  wanted.pose.X_WE = map_pose(mapping_, X_WE0_, X_VC0_, X_VC);
  wanted.pose.V_WE = map_velocity(mapping_, wanted.pose.X_WE, X_VC, estimate.V_VC);
  wanted.pose.A_WE.setZero();
  return {};
}

// The position goes on as it was. A turn by more than the leash would be dropped, so it is asked
// for as the reference comes after.
void Hand::turn_on(const Pose& reference, const Pose& X_VC) {
  R_WSnap_ = map_pose(mapping_, {R_WSnap_, X_WE0_.p}, X_VC0_, X_VC).R;
  X_WE0_ = map_pose(mapping_, X_WE0_, X_VC0_, X_VC);
  X_VC0_ = X_VC;
  const Eigen::Vector3d phi = log_so3(R_WSnap_ * reference.R.transpose());
  snaps_ = phi.norm() > kSnapLead;
  X_WE0_.R =
      snaps_ ? Eigen::Matrix3d(exp_so3(kSnapLead / phi.norm() * phi) * reference.R) : R_WSnap_;
}

bool Hand::shift(const Eigen::Vector3d& p, const Eigen::Matrix3d& R) {
  if (!based_) return false;
  // an arm that cannot turn that far
  if (!R.isIdentity(0.0)) snaps_ = false;
  const Pose X_WE = map_pose(mapping_, X_WE0_, X_VC0_, X_VC_);
  X_WE0_ = {R * X_WE.R, X_WE.p + p};
  X_VC0_ = X_VC_;
  return true;
}

bool Hand::has_button(std::string_view name) const {
  try {
    device_->control(name);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

// V is x right, y up, z back
Eigen::Matrix3d Hand::R_WO() const {
  Eigen::Matrix3d R_VO;
  R_VO << -Eigen::Vector3d::UnitZ(), -Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitY();
  return mapping_.R_WV * R_VO;
}

bool Hand::button(std::string_view name) const { return device_->pressed(name); }

void Hand::declare(ChannelTable& channels, Rate rate) {
  hand_channel_ = channels.pose("source." + name_ + ".hand", rate,
                                "where the last sample, unfiltered, wants the frame, in W");
  clutch_channel_ = channels.boolean("source." + name_ + ".clutch", rate, "closed");
}

void Hand::publish(ChannelTable& channels, Nanoseconds stamp) const {
  write_pose(channels, hand_channel_, X_WE_, stamp);
  channels.write(clutch_channel_, clutch_.closed(), stamp);
}

void Hand::state(StateArchive& archive) {
  archive(clutch_, based_, X_WE0_.p, X_WE0_.R, X_VC0_.p, X_VC0_.R, X_VC_.p, X_VC_.R, X_WE_.p,
          X_WE_.R, snap_was_, snaps_, R_WSnap_, tick_);
}

void register_hand(SourceRegistry& registry, const MappingRegistry& mappings) {
  registry.add(
      "hand",
      object<HandConfig>("Hand", "a tracked hand or controller, clutched")
          .required("device", &HandConfig::device, text())
          .required("pose", &HandConfig::pose, text(), "of the device: left, right")
          .optional("tracked_as", &HandConfig::tracked_as,
                    list(choice<TrackedAs>({{"controller", TrackedAs::kController},
                                            {"hand", TrackedAs::kHand},
                                            {"head", TrackedAs::kHead},
                                            {"tracker", TrackedAs::kTracker}}))
                        .min_size(1),
                    "what may be followed")
          .optional("clutch", &HandConfig::clutch, clutch_schema())
          .optional("space", &HandConfig::space, space_schema(mappings))
          .optional("scale", &HandConfig::scale, vector<3>(), "of translation, along W's axes")
          .optional("turn", &HandConfig::turn,
                    choice<TurnAxes>({{"world", TurnAxes::kWorld}, {"body", TurnAxes::kBody}}),
                    "whether a turn of the hand is about the axes of W or of the frame itself")
          .optional("snap", &HandConfig::snap, snap_schema(), "a press while clutched in"),
      "a tracked hand or controller moves a frame while it is clutched in",
      [](const HandConfig& config, const SourceContext& context) {
        return std::make_unique<Hand>(config, context);
      });
}

}  // namespace handspan
