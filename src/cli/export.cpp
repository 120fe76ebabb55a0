// handspan export LOG...: logs for other programs.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "cli/command.hpp"
#include "core/config.hpp"
#include "core/error.hpp"
#include "core/files_read.hpp"
#include "core/overwritten.hpp"
#include "core/suggest.hpp"
#include "data/exporter.hpp"

namespace handspan {
namespace {

// A key of the format's schema, and how it was asked for: {"rate", "20", "--rate"}.
struct ExportKey {
  std::string key, yaml, option;
};

struct ExportFlags {
  std::vector<std::filesystem::path> logs;
  std::filesystem::path out, json;
  std::string to;
  std::optional<std::string> actions, task;
  std::optional<double> rate, validation;
  std::vector<std::string> outcomes, tasks;  // "3=failure"
  bool discarded = false, table = false, append = false, no_states = false, streams = false;
  std::vector<std::string> set;  // "rate=20"
};

// a line on a terminal that says how far it is
class Progress {
 public:
  ~Progress() {
    if (shown_) fmt::print(stderr, "\r{:60}\r", "");
  }
  void operator()(const std::string& what, double share) {
    if (isatty(STDERR_FILENO) == 0) return;
    const int percent = static_cast<int>(100.0 * std::clamp(share, 0.0, 1.0));
    if (percent == percent_ && what == what_) return;
    percent_ = percent;
    what_ = what;
    fmt::print(stderr, "\r{:60.60}", fmt::format("{}: {} %", what, percent));
    std::fflush(stderr);
    shown_ = true;
  }

 private:
  int percent_ = -1;
  bool shown_ = false;
  std::string what_;
};

std::filesystem::path in_output(const std::string& name) {
  return std::filesystem::path("handspan-out") / name;
}

// a text as YAML has it, whatever is in it
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string quoted(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + quoted(text);
  return "[" + all + "]";
}

// an empty text is none: a format has its own default
std::vector<ExportKey> keys_of(const ExportFlags& flags) {
  std::vector<ExportKey> keys;
  const auto flag = [&](bool given, const char* key, const char* yaml, const char* option) {
    if (given) keys.push_back({key, yaml, option});
  };
  const auto text = [&](const std::optional<std::string>& given, const char* key,
                        const char* option) {
    if (given && !given->empty()) keys.push_back({key, quoted(*given), option});
  };
  const auto number = [&](const std::optional<double>& given, const char* key, const char* option) {
    if (given) keys.push_back({key, fmt::format("{}", *given), option});
  };
  const auto texts = [&](const std::vector<std::string>& given, const char* key,
                         const char* option) {
    if (!given.empty()) keys.push_back({key, quoted(given), option});
  };
  flag(flags.table, "table", "true", "--table");
  number(flags.rate, "rate", "--rate");
  text(flags.actions, "actions", "--actions");
  flag(flags.append, "append", "true", "--append");
  texts(flags.outcomes, "outcome", "--outcome");
  text(flags.task, "task", "--task");
  texts(flags.tasks, "task_of", "--task-of");
  number(flags.validation, "validation", "--validation");
  flag(flags.no_states, "states", "false", "--no-states");
  flag(flags.streams, "streams", "true", "--streams");
  flag(flags.discarded, "discarded", "true", "--discarded");
  for (const std::string& set : flags.set) {
    const std::size_t equals = set.find('=');
    const std::string key = set.substr(0, equals);
    const bool one_line =
        std::ranges::none_of(set, [](unsigned char c) { return std::iscntrl(c) != 0; });
    if (equals == std::string::npos || !schema_detail::is_identifier(key) || !one_line)
      throw InputError(
          fmt::format("--set {} is not KEY=VALUE; write it as --set rate=20", shown(set)));
    keys.push_back({key, set.substr(equals + 1), "--set " + shown(set)});
  }
  return keys;
}

bool has_key(const ExporterRegistry& exporters, const std::string& format, const std::string& key) {
  const auto& fields = exporters.schema_of(format).description().fields;
  return std::ranges::find(fields, key, &Description::Field::key) != fields.end();
}

// The format with its keys, which stand a line each, so that what is wrong is said of the option.
std::unique_ptr<Exporter> exporter_of(const ExportFlags& flags, const ExporterRegistry& exporters) {
  const std::vector<ExportKey> keys = keys_of(flags);
  std::string yaml;
  for (const ExportKey& each : keys) {
    yaml += each.key + ": " + each.yaml + "\n";
    if (has_key(exporters, flags.to, each.key)) continue;
    std::vector<std::string> formats;
    for (const auto& format : exporters.names())
      if (has_key(exporters, format, each.key)) formats.push_back(format);
    throw InputError(fmt::format("{} does not go with --to {}; {}", each.option, flags.to,
                                 formats.empty() ? "no format has such a key: see export --help"
                                                 : "it goes with " + joined(formats)));
  }
  try {
    return parse_yaml(yaml.empty() ? "{}" : yaml, "--to", exporters.schema_of(flags.to)).make();
  } catch (const ConfigError& error) {
    // the options are not a file with lines
    const Issue& issue = error.issues().front();
    const auto line = static_cast<std::size_t>(issue.place.line);
    const bool of_option = line >= 1 && line <= keys.size() && issue.key != "the file";
    throw InputError(fmt::format(
        "{}: {}{}{}{}{}", of_option ? keys[line - 1].option : "--to " + flags.to, issue.key,
        issue.key.empty() ? "" : " ", issue.cause, issue.hint.empty() ? "" : "; ", issue.hint));
  }
}

nlohmann::ordered_json json_of(const ExportReport& report, const std::string& to) {
  nlohmann::ordered_json json;
  json["to"] = to;
  for (const auto& [key, fact] : report.facts)
    std::visit([&json, &name = key](const auto& value) { json[name] = value; }, fact);
  json["remarks"] = report.remarks;
  return json;
}

int export_logs(const ExportFlags& flags, const Parts& parts) {
  const auto& exporters = parts.of<ExporterRegistry>();
  if (!exporters.contains(flags.to))
    throw InputError(fmt::format("--to: there is no format '{}'; {}", shown(flags.to),
                                 did_you_mean(flags.to, exporters.names(), "there are")));
  const std::unique_ptr<Exporter> exporter = exporter_of(flags, exporters);
  if (flags.logs.size() > 1 && !exporter->takes_several())
    throw InputError(
        fmt::format("export --to {} takes one log, and {} were given; export them one by one",
                    flags.to, flags.logs.size()));
  const auto out = flags.out.empty()
                       ? in_output(exporter->default_output(flags.logs.front().stem().string()))
                       : flags.out;
  for (const auto& file : flags.logs) InputsRead::note(file);
  refuse_overwriting(out, "--out");
  refuse_foreign(out, "--out");
  ExportReport report;
  {
    Progress progress;
    report = exporter->write({flags.logs, out, parts, [&](const std::string& what, double share) {
                                progress(what, share);
                              }});
  }
  for (const auto& remark : report.remarks) fmt::print("{}\n", remark);
  fmt::print("{}\n", report.summary);
  if (!flags.json.empty()) {
    refuse_overwriting(flags.json, "--json");
    write_json(json_of(report, flags.to), flags.json);
  }
  return kHolds;
}

// What --help says of the formats that this program has.
std::string formats_text(const Parts& parts) {
  try {
    const auto& exporters = parts.of<ExporterRegistry>();
    std::string all = "Formats:\n";
    for (const auto& name : exporters.names()) {
      std::vector<std::string> keys;
      for (const auto& field : exporters.schema_of(name).description().fields)
        keys.push_back(field.key);
      all += fmt::format("  {:<10}{}\n", name, exporters.doc(name));
      if (!keys.empty()) all += fmt::format("            keys: {}\n", joined(keys));
    }
    return all;
  } catch (const std::logic_error&) {
    return "Formats: none was registered in this program";
  }
}

}  // namespace

void add_export(CLI::App& cli, Action& action, const Parts& parts) {
  auto options = std::make_shared<ExportFlags>();
  CLI::App* command = cli.add_subcommand(
      "export", "Write logs as tables (CSV, Parquet), or as a data set for robomimic or LeRobot");
  command->footer([&parts] { return formats_text(parts); });
  command->add_option("LOG", options->logs, "logs of run --record")->required();
  command->add_option("--to", options->to, "a format of those below")->required();
  command->add_option("--out", options->out, "file (hdf5) or folder")->type_name("OUT");
  command->add_option("--rate", options->rate,
                      "samples a second: of data sets (default 20) and tables (default 100)");
  command->add_flag("--table", options->table,
                    "csv: one table an episode with all channels, not a file a channel");
  command->add_option("--actions", options->actions,
                      "data sets: poses absolute (default), or relative to the measured tool");
  command->add_flag("--append", options->append, "hdf5: add to the data set that is there");
  command
      ->add_option("--outcome", options->outcomes,
                   "data sets: 3=failure corrects the third episode's outcome in what is written")
      ->type_name("N=WORD")
      ->take_all();
  command->add_option("--task", options->task, "data sets: words of all episodes' task");
  command->add_option("--task-of", options->tasks, "data sets: 3=WORDS corrects the third one's")
      ->type_name("N=WORDS")
      ->take_all();
  command->add_option("--validation", options->validation,
                      "hdf5: share of demonstrations in mask/valid (default 0.1)");
  command->add_flag("--no-states", options->no_states, "hdf5: without snapshots of plant and loop");
  command->add_flag("--streams", options->streams,
                    "take what was recorded instead of running the log again");
  command->add_flag("--discarded", options->discarded, "data sets: discarded episodes too");
  command
      ->add_option("--set", options->set,
                   "any key of the format: what options above have none for, too")
      ->type_name("KEY=VALUE")
      ->take_all();
  command->add_option("--json", options->json, "write what was exported to FILE")
      ->type_name("FILE");
  command->add_flag_callback("--force", allow_overwriting, kForceDoc);
  command->callback([options, &action] {
    action = [options](const Parts& all) { return export_logs(*options, all); };
  });
}

}  // namespace handspan
