#include "learn/pose_promp.hpp"

#include <fmt/format.h>

#include <Eigen/SVD>
#include <cmath>

#include "core/error.hpp"
#include "math/rotation_vector.hpp"

namespace handspan {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;

constexpr double kDegrees = 57.29577951308232;

void check_poses(const PoseDemonstration& d, const std::vector<std::string>& hands,
                 bool needs_box) {
  if (d.hands.size() != hands.size())
    throw InputError(fmt::format("demonstration '{}' has {} hands and {} are named; name each",
                                 d.name, d.hands.size(), hands.size()));
  for (std::size_t h = 0; h < hands.size(); ++h) {
    if (d.hands[h].size() != d.times.size())
      throw InputError(fmt::format(
          "demonstration '{}' has {} times and {} poses of hand '{}'; give a pose for each time",
          d.name, d.times.size(), d.hands[h].size(), hands[h]));
    for (std::size_t i = 0; i < d.hands[h].size(); ++i)
      if (!d.hands[h][i].R.allFinite() || !d.hands[h][i].p.allFinite())
        throw InputError(fmt::format(
            "demonstration '{}': the pose of hand '{}' at {} s is not finite; leave out what was "
            "not measured",
            d.name, hands[h], d.times[i]));
  }
  if (needs_box && (!d.X_WB || !d.X_WB->R.allFinite() || !d.X_WB->p.allFinite()))
    throw InputError(
        fmt::format("demonstration '{}' does not say where its box was; give its pose, or learn "
                    "without the box",
                    d.name));
}

void check_axes(const std::vector<int>& axes) {
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i] < 0 || axes[i] > 5 || (i > 0 && axes[i] <= axes[i - 1]))
      throw InputError(fmt::format(
          "number {} of the box's axes is {}; give each once and rising, from 0 for x to 5 for rz",
          i + 1, axes[i]));
}

Eigen::VectorXd chosen(const Vector6d& coordinates, const std::vector<int>& axes) {
  Eigen::VectorXd values(static_cast<Index>(axes.size()));
  for (std::size_t i = 0; i < axes.size(); ++i)
    values[static_cast<Index>(i)] = coordinates[axes[i]];
  return values;
}

std::vector<PrompDemonstration> all_in_coordinates(
    const std::vector<PoseDemonstration>& demonstrations, const PoseFrames& frames) {
  std::vector<PrompDemonstration> all;
  all.reserve(demonstrations.size());
  for (const PoseDemonstration& d : demonstrations) all.push_back(in_coordinates(d, frames));
  return all;
}

}  // namespace

Vector6d pose_coordinates(const Pose& X_WE, const Matrix3d& R_WM) {
  Vector6d out;
  out << X_WE.p, log_so3(X_WE.R * R_WM.transpose());
  const double turn = out.tail<3>().norm();
  if (!(turn < kMostTurn))
    throw InputError(fmt::format(
        "an orientation is {:.0f} degrees from the mean one; a movement may turn by less than "
        "{:.0f} either way: split it where it turns",
        turn * kDegrees, kMostTurn * kDegrees));
  return out;
}

Pose pose_of_coordinates(const Vector6d& coordinates, const Matrix3d& R_WM) {
  return {exp_so3(coordinates.tail<3>()) * R_WM, coordinates.head<3>()};
}

Vector6d twist_of_coordinates(const Vector6d& coordinates, const Vector6d& rates) {
  RotationVectorRates turning;
  turning.first = rates.tail<3>();
  Vector6d twist;
  twist << rates.head<3>(), angular_motion(coordinates.tail<3>(), turning).velocity;
  return twist;
}

Matrix3d mean_orientation(const std::vector<Matrix3d>& R_WE) {
  Matrix3d sum = Matrix3d::Zero();
  for (const Matrix3d& R : R_WE) sum += R;
  if (R_WE.empty() || !sum.allFinite())
    throw InputError("there is no orientation to take the mean of; give one at least, all finite");
  const Eigen::Vector3d lengths = Eigen::JacobiSVD<Matrix3d>(sum).singularValues();
  // the mean is not determined where two lengths vanish, or a reflection would be as near
  if (sum.determinant() <= 0.0 || lengths[1] < 1e-6 * static_cast<double>(R_WE.size()))
    throw InputError(
        "orientations point in all directions and have no mean; learn from movements that turn "
        "less");
  return nearest_rotation(sum);
}

PoseFrames mean_frames(const std::vector<PoseDemonstration>& demonstrations,
                       std::vector<std::string> hands, std::vector<int> box_axes) {
  if (demonstrations.empty() || hands.empty())
    throw InputError(
        fmt::format("there are {} demonstrations of {} hands; give two "
                    "demonstrations at least, and a hand",
                    demonstrations.size(), hands.size()));
  check_axes(box_axes);
  for (const PoseDemonstration& d : demonstrations) check_poses(d, hands, !box_axes.empty());
  PoseFrames frames;
  for (std::size_t h = 0; h < hands.size(); ++h) {
    std::vector<Matrix3d> all;
    for (const PoseDemonstration& d : demonstrations)
      for (const Pose& X_WE : d.hands[h]) all.push_back(X_WE.R);
    frames.R_WM.push_back(mean_orientation(all));
  }
  if (!box_axes.empty()) {
    std::vector<Matrix3d> all;
    for (const PoseDemonstration& d : demonstrations) all.push_back(d.X_WB->R);
    frames.R_WM_box = mean_orientation(all);
  }
  frames.hands = std::move(hands);
  frames.box_axes = std::move(box_axes);
  return frames;
}

PrompDemonstration in_coordinates(const PoseDemonstration& demonstration,
                                  const PoseFrames& frames) {
  check_poses(demonstration, frames.hands, !frames.box_axes.empty());
  PrompDemonstration out;
  out.name = demonstration.name;
  out.times = demonstration.times;
  out.positions.resize(static_cast<Index>(out.times.size()),
                       6 * static_cast<Index>(frames.hands.size()));
  try {
    for (std::size_t h = 0; h < frames.hands.size(); ++h)
      for (std::size_t i = 0; i < out.times.size(); ++i)
        out.positions.block<1, 6>(static_cast<Index>(i), 6 * static_cast<Index>(h)) =
            pose_coordinates(demonstration.hands[h][i], frames.R_WM[h]).transpose();
    if (!frames.box_axes.empty())
      out.context = chosen(pose_coordinates(*demonstration.X_WB, frames.R_WM_box), frames.box_axes);
  } catch (const InputError& error) {
    throw InputError(fmt::format("demonstration '{}': {}", demonstration.name, error.what()));
  }
  return out;
}

PosePromp learn_pose_promp(const std::vector<PoseDemonstration>& demonstrations,
                           std::vector<std::string> hands, std::vector<int> box_axes,
                           const PrompOptions& options) {
  PosePromp out;
  out.frames = mean_frames(demonstrations, std::move(hands), std::move(box_axes));
  out.promp = learn_promp(all_in_coordinates(demonstrations, out.frames), options);
  return out;
}

ImpactPromps learn_impact_promps(const std::vector<PoseDemonstration>& demonstrations,
                                 const std::vector<double>& impact_times,
                                 std::vector<std::string> hands, std::vector<int> box_axes,
                                 const PrompOptions& options) {
  if (impact_times.size() != demonstrations.size())
    throw InputError(
        fmt::format("there are {} demonstrations and {} times of impacts; give one "
                    "for each",
                    demonstrations.size(), impact_times.size()));
  ImpactPromps out;
  out.ante.frames = out.post.frames =
      mean_frames(demonstrations, std::move(hands), std::move(box_axes));
  std::vector<PrompDemonstration> ante, post;
  const auto numbers = all_in_coordinates(demonstrations, out.ante.frames);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    auto [before, after] = split_at_impact(numbers[i], impact_times[i]);
    ante.push_back(std::move(before));
    post.push_back(std::move(after));
  }
  out.ante.promp = learn_promp(ante, options);
  out.post.promp = learn_promp(post, options);
  return out;
}

PosePromp conditioned_on_box(const PosePromp& movement, const Pose& X_WB) {
  PosePromp out;
  out.frames = movement.frames;
  out.promp = conditioned_on_context(
      movement.promp,
      chosen(pose_coordinates(X_WB, movement.frames.R_WM_box), movement.frames.box_axes));
  out.frames.box_axes.clear();
  return out;
}

ViaPoint via_pose(const PosePromp& movement, int hand, double phase, const Pose& X_WE,
                  const Matrix6d& covariance) {
  if (hand < 0 || hand >= static_cast<int>(movement.frames.hands.size()))
    throw InputError(fmt::format("a pose is asked of hand {}; the movement has the hands 0 to {}",
                                 hand, static_cast<int>(movement.frames.hands.size()) - 1));
  ViaPoint via;
  via.phase = phase;
  via.position = pose_coordinates(X_WE, movement.frames.R_WM[static_cast<std::size_t>(hand)]);
  for (int d = 0; d < 6; ++d) via.dimensions.push_back(6 * hand + d);
  if (!covariance.isZero(0.0)) via.covariance = covariance;
  return via;
}

Pose mean_pose(const PosePromp& movement, const PrompState& state, int hand) {
  return pose_of_coordinates(state.position.segment<6>(6 * hand),
                             movement.frames.R_WM[static_cast<std::size_t>(hand)]);
}

Vector6d mean_twist(const PrompState& state, int hand) {
  return twist_of_coordinates(state.position.segment<6>(6 * hand),
                              state.velocity.segment<6>(6 * hand));
}

}  // namespace handspan
