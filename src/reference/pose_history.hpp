#pragma once
// Where an arm, a frame or an object was: the last two seconds of what somebody asks for. An answer
// that comes late means where things were when its question was asked, or its picture taken.
// Only what was asked for at set-up is kept; it is part of the run's state.
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/index.hpp"
#include "core/state_archive.hpp"
#include "core/time.hpp"
#include "math/pose.hpp"

namespace handspan {

class PoseHistory {
 public:
  using Id = Index<PoseHistory>;
  static constexpr Nanoseconds kSpan = 2 * kSecond;

  /// Writes what is now into `values`: of a pose x y z [m] and the quaternion x y z w, of an arm
  /// its joints [rad, m]. @return its stamp [ns]. Allocates and throws nothing.
  using Read = std::function<Nanoseconds(std::span<double> values)>;

  /// @param period of the loop [ns]: between two values of one thing, at least
  explicit PoseHistory(Nanoseconds period = 1'000'000) : period_(period) {}

  // at set-up

  /// There is a frame or an object of that name, or a group of joints.
  void offer_pose(std::string name, Read read);
  void offer_joints(std::string name, std::size_t joints, Read read);
  /// It is kept from now on; asked for twice it is kept once. @throws InputError naming those there
  /// are
  Id track(std::string_view name);

  // in a tick; nothing allocates or throws

  /// What is now, of all that is kept. A stamp that is no later than the last one is left out.
  void record();
  /// Where a frame or an object was, between two records along a straight line and a geodesic.
  /// @param stamp [ns]  @return why that is not known; it then leaves X_W as it is. Null: it is
  const char* pose_at(Id id, Nanoseconds stamp, Pose& X_W) const;
  /// Of several at one moment. @return the first reason why one is not known; null: all are
  const char* poses_at(std::span<const Id> ids, Nanoseconds stamp, std::span<Pose> X_W) const;
  /// The joints of a group. @param q [rad, m] (joints)
  const char* joints_at(Id id, Nanoseconds stamp, std::span<double> q) const;
  void state(StateArchive& archive);

 private:
  struct Track {
    std::string name;
    bool is_pose = true;
    std::size_t width = 0;
    Read read;
    bool kept = false;
    std::vector<Nanoseconds> stamps;  // a ring, as long as kSpan has periods
    std::vector<double> values;       // rows of `width`, as stamps
    std::uint64_t count = 0;          // that were ever recorded
    std::vector<double> now;          // (width)
  };
  // the rows before and after a moment, and its share of the way between them
  struct Between {
    std::span<const double> a, b;
    double share = 0.0;
  };
  const char* find(const Track& track, Nanoseconds stamp, Between& between) const;

  Nanoseconds period_;
  std::vector<Track> tracks_;
};

}  // namespace handspan
