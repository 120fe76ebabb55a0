#pragma once
// The wrench that a channel of a log had, as something to be asked for again.
#include <filesystem>
#include <memory>
#include <string>

#include "log/log_series.hpp"
#include "reference/source.hpp"

namespace handspan {

struct LoggedWrenchConfig {
  std::filesystem::path log;
  std::string channel;  // "reference.push.wrench"
  LogSpan span;
  double speed = 1.0;  // times as fast
};

/// Asks for the wrenches at their times from its start on, straight lines between them, to their
/// end. @throws InputError as read_series()
std::unique_ptr<Source> logged_wrench(const LoggedWrenchConfig& config);

}  // namespace handspan
