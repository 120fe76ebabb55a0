#pragma once
// An app that repeats what was imported: another app's scene, tasks and references, with a machine
// that does one episode after the other in place of its own machines, devices and sources.
#include <filesystem>
#include <string>
#include <vector>

#include "core/parts.hpp"

namespace handspan {

struct RepeatedApp {
  std::string yaml;
  std::vector<std::string> references, groups;  // that it moves
};

/// @param app whose robots do it @param log of import-data @param file where the YAML is to stand:
/// paths in it are meant from there
/// @throws InputError or ConfigError: the app cannot be loaded, or none of its pose references is
/// in the log
RepeatedApp repeat_app(const std::filesystem::path& app, const std::filesystem::path& log,
                       const std::filesystem::path& file, const Parts& parts);

/// First line of such a file, by which it is known again.
inline constexpr char kRepeatedAppHead[] = "# written by handspan import-data";

/// Runs it to its end, as fast as it goes, and records it. Prints the summary.
/// @return whether all episodes were repeated to their ends
bool run_repeated(const std::filesystem::path& file, const std::filesystem::path& record,
                  const Parts& parts);

}  // namespace handspan
