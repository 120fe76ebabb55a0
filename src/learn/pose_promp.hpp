#pragma once
// Movements of hands as probabilistic movement primitives, conditioned on where a box stands. W is
// the world, E a hand's frame, B the box, M the mean orientation of one of them over all
// demonstrations.
//
// A pose is six numbers: its position p_WE [m] and the rotation vector phi [rad] with
// R_WE = exp(phi) R_WM. Near M these are as good as flat; a hand that turns by kMostTurn or more
// from its mean has no such numbers and is refused. Hand h has the dimensions 6 h to 6 h + 5.
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "learn/promp.hpp"
#include "learn/promp_condition.hpp"
#include "math/se3.hpp"

namespace handspan {

/// How far an orientation may be from its mean [rad]: short of half a turn, where the rotation
/// vector jumps.
inline constexpr double kMostTurn = 2.8;

/// The numbers of a box's pose that may be context, by their index.
inline constexpr std::array<const char*, 6> kPoseAxes = {"x", "y", "z", "rx", "ry", "rz"};

/// The six numbers of a pose. @throws InputError when it is kMostTurn or more from R_WM
Vector6d pose_coordinates(const Pose& X_WE, const Eigen::Matrix3d& R_WM);
/// The pose of six numbers.
Pose pose_of_coordinates(const Vector6d& coordinates, const Eigen::Matrix3d& R_WM);
/// The twist of E in W [m/s, rad/s] of six numbers and their rates.
Vector6d twist_of_coordinates(const Vector6d& coordinates, const Vector6d& rates);

/// The mean of orientations: of their matrices, made a rotation (the chordal mean; Hartley,
/// Trumpf, Dai, Li: "Rotation averaging", IJCV 2013). @throws InputError when there are none, or
/// they point in all directions
Eigen::Matrix3d mean_orientation(const std::vector<Eigen::Matrix3d>& R_WE);

/// All hands of one demonstration at common times.
struct PoseDemonstration {
  std::string name;                      // for messages
  std::vector<double> times;             // rising [s]
  std::vector<std::vector<Pose>> hands;  // of each hand X_WE at each of the times
  std::optional<Pose> X_WB;              // where the box was
};

/// Whose movement the numbers are.
struct PoseFrames {
  std::vector<std::string> hands;     // names, such as "left" and "right"
  std::vector<Eigen::Matrix3d> R_WM;  // of each hand
  std::vector<int> box_axes;          // which numbers of the box are context; may be empty
  Eigen::Matrix3d R_WM_box = Eigen::Matrix3d::Identity();
};

/// Mean orientations over demonstrations.
/// @param box_axes of kPoseAxes, rising: those that vary, such as x, y and rz
/// @throws InputError: no demonstration, another number of hands than names, poses that are not
/// as many as times, a box that is missing
PoseFrames mean_frames(const std::vector<PoseDemonstration>& demonstrations,
                       std::vector<std::string> hands, std::vector<int> box_axes);

/// A demonstration in numbers. @throws InputError that names the demonstration and the hand
PrompDemonstration in_coordinates(const PoseDemonstration& demonstration, const PoseFrames& frames);

/// A movement of hands.
struct PosePromp {
  PoseFrames frames;
  Promp promp;
};

/// Learned from demonstrations as a whole. @throws InputError as mean_frames(), in_coordinates()
/// and learn_promp()
PosePromp learn_pose_promp(const std::vector<PoseDemonstration>& demonstrations,
                           std::vector<std::string> hands, std::vector<int> box_axes,
                           const PrompOptions& options = {});

/// Learned before and after an impact: its moment is phase 1 of the first, phase 0 of the second.
struct ImpactPromps {
  PosePromp ante, post;
};

/// @param impact_times one for each demonstration [s]
/// @throws InputError as learn_pose_promp() and split_at_impact(), and for another number of times
ImpactPromps learn_impact_promps(const std::vector<PoseDemonstration>& demonstrations,
                                 const std::vector<double>& impact_times,
                                 std::vector<std::string> hands, std::vector<int> box_axes,
                                 const PrompOptions& options = {});

/// The movement for a box that stands there. @throws InputError as conditioned_on_context() and
/// pose_coordinates()
PosePromp conditioned_on_box(const PosePromp& movement, const Pose& X_WB);

/// A hand's pose as a point for conditioned().
/// @param covariance of (p_WE, phi) [m^2, rad^2]; all zero: exactly there
/// @throws InputError for a hand that there is not, or a pose too far turned
ViaPoint via_pose(const PosePromp& movement, int hand, double phase, const Pose& X_WE,
                  const Matrix6d& covariance = Matrix6d::Zero());

/// Mean pose of a hand at the moment that promp_at() was asked for.
Pose mean_pose(const PosePromp& movement, const PrompState& state, int hand);
/// Mean twist of a hand in W at that moment [m/s, rad/s].
Vector6d mean_twist(const PrompState& state, int hand);

}  // namespace handspan
