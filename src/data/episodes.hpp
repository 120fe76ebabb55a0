#pragma once
// Which parts of a log are exported.
#include <string>
#include <vector>

#include "log/log_file.hpp"

namespace handspan {

/// The log's episodes; without any, one of the whole log that is "unmarked".
std::vector<Episode> episodes_or_all(const LogFile& log);

/// What of an episode the log lost: "the log lost 1.000 to 2.000 s"; "": nothing.
std::string lost_of(const LogFile& log, const Episode& episode);

}  // namespace handspan
