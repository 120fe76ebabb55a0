// handspan export-urdf WHAT: a robot folder, an MJCF file or an object of a scene, as URDF; an
// object as MJCF too.
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
#include "scene/load_scene.hpp"
#include "scene/mjcf.hpp"
#include "scene/robot_folder.hpp"
#include "scene/scene_urdf.hpp"

namespace handspan {
namespace {

struct ExportUrdfFlags {
  std::filesystem::path robot, out;
  std::string object, format = "urdf";
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

bool is_scene(const std::filesystem::path& file) {
  return std::filesystem::is_regular_file(file) &&
         (file.extension() == ".yaml" || file.extension() == ".yml");
}

std::string robot_text(const ExportUrdfFlags& options, const MeshFile& meshes) {
  if (options.format != "urdf")
    throw InputError(
        "--format mjcf is for an object of a scene (--object NAME); a robot's folder has its MJCF "
        "as model.xml");
  if (is_scene(options.robot))
    throw InputError(fmt::format(
        "{} is no robot; of a scene an object is exported: say which with --object NAME",
        options.robot.string()));
  if (std::filesystem::is_regular_file(options.robot))
    return export_urdf(read_mjcf(options.robot).description, {}, meshes);
  const RobotFolder folder =
      load_robot_folder(std::filesystem::is_directory(options.robot)
                            ? options.robot
                            : find_robot_folder(options.robot.string(), data_folder()));
  JointVelocities velocities;
  for (const auto& [name, limits] : folder.limits.joints) velocities[name] = limits.velocity;
  return export_urdf(folder.description, velocities, meshes);
}

std::string object_text(const ExportUrdfFlags& options, const MeshFile& meshes) {
  if (!is_scene(options.robot))
    throw InputError(
        fmt::format("{} is no scene; --object is of a scene's file, such as "
                    "scenes/grab.yaml",
                    options.robot.string()));
  const Scene scene = load_scene(options.robot);
  const bool mjcf = options.format == "mjcf";
  const ModelDescription object = object_description(scene, options.object, mjcf);
  return mjcf ? write_mjcf(object) : export_urdf(object, {}, meshes);
}

int export_description(const ExportUrdfFlags& options) {
  const MeshFile meshes = meshes_beside(options.out);
  if (!options.out.empty()) {
    refuse_overwriting(options.out, "--out");
    refuse_foreign(options.out, "--out");
  }
  std::string xml =
      options.object.empty() ? robot_text(options, meshes) : object_text(options, meshes);
  // by which it is known again
  xml.insert(xml.find('\n') + 1, kWrittenXml);
  if (options.out.empty()) {
    fmt::print("{}", xml);
    return kHolds;
  }
  write_bytes(options.out, xml);
  return kHolds;
}

}  // namespace

void add_export_urdf(CLI::App& cli, Action& action) {
  auto options = std::make_shared<ExportUrdfFlags>();
  CLI::App* command = cli.add_subcommand(
      "export-urdf", "Write a robot as URDF, for ROS; or an object of a scene, as URDF or MJCF");
  command
      ->add_option("WHAT", options->robot,
                   "a folder of robots/, by name or path, or an MJCF file; with --object a scene")
      ->required();
  command->add_option("--object", options->object, "an object of the scene WHAT")
      ->type_name("NAME");
  command
      ->add_option("--format", options->format,
                   "of an object: urdf, or mjcf, in which it moves freely")
      ->check(CLI::IsMember({"urdf", "mjcf"}));
  command->add_option("--out", options->out, "write to FILE instead of the terminal")
      ->type_name("FILE");
  command->add_flag_callback("--force", allow_overwriting, kForceDoc);
  command->callback([options, &action] {
    action = [options](const Parts&) { return export_description(*options); };
  });
}

}  // namespace handspan
