#pragma once
// Tables as episodes: each file is one, or a column says to which a row belongs.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "data/data_reader.hpp"

namespace handspan {

/// One file of rows.
class DataTable {
 public:
  virtual ~DataTable() = default;
  virtual std::size_t rows() const = 0;
  /// With their rows and widths.
  virtual const std::vector<DataColumn>& columns() const = 0;
  /// All rows of a column; NaN where there is no number. @throws InputError when it cannot be read
  virtual std::vector<double> values(const std::string& column) const = 0;
  /// What tells the episodes of rows apart. @throws InputError when there is no such column
  virtual std::vector<std::string> keys(const std::string& column) const = 0;
  virtual std::string place(std::size_t row) const = 0;
};

/// A CSV file with a head: as RFC 4180 has it, with any separator. Cells that are no number are NaN
/// ("", "nan"), true and false are 1 and 0, and a column with other words has no numbers.
/// @throws InputError with file and line: it cannot be read, has no head, a name twice, or a row of
/// more or fewer cells
std::unique_ptr<DataTable> csv_table(const std::filesystem::path& file, char separator);
std::unique_ptr<DataTable> parquet_table(const std::filesystem::path& file);

/// The readers csv and parquet.
void register_table_readers(DataReaderRegistry& readers);

}  // namespace handspan
