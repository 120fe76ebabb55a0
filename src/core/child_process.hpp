#pragma once
// Other programs, run to their end.
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace handspan {

struct ChildOutcome {
  int code = -1;        // of its exit; -1: it was ended by a signal, or for its time
  bool in_time = true;  // false: it took longer than it was given, and was ended
  std::string said;     // on standard output and error, the last 4 kB
};

/// Runs a program until it ends. It has no input, and is given no more time than `longest`.
/// @param words the program, by its path or by a name that is searched for in $PATH, and its
/// arguments
/// @throws InputError when it cannot be started
ChildOutcome run_child(const std::vector<std::string>& words, std::chrono::seconds longest);

/// Where $PATH has a program of that name; none when it has not.
std::optional<std::filesystem::path> program_in_path(const std::string& name);

}  // namespace handspan
