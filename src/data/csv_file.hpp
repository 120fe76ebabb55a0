#pragma once
// A CSV file as RFC 4180 has it: commas, line ends CR LF, quotes where a cell needs them.
#include <filesystem>
#include <fstream>
#include <string>

namespace handspan {

/// A cell: in quotes where it needs them.
std::string csv_cell(const std::string& text);

class CsvFile {
 public:
  /// @throws InputError when the file cannot be written, as close()
  explicit CsvFile(const std::filesystem::path& file);
  void line(const std::string& cells) { out_ << cells << "\r\n"; }
  void close();

 private:
  void check() const;

  std::filesystem::path file_;
  std::ofstream out_;
};

}  // namespace handspan
