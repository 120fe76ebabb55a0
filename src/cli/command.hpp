#pragma once
// What the subcommands share. Each adds itself to the command line in a file of its own.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/parts.hpp"
#include "core/time.hpp"

namespace handspan {

/// Exit codes.
inline constexpr int kHolds = 0, kDoesNotHold = 1, kBadInput = 2;

/// A subcommand's work with the parts of the program; its result is the program's exit code.
/// InputErrors become one line and kBadInput.
using Action = std::function<int(const Parts&)>;

void add_run(CLI::App& cli, Action& action);
void add_serve(CLI::App& cli, Action& action);
void add_view(CLI::App& cli, Action& action);
void add_replay(CLI::App& cli, Action& action);
/// @param parts whose formats or readers --help lists; outlives the command line
void add_export(CLI::App& cli, Action& action, const Parts& parts);
void add_import_data(CLI::App& cli, Action& action, const Parts& parts);
void add_check(CLI::App& cli, Action& action);
void add_new(CLI::App& cli, Action& action);
void add_import(CLI::App& cli, Action& action);
void add_export_urdf(CLI::App& cli, Action& action);
void add_devices(CLI::App& cli, Action& action);
void add_study(CLI::App& cli, Action& action);
void add_bench(CLI::App& cli, Action& action);

/// "20 s", "20s" or "20" [ns], above 0. @throws InputError naming the option
Nanoseconds read_duration(std::string text, const std::string& option);
/// The same of a time in a log or a run, which may be its beginning: 0 too.
Nanoseconds read_time(std::string text, const std::string& option);

/// --seed of a run: a whole number from 0 on; else an error that says so.
void add_seed(CLI::App& command, std::optional<std::uint64_t>& seed, const std::string& doc);

/// Writes JSON with a line end. @throws InputError when the file cannot be written
void write_json(const nlohmann::ordered_json& json, const std::filesystem::path& file);

}  // namespace handspan
