#pragma once
// A log's streams as CSV tables, a file each, at the times at which they were recorded.
#include <filesystem>

#include "log/log_file.hpp"

namespace handspan {

/// A file NAME.csv for each channel with tick, time, stamp, the world's time and values (17
/// digits), and events.csv, inputs.csv, episodes.csv; times in seconds since the run's beginning.
/// The folder is made. @return how many files
/// @throws InputError when a file cannot be written
int export_csv(const LogFile& log, const std::filesystem::path& folder);

}  // namespace handspan
