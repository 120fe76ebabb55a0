#pragma once
// Reads HDF5 files that other programs wrote: which groups and data sets there are, and their
// numbers. Nothing of a file is believed: sizes are compared with what the file has, links into
// other files are not followed, and what the library cannot read is an InputError.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace handspan {

/// A data set, by its path below the group that was asked for: "obs/eef_pos".
struct Hdf5Item {
  std::string path;
  std::vector<std::size_t> shape;  // none: one value
  bool numbers = false;            // integers, floats or booleans; others cannot be read
  std::string type;                // for people: "float64", "uint8", "text"
};

struct Hdf5Numbers {
  std::vector<std::size_t> shape;
  std::vector<double> values;  // the last index runs first
};

class Hdf5FileReader {
 public:
  /// @throws InputError with the path, cause and hint: there is no such file, it is not HDF5, or it
  /// is cut off
  explicit Hdf5FileReader(const std::filesystem::path& file);
  ~Hdf5FileReader();
  Hdf5FileReader(const Hdf5FileReader&) = delete;
  Hdf5FileReader& operator=(const Hdf5FileReader&) = delete;

  /// Paths such as "/data/demo_0"; "/" is the file.
  bool has(const std::string& path) const;
  /// Names of the groups in a group, in their order as text; none when it is not there.
  std::vector<std::string> groups(const std::string& group) const;
  /// All data sets below a group, however deep, by their paths.
  /// @throws InputError when one of them cannot be opened, or there are more than 100,000
  std::vector<Hdf5Item> items(const std::string& group) const;

  /// Rows of a data set or all of it. @throws InputError when it is not there, has no numbers, says
  /// that it is larger than the file can hold, or its bytes are damaged
  Hdf5Numbers numbers(const std::string& path) const;
  /// Words of a list of texts (fixed or any length). @throws InputError as numbers() does
  std::vector<std::string> words(const std::string& path) const;

  /// Attributes; none when it has none of that name and kind.
  std::optional<std::string> text_attribute(const std::string& path, const std::string& name) const;
  std::optional<std::vector<double>> numbers_attribute(const std::string& path,
                                                       const std::string& name) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace handspan
