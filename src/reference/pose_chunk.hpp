#pragma once
// Poses ahead in time that an answer brought, and how the next answer follows on them: it replaces
// what is left of them, or is blended into them.
// W: world, E: the frame that is moved. Between its points it moves in straight lines and
// geodesics, and its velocity is theirs; after the last point it stands there.
#include <span>
#include <vector>

#include "core/state_archive.hpp"
#include "core/time.hpp"
#include "math/pose.hpp"
#include "reference/motion.hpp"

namespace handspan {

enum class ChunkRule : std::uint8_t {
  kReplace,  // from now on the new poses
  kBlend,    // while the old ones last, from them to the new ones by a share that rises from 0 to 1
};

/// Poses that one answer may have, and numbers of each: x y z [m], quaternion x y z w.
inline constexpr std::size_t kMostPoses = 2048, kRowNumbers = 7;

class PoseChunk {
 public:
  PoseChunk() {
    points_.reserve(kRoom);
    fresh_.reserve(kRoom);
  }

  // nothing allocates or throws

  /// @param first time of the first row [ns]  @param dt between rows [s]  @param rows of 7 numbers
  /// @param X_WF the frame F that the rows are given in
  /// @return why they are refused; it then stays as it is. Null: they are taken. Lives for ever
  const char* take(Nanoseconds now, Nanoseconds first, double dt, std::span<const double> rows,
                   ChunkRule rule, const Pose& X_WF = {});
  void clear() { points_.clear(); }
  bool empty() const { return points_.empty(); }
  /// @pre not empty
  Nanoseconds end() const { return points_.back().time; }
  /// Where E is to be at that time, and its velocity. @pre not empty
  PoseReference at(Nanoseconds time) const;
  void state(StateArchive& archive);

 private:
  struct Point {
    Nanoseconds time = 0;
    double p[3] = {};
    double q[4] = {};  // x y z w, of length 1
  };
  static constexpr std::size_t kRoom = 2 * kMostPoses + 1;  // of what is left, and of what comes
  static Point point(Nanoseconds time, const Eigen::Vector3d& p, const Eigen::Quaterniond& q);

  std::vector<Point> points_;  // in the order of their times
  std::vector<Point> fresh_;   // room for the next ones, since blending reads the old ones
};

}  // namespace handspan
