#pragma once
// Logs that runs of a study use, such as a demonstration that they repeat: each is recorded before
// them by one run of an app.
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "core/private_folder.hpp"
#include "study/study.hpp"

namespace handspan {

class StudyLogs {
 public:
  /// Records every log of the study that is not there already, made of the same by the same build,
  /// and gives the keys that use them its path. Several processes may do so at once.
  /// @param parts what the apps of the logs are made of; may go afterwards
  /// @param folder where they are kept; empty: a temporary one that goes with this
  /// @param progress with a log's name and the simulated time [ns], about four times a second
  /// @throws ConfigError with a log's or key's place: an app that cannot be run, one that does not
  /// come to an end, a key that leads nowhere, a log that there is not
  StudyLogs(StudyConfig& study, const Parts& parts, const std::filesystem::path& folder,
            const std::function<void(const std::string&, Nanoseconds)>& progress);
  StudyLogs(const StudyLogs&) = delete;
  StudyLogs& operator=(const StudyLogs&) = delete;

  /// All that the logs are a function of besides the study's file, for telling whether runs that
  /// are there are of the same study.
  const std::string& sources() const { return sources_; }

 private:
  std::optional<PrivateFolder> temporary_;
  std::string sources_;
};

}  // namespace handspan
