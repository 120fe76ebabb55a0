#include "person/sight.hpp"

#include <cmath>

namespace handspan {

// two more than fall into the delay: jitter moves samples by less than half of their period
Sight::Sight(double delay, double rate)
    : delay_(std::llround(delay * 1e9)),
      kept_(delay > 0.0 ? static_cast<std::size_t>(std::ceil(delay * rate)) + 3 : 0),
      times_(kept_) {}

void Sight::clear() {
  poses_.clear();
  values_.clear();
  forget();
}

std::size_t Sight::pose(const std::string& name, const ChannelTable& channels) {
  poses_.push_back({find_pose(name, channels), std::vector<std::optional<Pose>>(kept_)});
  return poses_.size() - 1;
}

std::size_t Sight::value(const SeenValue& seen, const ChannelTable& channels) {
  values_.push_back({seen, {seen, channels}, std::vector<char>(kept_)});
  return values_.size() - 1;
}

void Sight::look(Nanoseconds now, const ChannelTable& channels) {
  channels_ = &channels;
  if (kept_ == 0) return;
  const std::size_t at = looks_ % kept_;
  times_[at] = now;
  for (Watched& pose : poses_) pose.shown[at] = pose_on(pose.id, channels);
  for (Awaited& value : values_) value.held[at] = value.watched.holds(value.seen, channels) ? 1 : 0;
  ++looks_;
  latest_.reset();
  for (std::uint64_t back = 1; back <= kept_ && back <= looks_ && !latest_; ++back) {
    const std::size_t i = (looks_ - back) % kept_;
    if (times_[i] <= now - delay_) latest_ = i;
  }
}

std::optional<Pose> Sight::pose(std::size_t index) const {
  if (kept_ == 0) return pose_on(poses_[index].id, *channels_);
  return latest_ ? poses_[index].shown[*latest_] : std::nullopt;
}

bool Sight::holds(std::size_t index) const {
  const Awaited& value = values_[index];
  if (kept_ == 0) return value.watched.holds(value.seen, *channels_);
  return latest_ && value.held[*latest_] != 0;
}

}  // namespace handspan
