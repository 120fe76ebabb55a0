#include "scene/mesh_file.hpp"

#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <assimp/Importer.hpp>
#include <map>

#include "core/error.hpp"
#include "core/files_read.hpp"

namespace handspan {
namespace {

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

MeshSurface load_mesh(const std::filesystem::path& file, const Eigen::Vector3d& scale) {
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
