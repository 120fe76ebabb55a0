#pragma once
// A pose as a channel: one rotation has two quaternions, and a log that changes from one to the
// other between two ticks looks like a turn. The sign goes on as it was written last, which is a
// part of the channels and so of snapshots.
#include <cmath>

#include "core/channel.hpp"
#include "math/pose.hpp"

namespace handspan {

/// Writes X with the quaternion of its rotation that is nearer to the one written before; w >= 0
/// the first time.
inline void write_pose(ChannelTable& channels, PoseChannel channel, const Pose& X,
                       Nanoseconds stamp) {
  Eigen::Quaterniond q = X.quaternion();
  if (channels.numbers(channel.id).tail<4>().dot(q.coeffs()) < 0.0) q.coeffs() = -q.coeffs();
  channels.write(channel, X.p, q, stamp);
}

/// The same to 2^-20 [m; the quaternion's elements]: what is finer is noise, and packs to nothing.
inline void write_rounded_pose(ChannelTable& channels, PoseChannel channel, const Pose& X,
                               Nanoseconds stamp) {
  constexpr double kGrid = 1 << 20;
  const auto rounded = [](double x) { return std::round(x * kGrid) / kGrid; };
  Eigen::Quaterniond q = X.quaternion();
  if (channels.numbers(channel.id).tail<4>().dot(q.coeffs()) < 0.0) q.coeffs() = -q.coeffs();
  channels.write(channel, X.p.unaryExpr(rounded),
                 Eigen::Quaterniond(Eigen::Vector4d(q.coeffs().unaryExpr(rounded))), stamp);
}

}  // namespace handspan
