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

/// Prints the episodes of a log: how each went, what moves in it, its parts, whether it can be
/// learnt from and what is wrong with it. @param json gets what is printed
/// @return kHolds when all of them can be learnt from
/// @throws InputError when it cannot be read, or is not a log of a session
int check_episodes(const std::filesystem::path& path, nlohmann::ordered_json& json);

/// Prints what the log holds. @param repair where a repaired copy goes; empty: none
/// @param json gets what is printed
/// @return kHolds when it is whole or was repaired
/// @throws InputError when it cannot be read
int check_log(const std::filesystem::path& path, const std::filesystem::path& repair,
              nlohmann::ordered_json& json);

}  // namespace handspan
