// handspan export-urdf ROBOT: a robot folder, or an MJCF file, as URDF.
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <fstream>

#include "cli/command.hpp"
#include "core/error.hpp"
#include "core/files_read.hpp"
#include "core/overwritten.hpp"
#include "import/urdf_mesh.hpp"
#include "robot/urdf_export.hpp"
#include "scene/convex_hull.hpp"
#include "scene/data_folder.hpp"
#include "scene/mjcf.hpp"
#include "scene/robot_folder.hpp"

namespace handspan {
namespace {

struct ExportUrdfFlags {
  std::filesystem::path robot, out;
};

void write_bytes(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream out(file, std::ios::binary);
  out << bytes;
  out.flush();
  if (!out)
    throw InputError(fmt::format(
        "{}: cannot be written; is the folder writable and the disk not full?", file.string()));
}

// A mesh's convex hull as binary STL: 80 bytes, the number of triangles, then each one's normal
// and corners as 12 floats and two bytes.
void write_stl(const std::filesystem::path& file, const MeshSurface& surface) {
  refuse_foreign(file, "--out");
  std::string bytes(kWrittenStl);
  bytes.resize(80, ' ');
  const auto put = [&](const auto& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  put(static_cast<std::uint32_t>(surface.triangles.size()));
  for (const auto& t : surface.triangles) {
    std::array<Eigen::Vector3f, 3> corners;
    for (std::size_t i = 0; i < 3; ++i)
      corners[i] = surface.vertices[static_cast<std::size_t>(t[i])].cast<float>();
    const Eigen::Vector3f normal =
        (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalized();
    for (const auto& v : {normal, corners[0], corners[1], corners[2]})
      for (int i = 0; i < 3; ++i) put(v[i]);
    put(std::uint16_t{0});
  }
  write_bytes(file, bytes);
}

// URDF keeps a mesh in a file: they go into a folder beside it.
MeshFile meshes_beside(const std::filesystem::path& urdf) {
  if (urdf.empty())
    return [](const Shape& shape) -> std::string {
      throw InputError(fmt::format(
          "shape '{}' is a mesh, which URDF keeps in a file of its own: write the URDF to a file "
          "with --out FILE, and its meshes are written beside it",
          shape.name));
    };
  return [urdf](const Shape& shape) {
    if (shape.name.find('/') != std::string::npos)
      throw InputError(fmt::format(
          "shape '{}' is a mesh whose file would be called after it: rename it, without '/'",
          shape.name));
    const std::string folder = urdf.stem().string() + "_meshes";
    const std::filesystem::path file = urdf.parent_path() / folder / (shape.name + ".stl");
    std::error_code failed;
    std::filesystem::create_directories(file.parent_path(), failed);
    write_stl(file, hull_surface(shape.vertices));
    return folder + "/" + file.filename().string();
  };
}

int export_robot(const ExportUrdfFlags& options) {
  const MeshFile meshes = meshes_beside(options.out);
  if (!options.out.empty()) {
    refuse_overwriting(options.out, "--out");
    refuse_foreign(options.out, "--out");
  }
  std::string urdf;
  if (std::filesystem::is_regular_file(options.robot)) {
    urdf = export_urdf(read_mjcf(options.robot).description, {}, meshes);
  } else {
    const RobotFolder folder =
        load_robot_folder(std::filesystem::is_directory(options.robot)
                              ? options.robot
                              : find_robot_folder(options.robot.string(), data_folder()));
    JointVelocities velocities;
    for (const auto& [name, limits] : folder.limits.joints) velocities[name] = limits.velocity;
    urdf = export_urdf(folder.description, velocities, meshes);
  }
  // by which it is known again
  urdf.insert(urdf.find('\n') + 1, kWrittenXml);
  if (options.out.empty()) {
    fmt::print("{}", urdf);
    return kHolds;
  }
  write_bytes(options.out, urdf);
  return kHolds;
}

}  // namespace

void add_export_urdf(CLI::App& cli, Action& action) {
  auto options = std::make_shared<ExportUrdfFlags>();
  CLI::App* command = cli.add_subcommand("export-urdf", "Write a robot as URDF, for ROS");
  command
      ->add_option("ROBOT", options->robot, "a folder of robots/, by name or path, or an MJCF file")
      ->required();
  command->add_option("--out", options->out, "write to FILE instead of the terminal")
      ->type_name("FILE");
  command->add_flag_callback("--force", allow_overwriting, kForceDoc);
  command->callback(
      [options, &action] { action = [options](const Parts&) { return export_robot(*options); }; });
}

}  // namespace handspan
