#include "data/table_exporters.hpp"

#include <fmt/format.h>

#include "core/files_read.hpp"
#include "core/values.hpp"
#include "data/csv_export.hpp"
#include "data/table_export.hpp"

namespace handspan {
namespace {

const Rate kTableRate{100, 1};

struct TableConfig {
  bool table = false;
  std::optional<Rate> rate;
  bool streams = false;
};

// files that are there and are written over are none that was read, by whatever link
void refuse_files(const std::filesystem::path& folder, const char* extension) {
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    if (entry.path().extension() == extension) refuse_overwriting(entry.path(), "--out");
}

class TableExporter : public Exporter {
 public:
  TableExporter(const TableConfig& config, TableKind kind) : config_(config), kind_(kind) {}

  ExportReport write(const ExportRequest& request) override {
    refuse_files(request.out, kind_ == TableKind::kCsv ? ".csv" : ".parquet");
    return config_.table ? tables(request) : streams(request);
  }

 private:
  static ExportReport streams(const ExportRequest& request) {
    ExportReport report;
    const LogFile log = open_for_export(request.logs.front(), report);
    const std::int64_t files = export_csv(log, request.out);
    report.summary = fmt::format("{} files in {}", files, request.out.string());
    report.facts = {{"files", files}, {"out", request.out.string()}};
    return report;
  }

  ExportReport tables(const ExportRequest& request) const {
    ExportReport report;
    LogFile log = open_for_export(request.logs.front(), report);
    TableOptions options;
    options.kind = kind_;
    options.rate = config_.rate.value_or(kTableRate);
    options.streams = config_.streams;
    if (request.progress)
      options.progress = [&](int episode, double share) {
        request.progress(fmt::format("episode {}", episode), share);
      };
    const TableReport made = export_tables(log, request.parts, request.out, options);
    report.remarks.insert(report.remarks.end(), made.remarks.begin(), made.remarks.end());
    report.summary =
        fmt::format("{} table{} at {:g} Hz in {}", made.files.size(),
                    made.files.size() == 1 ? "" : "s", options.rate.hz(), request.out.string());
    std::vector<std::string> files;
    for (const auto& file : made.files) files.push_back(file.string());
    if (!files.empty()) report.facts.emplace_back("files", files);
    report.facts.emplace_back("rate", options.rate.hz());
    return report;
  }

  TableConfig config_;
  TableKind kind_;
};

ObjectSchema<TableConfig> table_schema(const char* name, const Schema<bool>& table,
                                       const char* words) {
  return object<TableConfig>(name)
      .optional("table", &TableConfig::table, table, words)
      .optional("rate", &TableConfig::rate, rate(), "rows a second of a table; left out: 100")
      .optional("streams", &TableConfig::streams, boolean(),
                "take what was recorded instead of running the log again");
}

}  // namespace

void register_table_exporters(ExporterRegistry& exporters) {
  exporters.add(
      "csv",
      table_schema("Csv", boolean(), "one table an episode with all channels, not a file a channel")
          .check(
              [](const TableConfig& config) -> std::optional<Fault> {
                if (config.table || (!config.rate && !config.streams)) return std::nullopt;
                return Fault{
                    "goes with tables of all channels; a file a channel has what was "
                    "recorded at its own times",
                    "add --table", config.rate ? "rate" : "streams"};
              },
              "rate and streams with table"),
      "a file a channel, at the times at which it was recorded; with table, one an episode",
      [](const TableConfig& config) {
        return std::make_unique<TableExporter>(config, TableKind::kCsv);
      });
  const auto always = boolean().check([](const bool& table) -> std::optional<Fault> {
    if (table) return std::nullopt;
    return Fault{"is false", "it is one table an episode; csv has a file a channel"};
  });
  exporters.add("parquet", table_schema("Parquet", always, "one table an episode: it is, always"),
                "one table an episode with all channels on one time base", [](TableConfig config) {
                  config.table = true;
                  return std::make_unique<TableExporter>(config, TableKind::kParquet);
                });
}

}  // namespace handspan
