#pragma once
// ModelDescription <-> MuJoCo, for scene/ and plant/ only: the other folders never see MuJoCo.
#include <string>
#include <vector>

#include "robot/mujoco_shapes.hpp"

namespace handspan {

/// Adds all bodies, joints, shapes, frames (as sites) and mimic equalities below the spec's world.
/// Shapes get no contact bits here: who may touch whom is the scene's affair. @param geom_group of
/// what is added
void add_to_spec(mjSpec* spec, const ModelDescription& description, int geom_group);

/// What a compiled model says, as a description. Appends to notes what a description does not hold.
/// @throws std::runtime_error naming the first element that it cannot hold and that changes the
/// motion: tendons, springs, reference positions, flexes, geoms of the world, planes ...
ModelDescription describe(const mjModel& model, const std::string& name,
                          std::vector<std::string>& notes);

/// Geom `g` of a compiled model in its body; without a name of its own it gets one after `body`.
/// @throws std::runtime_error for planes, height fields, ellipsoids and signed-distance fields
Shape describe_geom(const mjModel& model, int g, const std::string& body,
                    std::vector<std::string>& notes);

/// The number of what is called \p name. @throws std::out_of_range when there is none
int id_of(const mjModel& model, int type, const std::string& name);

}  // namespace handspan
