#include "data/csv_file.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace handspan {

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

CsvFile::CsvFile(const std::filesystem::path& file) : file_(file), out_(file, std::ios::binary) {
  check();
}

void CsvFile::close() {
  out_.close();
  check();
}

void CsvFile::check() const {
  if (!out_)
    throw InputError(
        fmt::format("{}: it cannot be written; see that the folder may be written to and has space",
                    file_.string()));
}

}  // namespace handspan
