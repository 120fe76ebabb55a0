#include "teleop/device_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/object.hpp"
#include "core/suggest.hpp"
#include "core/values.hpp"
#include "math/so3.hpp"

namespace handspan {
namespace {

// a pose that repeats the one before is news after this: the hand rests
constexpr Nanoseconds kRepeats = 30'000'000;
// one that moves may repeat its pose for this long
constexpr Nanoseconds kMostRepeats = 40'000'000;
// after the last news a pose goes on as it did for this long, then slows down to rest [s]
constexpr double kGoesOn = 0.025, kSlowsDown = 0.03;
// beyond what its speed explains: quantisation and jitter of stamps [m, rad]
constexpr double kJumpRoom = 0.03, kTurnRoom = 0.2;
// stamps and arrivals may drift apart by this between two samples [ns]
constexpr Nanoseconds kClockRoom = kSecond / 2;
constexpr double kRestOfAxis = 0.25, kPressed = 0.6, kReleased = 0.4;

// how far it has gone on, in time [s], and its rate
std::pair<double, double> goes_on(double since) {
  if (since <= kGoesOn) return {since, 1.0};
  const double rate = std::exp(-(since - kGoesOn) / kSlowsDown);
  return {kGoesOn + kSlowsDown * (1.0 - rate), rate};
}

std::size_t find(const std::vector<std::string>& names, std::string_view name, const char* what,
                 const std::string& device) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const std::string text(name);
  throw InputError(fmt::format(
      "the device '{}' has no {} '{}'{}", device, what, shown(text),
      names.empty() ? std::string(", nor any other") : "; " + did_you_mean(text, names, "it has")));
}

}  // namespace

const char* text_of(Break why) {
  switch (why) {
    case Break::kNothingYet:
      return "nothing has come yet";
    case Break::kNotTracked:
      return "tracking is lost";
    case Break::kTrackedAsOther:
      return "it is tracked as something else than before";
    case Break::kNotFinite:
      return "a pose came that is no number";
    case Break::kNoRotation:
      return "a pose came whose quaternion is zero";
    case Break::kJump:
      return "it jumped";
    case Break::kClockBack:
      return "the device's time went back";
    case Break::kClockJump:
      return "the device's stamps are of another clock";
    case Break::kSilent:
      return "no sample came in time";
    case Break::kTwoOperators:
      return "two operators give samples at once";
    case Break::kMalformed:
      return "a sample came that has not the device's numbers";
  }
  return "";
}

void PoseTrack::interrupt(Break why) {
  // one that is away stays away for its first reason
  if (good_ == 0 && breaks_ > 0) return;
  good_ = 0;
  ++breaks_;
  why_ = why;
}

void PoseTrack::measure(const Eigen::Vector3d& p, const Eigen::Quaterniond& q, double dt,
                        double smoothing) {
  // fading memory of second order: a constant velocity is followed without lag
  const double theta = std::exp(-dt / smoothing);
  const double g = 1.0 - theta * theta, h = (1.0 - theta) * (1.0 - theta);
  const Eigen::Vector3d v = filtered_.V_VC.head<3>(), w = filtered_.V_VC.tail<3>();
  const Eigen::Vector3d p_predicted = filtered_.p_VC + v * dt;
  const Eigen::Quaterniond q_predicted = exp_quaternion(w * dt) * filtered_.q_VC;
  const Eigen::Vector3d r = p - p_predicted, turn = log_quaternion(q * q_predicted.conjugate());
  filtered_.p_VC = p_predicted + g * r;
  filtered_.q_VC = (exp_quaternion(g * turn) * q_predicted).normalized();
  filtered_.V_VC << v + h / dt * r, w + h / dt * turn;
}

void PoseTrack::receive(std::span<const double, kPoseNumbers> numbers, Nanoseconds stamp,
                        Nanoseconds now, const DeviceLimits& limits) {
  const Eigen::Map<const Eigen::Matrix<double, 8, 1>> n(numbers.data());
  const TrackedAs before = as_;
  const bool known = n[0] >= 1.0 && n[0] <= 4.0 && n[0] == std::floor(n[0]);
  as_ = known ? static_cast<TrackedAs>(static_cast<int>(n[0])) : TrackedAs::kNone;
  if (as_ == TrackedAs::kNone) {
    interrupt(std::isfinite(n[0]) ? Break::kNotTracked : Break::kNotFinite);
    return;
  }
  const double length = n.tail<4>().norm();
  if (!n.allFinite() || !(n.segment<3>(1).lpNorm<Eigen::Infinity>() < 1e6) || length > 1e6) {
    interrupt(Break::kNotFinite);
    return;
  }
  if (!(length > 1e-3)) {
    interrupt(Break::kNoRotation);
    return;
  }
  const Eigen::Vector3d p = n.segment<3>(1);
  const Eigen::Quaterniond q = quaternion_from_xyzw(n.tail<4>());
  if (good_ > 0 && as_ != before) interrupt(Break::kTrackedAsOther);
  const double dt = seconds(stamp - stamp_);
  if (good_ > 0) {
    // the same rotation may come with either sign
    const Eigen::Vector3d turn = log_quaternion(q * q_.conjugate());
    const double since =
        seconds(std::max(stamp - sampled_, std::min(stamp - moved_, kMostRepeats)));
    if ((p - p_).norm() > limits.speed * since + kJumpRoom ||
        turn.norm() > limits.turn_rate * since + kTurnRoom)
      interrupt(Break::kJump);
  }
  if (good_ == 0) {
    filtered_ = {p, q, Vector6d::Zero()};
    stamp_ = stamp;
    at_ = now;
  } else if (const bool repeats = p == p_ && q.coeffs() == q_.coeffs();
             dt > 0.0 && !(repeats && stamp - stamp_ < kRepeats)) {
    measure(p, q, dt, limits.smoothing);
    stamp_ = stamp;
    at_ = now;
  }
  if (good_ == 0 || p != p_ || q.coeffs() != q_.coeffs()) moved_ = stamp;
  sampled_ = stamp;
  p_ = p;
  q_ = q;
  if (good_ < kSteady) ++good_;
}

PoseEstimate PoseTrack::estimate(Nanoseconds now) const {
  const auto [time, rate] = goes_on(seconds(now - at_));
  PoseEstimate e;
  e.p_VC = filtered_.p_VC + time * filtered_.V_VC.head<3>();
  e.q_VC = exp_quaternion(time * filtered_.V_VC.tail<3>()) * filtered_.q_VC;
  e.V_VC = rate * filtered_.V_VC;
  return e;
}

DeviceState::DeviceState(std::string name, const DeviceLayout& layout, const DeviceLimits& limits)
    : name_(std::move(name)),
      layout_(layout),
      limits_(limits),
      poses_(layout.poses.size()),
      axes_(layout.axes.size()),
      buttons_(layout.buttons.size()) {
  if (layout.numbers() > kMostInputNumbers)
    throw InputError(fmt::format("the device '{}' has {} numbers a sample; {} is the most", name_,
                                 layout.numbers(), kMostInputNumbers));
}

std::size_t DeviceState::pose_index(std::string_view name) const {
  return find(layout_.poses, name, "pose", name_);
}

std::size_t DeviceState::axis_index(std::string_view name) const {
  return find(layout_.axes, name, "axis", name_);
}

Control DeviceState::control(std::string_view name) const {
  const auto axis = std::ranges::find(layout_.axes, name);
  if (axis != layout_.axes.end())
    return {true, static_cast<std::size_t>(axis - layout_.axes.begin())};
  std::vector<std::string> names = layout_.axes;
  names.insert(names.end(), layout_.buttons.begin(), layout_.buttons.end());
  return {false, find(names, name, "button or axis", name_) - layout_.axes.size()};
}

bool DeviceState::pressed(std::string_view name) const {
  for (std::size_t i = 0; i < layout_.axes.size(); ++i)
    if (layout_.axes[i] == name) return axes_[i].down;
  for (std::size_t i = 0; i < layout_.buttons.size(); ++i)
    if (layout_.buttons[i] == name) return buttons_[i].down;
  return false;
}

void DeviceState::forget_controls() {
  std::ranges::fill(axes_, Axis{});
  std::ranges::fill(buttons_, Button{});
}

void DeviceState::interrupt(Break why) {
  why_ = why;
  for (auto& pose : poses_) pose.interrupt(why);
  forget_controls();
}

void DeviceState::receive(const Moment& moment, const Input& input) {
  const auto numbers = input.values();
  if (numbers.size() != layout_.numbers()) {
    ++malformed_;
    interrupt(Break::kMalformed);
    return;
  }
  const bool first = samples_ == 0;
  if (!first && input.stamp < stamp_) {
    interrupt(Break::kClockBack);
  } else if (!first && std::abs((input.stamp - stamp_) - (moment.now - arrived_)) > kClockRoom) {
    interrupt(Break::kClockJump);
  }
  if (present_ && input.text != operator_.view()) interrupt(Break::kTwoOperators);
  operator_ = input.text.view();
  stamp_ = input.stamp;
  arrived_ = moment.now;
  present_ = true;
  ++samples_;
  for (std::size_t i = 0; i < poses_.size(); ++i)
    poses_[i].receive(
        std::span<const double, kPoseNumbers>(numbers.data() + kPoseNumbers * i, kPoseNumbers),
        input.stamp, moment.now, limits_);
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const double value = numbers[layout_.first_axis() + i];
    Axis& axis = axes_[i];
    if (!std::isfinite(value)) {
      axis = {};
      continue;
    }
    axis.value = std::clamp(value, -1.0, 1.0);
    axis.believed = axis.believed || std::abs(axis.value) <= kRestOfAxis;
    axis.down = axis.believed && std::abs(axis.value) > (axis.down ? kReleased : kPressed);
  }
  for (std::size_t i = 0; i < buttons_.size(); ++i) {
    const double value = numbers[layout_.first_button() + i];
    Button& button = buttons_[i];
    if (!std::isfinite(value)) {
      button = {};
      continue;
    }
    button.seen_up = button.seen_up || value <= 0.5;
    button.down = button.seen_up && value > 0.5;
  }
}

void DeviceState::update(const Moment& moment) {
  if (!present_ || seconds(moment.now - arrived_) <= limits_.timeout) return;
  present_ = false;
  interrupt(Break::kSilent);
}

double DeviceState::age(Nanoseconds now) const {
  return samples_ == 0 ? std::numeric_limits<double>::infinity() : seconds(now - arrived_);
}

void DeviceState::state(StateArchive& archive) {
  archive.part("device", name_);
  archive(poses_, axes_, buttons_, present_, why_, stamp_, arrived_, operator_, samples_,
          malformed_);
  if (archive.loading()) why_ = std::min(why_, Break::kMalformed);
}

Schema<DeviceLimits> device_limits_schema() {
  return object<DeviceLimits>("DeviceLimits", "what a device's samples may be like")
      .optional("timeout", &DeviceLimits::timeout, number("s").above(0).max(10),
                "no sample for longer: it is silent")
      .optional("speed", &DeviceLimits::speed, number("m/s").above(0).max(1000),
                "a pose that is faster has jumped")
      .optional("turn_rate", &DeviceLimits::turn_rate, number("rad/s").above(0).max(1e4))
      .optional("smoothing", &DeviceLimits::smoothing, number("s").above(0).max(1),
                "time constant of the velocities' filter");
}

}  // namespace handspan
