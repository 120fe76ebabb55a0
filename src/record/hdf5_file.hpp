#pragma once
// Writes HDF5 files, and reads back what it wrote to add to it: groups, matrices of doubles or
// bytes, lists of words, and words and numbers about them. HDF5 is included behind this alone.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace handspan {

class Hdf5File {
 public:
  enum class Open { kNew, kAdd };
  /// Creates or replaces the file, or opens one that is there to add to it.
  /// @throws InputError with the path when it cannot be, as all below when the disk is full
  explicit Hdf5File(const std::filesystem::path& file, Open how = Open::kNew);
  ~Hdf5File();
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  // Paths such as "/data/demo_0"; groups above must be there. What is there is replaced.

  void group(const std::string& path);
  /// Row by row. @pre values.size() is a multiple of columns
  void matrix(const std::string& path, std::span<const double> values, std::size_t columns);
  /// One number a row.
  void vector(const std::string& path, std::span<const double> values);
  void vector(const std::string& path, std::span<const std::int64_t> values);
  /// Bytes row by row, compressed.
  void bytes(const std::string& path, std::span<const std::byte> values, std::size_t columns);
  void words(const std::string& path, const std::vector<std::string>& values);

  /// Attributes of a group or matrix.
  void attribute(const std::string& path, const std::string& name, const std::string& value);
  void attribute(const std::string& path, const std::string& name, std::int64_t value);
  void attribute(const std::string& path, const std::string& name, std::span<const double> values);

  // of what is there

  bool has(const std::string& path) const;
  /// Names of what a group has, in their order as text.
  std::vector<std::string> names(const std::string& group) const;
  /// Numbers of a matrix or vector, row by row. @throws InputError when it is not there
  std::vector<double> numbers(const std::string& path) const;
  std::vector<std::string> read_words(const std::string& path) const;
  std::string text_attribute(const std::string& path, const std::string& name) const;
  std::vector<double> numbers_attribute(const std::string& path, const std::string& name) const;

  /// Everything is in the file. @throws InputError when it is not
  void close();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace handspan
