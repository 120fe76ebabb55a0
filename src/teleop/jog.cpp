#include "teleop/jog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/object.hpp"
#include "core/suggest.hpp"
#include "core/values.hpp"
#include "device/devices.hpp"
#include "reference/velocity_ramp.hpp"
#include "scene/scene_frame.hpp"

namespace handspan {

// The word of a default, for the documentation of the schema (core/defaults.hpp).
static std::string default_text(const JogFrame& frame) {
  constexpr const char* kWords[] = {"world", "base", "tool", "view"};
  return kWords[static_cast<std::size_t>(frame)];
}

namespace {

// its accelerations rise in this time [s]
constexpr double kRise = 0.025;
// further ahead of the reference it begins anew from there [m, rad]
constexpr double kLead = 1e-4;
// nearer than this a snap is there [rad], and from a little farther away it slows down [1/s]
constexpr double kSnapped = 1e-3, kSnapGain = 10.0;

const Scene& scene_of(const SourceContext& context, const char* what) {
  if (context.scene == nullptr)
    throw InputError(fmt::format("{} is of a scene, and there is none", what));
  return *context.scene;
}

// x right, y up, z out of the screen; W's z is up on it
Eigen::Matrix3d screen_axes(const View& view) {
  const Eigen::Vector3d z = (view.eye - view.target).normalized();
  Eigen::Vector3d x = Eigen::Vector3d::UnitZ().cross(z);
  // straight from above or below: as pictures are drawn
  if (x.norm() < 1e-9) x = -Eigen::Vector3d::UnitY();
  x.normalize();
  return (Eigen::Matrix3d() << x, z.cross(x), z).finished();
}

const View& view_of(const std::optional<std::string>& name, const SourceContext& context) {
  if (!name) throw InputError("the frame 'view' needs the name of a view; give 'view'");
  const auto& views = scene_of(context, "a view").views;
  const auto found = std::ranges::find(views, *name, &View::name);
  if (found != views.end()) return *found;
  std::vector<std::string> names;
  for (const View& view : views) names.push_back(view.name);
  throw InputError(fmt::format("the scene has no view '{}'; {}", shown(*name),
                               names.empty() ? "it has none: add one to its 'views'"
                                             : did_you_mean(*name, names, "it has")));
}

// One tick from velocity v and acceleration a towards a velocity that stands.
template <int N>
void ramp(const Eigen::Matrix<double, N, 1>& wanted, double acceleration, double dt,
          Eigen::Ref<Eigen::Matrix<double, N, 1>> v, Eigen::Ref<Eigen::Matrix<double, N, 1>> a) {
  ramp_velocity<N>(wanted, Eigen::Matrix<double, N, 1>::Zero(), acceleration, acceleration / kRise,
                   dt, v, a);
}

}  // namespace

Jog::Jog(const JogConfig& config, const SourceContext& context)
    : name_(context.name),
      config_(config),
      device_(&device_of(context, config.device)),
      dead_man_(config.dead_man, *device_),
      scale_(config.scale, *device_) {
  const std::optional<RateBinding>* bindings[] = {&config.x,    &config.y,     &config.z,
                                                  &config.roll, &config.pitch, &config.yaw};
  for (std::size_t i = 0; i < 6; ++i)
    if (*bindings[i]) inputs_[i].emplace(**bindings[i], *device_);
  if (std::ranges::none_of(inputs_, [](const auto& input) { return input.has_value(); }))
    throw InputError("a jog moves nothing; give one of x, y, z, roll, pitch, yaw at least");
  if (config.frame == JogFrame::kBase || config.slow_down) {
    const char* what = config.slow_down ? "slow_down" : "the frame 'base'";
    if (!config.moves)
      throw InputError(
          fmt::format("{} needs to know which frame the jog moves; give 'moves'", what));
    if (context.arms == nullptr)
      throw InputError(fmt::format("{} needs a whole-arm controller, and there is none", what));
    arms_ = context.arms;
    base_ = arms_->system().frame(*config.moves);
  }
  if (config.frame == JogFrame::kBase) {
    const RobotModel& model =
        *arms_->system().mechanisms()[static_cast<std::size_t>(base_.mechanism)].model;
    base_.frame = model.body_frame(0);
    const BodyDescription& base = model.description().bodies[0];
    if (base.joints.empty())
      R_WO_ = base.X_PB.pose().R;
    else
      base_data_ = std::make_unique<RobotData>(model);
  }
  if (config.frame == JogFrame::kView) R_WO_ = screen_axes(view_of(config.view, context));
  if (config.workspace && config.workspace->frame)
    X_WB_ = scene_frame(scene_of(context, "a workspace's frame"), *config.workspace->frame);
  if (config.snap) {
    snap_ = device_->control(config.snap->control);
    R_WS_ = scene_frame(scene_of(context, "a snap's frame"), config.snap->frame).R;
  }
  if (config.slow_down)
    obstacles_ = std::make_unique<Obstacles>(*config.slow_down, *arms_, *config.moves);
}

void Jog::start(const Moment& moment, const Motion& reference) {
  // what is held now was not meant for it
  dead_man_.open();
  scale_.begin(*device_);
  tick_ = moment.tick - 1;
  base(reference);
}

void Jog::resume(const Moment& moment, const Motion& reference) {
  // not asked for a while: it was stopped
  if (tick_ < moment.tick - 1) {
    dead_man_.open();
    scale_.begin(*device_);
  }
  tick_ = moment.tick;
  base(reference);
}

Eigen::Matrix3d Jog::axes_of_rates(const Motion& reference) {
  if (config_.frame == JogFrame::kTool) return reference.pose.X_WE.R;
  if (!base_data_) return R_WO_;
  const auto m = static_cast<std::size_t>(base_.mechanism);
  const RobotModel& model = *arms_->system().mechanisms()[m].model;
  const MechanismState& s = arms_->state().mechanisms[m];
  update_kinematics(model, *base_data_, s.q, s.v);
  return frame_pose(model, *base_data_, base_.frame).R;
}

// A press turns it to the frame, unless its rates turn it meanwhile: about the shortest way, at the
// jog's speed, and so that half of its acceleration stops it there.
void Jog::turn_on(const Eigen::Vector3d& rates, Eigen::Ref<Eigen::Vector3d> w) {
  const bool pressed = snap_ && device_->pressed(*snap_);
  snaps_ = (snaps_ || (pressed && !snap_was_)) && rates.isZero(0.0);
  snap_was_ = pressed;
  if (!snaps_) return;
  const Eigen::Vector3d phi = log_so3(R_WS_ * X_WE_.R.transpose());
  const double angle = phi.norm();
  snaps_ = angle > kSnapped;
  if (snaps_)
    w = std::min({scale_.value() * config_.angular_speed,
                  std::sqrt(config_.angular_acceleration * angle), kSnapGain * angle}) /
        angle * phi;
}

void Jog::base(const Motion& reference) {
  X_WE_ = reference.pose.X_WE;
  V_WE_ = reference.pose.V_WE;
  A_WE_.setZero();
}

// along each axis of the box for itself: to stop at one face takes nothing from stopping at another
void Jog::ramp_inside(const Eigen::Vector3d& v_wanted, double dt) {
  const WorkspaceConfig& box = *config_.workspace;
  const Eigen::Matrix3d R_BW = X_WB_.R.transpose();
  const Eigen::Vector3d p = R_BW * (X_WE_.p - X_WB_.p), wanted = R_BW * v_wanted;
  Eigen::Vector3d v = R_BW * V_WE_.head<3>(), a = R_BW * A_WE_.head<3>();
  const double most = config_.acceleration / std::sqrt(3.0);
  // half of it to stop with, so that something is left to keep to that; to stop from u takes the
  // way u^2 / (2 brakes) + u c / brakes, c for the rise
  const double brakes = 0.5 * most, c = most * kRise;
  const auto stops = [&](double way) {
    return std::sqrt(c * c + 2.0 * brakes * std::max(0.0, way)) - c;
  };
  for (int i = 0; i < 3; ++i) {
    using One = Eigen::Matrix<double, 1, 1>;
    const One target(
        std::clamp(wanted[i], -stops(p[i] - box.lower[i]), stops(box.upper[i] - p[i])));
    ramp<1>(target, most, dt, v.segment<1>(i), a.segment<1>(i));
  }
  V_WE_.head<3>() = X_WB_.R * v;
  A_WE_.head<3>() = X_WB_.R * a;
}

SourceAnswer Jog::update(const Moment& moment, const Motion& reference, Motion& wanted) {
  tick_ = moment.tick;
  scale_.update(*device_);
  Vector6d rates = Vector6d::Zero();
  for (int i = 0; i < 6; ++i)
    if (const auto& input = inputs_[static_cast<std::size_t>(i)])
      rates[i] = respond(input->value(*device_), config_.response);
  if (!dead_man_.update(*device_, rates.isZero(0.0))) {
    base(reference);
    // a press of then is none for later
    snap_was_ = snap_ && device_->pressed(*snap_);
    snaps_ = false;
    return {SourceStatus::kSilent, dead_man_.reason()};
  }
  const Eigen::Matrix3d R_WO = axes_of_rates(reference);
  const auto part = [&](Eigen::Vector3d rate, double speed) -> Eigen::Vector3d {
    // a diagonal is no faster
    return scale_.value() * speed / std::max(1.0, rate.norm()) * (R_WO * rate);
  };
  Vector6d V;
  V << part(rates.head<3>(), config_.speed), part(rates.tail<3>(), config_.angular_speed);
  turn_on(rates.tail<3>(), V.tail<3>());
  if (obstacles_) obstacles_->slow_down(V);
  // nothing winds up while the reference cannot follow
  const Pose& X_now = reference.pose.X_WE;
  if ((X_WE_.p - X_now.p).norm() > kLead || angle_between(X_WE_.R, X_now.R) > kLead)
    base(reference);
  if (config_.workspace)
    ramp_inside(V.head<3>(), moment.dt);
  else
    ramp<3>(V.head<3>(), config_.acceleration, moment.dt, V_WE_.head<3>(), A_WE_.head<3>());
  ramp<3>(V.tail<3>(), config_.angular_acceleration, moment.dt, V_WE_.tail<3>(), A_WE_.tail<3>());
  X_WE_ = {exp_so3(moment.dt * V_WE_.tail<3>()) * X_WE_.R, X_WE_.p + moment.dt * V_WE_.head<3>()};
  wanted.pose = {X_WE_, V_WE_, A_WE_};
  return {};
}

bool Jog::shift(const Eigen::Vector3d& p, const Eigen::Matrix3d& R) {
  X_WE_ = {R * X_WE_.R, X_WE_.p + p};
  // its own motion does not go on there, so that turning back is felt at once
  const auto stop = [](const Eigen::Vector3d& back, auto&& V, auto&& A) {
    const double size = back.norm();
    if (size == 0.0 || !(V.dot(back) < 0.0)) return;
    V -= V.dot(back) / (size * size) * back;
    A.setZero();
  };
  stop(p, V_WE_.head<3>(), A_WE_.head<3>());
  stop(log_so3(R), V_WE_.tail<3>(), A_WE_.tail<3>());
  return true;
}

void Jog::declare(ChannelTable& channels, Rate rate) {
  const std::string name = "source." + name_;
  scale_channel_ = channels.number(name + ".scale", "", rate, "of the full speed");
  twist_channel_ =
      channels.twist(name + ".twist", "world", rate, "that it asks for, linear and angular, in W");
  if (config_.dead_man)
    clutch_channel_ =
        channels.boolean(name + ".clutch", rate, "closed: the dead man's button is held");
  if (obstacles_)
    nearest_channel_ = channels.number(name + ".nearest", "m", rate,
                                       "to what it slows down for, at most slow_down.from");
}

void Jog::publish(ChannelTable& channels, Nanoseconds stamp) const {
  channels.write(scale_channel_, scale_.value(), stamp);
  channels.write(twist_channel_, V_WE_, stamp);
  if (config_.dead_man) channels.write(clutch_channel_, dead_man_.closed(), stamp);
  if (obstacles_) channels.write(nearest_channel_, obstacles_->nearest(), stamp);
}

void Jog::state(StateArchive& archive) {
  archive(dead_man_, scale_, snap_was_, snaps_, tick_, X_WE_.R, X_WE_.p, V_WE_, A_WE_);
  if (obstacles_) archive(*obstacles_);
}

void register_jog(SourceRegistry& registry) {
  const auto box =
      object<WorkspaceConfig>("Workspace", "a box that the frame's origin does not leave")
          .required("lower", &WorkspaceConfig::lower, vector<3>("m"))
          .required("upper", &WorkspaceConfig::upper, vector<3>("m"))
          .optional("frame", &WorkspaceConfig::frame, text(), "of the scene; left out: the world's")
          .check(
              [](const WorkspaceConfig& c) -> std::optional<Fault> {
                if ((c.lower.array() < c.upper.array()).all()) return std::nullopt;
                return Fault{"is not below upper", "each number must be smaller", "lower"};
              },
              "lower < upper");
  const auto rate = rate_binding_schema();
  registry.add(
      "jog",
      object<JogConfig>("Jog", "a frame driven by rates")
          .required("device", &JogConfig::device, text())
          .optional("x", &JogConfig::x, rate, "along x of the axes that 'frame' says")
          .optional("y", &JogConfig::y, rate)
          .optional("z", &JogConfig::z, rate)
          .optional("roll", &JogConfig::roll, rate, "about x")
          .optional("pitch", &JogConfig::pitch, rate, "about y")
          .optional("yaw", &JogConfig::yaw, rate, "about z")
          .optional("response", &JogConfig::response, response_schema())
          .optional("speed", &JogConfig::speed, number("m/s").above(0).max(10),
                    "at full deflection, in any direction")
          .optional("angular_speed", &JogConfig::angular_speed, number("rad/s").above(0).max(20))
          .optional("acceleration", &JogConfig::acceleration, number("m/s^2").above(0).max(1000),
                    "half of the reference's at most, else a workspace is overrun")
          .optional("angular_acceleration", &JogConfig::angular_acceleration,
                    number("rad/s^2").above(0).max(10000))
          .optional("scale", &JogConfig::scale, speed_scale_schema())
          .optional("dead_man", &JogConfig::dead_man, text(),
                    "control of the device that must be held")
          .optional("frame", &JogConfig::frame,
                    choice<JogFrame>({{"world", JogFrame::kWorld},
                                      {"base", JogFrame::kBase},
                                      {"tool", JogFrame::kTool},
                                      {"view", JogFrame::kView}}),
                    "base: of the robot of 'moves'; view: x right on the screen, y up, z out of it")
          .optional("moves", &JogConfig::moves, text(),
                    "the frame that it moves (left.tcp), for base and slow_down")
          .optional("view", &JogConfig::view, text(), "of the scene")
          .optional("workspace", &JogConfig::workspace, box)
          .optional("slow_down", &JogConfig::slow_down, slow_down_schema())
          .optional("snap", &JogConfig::snap, snap_schema(), "a press while it is heard"),
      "a frame driven by rates: stick, 3-D mouse, keys",
      [](const JogConfig& config, const SourceContext& context) {
        return std::make_unique<Jog>(config, context);
      });
}

}  // namespace handspan
