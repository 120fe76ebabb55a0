#include "data/table_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/error.hpp"
#include "core/files_read.hpp"
#include "core/values.hpp"
#include "record/parquet_file_reader.hpp"

namespace handspan {
namespace {

constexpr std::size_t kMostTables = 100'000;

class ParquetDataTable : public DataTable {
 public:
  explicit ParquetDataTable(const std::filesystem::path& file) : file_(file), reader_(file) {
    for (const ParquetField& field : reader_.fields()) {
      DataColumn column;
      column.name = field.name;
      column.type = field.type;
      column.numbers = field.numbers;
      column.rows = reader_.rows();
      // how long its lists are stands in them alone
      if (field.numbers && reader_.rows() > 0) measure(column);
      columns_.push_back(std::move(column));
    }
  }
  std::size_t rows() const override { return reader_.rows(); }
  const std::vector<DataColumn>& columns() const override { return columns_; }
  std::vector<double> values(const std::string& column) const override {
    return numbers(column).values;
  }
  std::vector<std::string> keys(const std::string& column) const override {
    std::vector<std::string> all;
    const auto& fields = reader_.fields();
    const auto field = std::ranges::find(fields, column, &ParquetField::name);
    if (field != fields.end() && field->words) {
      for (const auto& words : reader_.words(column))
        all.push_back(words.empty() ? "" : words.front());
      return all;
    }
    for (const double value : numbers(column).values) all.push_back(fmt::format("{:g}", value));
    return all;
  }
  std::string place(std::size_t row) const override {
    return fmt::format("{}: row {}", file_.string(), row);
  }

 private:
  // one that cannot be read takes no part in what the others are
  void measure(DataColumn& column) const {
    try {
      column.width = numbers(column.name).width;
    } catch (const InputError& error) {
      column.numbers = false;
      column.type += fmt::format(" that cannot be read: {}", error.what());
    }
  }
  const ParquetNumbers& numbers(const std::string& column) const {
    const auto known = read_.find(column);
    if (known != read_.end()) return known->second;
    return read_.emplace(column, reader_.numbers(column)).first->second;
  }
  std::filesystem::path file_;
  ParquetFileReader reader_;
  std::vector<DataColumn> columns_;
  mutable std::map<std::string, ParquetNumbers> read_;
};

struct TableDataConfig {
  std::optional<std::filesystem::path> file, folder;
  std::vector<std::filesystem::path> files;
  std::string episode;
  std::string separator = ",";
};

std::optional<Fault> fault_of(const TableDataConfig& config) {
  const int given =
      (config.file ? 1 : 0) + (config.folder ? 1 : 0) + (config.files.empty() ? 0 : 1);
  if (given == 1) return std::nullopt;
  return Fault{given == 0 ? "names no file" : "names files in several ways",
               "give `file`, `files` (an episode each), or `folder` (all tables in it)"};
}

std::vector<std::filesystem::path> files_of(const TableDataConfig& config,
                                            const std::string& extension) {
  std::vector<std::filesystem::path> files = config.files;
  if (config.file) files = {*config.file};
  if (!config.folder) return files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(*config.folder, error))
    if (entry.path().extension() == extension && files.size() < kMostTables)
      files.push_back(entry.path());
  std::ranges::sort(files);
  if (files.empty())
    throw InputError(fmt::format("{}: it has no files that end in {}; name another folder",
                                 config.folder->string(), extension));
  return files;
}

// Episodes of tables: each table, or the rows with the same key one after the other.
class TableReader : public DataReader {
 public:
  TableReader(std::string source, std::vector<std::unique_ptr<DataTable>> tables,
              const std::vector<std::filesystem::path>& files, const std::string& key)
      : source_(std::move(source)), tables_(std::move(tables)) {
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      const std::string name = files[t].filename().string();
      if (key.empty())
        add(t, 0, tables_[t]->rows(), name);
      else
        split(t, name, key);
    }
  }

  std::string source() const override { return source_; }
  const std::vector<DataEpisode>& episodes() const override { return episodes_; }
  std::vector<DataColumn> columns(std::size_t episode) override {
    const Span& span = spans_.at(episode);
    std::vector<DataColumn> columns = tables_[span.table]->columns();
    for (DataColumn& column : columns) column.rows = span.count;
    return columns;
  }
  std::vector<double> values(std::size_t episode, const std::string& column) override {
    const Span& span = spans_.at(episode);
    const DataTable& table = *tables_[span.table];
    std::vector<double> all = table.values(column);
    if (table.rows() == 0) return all;
    const std::size_t width = all.size() / table.rows();
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(span.first * width);
    return {first, first + static_cast<std::ptrdiff_t>(span.count * width)};
  }
  std::string place(std::size_t episode, std::size_t row) const override {
    const Span& span = spans_.at(episode);
    return tables_[span.table]->place(span.first + row);
  }

 private:
  struct Span {
    std::size_t table = 0, first = 0, count = 0;
  };

  void add(std::size_t table, std::size_t first, std::size_t count, const std::string& name) {
    spans_.push_back({table, first, count});
    episodes_.push_back({name, "", "", ""});
  }
  void split(std::size_t t, const std::string& name, const std::string& key) {
    const std::vector<std::string> keys = tables_[t]->keys(key);
    std::vector<std::string> seen;
    for (std::size_t first = 0, row = 1; row <= keys.size(); ++row) {
      if (row < keys.size() && keys[row] == keys[first]) continue;
      if (std::ranges::count(seen, keys[first]) > 0)
        throw InputError(fmt::format(
            "{}: episode '{}' of the column '{}' goes on here, after another one; sort the rows by "
            "episode",
            tables_[t]->place(first), shown(keys[first]), shown(key)));
      seen.push_back(keys[first]);
      add(t, first, row - first, fmt::format("{}, {} {}", name, key, keys[first]));
      first = row;
    }
  }

  std::string source_;
  std::vector<std::unique_ptr<DataTable>> tables_;
  std::vector<Span> spans_;
  std::vector<DataEpisode> episodes_;
};

std::unique_ptr<DataReader> table_reader(const TableDataConfig& config,
                                         const std::string& extension, const auto& open) {
  const auto files = files_of(config, extension);
  std::vector<std::unique_ptr<DataTable>> tables;
  for (const auto& file : files) {
    InputsRead::note(file);
    tables.push_back(open(file));
  }
  return std::make_unique<TableReader>(
      config.folder ? config.folder->string() : files.front().string(), std::move(tables), files,
      config.episode);
}

ObjectSchema<TableDataConfig> table_object(const char* name, const char* doc) {
  using T = TableDataConfig;
  return object<T>(name, doc)
      .optional("file", &T::file, handspan::file())
      .optional("files", &T::files, list(handspan::file()), "an episode each, or several")
      .optional("folder", &T::folder, handspan::folder(), "all tables in it, by their names")
      .optional("episode", &T::episode, text(),
                "the column that says which rows are one episode; left out: each file is one")
      .check([](const T& config) { return fault_of(config); });
}

}  // namespace

std::unique_ptr<DataTable> parquet_table(const std::filesystem::path& file) {
  return std::make_unique<ParquetDataTable>(file);
}

void register_table_readers(DataReaderRegistry& readers) {
  readers.add("csv",
              table_object("CsvData", "tables as text, with names in the first line")
                  .optional("separator", &TableDataConfig::separator,
                            text().check(
                                [](const std::string& mark) -> std::optional<Fault> {
                                  if (mark.size() == 1 || mark == "tab") return std::nullopt;
                                  return Fault{fmt::format("is '{}'", shown(mark)),
                                               "it must be one character, or the word tab"};
                                },
                                "one character, or tab"),
                            "between cells"),
              "tables as text", [](const TableDataConfig& config) {
                const char separator = config.separator == "tab" ? '\t' : config.separator[0];
                return table_reader(config, ".csv", [&](const std::filesystem::path& file) {
                  return csv_table(file, separator);
                });
              });
  readers.add("parquet", table_object("ParquetData", "tables as Arrow and pandas write them"),
              "tables as Arrow and pandas write them", [](const TableDataConfig& config) {
                return table_reader(config, ".parquet", parquet_table);
              });
}

}  // namespace handspan
