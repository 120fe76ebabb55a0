#pragma once
// Pictures of a simulated scene, drawn offscreen through EGL: no display is needed, a GPU is used
// when there is one.
#include <array>
#include <filesystem>
#include <string>

#include "plant/mujoco_plant.hpp"

namespace handspan {

struct PictureOptions {
  std::array<int, 2> size = {1600, 900};  // width, height [pixel], at most 3840 x 2160
  std::string view;                       // a view of the scene; empty: its first, else an overview
};

/// Draws the plant's present state and writes a PNG.
/// @throws InputError for an unknown view (naming those there are) or size, std::runtime_error when
/// EGL or the file fails
void write_picture(const MujocoPlant& plant, const PictureOptions& options,
                   const std::filesystem::path& file);

}  // namespace handspan
