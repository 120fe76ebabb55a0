#pragma once
// Logs for other programs: tables in CSV at the streams' own rates, and episodes resampled to one
// rate in HDF5 as robomimic lays them out.
#include <filesystem>
#include <string>
#include <vector>

#include "session/log_file.hpp"

namespace handspan {

/// One channel's values as recorded.
struct Series {
  std::string name;                  // the channel's: "left.arm.q"
  std::vector<std::string> columns;  // "left.joint1"; poses: "x [m]" ... "qw"
  std::string unit;
  std::vector<std::int64_t> ticks;  // rising
  std::vector<Nanoseconds> stamps;  // of the source [ns]
  std::vector<double> values;       // row by row
  std::vector<std::string> words;   // of choices, a row each; else none
};

/// All channels of a log, in the order of its topics. @throws InputError when a message is damaged
std::vector<Series> series_of(const LogFile& log);

/// A file NAME.csv for each channel with tick, time, stamp and values (17 digits), and events.csv,
/// inputs.csv, episodes.csv. The folder is made. @return how many files
/// @throws InputError when a file cannot be written
int export_csv(const LogFile& log, const std::filesystem::path& folder);

struct Hdf5Options {
  Rate rate = {20, 1};
  bool discarded = false;  // episodes that were discarded too
};

/// /data/demo_N for each episode (the whole log when it has none): obs/CHANNEL, actions (commands
/// of the groups), states (their q and v), rewards, dones, time: at each sample the latest value at
/// or before it. @return how many demos
/// @throws InputError when the rate is above the recorded one, there is nothing to export, or the
/// file cannot be written
int export_hdf5(const LogFile& log, const std::filesystem::path& file, const Hdf5Options& options);

}  // namespace handspan
