#pragma once
// The wrench that a channel of a log had, as something to be asked for again.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "teleop/source.hpp"

namespace handspan {

struct LoggedWrenchConfig {
  std::filesystem::path log;
  std::string channel;       // "reference.push.wrench"
  double from = 0.0;         // of the log [s]
  std::optional<double> to;  // [s]
  double speed = 1.0;        // times as fast
};

/// Asks for the wrenches at their times from its start on, straight lines between them, to their
/// end. @throws InputError: the log cannot be read, has no wrenches there, or fewer than two
std::unique_ptr<Source> logged_wrench(const LoggedWrenchConfig& config);

}  // namespace handspan
