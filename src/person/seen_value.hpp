#pragma once
// What a scripted person sees on channels: where something is, and values to wait for.
#include <optional>
#include <string>

#include "core/channel.hpp"
#include "core/schema.hpp"
#include "math/pose.hpp"

namespace handspan {

/// A channel that is watched: a number, the length or one element of a vector, a boolean (0, 1), an
/// integer or a choice's index.
struct SeenValue {
  std::string channel;
  std::optional<std::string> label;    // an element of a vector; left out: its length, of a vector
                                       // of 6 that of the first 3 (a force)
  std::optional<double> above, below;  // it is awaited beyond this
  Place place{};                       // of what is felt
};

Schema<SeenValue> seen_value_schema();
/// A channel that is felt: without a value that is awaited.
Schema<SeenValue> felt_value_schema();

class WatchedValue {
 public:
  WatchedValue() = default;
  /// @throws InputError for a channel or element that is not there
  WatchedValue(const SeenValue& seen, const ChannelTable& channels);

  /// Whether it was written, is finite and beyond what is awaited.
  bool holds(const SeenValue& seen, const ChannelTable& channels) const;
  /// What it is now; no number before it was written, or where it is not finite.
  double now(const ChannelTable& channels) const;

 private:
  double value(const ChannelTable& channels) const;

  ChannelId id_;
  int element_ = -1;  // of a vector; -1: its length
};

/// @throws InputError when there is no such channel or it is not a pose
ChannelId find_pose(const std::string& name, const ChannelTable& channels);

/// The pose on it; nothing before it was written, or when it is none.
std::optional<Pose> pose_on(ChannelId id, const ChannelTable& channels);

}  // namespace handspan
