#include "cli/main.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <clocale>
#include <csignal>
#include <fstream>

#include "cli/command.hpp"
#include "cli/end_signals.hpp"
#include "core/config.hpp"
#include "core/error.hpp"
#include "core/files_read.hpp"
#include "core/overwritten.hpp"
#include "core/suggest.hpp"

namespace handspan {

namespace {

Nanoseconds read_seconds(std::string text, const std::string& option,
                         const Schema<double>& schema) {
  if (text.size() > 1 && text.back() == 's' &&
      std::isdigit(static_cast<unsigned char>(text[text.size() - 2])))
    text.insert(text.size() - 1, " ");
  try {
    return std::llround(1e9 * parse_yaml(text, option, schema));
  } catch (const ConfigError& error) {
    // the option's value is not a file with lines
    const Issue& issue = error.issues().front();
    throw InputError(
        fmt::format("{} {}{}{}", option, issue.cause, issue.hint.empty() ? "" : "; ", issue.hint));
  }
}

// CLI11 says only that a subcommand is required
void refuse_unknown(const CLI::App& cli, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> names;
  for (const CLI::App* command : cli.get_subcommands({})) names.push_back(command->get_name());
  if (std::ranges::count(names, argv[1]) == 0)
    throw InputError(fmt::format("there is no command '{}'; {}", shown(argv[1]),
                                 did_you_mean(argv[1], names, "there are")));
}

}  // namespace

Nanoseconds read_duration(std::string text, const std::string& option) {
  return read_seconds(std::move(text), option, number("s").above(0).max(1e6));
}

Nanoseconds read_time(std::string text, const std::string& option) {
  return read_seconds(std::move(text), option, number("s").min(0).max(1e6));
}

void add_seed(CLI::App& command, std::optional<std::uint64_t>& seed, const std::string& doc) {
  command
      .add_option_function<std::string>(
          "--seed",
          [&seed](const std::string& text) {
            std::uint64_t value = 0;
            const char* const end = text.data() + text.size();
            const auto [at, error] = std::from_chars(text.data(), end, value);
            if (error != std::errc{} || at != end)
              throw InputError(fmt::format(
                  "--seed is {}; it must be a whole number from 0 to 18446744073709551615",
                  shown(text)));
            seed = value;
          },
          doc)
      ->type_name("NUMBER");
}

void write_json(const nlohmann::ordered_json& json, const std::filesystem::path& file) {
  refuse_overwriting(file, "--json");
  refuse_foreign(file, "--json");
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path());
  std::ofstream out(file);
  // names of files and of a log's topics may be no UTF-8
  nlohmann::ordered_json whole = {{kWriterKey, HANDSPAN_VERSION}};  // by which it is known again
  whole.update(json);
  out << whole.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
  out.flush();
  if (!out)
    throw InputError(fmt::format(
        "{}: cannot be written; is the folder writable and the disk not full?", file.string()));
}

int main(int argc, char** argv, const Parts& parts) {
  // a file that may not grow is a disk that is full: told by who writes it
  std::signal(SIGXFSZ, SIG_IGN);
  CLI::App cli(
      "handspan: move robot arms by hand, at a distance, fast enough to make contact on purpose; "
      "record, replay, learn.\n"
      "Exit code 0: what was asked holds; 1: it was measured and does not; 2: bad input.",
      "handspan");
  cli.require_subcommand(1);
  cli.set_version_flag("--version", HANDSPAN_VERSION);
  Action action;
  add_serve(cli, action);
  add_view(cli, action);
  add_run(cli, action);
  add_replay(cli, action);
  add_export(cli, action, parts);
  add_check(cli, action);
  add_new(cli, action);
  add_import(cli, action);
  add_import_data(cli, action, parts);
  add_export_urdf(cli, action);
  add_devices(cli, action);
  add_study(cli, action);
  add_bench(cli, action);
  // what is read from here on is not written over
  const InputsRead inputs;
  const EndSignals signals;
  try {
    refuse_unknown(cli, argc, argv);
    cli.parse(argc, argv);
    return action(parts);
  } catch (const CLI::ParseError& e) {
    return cli.exit(e) == 0 ? kHolds : kBadInput;
  } catch (const InputError& e) {
    fmt::print(stderr, "{}\n", e.what());
    return kBadInput;
  } catch (const std::exception& e) {
    fmt::print(stderr, "handspan: {}\n", e.what());
    return kBadInput;
  }
}

}  // namespace handspan
