#pragma once
// Which files a load has read, so that a log can hold what its run was made of.
#include <filesystem>
#include <vector>

namespace handspan {

/// Gathers the files that this thread reads while it exists; the innermost of nested ones does.
class FilesRead {
 public:
  FilesRead();
  ~FilesRead();
  FilesRead(const FilesRead&) = delete;
  FilesRead& operator=(const FilesRead&) = delete;

  /// Absolute, each once, in the order of reading.
  const std::vector<std::filesystem::path>& files() const { return files_; }

  /// Whoever reads a file says so.
  static void note(const std::filesystem::path& file);

 private:
  std::vector<std::filesystem::path> files_;
  FilesRead* outer_;
};

}  // namespace handspan
