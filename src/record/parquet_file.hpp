#pragma once
// Writes a table as a Parquet file. Arrow is included behind this alone.
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace handspan {

/// A list of `size` numbers in each row, one after the other.
struct ParquetVectors {
  std::size_t size = 0;
  std::vector<float> values;
};

struct ParquetColumn {
  std::string name;
  std::variant<std::vector<std::int64_t>, std::vector<double>, std::vector<float>,
               std::vector<bool>, std::vector<std::string>, ParquetVectors,
               std::vector<std::vector<double>>, std::vector<std::vector<std::int64_t>>,
               std::vector<std::vector<std::string>>>
      values;
};

/// Rows of a column.
std::size_t rows_of(const ParquetColumn& column);

/// Creates or replaces the file: compressed by Zstandard, at most 65,536 rows a group.
/// @param about of the schema: "pandas" names pandas' index
/// @throws InputError with the path when it cannot be written
void write_parquet(const std::filesystem::path& file, const std::vector<ParquetColumn>& columns,
                   const std::map<std::string, std::string>& about = {});

}  // namespace handspan
