// One file, since it is one check after another of the same sample.
#include "device/device_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

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
// beyond what a motion explains: quantisation and jitter of stamps [m, rad]
constexpr double kLeapRoom = 0.03, kTurnRoom = 10.0 * std::numbers::pi / 180.0;
// a course's velocity is of places at least this far apart, else jitter of stamps makes it
constexpr Nanoseconds kLeastStep = 5'000'000;
// a frame that is so much of the allowed off its course may be bad, although it is followed
constexpr double kOdd = 0.25;
// of a longer step only the mean velocity is known: that at its end may differ by what
// accelerations explain in half of it [s]
constexpr double kGap = 0.025;
// a quaternion's length may be off 1 by this for its rounding
constexpr double kLengthRoom = 0.01;
// an axis that rests beyond this rests at an end of its range
constexpr double kEnd = 0.5;
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
      return "tracking lost";
    case Break::kTrackedAsOther:
      return "it is tracked as something else than before";
    case Break::kNotFinite:
      return "a pose came that is not a number";
    case Break::kNoRotation:
      return "a pose came whose quaternion is zero";
    case Break::kLeap:
      return "it leapt away from its motion";
    case Break::kRecentred:
      return "the headset was recentred";
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
  // one that is away is one break, whose reason is the present one
  why_ = why;
  doubted_ = false;
  if (good_ == 0 && breaks_ > 0) return;
  good_ = 0;
  ++breaks_;
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

PoseTrack::Off PoseTrack::off(const Course& course, const Eigen::Vector3d& p,
                              const Eigen::Quaterniond& q, Nanoseconds stamp,
                              const DeviceLimits& limits) {
  Off off;
  const double dt = seconds(stamp - course.stamp), half = 0.5 * dt * dt;
  off.fast = (p - course.p).norm() > limits.speed * dt + kLeapRoom ||
             log_quaternion(q * course.q.conjugate()).norm() > limits.turn_rate * dt + kTurnRoom;
  // the first one tells no velocity
  if (!course.moves) return off;
  const Eigen::Quaterniond q_led = exp_quaternion(dt * course.V.tail<3>()) * course.q;
  off.residual << p - (course.p + dt * course.V.head<3>()), log_quaternion(q * q_led.conjugate());
  off.way = off.residual.head<3>().norm() / (kLeapRoom + limits.acceleration * half);
  off.turn = off.residual.tail<3>().norm() / (kTurnRoom + limits.angular_acceleration * half);
  return off;
}

// After a frame in doubt: it is nearer to that than to where the motion before leads. The room has
// grown with the time, and a small leap may fit into it by now.
bool PoseTrack::stays_away(const Off& now) const {
  const auto stays = [&](double doubted, const auto& before, const auto& is) {
    return doubted > 1.0 && (is - before).norm() < is.norm();
  };
  return stays(doubt_.way, doubt_.residual.head<3>(), now.residual.head<3>()) ||
         stays(doubt_.turn, doubt_.residual.tail<3>(), now.residual.tail<3>());
}

void PoseTrack::go_on(const Eigen::Vector3d& p, const Eigen::Quaterniond& q, Nanoseconds stamp,
                      bool odd) {
  const double dt = seconds(stamp - last_.stamp);
  odd_ = odd && last_.moves;
  before_ = last_;
  Vector6d V;
  V << (p - last_.p) / dt, log_quaternion(q * last_.q.conjugate()) / dt;
  last_ = {p, q, V, stamp, true};
}

// One function, since it is one check after another, and the first that fails says why.
void PoseTrack::receive(std::span<const double, kPoseNumbers> numbers, Nanoseconds stamp,
                        Nanoseconds now, const DeviceLimits& limits) {
  const Eigen::Map<const Eigen::Matrix<double, 8, 1>> n(numbers.data());
  const TrackedAs was = as_;
  if (n[0] == static_cast<double>(TrackedAs::kRecentred)) {
    as_ = TrackedAs::kNone;
    interrupt(Break::kRecentred);
    return;
  }
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
  // the same rotation may come with either sign
  const Eigen::Quaterniond q = quaternion_from_xyzw(n.tail<4>());
  if (good_ > 0 && as_ != was) interrupt(Break::kTrackedAsOther);
  const bool repeats = good_ > 0 && p == p_ && q.coeffs() == q_.coeffs();
  bool odd = false;
  if (good_ > 0 && !repeats) {
    DeviceLimits room = limits;
    const double since = seconds(stamp - last_.stamp), step = seconds(last_.stamp - before_.stamp);
    if (last_.moves && step > kGap && since > 0.0) {
      room.acceleration *= 1.0 + step / since;
      room.angular_acceleration *= 1.0 + step / since;
    }
    Off course = off(last_, p, q, stamp, room);
    // when the last one may have been bad, the motion before it is as good a judge
    if (course.leaps() && odd_ && !doubted_)
      if (const Off other = off(before_, p, q, stamp, limits); !other.leaps()) {
        last_ = before_;
        course = other;
        ++left_out_;
      }
    odd = course.way > kOdd || course.turn > kOdd;
    if (course.leaps() || (doubted_ && stays_away(course))) {
      if (steady() && !doubted_) {
        doubted_ = true;
        p_doubted_ = p;
        q_doubted_ = q;
        doubted_stamp_ = stamp;
        doubt_ = course;
        return;
      }
      // the frame in doubt again is no news either
      if (doubted_ && p == p_doubted_ && q.coeffs() == q_doubted_.coeffs() &&
          stamp - doubted_stamp_ < kRepeats)
        return;
      interrupt(Break::kLeap);
    }
  }
  if (doubted_) ++left_out_;
  doubted_ = false;
  const double dt = seconds(stamp - stamp_);
  if (good_ == 0) {
    filtered_ = {p, q, Vector6d::Zero()};
    stamp_ = stamp;
    at_ = now;
    last_ = {p, q, Vector6d::Zero(), stamp, false};
    odd_ = false;
  } else if (dt > 0.0 && !(repeats && stamp - stamp_ < kRepeats)) {
    measure(p, q, dt, limits.smoothing);
    stamp_ = stamp;
    at_ = now;
  }
  if (good_ == 0 || !repeats) moved_ = stamp;
  if (good_ > 0) {
    if (!repeats && stamp - last_.stamp >= kLeastStep) {
      go_on(p, q, stamp, odd);
    } else if (repeats && stamp - moved_ > kMostRepeats) {
      // it rests here
      last_ = before_ = {p, q, Vector6d::Zero(), stamp, true};
      odd_ = false;
    }
  }
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

DeviceState::DeviceState(std::string name, const DeviceLayout& layout, const DeviceLimits& limits,
                         const std::vector<AxisCentre>& centres)
    : name_(std::move(name)),
      layout_(layout),
      limits_(limits),
      poses_(layout.poses.size()),
      axes_(layout.axes.size()),
      centres_(layout.axes.size()),
      buttons_(layout.buttons.size()) {
  if (layout.numbers() > kMostInputNumbers)
    throw InputError(fmt::format("the device '{}' has {} numbers a sample; {} is the most", name_,
                                 layout.numbers(), kMostInputNumbers));
  for (const AxisCentre& centre : centres)
    centres_[axis_index(centre.axis)] = {centre.at.value_or(0.0), centre.at.has_value()};
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
  for (std::size_t i = 0; i < poses_.size(); ++i) {
    const double length =
        Eigen::Map<const Eigen::Vector4d>(numbers.data() + kPoseNumbers * i + 4).norm();
    // what is not a rotation at all breaks the pose, and is told as that
    if (poses_[i].tracked_as() != TrackedAs::kNone && std::abs(length - 1.0) > kLengthRoom &&
        length > 1e-3 && length < 1e6)
      ++out_of_range_;
  }
  for (std::size_t i = 0; i < axes_.size(); ++i) receive_axis(i, numbers[layout_.first_axis() + i]);
  for (std::size_t i = 0; i < buttons_.size(); ++i)
    receive_button(buttons_[i], numbers[layout_.first_button() + i]);
}

void DeviceState::receive_axis(std::size_t index, double number) {
  Axis& axis = axes_[index];
  if (!std::isfinite(number)) {
    axis = {};
    return;
  }
  if (std::abs(number) > 1.0 + 1e-6) ++out_of_range_;
  const double x = std::clamp(number, -1.0, 1.0);
  Centre& centre = centres_[index];
  if (!centre.known) centre = {x, true};
  const double c = centre.at;
  // from an end it counts 0 to 1, from elsewhere -1 to 1
  if (c > kEnd)
    axis.value = std::max(0.0, (c - x) / (1.0 + c));
  else if (c < -kEnd)
    axis.value = std::max(0.0, (x - c) / (1.0 - c));
  else
    axis.value = (x - c) / (x > c ? 1.0 - c : 1.0 + c);
  axis.valid = true;
  axis.believed = axis.believed || std::abs(axis.value) <= kRestOfAxis;
  axis.seen_up = axis.seen_up || axis.value <= kRestOfAxis;
  axis.held = axis.value > (axis.held ? kReleased : kPressed);
  axis.down = axis.seen_up && axis.held;
}

void DeviceState::receive_button(Button& button, double number) {
  if (!std::isfinite(number)) {
    button = {};
    return;
  }
  button.valid = true;
  button.seen_up = button.seen_up || number <= 0.5;
  button.held = number > 0.5;
  button.down = button.seen_up && button.held;
}

std::uint64_t DeviceState::left_out() const {
  std::uint64_t count = 0;
  for (const PoseTrack& pose : poses_) count += pose.left_out();
  return count;
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
  archive(poses_, axes_, centres_, buttons_, present_, why_, stamp_, arrived_, operator_, samples_,
          malformed_, out_of_range_);
  if (archive.loading()) why_ = std::min(why_, Break::kMalformed);
}

Schema<DeviceLimits> device_limits_schema() {
  return object<DeviceLimits>("DeviceLimits", "what a device's samples may be like")
      .optional("timeout", &DeviceLimits::timeout, number("s").above(0).max(10),
                "no sample for longer: it is silent")
      .optional("speed", &DeviceLimits::speed, number("m/s").above(0).max(1000),
                "a pose that is faster leaps, and is not followed")
      .optional("turn_rate", &DeviceLimits::turn_rate, number("rad/s").above(0).max(1e4))
      .optional("acceleration", &DeviceLimits::acceleration, number("m/s^2").above(0).max(1e5),
                "a pose that is elsewhere than its motion leads by more than this explains leaps")
      .optional("angular_acceleration", &DeviceLimits::angular_acceleration,
                number("rad/s^2").above(0).max(1e6))
      .optional("smoothing", &DeviceLimits::smoothing, number("s").above(0).max(1),
                "time constant of the velocities' filter");
}

}  // namespace handspan
