// The robots and tools of robots/: what every folder must satisfy.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "core/text_file.hpp"
#include "robot/model.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace robots_test {

std::vector<RobotFolder> folders() {
  std::vector<RobotFolder> out;
  for (const auto& entry : std::filesystem::directory_iterator(test::kSource / "robots"))
    if (entry.is_directory()) out.push_back(load_robot_folder(entry.path()));
  return out;
}

TEST(Robots, AreTheOnesWeNeed) {
  std::set<std::string> names;
  for (const auto& folder : folders()) {
    names.insert(folder.name);
    EXPECT_EQ(folder.name, folder.path.filename());
    EXPECT_TRUE(folder.notes.empty()) << folder.name << ": " << folder.notes.front();
  }
  for (const char* name : {"fr3", "ur5", "ur10", "plate", "vacuum"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST(Robots, HaveInertiasThatBodiesHave) {
  for (const auto& folder : folders()) {
    EXPECT_NO_THROW(validate(folder.description)) << folder.name;
    const auto& bodies = folder.description.bodies;
    for (const auto& body : bodies) {
      // the body of a rolling base has the mass of what stands fast on it
      const auto carried = [&](const auto& other) {
        return other.parent >= 0 && &bodies[static_cast<std::size_t>(other.parent)] == &body &&
               other.joints.empty() && other.inertial.mass > 0.0;
      };
      if (body.inertial.mass == 0.0) {
        EXPECT_TRUE(std::ranges::any_of(bodies, carried)) << folder.name << " " << body.name;
        continue;
      }
      EXPECT_GT(body.inertial.mass, 0.0) << folder.name << " " << body.name;
      const Eigen::Vector3d I =
          Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(body.inertial.inertia_B()).eigenvalues();
      EXPECT_GT(I[0], 0.0) << folder.name << " " << body.name;
      EXPECT_LE(I[2], (I[0] + I[1]) * (1 + 1e-9)) << folder.name << " " << body.name;
    }
  }
}

TEST(Robots, SayWhereTheirNumbersComeFrom) {
  for (const auto& folder : folders()) {
    const std::string sources = read_text_file(folder.path / "SOURCES.md");
    EXPECT_GT(sources.size(), 300U) << folder.name;
    if (folder.kind == FolderKind::kTool) continue;  // ours
    EXPECT_TRUE(sources.find("Apache-2.0") != std::string::npos ||
                sources.find("BSD 3-clause") != std::string::npos)
        << folder.name << " names no licence";
  }
}

TEST(Robots, DriveEveryJointWithinItsStops) {
  for (const auto& folder : folders()) {
    if (folder.kind != FolderKind::kRobot) continue;
    std::size_t joints = 0, driven = 0;
    for (const auto& body : folder.description.bodies) joints += body.joints.size();
    for (const auto& group : folder.groups) driven += group.joints.size();
    EXPECT_EQ(joints, driven) << folder.name;
    EXPECT_EQ(folder.limits.joints.size(), driven) << folder.name;
    EXPECT_TRUE(folder.limits.rate.period()) << folder.name;
    EXPECT_TRUE(folder.mount) << folder.name;
    EXPECT_FALSE(folder.poses.empty()) << folder.name;
    for (const auto& [name, limits] : folder.limits.joints) {
      EXPECT_GT(limits.torque_rate, 0.0) << name;
      if (!limits.velocity_curve) continue;
      // the curve lets the joint stand at its limits, and be fast in the middle
      EXPECT_GE(limits.velocity_curve->upper_velocity(limits.upper, limits.velocity), 0.0) << name;
      EXPECT_EQ(limits.velocity_curve->upper_velocity(0.5 * (limits.lower + limits.upper),
                                                      limits.velocity),
                limits.velocity)
          << name;
    }
  }
}

// Published figures (the makers' data sheets), so that a wrong file is noticed.
TEST(Robots, WeighAndReachWhatTheirMakersSay) {
  const struct {
    const char* name;
    double mass, mass_tolerance, reach;
  } published[] = {{"fr3", 17.8, 1.5, 0.855}, {"ur5", 18.4, 3.0, 0.85}, {"ur10", 28.9, 5.0, 1.3}};
  for (const auto& p : published) {
    const RobotFolder folder = load_robot_folder(test::kSource / "robots" / p.name);
    const RobotModel model(folder.description);
    EXPECT_NEAR(model.mass(), p.mass, p.mass_tolerance) << p.name;
    // largest distance of the wrist's centre from the first two joints' crossing, over a coarse
    // search
    RobotData data(model);
    Eigen::VectorXd q = model.neutral();
    const auto& joints = folder.groups.front().joints;
    double reach = 0.0;
    const int elbow = folder.name == "fr3" ? 3 : 2;
    for (int i = 0; i <= 100; ++i) {
      const JointLimits& l = *folder.limits.find(joints[static_cast<std::size_t>(elbow)]);
      q[model.joint(joints[static_cast<std::size_t>(elbow)]).q] =
          l.lower + (l.upper - l.lower) * i / 100.0;
      update_kinematics(model, data, q, Eigen::VectorXd::Zero(model.nv()));
      const Eigen::Vector3d shoulder =
          frame_pose(model, data, model.frame(folder.name == "fr3" ? "link2" : "upper_arm")).p;
      const Eigen::Vector3d wrist =
          frame_pose(model, data, model.frame(folder.name == "fr3" ? "link6" : "wrist_1")).p;
      reach = std::max(reach, (wrist - shoulder).norm());
    }
    EXPECT_GT(reach, 0.8 * p.reach) << p.name;
    EXPECT_LT(reach, 1.05 * p.reach) << p.name;
  }
}

TEST(Robots, StandInTheirNamedPosesWithoutTouchingThemselves) {
  for (const auto& folder : folders()) {
    if (folder.kind != FolderKind::kRobot) continue;
    for (const auto& pose : folder.poses)
      for (const std::string tool : {"", "plate", "vacuum"})
        EXPECT_NO_THROW(test::scene_of("robots:\n  it: {robot: " + folder.name + ", pose: " +
                                       pose.name + (tool.empty() ? "" : ", tool: " + tool) + "}\n"))
            << folder.name << " " << pose.name << " " << tool;
  }
}

}  // namespace robots_test
}  // namespace handspan
