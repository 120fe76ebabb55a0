#include "import/urdf_mesh.hpp"

#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <assimp/Importer.hpp>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>

#include "core/error.hpp"
#include "core/escape.hpp"
#include "core/files_read.hpp"

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
            const Eigen::Vector3d& scale, std::map<std::array<double, 3>, int>& seen,
            MeshSurface& out) {
  const aiMatrix4x4 X = X_parent * node.mTransformation;
  for (unsigned m = 0; m < node.mNumMeshes; ++m) {
    const aiMesh& mesh = *scene.mMeshes[node.mMeshes[m]];
    std::vector<int> index(mesh.mNumVertices, -1);  // of the mesh's vertices in `out`
    for (unsigned i = 0; i < mesh.mNumVertices; ++i) {
      const aiVector3D v = X * mesh.mVertices[i];
      const Eigen::Vector3d p = scale.cwiseProduct(Eigen::Vector3d(v.x, v.y, v.z));
      if (!p.allFinite()) continue;
      const auto [at, is_new] =
          seen.insert({{p[0], p[1], p[2]}, static_cast<int>(out.vertices.size())});
      if (is_new) out.vertices.push_back(p);
      index[i] = at->second;
    }
    for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
      const aiFace& face = mesh.mFaces[f];
      if (face.mNumIndices != 3) continue;
      const std::array<int, 3> corners{index[face.mIndices[0]], index[face.mIndices[1]],
                                       index[face.mIndices[2]]};
      if (std::ranges::min(corners) >= 0) out.triangles.push_back(corners);
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

MeshSurface load_mesh(const fs::path& file, const Eigen::Vector3d& scale) {
  InputsRead::note(file);
  Assimp::Importer importer;
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  // neither lines nor points belong to a solid
  importer.SetPropertyInteger(AI_CONFIG_PP_SBP_REMOVE,
                              aiPrimitiveType_LINE | aiPrimitiveType_POINT);
  const aiScene* scene =
      importer.ReadFile(file.string(), aiProcess_Triangulate | aiProcess_SortByPType);
  if (scene == nullptr || scene->mRootNode == nullptr)
    throw InputError(
        fmt::format("the mesh {} cannot be read: {}", file.string(), importer.GetErrorString()));
  MeshSurface out;
  std::map<std::array<double, 3>, int> seen;
  gather(*scene, *scene->mRootNode, aiMatrix4x4(), scale, seen, out);
  if (out.vertices.empty())
    throw InputError(fmt::format("the mesh {} has no vertices", file.string()));
  return out;
}

}  // namespace handspan
