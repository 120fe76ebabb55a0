#pragma once
// A Scene as one compiled MuJoCo model, for plant/, pictures and checks.
#include <string>
#include <utility>
#include <vector>

#include "scene/mujoco_spec.hpp"
#include "scene/scene.hpp"

namespace handspan {

/// The compiled scene and what is where in it. Actuators: one a joint of each group, in the order
/// of robots, groups and joints. Shapes are geoms of group 0 with their own names.
class CompiledScene {
 public:
  /// @throws std::runtime_error with MuJoCo's words when it refuses the scene
  explicit CompiledScene(const Scene& scene);

  const mjModel& model() const { return *model_; }
  /// A model of one's own, as a plant needs that changes belt speeds while it runs.
  MjModelPtr copy_model() const { return MjModelPtr(mj_copyModel(nullptr, model_.get())); }
  /// Puts everything where the scene says it starts; velocities are zero but for kinematic bodies.
  void reset(const mjModel& model, mjData& data) const;
  const Scene& scene() const { return *scene_; }
  /// The scene that this was made of has other numbers now: the model gets them, with the same bits
  /// as one compiled of it. @return false when more than numbers of bodies, shapes, contacts, belts
  /// and frames differs; the model is then as it was
  bool renumber();

 private:
  const Scene* scene_;  // outlives this
  MjModelPtr model_;
};

/// Where a kinematic body is at a time, and its velocity there (of its frame's origin, and angular,
/// in W).
void kinematic_state(const KinematicBody& kinematic, double time, Placement& X_WB,
                     Eigen::Vector3d& v_WB, Eigen::Vector3d& w_WB);

struct Overlap {
  std::string a, b;  // bodies
  double depth;      // [m]
};

/// @throws ConfigError when bodies start deeper than kDeepestStart in one another, or a cup cannot
/// hold what it is to hold at the start
void check_start(const CompiledScene& compiled);

/// Pairs of bodies that may touch, at least one of them movable, and start deeper in one another
/// than `deepest` [m].
std::vector<Overlap> starting_overlaps(const CompiledScene& scene, double deepest);

/// Cups and the objects that they are to hold at the start, but do not meet there.
std::vector<std::pair<std::string, std::string>> starting_misfits(const CompiledScene& scene);

}  // namespace handspan
