#pragma once
// Reading and checking a scene: the only place where one is put together. And a scene with other
// numbers, made without loading its robots and without compiling: for many runs of one scene that
// differ in masses, sizes, poses, friction.
#include <filesystem>
#include <span>
#include <string>

#include "core/schema.hpp"
#include "core/tree_edit.hpp"
#include "scene/scene.hpp"

namespace handspan {

/// Reads and checks a scene, its robots and tools included.
/// @throws ConfigError or InputError with file, place, cause and hint; among them: bodies that
/// start deeper than kDeepestStart in one another (with pair and depth; fixed against fixed
/// excepted)
Scene load_scene(const std::filesystem::path& file);

/// The same from text; relative paths are meant from the folder of `file`, which need not exist.
Scene parse_scene(const std::string& text, const std::filesystem::path& file);

/// Documentation of the scene schema.
Description scene_description();

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
