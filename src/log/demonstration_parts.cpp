#include "log/demonstration_parts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "math/so3.hpp"

namespace handspan {
namespace {

using Named = LoggedDemonstration::Named;

// a pause: slower than this, over a window that noise of a tracker does not fill [m/s, rad/s, s]
constexpr double kPauseSpeed = 0.01, kPauseTurn = 0.052, kPauseWindow = 0.1, kPause = 0.3;
constexpr double kStep = 0.02;     // at which a demonstration is looked at [s]
constexpr double kShortest = 0.1;  // part [s]
// sums and quotients of times are no exact times [s]
constexpr double kSameTime = 1e-9;

bool near(const TimedPose& a, const TimedPose& b) {
  return (a.p - b.p).norm() <= kMoves && a.q.angularDistance(b.q) <= kTurns;
}

TimedPose pose_at(const std::vector<TimedPose>& poses, double t) {
  const auto next = std::ranges::upper_bound(poses, t, {}, &TimedPose::time);
  if (next == poses.begin()) return {t, next->p, next->q};
  const TimedPose& a = *(next - 1);
  if (next == poses.end()) return {t, a.p, a.q};
  const double s = (t - a.time) / (next->time - a.time);
  const Eigen::Vector3d turn = log_quaternion(next->q * a.q.conjugate());
  return {t, a.p + s * (next->p - a.p), (exp_quaternion(s * turn) * a.q).normalized()};
}

std::vector<TimedPose> clipped_poses(const std::vector<TimedPose>& poses, double from, double to) {
  std::vector<TimedPose> part = {pose_at(poses, from)};
  for (const TimedPose& pose : poses)
    if (pose.time > from + kSameTime && pose.time < to - kSameTime) part.push_back(pose);
  // what is known no longer than until then stays as it was last
  if (poses.back().time >= to - kSameTime) part.push_back(pose_at(poses, to));
  for (TimedPose& pose : part) pose.time -= from;
  return part;
}

// When the first of them leaves where it began, and when the last of them comes to where it ends.
std::pair<double, double> moving_span(const LoggedDemonstration& demonstration) {
  double first = demonstration.length, last = 0.0;
  for (const Named& named : demonstration.poses) {
    const auto& poses = named.poses;
    const auto leaves = std::ranges::find_if(
        poses, [&](const TimedPose& pose) { return !near(pose, poses.front()); });
    if (leaves != poses.end()) first = std::min(first, leaves->time);
    for (auto pose = poses.rbegin(); pose != poses.rend(); ++pose) {
      if (near(*pose, poses.back())) continue;
      last = std::max(last, pose->time);
      break;
    }
  }
  for (const auto& commands : demonstration.commands)
    for (const auto& command : commands.values)
      if (command.time > 0.0) {
        first = std::min(first, command.time);
        last = std::max(last, command.time);
      }
  return {first, last};
}

bool pauses(const LoggedDemonstration& demonstration, double t) {
  const double half = 0.5 * kPauseWindow;
  return std::ranges::all_of(demonstration.poses, [&](const Named& named) {
    const TimedPose a = pose_at(named.poses, t - half), b = pose_at(named.poses, t + half);
    return (b.p - a.p).norm() < kPauseSpeed * kPauseWindow &&
           a.q.angularDistance(b.q) < kPauseTurn * kPauseWindow;
  });
}

// The middles of its pauses, but for those at its ends.
std::vector<double> middles_of_pauses(const LoggedDemonstration& demonstration) {
  std::vector<double> middles;
  const auto steps = static_cast<int>(demonstration.length / kStep);
  int since = -1;
  for (int i = 0; i <= steps; ++i) {
    if (pauses(demonstration, i * kStep)) {
      if (since < 0) since = i;
      continue;
    }
    if (since > 0 && (i - since) * kStep >= kPause)
      middles.push_back(0.5 * (since + i - 1) * kStep);
    since = -1;
  }
  return middles;
}

}  // namespace

bool moves(const LoggedDemonstration& demonstration) {
  const auto [first, last] = moving_span(demonstration);
  return last > 0.0 || first < demonstration.length;
}

LoggedDemonstration clipped(const LoggedDemonstration& demonstration, double from, double to) {
  LoggedDemonstration part = demonstration;
  part.length = to - from;
  part.begin += std::llround(from * 1e9);
  for (auto* all : {&part.poses, &part.objects})
    for (Named& named : *all) named.poses = clipped_poses(named.poses, from, to);
  for (auto& commands : part.commands) {
    auto& values = commands.values;
    // the last one up to the beginning holds at it
    while (values.size() > 1 && values[1].time <= from + kSameTime) values.erase(values.begin());
    std::erase_if(values, [&](const auto& value) {
      return &value != &values.front() && value.time > to + kSameTime;
    });
    for (auto& value : values) value.time = std::max(0.0, value.time - from);
  }
  std::erase_if(part.touches,
                [&](const auto& touch) { return touch.time < from || touch.time > to; });
  for (auto& touch : part.touches) touch.time -= from;
  return part;
}

LoggedDemonstration cut_idle_ends(const LoggedDemonstration& demonstration, double margin) {
  if (!moves(demonstration)) return demonstration;
  const auto [first, last] = moving_span(demonstration);
  return clipped(demonstration, std::max(0.0, first - margin),
                 std::min(demonstration.length, last + margin));
}

const char* name_of(PartBegin begin) {
  switch (begin) {
    case PartBegin::kStart:
      return "its start";
    case PartBegin::kPause:
      return "a pause";
    case PartBegin::kGripper:
      return "a gripper";
    case PartBegin::kContact:
      return "a touch";
  }
  return "";
}

std::vector<DemonstrationPart> split(const LoggedDemonstration& demonstration) {
  std::vector<DemonstrationPart> cuts;
  const auto cut = [&](double time, PartBegin begin, const std::string& what) {
    const bool apart = time >= kShortest && time <= demonstration.length - kShortest &&
                       std::ranges::all_of(cuts, [&](const DemonstrationPart& other) {
                         return std::abs(other.from - time) >= kShortest;
                       });
    if (apart) cuts.push_back({time, 0.0, begin, what});
  };
  // what counts more comes first
  for (const auto& commands : demonstration.commands)
    for (const auto& command : commands.values)
      cut(command.time, PartBegin::kGripper, commands.group);
  for (const auto& touch : demonstration.touches)
    cut(touch.time, PartBegin::kContact, touch.channel);
  for (const double middle : middles_of_pauses(demonstration)) cut(middle, PartBegin::kPause, "");
  cuts.push_back({0.0, 0.0, PartBegin::kStart, ""});
  std::ranges::sort(cuts, {}, &DemonstrationPart::from);
  for (std::size_t i = 0; i < cuts.size(); ++i)
    cuts[i].to = i + 1 < cuts.size() ? cuts[i + 1].from : demonstration.length;
  return cuts;
}

LoggedDemonstration warped(LoggedDemonstration demonstration, const TimeWarp& warp) {
  const double begin = warp.at(0.0);
  const auto map = [&](double& time) {
    // what holds since before the beginning still does
    if (time > 0.0) time = warp.at(time) - begin;
  };
  for (auto* all : {&demonstration.poses, &demonstration.objects})
    for (Named& named : *all)
      for (TimedPose& pose : named.poses) map(pose.time);
  for (auto& commands : demonstration.commands)
    for (auto& value : commands.values) map(value.time);
  for (auto& touch : demonstration.touches) map(touch.time);
  map(demonstration.length);
  return demonstration;
}

}  // namespace handspan
