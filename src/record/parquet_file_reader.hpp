#pragma once
// Reads Parquet files that other programs wrote: numbers, lists of numbers and words, column by
// column. Nothing of a file is believed: memory is bounded by its size, and what Arrow cannot read
// is an InputError.
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace handspan {

struct ParquetField {
  std::string name;
  std::string type;      // for people, as Arrow says it: "float", "fixed_size_list<...>[6]"
  bool numbers = false;  // a number or a list of numbers a row
  bool words = false;    // a text or a list of texts a row
};

struct ParquetNumbers {
  std::size_t width = 1;       // numbers a row
  std::vector<double> values;  // row by row; NaN where there is none
};

class ParquetFileReader {
 public:
  /// @throws InputError with the path, cause and hint when it is not there, not Parquet, or damaged
  explicit ParquetFileReader(const std::filesystem::path& file);
  ~ParquetFileReader();
  ParquetFileReader(const ParquetFileReader&) = delete;
  ParquetFileReader& operator=(const ParquetFileReader&) = delete;

  std::size_t rows() const;
  const std::vector<ParquetField>& fields() const;
  bool has(const std::string& field) const;

  /// @throws InputError when there is no such field, it has no numbers, rows have lists of unequal
  /// lengths, or its bytes are damaged
  ParquetNumbers numbers(const std::string& field) const;
  /// The words of each row. @throws InputError likewise
  std::vector<std::vector<std::string>> words(const std::string& field) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace handspan
