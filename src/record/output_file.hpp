#pragma once

// A file that is written from its beginning to its end, every write checked.

#include <cstdint>
#include <filesystem>
#include <string>

#include "record/bytes.hpp"

namespace handspan {

class OutputFile {
 public:
  /// Makes or empties the file. Throws InputError (path, cause, hint) when that cannot be.
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Appends all of `bytes` and hands them to the operating system: they outlive the process, not a
  /// loss of power. Throws InputError when not all of them were written, the file is then cut back
  /// to where it was; or when it is not under its name any more (removed, its disk taken off).
  /// Every later call throws the same.
  void append(ByteSpan bytes);

  /// Bytes written so far.
  std::uint64_t size() const { return size_; }

  /// Closes the file. Throws InputError when the system reports a late failure of writing.
  void close();

  bool open() const { return descriptor_ >= 0; }
  const std::string& name() const { return name_; }

 private:
  bool is_there() const;
  [[noreturn]] void fail(int error);

  std::string name_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::string failure_;
};

}  // namespace handspan
