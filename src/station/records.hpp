#pragma once
// The folder of recordings: what is in it, names for new ones. A name is that of a file in it and
// nothing else.
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "log/log_file.hpp"

namespace handspan {

struct RecordInfo {
  std::string name;  // lift-20250301-120000.mcap
  std::uint64_t bytes = 0;
  double seconds = 0.0;
  Nanoseconds base_period = 0;
  std::vector<Episode> episodes;
  std::string thumbnail;  // file name; empty: none
  std::string damage;     // why it cannot be read; empty: it can
  std::string imported;   // the file of others that it was imported from: nothing runs again
};

class Records {
 public:
  explicit Records(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const std::filesystem::path& folder() const { return folder_; }
  /// The file of a name. None when it is not a name of a file in the folder that is there
  std::optional<std::filesystem::path> find(std::string_view name) const;
  /// A file that is not there yet, named after the wish and the time; makes the folder.
  /// @throws InputError when it cannot be made
  std::filesystem::path new_file(const std::string& wish) const;
  std::filesystem::path thumbnail(std::string_view name) const;
  /// Newest first, without `recorded`, which is being written. What was read before and did not
  /// change is not read again
  std::vector<RecordInfo> list(const std::string& recorded);
  /// With its thumbnail. @throws InputError when there is none of that name
  void remove(const std::string& name);

 private:
  struct Known {
    std::uint64_t bytes = 0;
    std::filesystem::file_time_type time;
    RecordInfo info;
  };
  std::filesystem::path folder_;
  std::map<std::string, Known> known_;
};

/// UTF-8 of at most 200 bytes that is a name in one folder: without slashes, quotation marks and
/// control characters, and hidden by no '.' at its start.
bool is_file_name(std::string_view name);

}  // namespace handspan
