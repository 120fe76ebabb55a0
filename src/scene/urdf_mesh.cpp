#include "scene/urdf_mesh.hpp"

#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <assimp/Importer.hpp>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string_view>

#include "core/error.hpp"
#include "core/escape.hpp"
#include "core/files_read.hpp"
#include "scene/mujoco_spec.hpp"

namespace handspan {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> path_list(const char* variable, const char* below) {
  std::vector<fs::path> out;
  const char* text = std::getenv(variable);
  std::string_view rest = text ? text : "";
  while (!rest.empty()) {
    const auto end = std::min(rest.find(':'), rest.size());
    if (end > 0) out.push_back(fs::path(rest.substr(0, end)) / below);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

// %20 and its like as the letters they stand for
std::string without_escapes(const std::string& uri) {
  std::string out;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    unsigned letter = 0;
    const char* digits = uri.data() + i + 1;
    if (uri[i] == '%' && i + 2 < uri.size() &&
        std::from_chars(digits, digits + 2, letter, 16).ptr == digits + 2 && letter != 0) {
      out += static_cast<char>(letter);
      i += 2;
    } else {
      out += uri[i];
    }
  }
  return out;
}

// folders that may be the package NAME, best first
std::vector<fs::path> package_folders(const std::string& name, const MeshPaths& paths) {
  std::vector<fs::path> out;
  if (const auto given = paths.packages.find(name); given != paths.packages.end())
    return {given->second};
  for (fs::path folder = fs::absolute(paths.urdf).parent_path();; folder = folder.parent_path()) {
    if (folder.filename() == name) out.push_back(folder);
    out.push_back(folder / name);
    if (folder == folder.parent_path()) break;
  }
  for (const auto& folder : path_list("ROS_PACKAGE_PATH", "")) {
    if (folder.filename() == name || folder.parent_path().filename() == name) out.push_back(folder);
    out.push_back(folder / name);
  }
  for (const auto& folder : path_list("AMENT_PREFIX_PATH", "share")) out.push_back(folder / name);
  return out;
}

void gather(const aiScene& scene, const aiNode& node, const aiMatrix4x4& X_parent,
            const Eigen::Vector3d& scale, std::set<std::array<double, 3>>& seen,
            std::vector<Eigen::Vector3d>& out) {
  const aiMatrix4x4 X = X_parent * node.mTransformation;
  for (unsigned m = 0; m < node.mNumMeshes; ++m) {
    const aiMesh& mesh = *scene.mMeshes[node.mMeshes[m]];
    for (unsigned i = 0; i < mesh.mNumVertices; ++i) {
      const aiVector3D v = X * mesh.mVertices[i];
      const Eigen::Vector3d p = scale.cwiseProduct(Eigen::Vector3d(v.x, v.y, v.z));
      if (p.allFinite() && seen.insert({p[0], p[1], p[2]}).second) out.push_back(p);
    }
  }
  for (unsigned c = 0; c < node.mNumChildren; ++c)
    gather(scene, *node.mChildren[c], X, scale, seen, out);
}

}  // namespace

fs::path resolve_mesh(const std::string& uri, const MeshPaths& paths) {
  constexpr std::string_view kPackage = "package://", kFile = "file://";
  if (uri.starts_with(kPackage)) {
    const std::string rest = uri.substr(kPackage.size());
    const auto slash = rest.find('/');
    const std::string name = rest.substr(0, slash);
    if (slash == std::string::npos || name.empty())
      throw InputError(
          fmt::format("the mesh '{}' names no file of a package; write package://NAME/path", uri));
    const auto folders = package_folders(name, paths);
    for (const auto& folder : folders)
      if (fs::is_regular_file(folder / rest.substr(slash + 1)))
        return folder / rest.substr(slash + 1);
    if (const std::string plain = without_escapes(uri); plain != uri) {
      try {
        return resolve_mesh(plain, paths);
      } catch (const InputError&) {
        // the message names what is written
      }
    }
    bool package = false;
    for (const auto& folder : folders) package = package || fs::is_directory(folder);
    throw InputError(fmt::format(
        "the mesh '{}' is not there: {}; say where the package is: --package {}, or "
        "ROS_PACKAGE_PATH",
        uri,
        package ? "the package has no such file" : fmt::format("no folder '{}' was found", name),
        shell_word(name + "=DIR")));
  }
  if (const auto scheme = uri.find("://"); scheme != std::string::npos && !uri.starts_with(kFile))
    throw InputError(fmt::format(
        "the mesh '{}' is neither a path nor package:// nor file://; download it first", uri));
  const fs::path path = uri.starts_with(kFile) ? fs::path(uri.substr(kFile.size())) : fs::path(uri);
  const fs::path file = path.is_absolute() ? path : fs::absolute(paths.urdf).parent_path() / path;
  if (fs::is_regular_file(file)) return file;
  if (const std::string plain = without_escapes(uri); plain != uri) {
    try {
      return resolve_mesh(plain, paths);
    } catch (const InputError&) {
      // the message names what is written
    }
  }
  throw InputError(fmt::format("the mesh '{}' is not there: no file {}", uri, file.string()));
}

std::vector<Eigen::Vector3d> load_mesh_vertices(const fs::path& file,
                                                const Eigen::Vector3d& scale) {
  InputsRead::note(file);
  Assimp::Importer importer;
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  // nothing but vertices is read: neither lines nor points belong to a solid
  importer.SetPropertyInteger(AI_CONFIG_PP_SBP_REMOVE,
                              aiPrimitiveType_LINE | aiPrimitiveType_POINT);
  const aiScene* scene = importer.ReadFile(file.string(), aiProcess_SortByPType);
  if (scene == nullptr || scene->mRootNode == nullptr)
    throw InputError(
        fmt::format("the mesh {} cannot be read: {}", file.string(), importer.GetErrorString()));
  std::vector<Eigen::Vector3d> vertices;
  std::set<std::array<double, 3>> seen;
  gather(*scene, *scene->mRootNode, aiMatrix4x4(), scale, seen, vertices);
  if (vertices.empty()) throw InputError(fmt::format("the mesh {} has no vertices", file.string()));
  return vertices;
}

std::vector<Eigen::Vector3d> hull_vertices(const std::vector<Eigen::Vector3d>& points,
                                           const std::string& what) {
  MjSpecPtr spec = make_spec();
  mjsMesh* mesh = mjs_addMesh(spec.get(), nullptr);
  mjs_setName(mesh->element, "hull");
  mesh->needsdf = 0;
  std::vector<float> flat;
  for (const auto& p : points)
    for (int i = 0; i < 3; ++i) flat.push_back(static_cast<float>(p[i]));
  mjs_setFloat(mesh->uservert, flat.data(), static_cast<int>(flat.size()));
  mjsBody* body = mjs_addBody(mjs_findBody(spec.get(), "world"), nullptr);
  mjsGeom* geom = mjs_addGeom(body, nullptr);
  geom->type = mjGEOM_MESH;
  geom->mass = 0.0;
  mjs_setString(geom->meshname, "hull");
  MjModelPtr model;
  try {
    model = compile_spec(spec.get(), what);
  } catch (const std::runtime_error& e) {
    throw InputError(fmt::format("{}; its vertices span no volume: use --shapes fit", e.what()));
  }
  // mesh_graph: number of hull vertices and faces, an edge address each vertex, then each vertex's
  // index in the mesh; MuJoCo moves the vertices to the mesh's principal frame but keeps their
  // order when none is double
  if (model->mesh_graphadr[0] < 0) throw InputError(what + " has no convex hull; use --shapes fit");
  const int* graph = model->mesh_graph + model->mesh_graphadr[0];
  std::set<int> corners(graph + 2 + graph[0], graph + 2 + 2 * graph[0]);
  const Eigen::Map<const Eigen::Vector3d> p_mesh(model->mesh_pos);
  const Eigen::Matrix3d R = quaternion_from_mujoco(model->mesh_quat).toRotationMatrix();
  std::vector<Eigen::Vector3d> out;
  for (const int i : corners) {
    const Eigen::Vector3d v =
        p_mesh + R * Eigen::Map<const Eigen::Vector3f>(model->mesh_vert + 3 * i).cast<double>();
    out.push_back(v.cast<float>().cast<double>());
  }
  return out;
}

}  // namespace handspan
