#pragma once
// Results that a study left in its folder, read again.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "study/results.hpp"

namespace handspan {

/// Of summary.json; another number when what is in a study's folder is to be read otherwise.
inline constexpr int kResultsFormat = 1;

struct StoredResults {
  std::filesystem::path folder;
  std::string study;                                           // "grab/random"
  std::string build;                                           // that did it
  std::vector<std::pair<std::string, std::string>> overrides;  // key, value: of --param
  Results results;  // its cells have those of stages among them
};

/// Reads DIR/summary.json and DIR/results.csv.
/// @param study that they must be of
/// @throws ConfigError with file, line and what to do: no result, one of another study or of
/// another format, one that is cut or has something else than numbers
StoredResults read_results(const std::filesystem::path& folder, const std::string& study);

}  // namespace handspan
