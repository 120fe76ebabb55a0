#pragma once
// A folder for this process's own files, in a place where others may write too.
#include <filesystem>
#include <string>

namespace handspan {

/// A new folder with a name that nobody can guess, to which its owner alone has access (mkdtemp): a
/// link or a folder that somebody else laid is never followed. Gone with the object, with what is
/// in it.
class PrivateFolder {
 public:
  /// NAME and six letters, in the folder for temporary files ($TMPDIR, else /tmp).
  /// @throws InputError when it cannot be made
  explicit PrivateFolder(const std::string& name);
  /// The same in another folder, which is there.
  PrivateFolder(const std::filesystem::path& in, const std::string& name);
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace handspan
