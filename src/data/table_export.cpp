#include "data/table_export.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "data/csv_file.hpp"
#include "data/episodes.hpp"
#include "data/log_times.hpp"
#include "data/row_sampler.hpp"
#include "data/series.hpp"
#include "record/parquet_file.hpp"

namespace handspan {
namespace {

// what is written row by row
class Table {
 public:
  virtual ~Table() = default;
  virtual void row(const Row& row) = 0;
  virtual void close() = 0;
};

bool has_words(const ChannelInfo& info) { return info.type == ChannelType::kChoice; }

std::string word_of(const ChannelInfo& info, double value) {
  const auto index = static_cast<std::size_t>(std::max(0.0, value));
  return index < info.choices.size() ? info.choices[index] : std::string();
}

std::vector<std::string> heads(const ChannelInfo& info) {
  if (info.size == 1 && info.labels.empty() && info.type != ChannelType::kPose)
    return {info.unit.empty() ? info.name : fmt::format("{} [{}]", info.name, info.unit)};
  std::vector<std::string> all;
  for (const auto& column : column_names(info)) all.push_back(info.name + "." + column);
  return all;
}

class CsvTable : public Table {
 public:
  CsvTable(const std::filesystem::path& file, const RowSampler& sampler, const LogTimes& times)
      : csv_(file), sampler_(sampler), times_(times) {
    std::string head = "tick,time [s],unix [ns]";
    for (const ChannelInfo& info : sampler.fields())
      for (const auto& column : heads(info)) head += "," + csv_cell(column);
    csv_.line(head);
  }
  void row(const Row& row) override {
    const Nanoseconds run = times_.run(row.tick);
    const auto unix = times_.unix_ns(run);
    line_.clear();
    fmt::format_to(std::back_inserter(line_), "{},{:.9f},{}", row.tick, seconds(run),
                   unix ? std::to_string(*unix) : std::string());
    const auto& fields = sampler_.fields();
    for (std::size_t f = 0; f < fields.size(); ++f)
      for (const double value : row.at(f)) {
        if (has_words(fields[f]))
          line_ += "," + csv_cell(word_of(fields[f], value));
        else
          fmt::format_to(std::back_inserter(line_), ",{:.17g}", value);
      }
    csv_.line(line_);
  }
  void close() override { csv_.close(); }

 private:
  CsvFile csv_;
  const RowSampler& sampler_;
  const LogTimes& times_;
  std::string line_;
};

class ParquetTable : public Table {
 public:
  ParquetTable(std::filesystem::path file, const RowSampler& sampler, const LogTimes& times)
      : file_(std::move(file)), sampler_(sampler), times_(times) {
    for (const ChannelInfo& info : sampler.fields())
      for (const auto& head : heads(info)) {
        ParquetColumn column{head, std::vector<double>()};
        if (has_words(info))
          column.values = std::vector<std::string>();
        else if (info.type == ChannelType::kInteger)
          column.values = std::vector<std::int64_t>();
        else if (info.type == ChannelType::kBoolean)
          column.values = std::vector<bool>();
        columns_.push_back(std::move(column));
      }
  }
  void row(const Row& row) override {
    const Nanoseconds run = times_.run(row.tick);
    tick_.push_back(row.tick);
    time_.push_back(seconds(run));
    unix_.push_back(times_.unix_ns(run).value_or(0));
    std::size_t c = 0;
    const auto& fields = sampler_.fields();
    for (std::size_t f = 0; f < fields.size(); ++f)
      for (const double value : row.at(f)) {
        auto& values = columns_[c++].values;
        if (auto* words = std::get_if<std::vector<std::string>>(&values))
          words->push_back(word_of(fields[f], value));
        else if (auto* whole = std::get_if<std::vector<std::int64_t>>(&values))
          whole->push_back(static_cast<std::int64_t>(value));
        else if (auto* flags = std::get_if<std::vector<bool>>(&values))
          flags->push_back(value != 0.0);
        else
          std::get<std::vector<double>>(values).push_back(value);
      }
  }
  void close() override {
    std::vector<ParquetColumn> all = {{"tick", tick_}, {"time [s]", time_}, {"unix [ns]", unix_}};
    for (ParquetColumn& column : columns_) all.push_back(std::move(column));
    write_parquet(file_, all);
  }

 private:
  std::filesystem::path file_;
  const RowSampler& sampler_;
  const LogTimes& times_;
  std::vector<std::int64_t> tick_, unix_;
  std::vector<double> time_;
  std::vector<ParquetColumn> columns_;
};

}  // namespace

TableReport export_tables(LogFile& log, const Parts& parts, const std::filesystem::path& folder,
                          const TableOptions& options) {
  TableReport report;
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  const LogTimes times(log);
  int number = 0;
  Stretch now;
  RowOptions rows;
  rows.rate = options.rate;
  rows.streams = options.streams;
  if (options.progress)
    rows.progress = [&](Nanoseconds at) {
      options.progress(number,
                       static_cast<double>(at / log.base_period() - now.first) /
                           static_cast<double>(std::max<std::int64_t>(1, now.last - now.first)));
    };
  RowSampler sampler(log, parts, rows);
  for (const Episode& episode : episodes_or_all(log)) {
    ++number;
    now = {episode.start, episode.end};
    if (const std::string lost = lost_of(log, episode); !lost.empty()) {
      report.remarks.push_back(fmt::format("episode {} is left out: {}", number, lost));
      continue;
    }
    const auto file = folder / fmt::format("episode_{:03d}.{}", number,
                                           options.kind == TableKind::kCsv ? "csv" : "parquet");
    std::unique_ptr<Table> table;
    sampler.rows(
        now,
        [&] {
          table.reset();
          if (options.kind == TableKind::kCsv)
            table = std::make_unique<CsvTable>(file, sampler, times);
          else
            table = std::make_unique<ParquetTable>(file, sampler, times);
        },
        [&](const Row& row, const RowState*) { table->row(row); });
    table->close();
    report.files.push_back(file);
  }
  if (!sampler.instead().empty())
    report.remarks.push_back(fmt::format("taken from the recorded streams at {:g} Hz ({})",
                                         sampler.most_hz(), sampler.instead()));
  return report;
}

}  // namespace handspan
