#include "reference/object_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "control/whole_arm.hpp"
#include "core/error.hpp"
#include "core/suggest.hpp"
#include "reference/pose_channel.hpp"

namespace handspan {
namespace {

// from 1, of the norm of a quaternion: what is farther off is no rotation
constexpr double kUnitNorm = 1e-3;
// a goal in an object is reached to what its observed motion leaves open [m, rad]
constexpr double kInObject = 1e-4, kInObjectAngle = 1e-3;
// what is where it is wanted rests there, as the object sees it: slower than so [m/s, rad/s]
constexpr double kInObjectSpeed = 0.005, kInObjectAngularSpeed = 0.015;

std::string channel_of(const std::string& object) {
  return object.find('.') == std::string::npos ? "object." + object + ".pose" : object;
}

}  // namespace

PoseReference in_world(const MovingObject& O, const PoseReference& in_object) {
  const Eigen::Matrix3d& R = O.X_WO.R;
  const Eigen::Vector3d omega = O.V_WO.tail<3>(), r = R * in_object.X_WE.p,
                        u = R * in_object.V_WE.head<3>(), turns = R * in_object.V_WE.tail<3>();
  PoseReference in_W;
  in_W.X_WE = O.X_WO * in_object.X_WE;
  in_W.V_WE << O.V_WO.head<3>() + omega.cross(r) + u, omega + turns;
  in_W.A_WE << R * in_object.A_WE.head<3>() + omega.cross(omega.cross(r)) + 2.0 * omega.cross(u),
      R * in_object.A_WE.tail<3>() + omega.cross(turns);
  return in_W;
}

PoseReference in_object(const MovingObject& O, const PoseReference& in_world) {
  const Eigen::Matrix3d R_OW = O.X_WO.R.transpose();
  const Eigen::Vector3d omega = O.V_WO.tail<3>(), r = in_world.X_WE.p - O.X_WO.p,
                        u = in_world.V_WE.head<3>() - O.V_WO.head<3>() - omega.cross(r),
                        turns = in_world.V_WE.tail<3>() - omega;
  PoseReference in_O;
  in_O.X_WE = O.X_WO.inverse() * in_world.X_WE;
  in_O.V_WE << R_OW * u, R_OW * turns;
  in_O.A_WE << R_OW *
                   (in_world.A_WE.head<3>() - omega.cross(omega.cross(r)) - 2.0 * omega.cross(u)),
      R_OW * (in_world.A_WE.tail<3>() - omega.cross(turns));
  return in_O;
}

ObjectReference::ObjectReference(ObjectPoseTask& task, const PoseReferenceLimits& limits,
                                 WholeArm* arms)
    : Reference("relative_pose", task, arms != nullptr ? task.frame().mechanism : -1),
      task_(task),
      world_(task, limits, arms),
      channel_name_(channel_of(task.object())),
      waits_(fmt::format("the object '{}' was not seen yet", task.object())),
      lost_(
          fmt::format("the object '{}' was not seen for {:g} s", task.object(), task.lost_after())),
      leapt_(fmt::format("the object '{}' is elsewhere from one look to the next", task.object())),
      filter_(task.smoothing()) {}

void ObjectReference::connect(const ChannelTable& channels) {
  const auto& all = channels.channels();
  const auto found = std::ranges::find(all, channel_name_, &ChannelInfo::name);
  if (found == all.end()) {
    std::vector<std::string> names;
    for (const ChannelId id : channels.select("object.*.pose")) {
      const std::string& name = channels.info(id).name;
      names.push_back(name.substr(7, name.size() - 12));
    }
    throw InputError(fmt::format(
        "there is no object '{}' whose pose is observed, and no channel of that name; {}",
        shown(task_.object()),
        names.empty() ? std::string("give a channel of poses, as of a camera")
                      : did_you_mean(task_.object(), names, "objects are")));
  }
  if (found->type != ChannelType::kPose)
    throw InputError(fmt::format("the channel '{}' is a {}; `object` takes one that is a pose",
                                 found->name, name_of(found->type)));
  channels_ = &channels;
  channel_ = channels.find(channel_name_);
}

// What was seen since the last tick. @return why the object is lost by that; null: it is not
const char* ObjectReference::see() {
  if (channels_ == nullptr || channels_->writes(channel_) == writes_) return nullptr;
  writes_ = channels_->writes(channel_);
  const auto values = channels_->numbers(channel_);
  const Eigen::Quaterniond q(Eigen::Vector4d(values.tail<4>()));
  // a look that shows nothing is none
  if (!values.allFinite() || !(std::abs(q.norm() - 1.0) < kUnitNorm)) return nullptr;
  const Pose X_WO = Pose::from(Eigen::Vector3d(values.head<3>()), q.normalized());
  const Nanoseconds stamp = channels_->stamp(channel_);
  const bool anew = !seen_ || seconds(stamp - filter_.stamp()) > task_.lost_after();
  seen_ = true;
  if (!anew) return filter_.see(X_WO, stamp) ? nullptr : leapt_.c_str();
  filter_.start(X_WO, stamp);
  return nullptr;
}

SourceAnswer ObjectReference::look(const Moment& moment) {
  const bool seen_before = seen_;
  const char* leapt = see();
  if (!seen_) return {SourceStatus::kSilent, waits_.c_str()};
  if (seconds(moment.now - filter_.stamp()) > task_.lost_after()) {
    // where it was last, for who looks on
    object_.V_WO.setZero();
    see_own();
    return {SourceStatus::kLost, lost_.c_str()};
  }
  object_ = {filter_.at(moment.now), filter_.velocity()};
  see_own();
  if (leapt != nullptr) return {SourceStatus::kLost, leapt};
  // who was given authority before did not know where it is: they begin from here
  if (!seen_before) return {SourceStatus::kSilent, waits_.c_str()};
  return {};
}

void ObjectReference::see_own() { in_object_.pose = in_object(object_, world_.motion().pose); }

void ObjectReference::start_own() {
  world_.start();
  see_own();
}

void ObjectReference::rebase_own() {
  world_.rebase();
  see_own();
}

void ObjectReference::follow_own(const FollowMoment& at, Motion& wanted) {
  if (!stops_) world_.end_stop();
  std::array<Wanted, kMaxSharing> all;
  const std::size_t count = std::min(at.wanted.size(), all.size());
  for (std::size_t i = 0; i < count; ++i) {
    all[i] = at.wanted[i];
    asked_[i].pose = in_world(object_, at.wanted[i].motion->pose);
    all[i].motion = &asked_[i];
  }
  // axes in which somebody has a say are the object's
  world_.follow({at.moment, {all.data(), count}, at.events, &object_.X_WO.R});
  see_own();
  wanted.pose = in_object(object_, world_.wanted().pose);
}

void ObjectReference::brake_own(double dt, EventList& events, Motion& /*scratch*/) {
  if (!stops_) world_.end_stop();
  world_.brake(dt, events);
  see_own();
}

// What it is by itself, the task has from the one in W already.
void ObjectReference::give() {
  if (&motion() == &own()) return;
  asked_[0].pose = in_world(object_, motion().pose);
  world_.impose(asked_[0]);
}

void ObjectReference::begin_stop(const ArmStop& stop) {
  stops_ = true;
  world_.begin_stop(stop);
}

bool ObjectReference::arrived() const {
  const Pose &X = motion().pose.X_WE, &X_w = wanted().pose.X_WE;
  return (X_w.p - X.p).norm() < kInObject && angle_between(X_w.R, X.R) < kInObjectAngle;
}

bool ObjectReference::arm_is_there(double distance, double angle) const {
  const Vector6d counted = task_.counted_axes();
  const Pose X = world_.arm().X_WE, &X_w = world_.wanted().pose.X_WE;
  Vector6d e, carried;
  e << X_w.p - X.p, log_so3(X_w.R * X.R.transpose());
  e = counted.cwiseProduct(e);
  const Eigen::Vector3d omega = object_.V_WO.tail<3>();
  carried << object_.V_WO.head<3>() + omega.cross(X.p - object_.X_WO.p), omega;
  const Vector6d V = counted.cwiseProduct(task_.V_WE() - carried);
  return e.head<3>().norm() <= distance && e.tail<3>().norm() <= angle &&
         V.head<3>().norm() <= kInObjectSpeed && V.tail<3>().norm() <= kInObjectAngularSpeed;
}

void ObjectReference::declare(ChannelTable& channels, Rate rate) {
  world_.declare(channels, rate);
  const std::string channel = "reference." + name();
  in_object_channel_ =
      channels.pose(channel + ".in_object", rate, "that the task follows, as the object sees it");
  object_channel_ = channels.pose(channel + ".object", rate,
                                  "where the object is taken to be, in W, from what was seen");
  velocity_channel_ = channels.twist(channel + ".object_velocity", "world", rate,
                                     "of the object, found from what was seen, in W");
}

void ObjectReference::publish(ChannelTable& channels, Nanoseconds stamp) const {
  world_.publish(channels, stamp);
  if (!seen_) return;
  write_pose(channels, in_object_channel_, motion().pose.X_WE, stamp);
  write_pose(channels, object_channel_, object_.X_WO, stamp);
  channels.write(velocity_channel_, object_.V_WO, stamp);
}

void ObjectReference::state(StateArchive& archive) {
  Reference::state(archive);
  world_.state(archive);
  archive(writes_, filter_, seen_, object_.X_WO.p, object_.X_WO.R, object_.V_WO, in_object_);
}

}  // namespace handspan
