#include "reference/pose_history.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/suggest.hpp"

namespace handspan {

void PoseHistory::offer_pose(std::string name, Read read) {
  tracks_.push_back({std::move(name), true, 7, std::move(read), false, {}, {}, 0, {}});
}

void PoseHistory::offer_joints(std::string name, std::size_t joints, Read read) {
  tracks_.push_back({std::move(name), false, joints, std::move(read), false, {}, {}, 0, {}});
}

PoseHistory::Id PoseHistory::track(std::string_view name) {
  const auto found = std::ranges::find(tracks_, name, &Track::name);
  if (found == tracks_.end()) {
    std::vector<std::string> names;
    for (const Track& track : tracks_) names.push_back(track.name);
    const std::string text(name);
    throw InputError(fmt::format("where '{}' was is not known; {}", shown(text),
                                 did_you_mean(text, names, "it is of")));
  }
  if (!found->kept) {
    // one more at each end, so that the whole span lies between records
    const auto rows = static_cast<std::size_t>(kSpan / period_ + 2);
    found->stamps.assign(rows, 0);
    found->values.assign(rows * found->width, 0.0);
    found->now.assign(found->width, 0.0);
    found->kept = true;
  }
  return {static_cast<std::size_t>(found - tracks_.begin())};
}

void PoseHistory::record() {
  for (Track& track : tracks_) {
    if (!track.kept) continue;
    const Nanoseconds stamp = track.read(track.now);
    const std::size_t rows = track.stamps.size();
    if (track.count > 0 && stamp <= track.stamps[(track.count - 1) % rows]) continue;
    const std::size_t row = track.count++ % rows;
    track.stamps[row] = stamp;
    std::ranges::copy(track.now,
                      track.values.begin() + static_cast<std::ptrdiff_t>(row * track.width));
  }
}

const char* PoseHistory::find(const Track& track, Nanoseconds stamp, Between& between) const {
  if (!track.kept) return "it is not kept: nobody asked for it at set-up";
  if (track.count == 0) return "nothing was recorded yet";
  const std::size_t rows = track.stamps.size();
  const std::uint64_t first = track.count > rows ? track.count - rows : 0;
  const auto time = [&](std::uint64_t i) { return track.stamps[i % rows]; };
  const auto row = [&](std::uint64_t i) {
    return std::span(track.values).subspan(i % rows * track.width, track.width);
  };
  if (stamp > time(track.count - 1)) return "that is later than the last record";
  if (stamp < time(track.count - 1) - kSpan) return "that is more than 2 s ago";
  if (stamp < time(first)) return "that is before the first record";
  std::uint64_t low = first, high = track.count - 1;  // the last one that is not later
  while (low < high) {
    const std::uint64_t middle = low + (high - low + 1) / 2;
    if (time(middle) <= stamp)
      low = middle;
    else
      high = middle - 1;
  }
  const std::uint64_t next = std::min(low + 1, track.count - 1);
  between = {row(low), row(next),
             next == low ? 0.0 : seconds(stamp - time(low)) / seconds(time(next) - time(low))};
  return nullptr;
}

const char* PoseHistory::pose_at(Id id, Nanoseconds stamp, Pose& X_W) const {
  const Track& track = tracks_[id.value];
  if (!track.is_pose) return "it is a group of joints, which has no pose";
  Between between;
  if (const char* why = find(track, stamp, between)) return why;
  const Eigen::Map<const Eigen::Vector3d> p_a(between.a.data()), p_b(between.b.data());
  const Eigen::Quaterniond q_a(between.a.data() + 3), q_b(between.b.data() + 3);
  const Eigen::Vector3d turn = log_quaternion(q_b * q_a.conjugate());
  X_W = Pose::from(p_a + between.share * (p_b - p_a), exp_quaternion(between.share * turn) * q_a);
  return nullptr;
}

const char* PoseHistory::poses_at(std::span<const Id> ids, Nanoseconds stamp,
                                  std::span<Pose> X_W) const {
  const char* first = nullptr;
  for (std::size_t i = 0; i < ids.size() && i < X_W.size(); ++i) {
    const char* why = pose_at(ids[i], stamp, X_W[i]);
    if (first == nullptr) first = why;
  }
  return first;
}

const char* PoseHistory::joints_at(Id id, Nanoseconds stamp, std::span<double> q) const {
  const Track& track = tracks_[id.value];
  if (track.is_pose) return "it is a frame, which has no joints";
  Between between;
  if (const char* why = find(track, stamp, between)) return why;
  for (std::size_t i = 0; i < std::min(q.size(), track.width); ++i)
    q[i] = between.a[i] + between.share * (between.b[i] - between.a[i]);
  return nullptr;
}

void PoseHistory::state(StateArchive& archive) {
  for (Track& track : tracks_)
    if (track.kept) archive(track.stamps, track.values, track.count);
}

}  // namespace handspan
