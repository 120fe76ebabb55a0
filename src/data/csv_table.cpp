#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <map>

#include "core/error.hpp"
#include "core/named.hpp"
#include "data/table_reader.hpp"

namespace handspan {
namespace {

constexpr std::uintmax_t kMostCsvBytes = std::uintmax_t{2} << 30U;
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

std::string text_of_file(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error))
    throw InputError(
        fmt::format("{}: there is no such file; give the path of a table", file.string()));
  if (std::filesystem::file_size(file, error) > kMostCsvBytes)
    throw InputError(
        fmt::format("{}: it has more than 2 GiB; split it, or write it as Parquet", file.string()));
  std::ifstream in(file, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  if (!in) throw InputError(fmt::format("{}: it cannot be read; see that you may", file.string()));
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return text;
}

// The rows of a text, cell by cell.
class CsvCells {
 public:
  CsvCells(const std::filesystem::path& file, const std::string& text, char separator)
      : file_(file), text_(text), separator_(separator) {}

  /// @return false at the end. Lines without anything are no rows
  bool row(std::vector<std::string>& cells) {
    cells.clear();
    while (at_ < text_.size() && (text_[at_] == '\r' || text_[at_] == '\n')) end_of_line();
    if (at_ >= text_.size()) return false;
    first_line_ = line_;
    while (true) {
      cells.push_back(cell());
      if (at_ >= text_.size()) return true;
      if (text_[at_] == separator_) {
        ++at_;
        continue;
      }
      end_of_line();
      return true;
    }
  }
  std::size_t line() const { return first_line_; }  // of the row

 private:
  void end_of_line() {
    if (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
    ++at_;
    ++line_;
  }

  std::string cell() {
    std::string value;
    if (at_ >= text_.size() || text_[at_] != '"') {
      const std::size_t from = at_;
      while (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\r' &&
             text_[at_] != '\n')
        ++at_;
      return text_.substr(from, at_ - from);
    }
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        if (at_ + 1 >= text_.size() || text_[at_ + 1] != '"') break;
        ++at_;
      } else if (text_[at_] == '\n') {
        ++line_;
      }
      value += text_[at_];
    }
    if (at_ >= text_.size())
      throw InputError(fmt::format("{}:{}: a quotation mark is not closed; the file is cut off",
                                   file_.string(), first_line_));
    ++at_;
    if (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\r' && text_[at_] != '\n')
      throw InputError(
          fmt::format("{}:{}: something stands behind a closed quotation mark; write "
                      "a mark inside of a cell twice",
                      file_.string(), line_));
    return value;
  }

  const std::filesystem::path& file_;
  const std::string& text_;
  char separator_;
  std::size_t at_ = 0, line_ = 1, first_line_ = 1;
};

std::string_view stripped(std::string_view text) {
  const std::size_t from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

// none: it is a word
std::optional<double> number_of(std::string_view cell) {
  cell = stripped(cell);
  if (cell.empty()) return kNoNumber;
  std::string lower(cell);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  if (lower == "nan" || lower == "na" || lower == "null" || lower == "none") return kNoNumber;
  if (lower == "true") return 1.0;
  if (lower == "false") return 0.0;
  if (cell.front() == '+') cell.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (end != cell.data() + cell.size() || error == std::errc::invalid_argument) return std::nullopt;
  // what is too large is no number that anything is measured in
  return error == std::errc() ? value : std::numeric_limits<double>::infinity();
}

class CsvDataTable : public DataTable {
 public:
  CsvDataTable(std::filesystem::path file, char separator) : file_(std::move(file)) {
    const std::string text = text_of_file(file_);
    CsvCells cells(file_, text, separator);
    std::vector<std::string> row;
    if (!cells.row(row))
      throw InputError(fmt::format(
          "{}: it is empty; its first line must have the names of its columns", file_.string()));
    head(row);
    words_.resize(columns_.size());
    values_.resize(columns_.size());
    while (cells.row(row)) {
      if (row.size() != columns_.size())
        throw InputError(
            fmt::format("{}:{}: it has {} cells, and the head has {}; the file is cut "
                        "off there, or another separator is meant",
                        file_.string(), cells.line(), row.size(), columns_.size()));
      lines_.push_back(cells.line());
      for (std::size_t c = 0; c < row.size(); ++c) add(c, row[c]);
    }
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      columns_[c].rows = lines_.size();
      columns_[c].numbers = words_[c].empty();
      columns_[c].type = words_[c].empty() ? "numbers" : "text";
    }
  }

  std::size_t rows() const override { return lines_.size(); }
  const std::vector<DataColumn>& columns() const override { return columns_; }
  std::vector<double> values(const std::string& column) const override {
    const std::size_t c = find(column);
    if (columns_[c].numbers) return values_[c];
    const auto& [row, word] = *words_[c].begin();
    throw InputError(
        fmt::format("{}: the column '{}' has '{}' there, and a number is asked for; "
                    "name another, or mend it",
                    place(row), shown(column), shown(word)));
  }
  std::vector<std::string> keys(const std::string& column) const override {
    const std::size_t c = find(column);
    std::vector<std::string> all;
    for (const double value : values_[c]) all.push_back(fmt::format("{:g}", value));
    for (const auto& [row, word] : words_[c]) all[row] = word;
    return all;
  }
  std::string place(std::size_t row) const override {
    return fmt::format("{}:{}", file_.string(), lines_.at(row));
  }

 private:
  void head(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      DataColumn column;
      column.name = stripped(name);
      if (column.name.empty()) column.name = fmt::format("column {}", columns_.size());
      if (std::ranges::count(columns_, column.name, &DataColumn::name) > 0)
        throw InputError(fmt::format("{}:1: its head has '{}' twice; give each column its own name",
                                     file_.string(), shown(column.name)));
      columns_.push_back(std::move(column));
    }
    const bool numbers = std::ranges::all_of(
        names, [](const std::string& name) { return number_of(name).has_value(); });
    if (numbers)
      throw InputError(
          fmt::format("{}:1: its first line has numbers; it must have the names of the columns",
                      file_.string()));
  }
  void add(std::size_t c, const std::string& cell) {
    const auto value = number_of(cell);
    values_[c].push_back(value.value_or(kNoNumber));
    if (!value) words_[c].emplace(values_[c].size() - 1, cell);
  }
  std::size_t find(const std::string& column) const {
    return find_named(file_.string(), "column", column, columns_, &DataColumn::name);
  }

  std::filesystem::path file_;
  std::vector<DataColumn> columns_;
  std::vector<std::vector<double>> values_;                // by column
  std::vector<std::map<std::size_t, std::string>> words_;  // by column: cells that are no numbers
  std::vector<std::size_t> lines_;                         // by row
};

}  // namespace

std::unique_ptr<DataTable> csv_table(const std::filesystem::path& file, char separator) {
  return std::make_unique<CsvDataTable>(file, separator);
}

}  // namespace handspan
