#pragma once
// Which files a load has read, so that a log can hold what its run was made of; and which ones a
// command has read, so that it does not write over them.
#include <filesystem>
#include <span>
#include <string_view>
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

  /// Whoever reads a file says so; InputsRead hears of it too.
  static void note(const std::filesystem::path& file);

 private:
  std::vector<std::filesystem::path> files_;
  FilesRead* outer_;
};

/// Gathers everything that this thread reads while it exists: what a FilesRead gathers, and what is
/// no part of a run's description: logs, recordings, robots to be imported. One a command.
class InputsRead {
 public:
  InputsRead();
  ~InputsRead();
  InputsRead(const InputsRead&) = delete;
  InputsRead& operator=(const InputsRead&) = delete;

  const std::vector<std::filesystem::path>& files() const { return files_; }

  static void note(const std::filesystem::path& file);

 private:
  std::vector<std::filesystem::path> files_;
  InputsRead* outer_;
};

/// That writing to `output` would not write over something that was read: the same file by whatever
/// name, a relative path, a symbolic or a hard link. Without an InputsRead everything may be.
/// @param option that names the output, such as "--record"
/// @throws InputError naming both
void refuse_overwriting(const std::filesystem::path& output, std::string_view option);
/// The same of a folder that is replaced as a whole: nothing that was read lies in it.
void refuse_replacing(const std::filesystem::path& folder, std::string_view option);

/// A file that a command is to write, by option; empty: none.
struct OutputOption {
  std::string_view option;
  std::filesystem::path file;
};
/// refuse_overwriting() of each, and that no two of them are one file.
/// @throws InputError naming both
void check_outputs(std::span<const OutputOption> outputs);

}  // namespace handspan
