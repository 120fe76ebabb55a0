#include "teleop/jog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/object.hpp"
#include "core/suggest.hpp"
#include "core/values.hpp"
#include "scene/scene_frame.hpp"
#include "teleop/devices.hpp"
#include "teleop/reference.hpp"

namespace handspan {
namespace {

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

// the change from `before` cut at `most`
Eigen::Vector3d towards(const Eigen::Vector3d& before, const Eigen::Vector3d& v, double most) {
  const Eigen::Vector3d change = v - before;
  const double size = change.norm();
  return size > most ? Eigen::Vector3d(before + most / size * change) : v;
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
  if (config.slow_down)
    obstacles_ = std::make_unique<Obstacles>(*config.slow_down, *arms_, *config.moves);
}

void Jog::start(const Moment& moment, const Motion&) {
  // what is held now was not meant for it
  dead_man_.open();
  scale_.begin(*device_);
  tick_ = moment.tick - 1;
  V_WE_.setZero();
}

void Jog::resume(const Moment& moment, const Motion&) {
  // not asked for a while: it was stopped
  if (tick_ < moment.tick - 1) {
    dead_man_.open();
    scale_.begin(*device_);
  }
  tick_ = moment.tick;
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

void Jog::stay_inside(const Eigen::Vector3d& p_WE, double dt,
                      Eigen::Ref<Eigen::Vector3d> v_WE) const {
  const WorkspaceConfig& box = *config_.workspace;
  const Eigen::Vector3d p = X_WB_.R.transpose() * (p_WE - X_WB_.p);
  Eigen::Vector3d v = X_WB_.R.transpose() * v_WE;
  // three faces may have to be stopped at together
  const double a = config_.acceleration / std::sqrt(3.0);
  for (int i = 0; i < 3; ++i) {
    v[i] = std::min(v[i], closing_speed(std::max(0.0, box.upper[i] - p[i]), a, dt));
    v[i] = std::max(v[i], -closing_speed(std::max(0.0, p[i] - box.lower[i]), a, dt));
  }
  v_WE = X_WB_.R * v;
}

SourceAnswer Jog::update(const Moment& moment, const Motion& reference, Motion& wanted) {
  tick_ = moment.tick;
  scale_.update(*device_);
  Vector6d rates = Vector6d::Zero();
  for (int i = 0; i < 6; ++i)
    if (const auto& input = inputs_[static_cast<std::size_t>(i)])
      rates[i] = respond(input->value(*device_), config_.response);
  if (!dead_man_.update(*device_, rates.isZero(0.0))) {
    V_WE_.setZero();
    return {SourceStatus::kSilent, dead_man_.reason()};
  }
  const Eigen::Matrix3d R_WO = axes_of_rates(reference);
  const auto part = [&](Eigen::Vector3d rate, double speed) -> Eigen::Vector3d {
    // a diagonal is no faster
    return scale_.value() * speed / std::max(1.0, rate.norm()) * (R_WO * rate);
  };
  V_WE_ << part(rates.head<3>(), config_.speed), part(rates.tail<3>(), config_.angular_speed);
  if (obstacles_) obstacles_->slow_down(V_WE_);
  const Vector6d& before = reference.pose.V_WE;
  V_WE_.head<3>() = towards(before.head<3>(), V_WE_.head<3>(), config_.acceleration * moment.dt);
  V_WE_.tail<3>() =
      towards(before.tail<3>(), V_WE_.tail<3>(), config_.angular_acceleration * moment.dt);
  const Pose& X_WE = reference.pose.X_WE;
  if (config_.workspace) stay_inside(X_WE.p, moment.dt, V_WE_.head<3>());
  wanted.pose.X_WE = {exp_so3(moment.dt * V_WE_.tail<3>()) * X_WE.R,
                      X_WE.p + moment.dt * V_WE_.head<3>()};
  wanted.pose.V_WE = V_WE_;
  wanted.pose.A_WE.setZero();
  return {};
}

void Jog::declare(ChannelTable& channels, Rate rate) {
  const std::string name = "source." + name_;
  scale_channel_ = channels.number(name + ".scale", "", rate, "of the full speed");
  twist_channel_ = channels.vector(name + ".twist", 6, "m/s, rad/s", rate,
                                   "that it asks for, linear and angular, in W");
  if (obstacles_)
    nearest_channel_ = channels.number(name + ".nearest", "m", rate,
                                       "to what it slows down for, at most slow_down.from");
}

void Jog::publish(ChannelTable& channels, Nanoseconds stamp) const {
  channels.write(scale_channel_, scale_.value(), stamp);
  channels.write(twist_channel_, V_WE_, stamp);
  if (obstacles_) channels.write(nearest_channel_, obstacles_->nearest(), stamp);
}

void Jog::state(StateArchive& archive) {
  archive(dead_man_, scale_, tick_, V_WE_);
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
          .optional("slow_down", &JogConfig::slow_down, slow_down_schema()),
      "a frame driven by rates: stick, 3-D mouse, keys",
      [](const JogConfig& config, const SourceContext& context) {
        return std::make_unique<Jog>(config, context);
      });
}

}  // namespace handspan
