#pragma once
// Files of others as logs: episodes of channels, which replay_reference repeats, `check` lists and
// Foxglove shows. Such a log has no app and cannot be run again (log/log_file.hpp, imported()).
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/channel.hpp"
#include "data/data_reader.hpp"

namespace handspan {

/// A channel in an episode: rows of `info.size` numbers, in SI and in the world.
struct ImportedSeries {
  std::vector<Nanoseconds> times;  // since the episode's first row [ns]
  std::vector<double> values;      // row by row
};

struct ImportedEpisode {
  DataEpisode about;                   // its task and outcome as the log has them
  std::size_t rows = 0;                // of the file
  std::vector<ImportedSeries> series;  // by channel
};

/// What the plan makes of a file, episode by episode.
class DataImport {
 public:
  /// @param reader,plan outlive it
  /// @throws InputError or ConfigError: there are no episodes, those that are asked for are not
  /// there, or nothing says when rows were
  DataImport(DataReader& reader, const ImportPlan& plan);

  /// Of the file, counted from 0.
  const std::vector<std::size_t>& episodes() const { return episodes_; }
  /// What an episode becomes. @throws ConfigError at the plan's place for columns that are not
  /// there or of another width, InputError for series of unequal length, too few rows, numbers that
  /// are not finite, rotations that are none, and times that do not rise
  ImportedEpisode episode(std::size_t index);
  /// Of the episodes so far, in the order of the plan.
  const std::vector<ChannelInfo>& channels() const { return channels_; }

 private:
  struct Maker;

  DataReader& reader_;
  const ImportPlan& plan_;
  std::vector<std::size_t> episodes_;
  std::vector<ChannelInfo> channels_;
};

struct ImportReport {
  std::size_t episodes = 0, rows = 0;
  double seconds = 0.0;  // of all episodes
  std::vector<ChannelInfo> channels;
};

/// Writes the log. What is not complete never stands under the file's name.
/// @param kind the reader's name, for who reads the log
/// @param progress how much of it is done (0 to 1); may be empty
/// @throws as DataImport, and InputError when the log cannot be written
ImportReport import_data(DataReader& reader, const ImportPlan& plan, const std::string& kind,
                         const std::filesystem::path& out,
                         const std::function<void(double share)>& progress = {});

}  // namespace handspan
