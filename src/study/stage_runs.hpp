#pragma once
// The runs that stages asked for, kept beside the results: what a run of the study itself is told
// by its number, so that any single one can be done again.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "study/stage.hpp"

namespace handspan {

struct StageRun {
  int number = 0;
  std::string stage;
  RunRequest request;
};

/// @param fingerprint of the study. @throws InputError when the file cannot be written
void write_stage_runs(const std::filesystem::path& file, const std::string& fingerprint,
                      const std::vector<StageRun>& runs);

/// The run of that number; none: it is not there, nor is the file.
/// @throws InputError when the file is of another study, or damaged
std::optional<StageRun> read_stage_run(const std::filesystem::path& file,
                                       const std::string& fingerprint, int number);

}  // namespace handspan
