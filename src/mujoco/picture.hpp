#pragma once
// Pictures of a simulated scene, drawn offscreen through EGL: no display is needed, a GPU is used
// when there is one.
#include <array>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "plant/world.hpp"
#include "scene/scene.hpp"

namespace handspan {

struct PictureOptions {
  std::array<int, 2> size = {1600, 900};  // width, height [pixel], at most 3840 x 2160
  std::string view;                       // a view of the scene; empty: its first, else an overview
};

/// Draws a world's present state and writes a PNG.
/// @throws InputError for an unknown view (naming those there are) or size, or when MuJoCo does not
/// simulate the world; std::runtime_error when EGL or the file fails
void write_picture(const World& world, const PictureOptions& options,
                   const std::filesystem::path& file);
/// The same of a state that a world had, while it may go on in another thread.
/// @param robots World::robots()  @param state World::snapshot()  @throws InputError also when the
/// state is not one of that scene
void write_picture(const Scene& scene, const std::vector<std::string>& robots,
                   std::span<const std::byte> state, const PictureOptions& options,
                   const std::filesystem::path& file);

}  // namespace handspan
