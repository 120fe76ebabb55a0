#pragma once
// The part of `handspan check` that is about logs.
#include <filesystem>

#include "cli/command.hpp"

namespace handspan {

/// Whether a file is meant as a log, by its name.
bool is_log(const std::filesystem::path& path);

/// That a log which is to be written would be known as one. @throws InputError naming a file that
/// is
void refuse_other_logs(const std::filesystem::path& record);

/// Prints what the log holds. @param repair where a repaired copy goes; empty: none
/// @param json gets what is printed
/// @return kHolds when it is whole or was repaired
/// @throws InputError when it cannot be read
int check_log(const std::filesystem::path& path, const std::filesystem::path& repair,
              nlohmann::ordered_json& json);

}  // namespace handspan
