// handspan export LOG: a log for other programs.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "core/config.hpp"
#include "core/error.hpp"
#include "core/files_read.hpp"
#include "session/export.hpp"

namespace handspan {
namespace {

struct Options {
  std::filesystem::path log, out;
  std::string to;
  double rate = 20.0;
  bool discarded = false;
};

// tables that are there and are written over are none that was read, by whatever link
void refuse_tables(const std::filesystem::path& folder) {
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    if (entry.path().extension() == ".csv") refuse_overwriting(entry.path(), "--out");
}

int export_log(const Options& options) {
  const LogFile log(options.log);
  if (!log.damage().empty()) fmt::print("{}: {}\n", options.log.string(), log.damage());
  std::filesystem::path out = options.out;
  if (options.to == "csv") {
    if (out.empty()) out = std::filesystem::path("handspan-out") / options.log.stem();
    refuse_tables(out);
    fmt::print("{} files in {}\n", export_csv(log, out), out.string());
    return kHolds;
  }
  if (options.to == "hdf5") {
    if (out.empty())
      out = std::filesystem::path("handspan-out") / (options.log.stem().string() + ".hdf5");
    refuse_overwriting(out, "--out");
    const int demos = export_hdf5(log, out, {Rate::hz(options.rate), options.discarded});
    fmt::print("{} demonstration{} in {}\n", demos, demos == 1 ? "" : "s", out.string());
    return kHolds;
  }
  throw InputError(
      fmt::format("there is no format '{}'; there are csv and hdf5", shown(options.to)));
}

}  // namespace

void add_export(CLI::App& cli, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      cli.add_subcommand("export", "Write a log as CSV tables, or as HDF5 in robomimic's layout");
  command->add_option("LOG", options->log, "a log of run --record")->required();
  command->add_option("--to", options->to, "csv or hdf5")->required();
  command->add_option("--out", options->out, "folder (csv) or file (hdf5)")->type_name("OUT");
  command->add_option("--rate", options->rate, "hdf5: samples a second (default 20)");
  command->add_flag("--discarded", options->discarded, "hdf5: discarded episodes too");
  command->callback([options, &action] { action = [options] { return export_log(*options); }; });
}

}  // namespace handspan
