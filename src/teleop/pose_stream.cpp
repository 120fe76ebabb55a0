#include "teleop/pose_stream.hpp"

#include <algorithm>
#include <cmath>

#include "core/object.hpp"
#include "core/values.hpp"

namespace handspan {
namespace {

constexpr std::size_t kRow = 8;
constexpr const char* kFaults[] = {nullptr,
                                   "a pose that is not a number",
                                   "a pose whose quaternion is zero",
                                   "poses whose times do not rise",
                                   "a sample that is not rows of 8 numbers",
                                   "a number of buttons that it does not have"};

}  // namespace

PoseStream::PoseStream(const PoseStreamConfig& config, const SourceContext&)
    : config_(config), down_(config.buttons.size(), 0) {}

void PoseStream::start(const Moment&, const Motion&) { based_ = false; }

void PoseStream::receive(const Moment& moment, const Input& input) {
  const auto values = input.values();
  if (input.text == "buttons") {
    if (values.size() != down_.size()) {
      fault_kind_ = 5;
      return;
    }
    for (std::size_t i = 0; i < values.size(); ++i) down_[i] = values[i] > 0.5 ? 1 : 0;
    return;
  }
  fault_kind_ = 0;
  if (values.empty() || values.size() % kRow != 0) fault_kind_ = 4;
  double before = -HUGE_VAL;
  for (std::size_t at = 0; at + kRow <= values.size() && fault_kind_ == 0; at += kRow) {
    const Eigen::Map<const Eigen::Matrix<double, 8, 1>> row(values.data() + at);
    if (!row.allFinite() || std::abs(row[0]) > 1e6)
      fault_kind_ = 1;
    else if (!(row.tail<4>().norm() > 1e-6))
      fault_kind_ = 2;
    else if (!(row[0] > before))
      fault_kind_ = 3;
    before = row[0];
  }
  if (fault_kind_ == 0) take(moment, input);
}

void PoseStream::take(const Moment& moment, const Input& input) {
  const auto values = input.values();
  const auto rows = values.size() / kRow;
  const Nanoseconds first = moment.now + std::llround(values[0] * 1e9);
  // of the chunk before, what is over keeps one point, from which the motion goes on
  std::uint32_t keep_from = 0, keep_to = 0;
  while (keep_to < count_ && points_[keep_to].time < first) ++keep_to;
  while (keep_from + 1 < keep_to && points_[keep_from + 1].time <= moment.now) ++keep_from;
  const auto most = static_cast<std::uint32_t>(kMostPoints - rows);
  if (keep_to - keep_from > most) keep_from = keep_to - most;
  std::copy(points_.begin() + keep_from, points_.begin() + keep_to, points_.begin());
  count_ = keep_to - keep_from;
  for (std::size_t i = 0; i < rows; ++i) {
    const double* row = values.data() + i * kRow;
    Point& point = points_[count_++];
    point.time = moment.now + std::llround(row[0] * 1e9);
    point.p = Eigen::Vector3d(row[1], row[2], row[3]);
    point.q = quaternion_from_xyzw(Eigen::Vector4d(row[4], row[5], row[6], row[7]));
  }
  fresh_ = true;
}

SourceAnswer PoseStream::update(const Moment& moment, const Motion& reference, Motion& wanted) {
  if (fault_kind_ != 0) {
    fresh_ = false;
    return {SourceStatus::kLost, kFaults[fault_kind_], {}};
  }
  if (count_ == 0) return {SourceStatus::kSilent, "nothing has come", {}};
  const Point& last = points_[count_ - 1];
  if (moment.now - last.time > std::llround(config_.timeout * 1e9) || !fresh_) {
    fresh_ = false;
    return {SourceStatus::kLost, "nothing new has come in time", {}};
  }
  std::uint32_t next = 0;
  while (next < count_ && points_[next].time <= moment.now) ++next;
  Pose X;
  Vector6d V = Vector6d::Zero();
  if (next == 0 || next == count_) {
    const Point& point = points_[next == 0 ? 0 : count_ - 1];
    X = Pose::from(point.p, point.q);
  } else {
    const Point &a = points_[next - 1], &b = points_[next];
    const double span = seconds(b.time - a.time), s = seconds(moment.now - a.time) / span;
    const Eigen::Vector3d turn = log_quaternion(b.q * a.q.conjugate());
    X = Pose::from(a.p + s * (b.p - a.p), exp_quaternion(s * turn) * a.q);
    V << (b.p - a.p) / span, turn / span;
  }
  if (config_.relative) {
    if (!based_) {
      // position and orientation apart: the stream's axes stay W's
      X_WS_.p = reference.pose.X_WE.p - X.p;
      X_WS_.R = X.R.transpose() * reference.pose.X_WE.R;
      based_ = true;
    }
    R_now_ = X.R;
    X = {X.R * X_WS_.R, X.p + X_WS_.p};
  }
  wanted.pose = {X, V, Vector6d::Zero()};
  return {};
}

bool PoseStream::shift(const Eigen::Vector3d& p, const Eigen::Matrix3d& R) {
  if (!config_.relative || !based_) return false;
  X_WS_.p += p;
  X_WS_.R = R_now_.transpose() * R * R_now_ * X_WS_.R;
  return true;
}

bool PoseStream::has_button(std::string_view name) const {
  return std::ranges::find(config_.buttons, name) != config_.buttons.end();
}

bool PoseStream::button(std::string_view name) const {
  const auto found = std::ranges::find(config_.buttons, name);
  return found != config_.buttons.end() &&
         down_[static_cast<std::size_t>(found - config_.buttons.begin())] != 0;
}

void PoseStream::state(StateArchive& archive) {
  archive(points_, count_, fresh_, fault_kind_, based_, X_WS_.p, X_WS_.R, R_now_, down_);
  if (archive.loading()) {
    count_ = std::min<std::uint32_t>(count_, kMostPoints);
    fault_kind_ = std::min<std::uint8_t>(fault_kind_, std::size(kFaults) - 1);
  }
}

void register_pose_stream(SourceRegistry& registry) {
  registry.add("pose_stream",
               object<PoseStreamConfig>("PoseStream", "poses from another thread or program")
                   .optional("timeout", &PoseStreamConfig::timeout, number("s").above(0).max(60),
                             "after the last pose's time it counts as lost")
                   .optional("relative", &PoseStreamConfig::relative, boolean(),
                             "moved so that its first pose is where the reference is")
                   .optional("buttons", &PoseStreamConfig::buttons, list(text().identifier()),
                             "names, for transitions"),
               "poses from another thread or program, single or as chunks",
               [](const PoseStreamConfig& config, const SourceContext& context) {
                 return std::make_unique<PoseStream>(config, context);
               });
}

}  // namespace handspan
