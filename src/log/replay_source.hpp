#pragma once
// A source that asks for the poses of a demonstration, one after the other. Several of one
// demonstration share a time, so that hands that were recorded together stay together. W is the
// world, E the frame that moves, O an object; D is W as the demonstration had it: X_WD moves all of
// it.
#include <memory>
#include <optional>
#include <string>

#include "math/trajectory.hpp"
#include "plan/pose_path.hpp"
#include "plan/pose_spline.hpp"
#include "plant/world.hpp"
#include "reference/source.hpp"

namespace handspan {

/// Of one repetition, shared by its sources.
struct ReplayState {
  double t = 0.0;     // of the demonstration at the end of this tick [s]
  double step = 0.0;  // that it went on by in this tick [s]
  Pose X_WD;          // where the demonstration is
  void state(StateArchive& archive) { archive(t, step, X_WD.p, X_WD.R); }
};

/// How a demonstration is moved: X_WD = T(position) T(c) R T(-c) X_WO X_DO^-1, where T moves and R
/// turns. c is where the object is now; without an object X_WO X_DO^-1 is 1, and c is `about`.
struct ReplayOffset {
  int body = -1;                                       // O in World::bodies(); -1: none
  Pose X_DO;                                           // at the demonstration's beginning
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  // in W [m]
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();     // in W
  Eigen::Vector3d about = Eigen::Vector3d::Zero();     // p_W [m]

  /// X_WD, with the object where it is now. @param world may be null where there is no object
  Pose now(const World* world) const;
};

struct ReplayedPoses {
  std::string task, text;
  PoseTrajectory poses;
  std::optional<PoseSpline> smooth;  // instead of `poses`
  bool relative = false;             // moved so that it begins where the reference is
  std::optional<ReplayOffset> offset;
  const World* world = nullptr;
};

/// Farther from where the demonstration goes on than 5 mm or 2 deg, it first goes there by a
/// planned motion, within limits that a person beside the arm is not startled by.
class ReplaySource : public Source {
 public:
  /// @param shared its time and where it is, which somebody else moves on; null: its own
  explicit ReplaySource(ReplayedPoses poses, std::shared_ptr<ReplayState> shared = nullptr);

  void start(const Moment& moment, const Motion& reference) override;
  /// It goes on where it was, and the reference comes back to there: by itself where that is near.
  void resume(const Moment& moment, const Motion& reference) override;
  std::string text() const override { return poses_.text; }
  bool ends() const override { return true; }
  SourceAnswer update(const Moment& moment, const Motion& reference, Motion& wanted) override;
  void state(StateArchive& archive) override;

  /// Whether it is where the demonstration goes on: others that share the time need not wait.
  bool ready() const { return started_ && !approaching_; }

 private:
  PoseReference at(double t, bool& end) const;
  void approach(const Moment& moment, const PoseReference& reference);
  void plan();

  ReplayedPoses poses_;
  bool alone_;
  std::shared_ptr<ReplayState> now_;
  bool started_ = false;
  Pose X_WL_;  // of `relative`: where W of the log is, the turn about E's own axes
  PosePath approach_;
  bool approaching_ = false;
  double s_ = 0.0;  // in the approach [s]
  PoseReference from_;
  Pose goal_;
};

}  // namespace handspan
