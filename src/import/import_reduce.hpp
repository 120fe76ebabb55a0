#pragma once
// Other people's MJCF as a description: what a description does not hold is turned into what it
// holds, or left out, and said. (describe() of mujoco_spec.hpp refuses it: in our own model.xml
// nothing may go unread.)
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "robot/mujoco_shapes.hpp"
#include "scene/robot_folder.hpp"

namespace handspan {

struct ReducedModel {
  ModelDescription description;
  std::vector<std::string> notes;         // what was left out or turned into something else
  std::vector<InertiaRepair> repairs;     // of bodies that MuJoCo takes and no body can be
  std::vector<std::string> joint_names;   // by MuJoCo's joint id
  std::map<std::string, double> efforts;  // of joints with actuators that say their force [N m, N]
  std::set<std::string> actuated;         // joints on which an actuator acts, directly or by tendon
  std::vector<std::pair<std::string, std::string>> excluded;                // bodies, of <exclude>
  std::vector<std::pair<std::string, std::map<std::string, double>>> keys;  // joint -> q [rad, m]
  std::vector<Shape> surroundings;  // geoms of the world, in the world
  std::optional<double> ground;     // height of a level plane of the world [m]
};

/// Kept: bodies, scalar, ball and free joints with `ref` (the body is moved to where it is at
/// q = 0), linear couplings by an equality of two joints or of a fixed tendon over two joints,
/// sites, shapes; ellipsoids as capsules that cover them; efforts from actuatorfrcrange, else from
/// the actuators' forces x gear; geoms of the world, apart. Left out with a note: springs, other
/// tendons and equalities, meshes of the world, planes that are not level, height fields and
/// signed-distance fields, mocap bodies, gravcomp, flexes, plugins, fluids.
/// @param model compiled with fusestatic off; it is changed
/// @throws std::runtime_error for what validate() refuses
ReducedModel reduce(mjModel& model, const std::string& name);

/// The body with its joints' zeros moved by `refs` [rad, m], one a joint in their order: at
/// q = refs it stands where it stood at q = 0. Ball and free joints have refs of 0.
BodyDescription with_refs(BodyDescription body, const std::vector<double>& refs);

}  // namespace handspan
