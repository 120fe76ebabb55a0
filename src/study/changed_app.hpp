#pragma once
// An app with other values of some of its keys, for one run: what --param of a command gives.
#include <filesystem>
#include <optional>
#include <vector>

#include "core/private_folder.hpp"
#include "session/app.hpp"
#include "study/run_plan.hpp"

namespace handspan {

/// An app, its scene and robots with parameters in them, which come in turn, and copies of their
/// files that say the same, for logs. The copies are there as long as the object.
class ChangedApp {
 public:
  /// Without parameters it is the file itself, and nothing is copied. `parts` may go afterwards.
  /// @throws ConfigError or InputError as load_app(), and at --param for a key that leads nowhere,
  /// or to a file that the app with the parameters does not read
  ChangedApp(const std::filesystem::path& file, const Parts& parts,
             const std::vector<ParameterOverride>& parameters);

  /// Errors in it have the places of the files it was made of, or "--param KEY". Its `file` and
  /// `files` are the copies.
  App app;

 private:
  std::optional<PrivateFolder> folder_;
};

}  // namespace handspan
