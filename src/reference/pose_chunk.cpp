#include "reference/pose_chunk.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"

namespace handspan {

PoseChunk::Point PoseChunk::point(Nanoseconds time, const Eigen::Vector3d& p,
                                  const Eigen::Quaterniond& q) {
  Point result;
  result.time = time;
  Eigen::Map<Eigen::Vector3d>(result.p) = p;
  Eigen::Map<Eigen::Vector4d>(result.q) = q.coeffs();
  return result;
}

PoseReference PoseChunk::at(Nanoseconds time) const {
  const auto next = std::ranges::upper_bound(points_, time, {}, &Point::time);
  const auto p = [](const Point& x) { return Eigen::Vector3d(x.p); };
  const auto q = [](const Point& x) { return Eigen::Quaterniond(x.q); };
  PoseReference result;
  if (next == points_.begin() || next == points_.end()) {
    const Point& point = next == points_.end() ? points_.back() : points_.front();
    result.X_WE = Pose::from(p(point), q(point));
    return result;
  }
  const Point &a = *(next - 1), &b = *next;
  const double span = seconds(b.time - a.time), s = seconds(time - a.time) / span;
  const Eigen::Vector3d turn = log_quaternion(q(b) * q(a).conjugate());
  result.X_WE = Pose::from(p(a) + s * (p(b) - p(a)), exp_quaternion(s * turn) * q(a));
  result.V_WE << (p(b) - p(a)) / span, turn / span;
  return result;
}

const char* PoseChunk::take(Nanoseconds now, Nanoseconds first, double dt,
                            std::span<const double> rows, ChunkRule rule, const Pose& X_WF) {
  const std::size_t n = rows.size() / kRowNumbers;
  if (n == 0 || rows.size() % kRowNumbers != 0 || n > kMostPoses)
    return "is not rows of 7 numbers, from 1 to 2048 of them";
  if (!(dt >= 1e-3 && dt <= 10.0)) return "has rows that are not from 1 ms to 10 s apart";
  const std::int64_t step = std::llround(dt * 1e9);
  if (first + static_cast<std::int64_t>(n - 1) * step <= now) return "ends before it came";
  for (std::size_t i = 0; i < n; ++i) {
    const Eigen::Map<const Eigen::Matrix<double, 7, 1>> row(rows.data() + i * kRowNumbers);
    if (!row.allFinite() || !(row.head<3>().cwiseAbs().maxCoeff() < 1e3))
      return "has a pose that is not finite, or a kilometre away";
    if (!(row.tail<4>().norm() > 1e-6)) return "has a quaternion that is zero";
  }
  const bool follows = !points_.empty();
  const Nanoseconds old_end = follows ? end() : now;
  const Eigen::Quaterniond q_WF(X_WF.R);
  fresh_.clear();
  if (follows) {
    const Pose X = at(now).X_WE;
    fresh_.push_back(point(now, X.p, X.quaternion()));
    // an answer that came early begins later: until then the old poses go on
    for (const Point& old : points_)
      if (old.time > now && old.time < first && fresh_.size() < kMostPoses) fresh_.push_back(old);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const Nanoseconds time = first + static_cast<std::int64_t>(i) * step;
    // of what is past the last row is kept where nothing else says how to come to the next one
    if (time <= now && (follows || time + step <= now)) continue;
    const double* row = rows.data() + i * kRowNumbers;
    Eigen::Vector3d p = X_WF * Eigen::Vector3d(row);
    Eigen::Quaterniond q = q_WF * quaternion_from_xyzw(Eigen::Vector4d(row + 3));
    if (rule == ChunkRule::kBlend && follows && time < old_end) {
      const double share = seconds(time - now) / seconds(old_end - now);
      const Pose X = at(time).X_WE;
      const Eigen::Quaterniond q_old = X.quaternion();
      p = X.p + share * (p - X.p);
      q = exp_quaternion(share * log_quaternion(q * q_old.conjugate())) * q_old;
    }
    fresh_.push_back(point(time, p, q.normalized()));
  }
  points_.swap(fresh_);
  return nullptr;
}

void PoseChunk::state(StateArchive& archive) {
  archive.sized(points_);
  if (archive.loading() && points_.size() > kRoom)
    throw InputError("the snapshot is damaged in poses of an answer");
  if (archive.loading()) points_.reserve(kRoom);
}

}  // namespace handspan
