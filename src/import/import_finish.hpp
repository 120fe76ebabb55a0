#pragma once
// What import_urdf and import_mjcf share once the mechanism is known.
#include <set>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "import/hug_meshes.hpp"
#include "import/import.hpp"
#include "import/import_setup.hpp"

namespace handspan {

/// The description as it is read back from what is written of it: MuJoCo normalises axes and
/// quaternions when it compiles, so written numbers would otherwise change their last bits once.
/// @throws std::runtime_error when MuJoCo or validate() refuses it
ModelDescription canonical(const ModelDescription& description);

/// What takes the place of meshes that collide, as ImportOptions::meshes says. Those of a body are
/// covered together.
class MeshCovers {
 public:
  /// @param notes gets what became of each mesh
  MeshCovers(const ImportOptions& options, std::vector<std::string>& notes)
      : meshes_(options.meshes), progress_(options.progress), notes_(notes) {}

  /// @param shape name, X_BG and rgba of the mesh @param mesh [m] in G; without triangles it is the
  /// hull of its points @param of as notes name it: "the mesh 'a.stl' of shape 'arm'"
  /// @throws InputError where --shapes exact is asked for and the points span no volume
  void add(BodyDescription& body, Shape shape, MeshSurface mesh, const std::string& of);

  /// Covers those that are to be covered (hug_meshes.hpp), once all bodies are there.
  void finish(ModelDescription& description);

 private:
  void add_to(BodyMesh& known, const Shape& shape, const MeshSurface& mesh);

  MeshShapes meshes_;
  ImportProgress progress_;
  std::vector<std::string>& notes_;
  std::vector<BodyMesh> covered_;
  std::vector<std::string> names_;  // of those, as notes say
  std::set<std::string> taken_;
};

/// Faults of the options: numbers that are not > 0, a mount that is not a body or frame, groups of
/// joints that are not there. @param places bodies and frames @param file as messages name it
std::vector<Issue> option_issues(const ImportOptions& options, const std::string& file,
                                 const std::vector<std::string>& places,
                                 const std::vector<std::string>& joints);

/// Sets description (made canonical), mount, groups, poses, ignored pairs and the notes about them.
/// Groups are those of the options, then of the SRDF, then by branches (import_groups.hpp).
/// @param robot limits are set @param description a body as mount gets a frame
/// @throws InputError for a name that is not an identifier and what both engines refuse;
/// ConfigError for an SRDF that cannot be read
void finish_import(ImportedRobot& robot, ModelDescription description, const ImportOptions& options,
                   const NamedStates& states = {});

}  // namespace handspan
