#pragma once
// Writes HDF5 files: groups, matrices of doubles, and words and numbers about them. HDF5 is
// included behind this alone.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace handspan {

class Hdf5File {
 public:
  /// Creates or replaces the file. @throws InputError with the path when it cannot be, as all below
  /// when the disk is full
  explicit Hdf5File(const std::filesystem::path& file);
  ~Hdf5File();
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  /// Paths such as "/data/demo_0"; groups above must be there.
  void group(const std::string& path);
  /// Row by row; one column: a vector. @pre values.size() is a multiple of columns
  void matrix(const std::string& path, std::span<const double> values, std::size_t columns);
  /// Attributes of a group or matrix.
  void attribute(const std::string& path, const std::string& name, const std::string& value);
  void attribute(const std::string& path, const std::string& name, std::int64_t value);
  /// Everything is in the file. @throws InputError when it is not
  void close();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace handspan
