#pragma once
// A log's channels as one table an episode, on one time base.
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "log/log_file.hpp"

namespace handspan {

enum class TableKind { kCsv, kParquet };

struct TableOptions {
  TableKind kind = TableKind::kCsv;
  Rate rate = {100, 1};
  bool streams = false;  // as in RowOptions
  std::function<void(int episode, double share)> progress = {};
};

struct TableReport {
  std::vector<std::filesystem::path> files;
  std::vector<std::string> remarks;  // what was left out and why
};

/// FOLDER/episode_001.csv or .parquet for each episode (the whole log when it has none): tick,
/// time, the world's time, and every channel as it was at that instant; what does not change holds
/// its last value. Choices are words. @throws InputError when a file cannot be written or the rate
/// is above what there is, ConfigError or InputError as RowSampler
/// @param parts what the app in the log is made of
TableReport export_tables(LogFile& log, const Parts& parts, const std::filesystem::path& folder,
                          const TableOptions& options);

}  // namespace handspan
