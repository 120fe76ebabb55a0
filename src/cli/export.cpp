// handspan export LOG...: logs for other programs.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>

#include "cli/command.hpp"
#include "core/config.hpp"
#include "core/error.hpp"
#include "core/files_read.hpp"
#include "core/overwritten.hpp"
#include "data/csv_export.hpp"
#include "data/dataset.hpp"
#include "data/table_export.hpp"

namespace handspan {
namespace {

struct ExportFlags {
  std::vector<std::filesystem::path> logs;
  std::filesystem::path out, json;
  std::string to, actions = "absolute", task;
  std::optional<double> rate;
  double validation = 0.1;
  std::vector<std::string> outcomes, tasks;  // "3=failure"
  bool discarded = false, table = false, append = false, no_states = false, streams = false;
};

struct Report {
  std::string summary;
  nlohmann::ordered_json json;
  std::vector<std::string> remarks;
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

// files that are there and are written over are none that was read, by whatever link
void refuse_files(const std::filesystem::path& folder, const char* extension) {
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    if (entry.path().extension() == extension) refuse_overwriting(entry.path(), "--out");
}

std::filesystem::path in_output(const std::string& name) {
  return std::filesystem::path("handspan-out") / name;
}

// "3=failure" for several episodes
std::map<int, std::string> corrections(const std::vector<std::string>& texts, const char* option) {
  std::map<int, std::string> all;
  for (const std::string& text : texts) {
    const std::size_t equal = text.find('=');
    int number = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + std::min(equal, text.size()), number);
    if (equal == std::string::npos || error != std::errc() || end != text.data() + equal ||
        number < 1)
      throw InputError(fmt::format("{} '{}' names no episode; write {} 3=WORDS, counted from 1",
                                   option, shown(text), option));
    all[number] = text.substr(equal + 1);
  }
  return all;
}

void check_corrections(const ExportFlags& options, const std::map<int, std::string>& outcomes,
                       int episodes) {
  for (const auto& [number, outcome] : outcomes)
    if (outcome != "success" && outcome != "failure" && outcome != "discard" && outcome != "stop")
      throw InputError(
          fmt::format("--outcome {}={}: an outcome is success, failure, discard or stop", number,
                      shown(outcome)));
  if (episodes < 0) return;
  for (const char* option : {"--outcome", "--task-of"})
    for (const auto& [number, text] : corrections(
             std::string_view(option) == "--outcome" ? options.outcomes : options.tasks, option))
      if (number > episodes)
        throw InputError(fmt::format("{} {}={}: there {} {} episode{}", option, number, shown(text),
                                     episodes == 1 ? "is" : "are", episodes,
                                     episodes == 1 ? "" : "s"));
}

Rate rate_of(const ExportFlags& options, double otherwise) {
  try {
    return Rate::hz(options.rate.value_or(otherwise));
  } catch (const InputError& error) {
    throw InputError(fmt::format("--rate: {}", error.what()));
  }
}

LogFile open_log(const std::filesystem::path& file, Report& report) {
  LogFile log(file);
  if (!log.damage().empty())
    report.remarks.push_back(fmt::format("{}: {}", file.string(), log.damage()));
  return log;
}

const std::filesystem::path& the_log(const ExportFlags& options) {
  if (options.logs.size() == 1) return options.logs.front();
  throw InputError(fmt::format(
      "export --to {} takes one log, and {} were given; only hdf5 and lerobot make one data set of "
      "several",
      options.to, options.logs.size()));
}

void export_streams(const ExportFlags& options, Report& report) {
  const LogFile log = open_log(the_log(options), report);
  const auto out = options.out.empty() ? in_output(log.file().stem().string()) : options.out;
  refuse_files(out, ".csv");
  const int files = export_csv(log, out);
  report.summary = fmt::format("{} files in {}", files, out.string());
  report.json["files"] = files;
  report.json["out"] = out.string();
}

void export_tables_of(const ExportFlags& options, const Parts& parts, Report& report) {
  LogFile log = open_log(the_log(options), report);
  const auto out = options.out.empty() ? in_output(log.file().stem().string()) : options.out;
  TableOptions tables;
  tables.kind = options.to == "csv" ? TableKind::kCsv : TableKind::kParquet;
  tables.rate = rate_of(options, 100.0);
  tables.streams = options.streams;
  Progress progress;
  tables.progress = [&](int episode, double share) {
    progress(fmt::format("episode {}", episode), share);
  };
  refuse_files(out, tables.kind == TableKind::kCsv ? ".csv" : ".parquet");
  const TableReport made = export_tables(log, parts, out, tables);
  report.remarks.insert(report.remarks.end(), made.remarks.begin(), made.remarks.end());
  report.summary = fmt::format("{} table{} at {:g} Hz in {}", made.files.size(),
                               made.files.size() == 1 ? "" : "s", tables.rate.hz(), out.string());
  for (const auto& file : made.files) report.json["files"].push_back(file.string());
  report.json["rate"] = tables.rate.hz();
}

void export_dataset(const ExportFlags& options, const Parts& parts, Report& report) {
  const bool hdf5 = options.to == "hdf5";
  auto out = options.out;
  if (out.empty())
    out = in_output(options.logs.front().stem().string() + (hdf5 ? ".hdf5" : "-lerobot"));
  DatasetOptions set;
  set.rate = rate_of(options, 20.0);
  set.append = options.append;
  set.validation = options.validation;
  DemonstrationOptions with;
  with.rate = set.rate;
  with.discarded = options.discarded;
  with.states = hdf5 && !options.no_states;
  with.streams = options.streams;
  with.outcomes = corrections(options.outcomes, "--outcome");
  with.tasks = corrections(options.tasks, "--task-of");
  with.task = options.task;
  check_corrections(options, with.outcomes, -1);
  if (options.actions == "relative")
    set.frame = with.frame = ActionFrame::kRelative;
  else if (options.actions != "absolute")
    throw InputError(
        fmt::format("--actions {}: it is absolute or relative", shown(options.actions)));
  if (!(options.validation >= 0.0 && options.validation <= 0.5))
    throw InputError(fmt::format("--validation {:g}: it is a share, 0 to 0.5", options.validation));
  Progress progress;
  with.progress = [&](const std::string& log, int episode, double share) {
    progress(fmt::format("{}, episode {}", log, episode), share);
  };
  for (const auto& file : options.logs) InputsRead::note(file);
  refuse_overwriting(out, "--out");
  if (!set.append) refuse_foreign(out, "--out");
  const auto writer = hdf5 ? hdf5_dataset(out, set) : lerobot_dataset(out, set);
  Demonstrations demonstrations(parts, with);
  int count = 0;
  std::size_t rows = 0;
  for (const auto& file : options.logs) {
    LogFile log = open_log(file, report);
    demonstrations.add(log, [&](Demonstration&& demo) {
      ++count;
      rows += demo.rows;
      writer->add(std::move(demo), demonstrations.layout());
    });
  }
  check_corrections(options, with.outcomes, demonstrations.episodes());
  const auto& remarks = demonstrations.remarks();
  report.remarks.insert(report.remarks.end(), remarks.begin(), remarks.end());
  if (count == 0) {
    std::string why;
    for (const auto& remark : report.remarks) why += (why.empty() ? "" : "; ") + remark;
    throw InputError(fmt::format("nothing is left to export: {}", why));
  }
  writer->close();
  report.summary = fmt::format("{} demonstration{}, {} rows at {:g} Hz, in {}", count,
                               count == 1 ? "" : "s", rows, set.rate.hz(), out.string());
  report.json["demonstrations"] = count;
  report.json["rows"] = rows;
  report.json["rate"] = set.rate.hz();
  report.json["actions"] = demonstrations.layout().action_columns;
  report.json["out"] = out.string();
}

// an option that a format does not know would be taken for granted
void check_options(const ExportFlags& options) {
  const bool set = options.to == "hdf5" || options.to == "lerobot";
  const bool table = options.to == "parquet" || (options.to == "csv" && options.table);
  const std::string to = options.to + (options.table ? " --table" : "");
  const auto needs = [&](bool given, bool fits, const char* option, const char* formats) {
    if (given && !fits)
      throw InputError(
          fmt::format("{} does not go with --to {}; it goes with {}", option, to, formats));
  };
  needs(options.table, options.to != "hdf5" && options.to != "lerobot", "--table", "csv");
  needs(options.rate.has_value(), set || table, "--rate",
        "hdf5, lerobot, parquet, and csv with --table");
  needs(options.streams, set || table, "--streams", "hdf5, lerobot, parquet, and csv with --table");
  needs(options.append, options.to == "hdf5", "--append", "hdf5");
  needs(options.no_states, options.to == "hdf5", "--no-states", "hdf5");
  needs(options.discarded, set, "--discarded", "hdf5 and lerobot");
  needs(!options.outcomes.empty(), set, "--outcome", "hdf5 and lerobot");
  needs(!options.task.empty(), set, "--task", "hdf5 and lerobot");
  needs(!options.tasks.empty(), set, "--task-of", "hdf5 and lerobot");
  needs(options.actions != "absolute", set, "--actions", "hdf5 and lerobot");
}

int export_logs(const ExportFlags& options, const Parts& parts) {
  constexpr const char* kFormats[] = {"csv", "parquet", "hdf5", "lerobot"};
  if (std::ranges::find(kFormats, options.to) == std::end(kFormats))
    throw InputError(
        fmt::format("--to: there is no format '{}'; there are csv, parquet, hdf5 and lerobot",
                    shown(options.to)));
  check_options(options);
  Report report;
  report.json["to"] = options.to;
  if (options.to == "csv" && !options.table)
    export_streams(options, report);
  else if (options.to == "csv" || options.to == "parquet")
    export_tables_of(options, parts, report);
  else
    export_dataset(options, parts, report);
  for (const auto& remark : report.remarks) fmt::print("{}\n", remark);
  fmt::print("{}\n", report.summary);
  report.json["remarks"] = report.remarks;
  if (!options.json.empty()) {
    refuse_overwriting(options.json, "--json");
    write_json(report.json, options.json);
  }
  return kHolds;
}

}  // namespace

void add_export(CLI::App& cli, Action& action) {
  auto options = std::make_shared<ExportFlags>();
  CLI::App* command = cli.add_subcommand(
      "export", "Write logs as tables (CSV, Parquet), or as a data set for robomimic or LeRobot");
  command->add_option("LOG", options->logs, "logs of run --record")->required();
  command->add_option("--to", options->to, "csv, parquet, hdf5 (robomimic) or lerobot")->required();
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
  command->add_option("--json", options->json, "write what was exported to FILE")
      ->type_name("FILE");
  command->add_flag_callback("--force", allow_overwriting, kForceDoc);
  command->callback([options, &action] {
    action = [options](const Parts& parts) { return export_logs(*options, parts); };
  });
}

}  // namespace handspan
