#include "import/open_pose.hpp"

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/random.hpp"
#include "robot/model.hpp"

namespace handspan {
namespace {

constexpr int kTries = 4000;
constexpr double kNear = 0.25, kFar = 0.75;  // of the hand, as shares of the reach
// of joints that turn without end, or nearly: what people expect of an elbow
constexpr double kWidest = 0.6 * std::numbers::pi;

}  // namespace

std::vector<Eigen::VectorXd> open_poses(const RobotFolder& robot, const std::string& hand,
                                        double reach, std::size_t count) {
  const RobotModel model(robot.description);
  RobotData data(model);
  const FrameId frame = model.frame(hand);
  const auto& joints = robot.groups.front().joints;
  const auto n = static_cast<Eigen::Index>(joints.size());
  const Eigen::VectorXd v = Eigen::VectorXd::Zero(model.nv());
  Eigen::VectorXd q = model.neutral(), values(n);
  Matrix6Xd J(6, model.nv());
  RandomStream random(1, "open_poses");
  std::vector<std::pair<double, Eigen::VectorXd>> found;
  for (int k = 0; k < kTries; ++k) {
    double room = 1.0;
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto& name = joints[static_cast<std::size_t>(i)];
      const JointLimits& l = *robot.limits.find(name);
      const double low = l.continuous ? -kWidest : std::max(l.lower, -kWidest);
      const double high = l.continuous ? kWidest : std::min(l.upper, kWidest);
      values[i] = low < high ? random.uniform(low, high) : 0.5 * (l.lower + l.upper);
      values[i] = std::round(100.0 * values[i]) / 100.0;
      if (!l.continuous)
        room = std::min({room, 2.0 * (values[i] - l.lower) / (l.upper - l.lower),
                         2.0 * (l.upper - values[i]) / (l.upper - l.lower)});
      q[model.joint(name).q] = values[i];
    }
    if (room < 0.1) continue;
    update_kinematics(model, data, q, v);
    const Eigen::Vector3d p = frame_pose(model, data, frame).p / reach;
    const double away = p.head<2>().norm();
    if (away < kNear || away > kFar || p.x() < away * std::numbers::sqrt2 / 2.0 || p.z() < kNear ||
        p.z() > kFar)
      continue;
    bool above = true;
    for (std::size_t b = 0; b < model.description().bodies.size(); ++b)
      above = above &&
              frame_pose(model, data, model.body_frame(static_cast<int>(b))).p.z() > -0.001 * reach;
    if (!above) continue;
    frame_jacobian(model, data, frame, J);
    Eigen::MatrixXd driven(n >= 6 ? 6 : 3, n);
    for (Eigen::Index i = 0; i < n; ++i)
      driven.col(i) = J.col(model.joint(joints[static_cast<std::size_t>(i)]).v).head(driven.rows());
    driven.topRows<3>() /= reach;
    const double least = Eigen::JacobiSVD<Eigen::MatrixXd>(driven).singularValues().minCoeff();
    found.emplace_back(least * room, values);
  }
  std::ranges::sort(found, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Eigen::VectorXd> best;
  for (std::size_t i = 0; i < std::min(count, found.size()); ++i)
    best.push_back(std::move(found[i].second));
  return best;
}

}  // namespace handspan
