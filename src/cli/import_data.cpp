// handspan import-data WHAT: data of others as a log that replay_reference repeats.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <new>

#include "cli/check_log.hpp"
#include "cli/command.hpp"
#include "cli/repeat_app.hpp"
#include "core/config.hpp"
#include "core/error.hpp"
#include "core/escape.hpp"
#include "core/files_read.hpp"
#include "core/overwritten.hpp"
#include "data/data_import.hpp"
#include "data/data_readers.hpp"

namespace handspan {
namespace {

struct ImportDataFlags {
  std::filesystem::path what, out, app, json;
  bool list = false;
};

struct ImportFile : ImportPlan {
  DataReaderRegistry::Part from;
};

struct Opened {
  std::unique_ptr<DataReader> reader;
  std::string kind;
  std::optional<ImportPlan> plan;
};

bool is_yaml(const std::filesystem::path& path) {
  return path.extension() == ".yaml" || path.extension() == ".yml";
}

Opened open(const std::filesystem::path& what, const DataReaderRegistry& readers) {
  InputsRead::note(what);
  Opened opened;
  if (is_yaml(what)) {
    ImportFile file = load_yaml(what, import_object<ImportFile>("ImportData")
                                          .required("from", &ImportFile::from, readers.schema(),
                                                    "the file, and its reader"));
    opened.kind = file.from.name;
    opened.reader = file.from.make();
    opened.plan = std::move(static_cast<ImportPlan&>(file));
    return opened;
  }
  opened.kind = reader_for(what);
  opened.reader = open_data(what, readers);
  opened.plan = opened.reader->plan();
  return opened;
}

void print_list(Opened& opened) {
  const auto& episodes = opened.reader->episodes();
  fmt::print("{}: {}, {} episode{}", opened.reader->source(), opened.kind, episodes.size(),
             episodes.size() == 1 ? "" : "s");
  if (const auto rate = opened.reader->rate()) fmt::print(" at {:g} Hz", *rate);
  fmt::print("\n");
  for (std::size_t e = 0; e < episodes.size(); ++e)
    fmt::print("episode {}: {}{}{}\n", e + 1, shown(episodes[e].name),
               episodes[e].task.empty() ? "" : ", task: " + shown(episodes[e].task),
               episodes[e].outcome.empty() ? "" : ", " + shown(episodes[e].outcome));
  if (episodes.empty()) return;
  fmt::print("columns of episode 1 (rows x numbers a row, type):\n{}",
             list_columns(opened.reader->columns(0)));
}

[[noreturn]] void refuse_unknown_columns(const std::filesystem::path& what, Opened& opened) {
  const bool any = !opened.reader->episodes().empty();
  throw InputError(fmt::format(
      "{}: it does not say which of its columns are which channels, as files of handspan's own "
      "export do; write a YAML file with `from: {{type: {}, ...}}` and `channels:` (docs/data.md, "
      "Data of others){}{}",
      what.string(), opened.kind, any ? ". Its columns:\n" : "; it has no episodes",
      any ? list_columns(opened.reader->columns(0)) : ""));
}

std::string stem_of(const std::filesystem::path& what) {
  const auto name = what.has_filename() ? what.filename() : what.parent_path().filename();
  return name.stem().string();
}

int repeat(const ImportDataFlags& flags, const std::filesystem::path& out, const Parts& parts) {
  auto file = out, record = out;
  file.replace_filename(out.stem().string() + "-app.yaml");
  record.replace_filename(out.stem().string() + "-run.mcap");
  std::string first;
  std::getline(std::ifstream(file), first);
  if (!first.starts_with(kRepeatedAppHead)) refuse_foreign(file, "--app");
  refuse_overwriting(file, "--app");
  refuse_overwriting(record, "--app");
  refuse_foreign(record, "--app");
  const RepeatedApp repeated = repeat_app(flags.app, out, file, parts);
  std::ofstream(file, std::ios::binary) << repeated.yaml;
  if (!std::filesystem::exists(file))
    throw InputError(fmt::format(
        "{}: cannot be written; is the folder writable and the disk not full?", file.string()));
  fmt::print("app: {}, which repeats {}{}{}\n", file.string(), fmt::join(repeated.references, ", "),
             repeated.groups.empty() ? "" : " with ", fmt::join(repeated.groups, ", "));
  const bool good = run_repeated(file, record, parts);
  fmt::print("log of its run: {}; the page plays it: handspan serve {} --records {}\n",
             record.string(), shell_word(file.string()),
             shell_word(record.has_parent_path() ? record.parent_path().string() : "."));
  return good ? kHolds : kDoesNotHold;
}

// of opening a file, and of each episode [s]: what takes longer turns in circles
constexpr rlim_t kMostCpu = 300;

// From here on this process has so much time, and is ended after it.
void allow_time() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  rlimit limit{};
  getrlimit(RLIMIT_CPU, &limit);
  const rlim_t wanted = static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + kMostCpu;
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  setrlimit(RLIMIT_CPU, &limit);
}

// HDF5's library crashes on some damaged files, and turns in circles on others. What reads a file
// of others is a process of its own, so that this one can say so.
int in_own_process(const std::filesystem::path& what, const std::function<int()>& work) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0)
    throw InputError(fmt::format("{}: no process can be started to read it ({}); end others",
                                 what.string(), std::strerror(errno)));
  if (child == 0) {
    int code = kBadInput;
    allow_time();
    try {
      code = work();
    } catch (const std::bad_alloc&) {
      fmt::print(stderr, "{}: there is not enough memory for it; import it in parts ('episodes')\n",
                 what.string());
    } catch (const std::exception& error) {
      fmt::print(stderr, "{}\n", error.what());
    }
    std::fflush(nullptr);
    _exit(code);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  throw InputError(
      fmt::format("{}: the library that reads it was ended by it ({}): the file is damaged; get it "
                  "anew",
                  what.string(), strsignal(WTERMSIG(status))));
}

std::filesystem::path output_of(const ImportDataFlags& flags) {
  return flags.out.empty() ? std::filesystem::path("handspan-out") / (stem_of(flags.what) + ".mcap")
                           : flags.out;
}

int read_data(const ImportDataFlags& flags, const Parts& parts) {
  Opened opened = open(flags.what, parts.of<DataReaderRegistry>());
  if (flags.list) {
    print_list(opened);
    return kHolds;
  }
  if (!opened.plan) refuse_unknown_columns(flags.what, opened);
  const auto out = output_of(flags);
  refuse_overwriting(out, "--out");
  refuse_foreign(out, "--out");
  if (!is_log(out))
    throw InputError(
        fmt::format("--out {}: logs are MCAP files; name it {}", printable(out.string()),
                    printable(std::filesystem::path(out).replace_extension(".mcap").string())));
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const ImportReport report =
      import_data(*opened.reader, *opened.plan, opened.kind, out, [&](double share) {
        allow_time();
        if (terminal) fmt::print(stderr, "\r{:3.0f} %", 100.0 * share);
      });
  if (terminal) fmt::print(stderr, "\r\033[K");
  std::vector<std::string> channels;
  for (const ChannelInfo& info : report.channels) channels.push_back(info.name);
  fmt::print("{} episode{}, {} rows, {:.3f} s, in {}: {}\n", report.episodes,
             report.episodes == 1 ? "" : "s", report.rows, report.seconds, out.string(),
             fmt::join(channels, ", "));
  if (!flags.json.empty())
    write_json({{"from", opened.reader->source()},
                {"reader", opened.kind},
                {"episodes", report.episodes},
                {"rows", report.rows},
                {"seconds", report.seconds},
                {"channels", channels},
                {"out", out.string()}},
               flags.json);
  return kHolds;
}

int import_data_of(const ImportDataFlags& flags, const Parts& parts) {
  InputsRead::note(flags.what);
  const auto out = output_of(flags);
  int code = kBadInput;
  try {
    code = in_own_process(flags.what, [&] { return read_data(flags, parts); });
  } catch (const InputError&) {
    // what it had written so far
    std::error_code none;
    std::filesystem::remove(out.string() + ".part", none);
    throw;
  }
  return code == kHolds && !flags.app.empty() && !flags.list ? repeat(flags, out, parts) : code;
}

std::string readers_text(const Parts& parts) {
  try {
    const auto& readers = parts.of<DataReaderRegistry>();
    std::string all = "Readers (`from: {type: NAME, ...}` of the YAML file):\n";
    for (const auto& name : readers.names()) {
      std::vector<std::string> keys;
      for (const auto& field : readers.schema_of(name).description().fields)
        keys.push_back(field.key);
      all += fmt::format("  {:<10}{}\n            keys: {}\n", name, readers.doc(name),
                         fmt::join(keys, ", "));
    }
    return all;
  } catch (const std::logic_error&) {
    return "Readers: none was registered in this program";
  }
}

}  // namespace

void add_import_data(CLI::App& cli, Action& action, const Parts& parts) {
  auto options = std::make_shared<ImportDataFlags>();
  CLI::App* command = cli.add_subcommand(
      "import-data",
      "Data of others (CSV, Parquet, HDF5, LeRobot, robomimic) as a log that arms repeat");
  command->footer([&parts] { return readers_text(parts); });
  command
      ->add_option(
          "WHAT", options->what,
          "a YAML file that says what its columns are, or a data set that handspan exported")
      ->required();
  command->add_option("--out", options->out, "the log (default handspan-out/NAME.mcap)")
      ->type_name("FILE");
  command->add_flag("--list", options->list, "say which episodes and columns there are, and end");
  command
      ->add_option(
          "--app", options->app,
          "have this app's robots repeat it: writes an app and a log of its run beside it, "
          "which the page plays")
      ->type_name("APP");
  command->add_option("--json", options->json, "write what was imported to FILE")
      ->type_name("FILE");
  command->add_flag_callback("--force", allow_overwriting, kForceDoc);
  command->callback([options, &action] {
    action = [options](const Parts& all) { return import_data_of(*options, all); };
  });
}

}  // namespace handspan
