#pragma once
// A log of a session, opened: what it is of, its inputs, hashes, key frames, events and episodes;
// and the app that it was recorded with, from the files in it.
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "record/mcap_reader.hpp"
#include "session/session.hpp"

namespace handspan {

struct LoggedEvent {
  std::int64_t tick = 0;
  std::string kind, name, text;
};

struct Episode {
  std::int64_t start = 0, end = 0;  // ticks
  std::string task;                 // the words at its start
  std::string outcome;              // success, failure, discard, stop; "unfinished"
  std::string remark;               // the words at its end
  std::string operator_name;
  std::vector<LoggedEvent> authority;  // who had authority over what, from when on, in it
};

struct LoggedInput {
  std::int64_t tick = 0;
  Input input;
};

/// Ticks, both inclusive, of which inputs may be missing: the disk or a copy lost them. `last` is
/// INT64_MAX where nothing that follows can be read.
struct LostTicks {
  std::int64_t first = 0, last = 0;
  bool operator==(const LostTicks&) const = default;
};

/// Hashes of ticks that follow one another.
struct HashedTicks {
  std::int64_t first = 0;
  std::vector<TickHashes> rows;
};

class LogFile {
 public:
  /// @param how kBySummary: quickly, to list it; damage is then found by who reads further
  /// @throws InputError when it cannot be read or is not a log of a session
  explicit LogFile(const std::filesystem::path& file,
                   McapReader::Open how = McapReader::Open::kChecked);

  const std::filesystem::path& file() const { return file_; }
  const McapReader& reader() const { return reader_; }
  const std::map<std::string, std::string>& about() const { return about_; }
  /// A value of about(). @throws InputError naming the file when it is not there
  const std::string& about(const std::string& key) const;
  /// The file of others that it was imported from, which is then all that it is of: it has no app,
  /// no inputs and no hashes. None: it is of a session.
  std::optional<std::string> imported() const;
  /// @param purpose what only a session's log is good for: "be run again"
  /// @throws InputError of a log that was imported, with the way out
  void refuse_imported(const std::string& purpose) const;
  Nanoseconds base_period() const { return base_; }
  std::int64_t first_tick() const { return first_tick_; }
  /// Ticks up to which it tells everything: the last one with hashes, plus 1; of what was imported
  /// the last one with a message, plus 1.
  std::int64_t ticks() const;

  /// What was lost, rising; of a log that was opened kChecked. A run can be had again before the
  /// first, and from the first key frame after each.
  const std::vector<LostTicks>& lost() const { return lost_; }
  /// What is wrong with it and what is lost, a line each; "" when it is whole.
  std::string damage() const;
  /// The first key frame from which on nothing of `lost` matters; none: there is none.
  std::optional<std::int64_t> resumes(const LostTicks& lost) const;

  /// The app of the log, loaded from the files in it, with the log's seed. The files live in a
  /// folder that goes with this object. @throws ConfigError or InputError as load_app()
  App app(const Parts& parts);

  std::vector<LoggedInput> inputs() const;
  std::vector<LoggedEvent> events() const;
  std::vector<Episode> episodes() const;
  /// Of the ticks that have them, rising. @throws InputError when they are of other quantities
  std::vector<HashedTicks> hashes() const;
  /// Ticks that have a snapshot, rising.
  std::vector<std::int64_t> key_frames() const;
  /// The last snapshot at or before a tick. @throws InputError when there is none
  std::pair<std::int64_t, std::vector<std::byte>> key_frame(std::int64_t at_or_before) const;

  /// What of build, libraries and CPU is not as it was; "" when bits can be compared.
  std::string other_machine() const;

 private:
  class Folder;  // temporary

  void read_about();
  void find_lost();

  std::filesystem::path file_;
  McapReader reader_;
  std::map<std::string, std::string> about_;
  Nanoseconds base_ = 0;
  std::int64_t first_tick_ = 0;
  std::vector<LostTicks> lost_;
  std::shared_ptr<Folder> folder_;
};

/// Inputs at the first ticks at or after their stamps: of a recording of a device.
/// @param base the session's base period [ns]
std::vector<LoggedInput> at_their_stamps(std::vector<Input> inputs, Nanoseconds base);

/// Inputs of a log, given to a session at their ticks.
class LogFeed : public InputFeed {
 public:
  explicit LogFeed(std::vector<LoggedInput> inputs) : inputs_(std::move(inputs)) {}
  bool next(std::int64_t tick, Input& input) override;

 private:
  std::vector<LoggedInput> inputs_;  // by tick
  std::size_t at_ = 0;
  std::int64_t last_ = 0;
  bool finished_ = false;  // all of the last tick were given
};

}  // namespace handspan
