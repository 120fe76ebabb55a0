#pragma once
// The operator station from the command line: what `serve` and `view` share.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/param_option.hpp"
#include "core/parts.hpp"
#include "station/station.hpp"

namespace handspan {

struct ServeOptions {
  std::filesystem::path app, json, token_file;
  std::filesystem::path records = StationOptions().records;
  int port = StationOptions().port;
  double rate = kDefaultRate, pace = 1.0;
  std::string duration;
  std::optional<std::uint64_t> seed;
  std::vector<ParameterOverride> parameters;
  bool record = false, once = false, no_page_open = false, lan = false;
};

/// Adds where the page is, who may reach it and how long: --port, --lan, --no-page-open, --for,
/// --token-file, --view-rate.
void add_page_options(CLI::App& command, ServeOptions& options);

/// Serves until it is ended. @param parts of the app and of recordings @return the exit code
int serve(const ServeOptions& options, const Parts& parts);

}  // namespace handspan
