#pragma once
// A scene with other numbers, made without loading its robots and without compiling: for many runs
// of one scene that differ in masses, sizes, poses, friction.
#include <span>

#include "core/tree_edit.hpp"
#include "scene/scene.hpp"

namespace handspan {

/// Whether a key of a scene file is a number that CompiledScene::renumber() can change: mass,
/// centre of mass, inertia, pose and sizes of objects, poses and sizes of fixtures and belts, belt
/// speeds, laws of contact, frames. @param steps of the key in the file
bool is_number_of_scene(std::span<const TreeStep> steps);

/// The scene of a changed tree; its robots are those of `from`, which was loaded from the same file
/// with the same robots, and keep their place in memory. `from` is without them afterwards.
/// @throws ConfigError as load_scene(), but for what starts in one another, which
/// MujocoPlant::renumber() finds; `from` then has its robots still
Scene renumbered_scene(const Node& tree, Scene& from);

}  // namespace handspan
