// handspan study NAME: an experiment of many runs, its published table beside ours, a report.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>

#include "cli/check_log.hpp"
#include "cli/command.hpp"
#include "cli/end_signals.hpp"
#include "cli/param_option.hpp"
#include "core/error.hpp"
#include "core/escape.hpp"
#include "core/files_read.hpp"
#include "core/suggest.hpp"
#include "log/recorder.hpp"
#include "scene/data_folder.hpp"
#include "study/app_subject.hpp"
#include "study/comparison_report.hpp"
#include "study/report.hpp"
#include "study/runner.hpp"
#include "study/study_text.hpp"
#include "study/trial.hpp"

namespace handspan {
namespace {

struct StudyFlags {
  std::string study;
  std::filesystem::path out, data, record, against;
  int workers = 0;
  std::optional<int> n, rerun;
  std::optional<std::uint64_t> seed;
  std::vector<ParameterOverride> parameters;
  bool fresh = false, trials = false, work = false;
  std::string scheduler;
};

// by name, "grab/random"
std::map<std::string, std::filesystem::path> shipped_studies() {
  std::map<std::string, std::filesystem::path> studies;
  const auto folder = data_folder() / "studies";
  std::error_code none;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, none))
    if (entry.path().extension() == ".yaml")
      studies.emplace(entry.path().lexically_relative(folder).replace_extension().generic_string(),
                      entry.path());
  return studies;
}

int list_studies(const Parts& parts) {
  const auto studies = shipped_studies();
  if (studies.empty()) fmt::print("no studies in {}\n", (data_folder() / "studies").string());
  std::size_t width = 0;
  for (const auto& [name, file] : studies) width = std::max(width, name.size());
  for (const auto& [name, file] : studies) {
    std::string title;
    try {
      title = load_study(file, name, parts).title;
    } catch (const InputError& error) {
      title = error.what();
    }
    fmt::print("{:<{}}  {}\n", name, width, title);
  }
  return kHolds;
}

int list_trials(const TrialRegistry& trials) {
  for (const std::string& name : trials.names()) fmt::print("{}: {}\n", name, trials.doc(name));
  return kHolds;
}

StudyConfig load(const std::string& given, const Parts& parts) {
  const auto studies = shipped_studies();
  if (const auto known = studies.find(given); known != studies.end())
    return load_study(known->second, given, parts);
  if (std::filesystem::is_regular_file(given)) {
    const std::filesystem::path file(given);
    for (const auto& [name, shipped] : studies)
      if (std::filesystem::equivalent(shipped, file)) return load_study(file, name, parts);
    StudyConfig study = load_study(file, file.stem().string(), parts);
    study.given = given;
    return study;
  }
  std::vector<std::string> names;
  for (const auto& [name, file] : studies) names.push_back(name);
  throw InputError(fmt::format("there is no study or file '{}'; {}", printable(given),
                               did_you_mean(given, names, "there are the studies")));
}

RunnerOptions runner_options(const StudyFlags& options, const std::string& name) {
  RunnerOptions how;
  how.workers = options.workers;
  how.n = options.n;
  how.seed = options.seed;
  how.data = options.data;
  how.fresh = options.fresh;
  how.parameters = options.parameters;
  how.out =
      options.out.empty() ? std::filesystem::path("handspan-out") / "study" / name : options.out;
  return how;
}

// The command with which a scheduler's worker does runs of this study: what the runs are a function
// of, with paths that hold in any folder.
std::vector<std::string> worker_command(const StudyFlags& options, const StudyConfig& study) {
  std::error_code none;
  const auto absolute = [](const std::filesystem::path& path) {
    return std::filesystem::absolute(path).lexically_normal().string();
  };
  std::vector<std::string> words = {
      std::filesystem::read_symlink("/proc/self/exe", none).string(),
      "study",
      std::filesystem::is_regular_file(study.given) ? absolute(study.given) : study.name,
      "--work",
      "--out",
      absolute(runner_options(options, study.name).out)};
  const auto add = [&](const char* option, const std::string& value) {
    words.insert(words.end(), {option, value});
  };
  if (options.n) add("--n", std::to_string(*options.n));
  if (options.seed) add("--seed", std::to_string(*options.seed));
  for (const auto& [key, value] : options.parameters) add("--param", key + "=" + value);
  if (!options.data.empty()) add("--data", absolute(options.data));
  return words;
}

// the line of a run in the results that are there; "": none
std::string line_of(const std::filesystem::path& results, int number) {
  std::ifstream in(results);
  const std::string start = std::to_string(number) + ",";
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(start)) return line;
  return "";
}

int rerun(const StudyFlags& options, const StudyRunner& runner, const std::filesystem::path& out) {
  const StudyConfig& study = runner.study();
  if (!study.subject.app) {
    throw InputError("--rerun is for studies of apps; a trial has no log");
  }
  const RunSpec spec = runner.spec(*options.rerun);
  const RunChanges changes = runner.plan().changes(spec);
  const std::uint64_t seed = runner.plan().seed(spec);
  const auto folder = out / fmt::format("run-{:05}", spec.number);
  const auto file = write_app(runner.plan().files(), runner.parts(), changes.changes, seed, folder);
  const App app = load_app(file, runner.parts());
  SessionOptions inputs;
  inputs.live_devices = true;
  Session session(app, std::move(inputs));
  std::optional<Recorder> recorder;
  refuse_other_logs(options.record);
  if (!options.record.empty()) {
    if (options.record.has_parent_path())
      std::filesystem::create_directories(options.record.parent_path());
    RecorderOptions recording;
    recording.extent = app.record;
    recording.may_wait = true;
    recorder.emplace(session, options.record, recording);
  }
  AppRun run(study, session);
  const bool terminal = isatty(fileno(stderr));
  RunOutcome outcome;
  try {
    outcome = run.run([&](Nanoseconds now) {
      if (terminal) fmt::print(stderr, "\r{:.1f} s", seconds(now));
    });
  } catch (const DivergedRun& error) {
    if (terminal) fmt::print(stderr, "\r\033[K");
    fmt::print("run {}: {}\n", spec.number, error.what());
    return kDoesNotHold;
  }
  if (terminal) fmt::print(stderr, "\r\033[K");
  RunRecord record;
  record.number = spec.number;
  record.cell = spec.group;
  record.repeat = spec.repeat;
  record.seed = seed;
  record.drawn = changes.drawn;
  record.values = outcome.values;
  record.good = judged(study, runner.columns(), record);
  fmt::print("{}", run_text(study, runner.columns(), record));
  const std::string known = line_of(out / "results.csv", spec.number);
  if (!known.empty())
    fmt::print("{}\n",
               known == csv_row(record)
                   ? "every digit as in results.csv"
                   : "NOT as in results.csv, which is of other parameters or another build");
  fmt::print("simulated: {:.2f} s\napp: {}\n", outcome.simulated, file.string());
  if (!recorder) return kHolds;
  const bool whole = recorder->close();
  const LogStatus status = recorder->status();
  if (status.failed) fmt::print("log: the recording ended early: {}\n", status.message);
  fmt::print("log: {} (handspan replay {} --verify)\n", options.record.string(),
             shell_word(options.record));
  return whole ? kHolds : kDoesNotHold;
}

// cells, columns and seeds of the runs that are to be done
Results planned(const StudyRunner& runner) {
  Results results;
  results.cells = runner.plan().cells();
  results.columns = runner.columns();
  results.judged = !runner.study().good.empty();
  for (const RunSpec& spec : runner.plan().runs()) {
    RunRecord run;
    run.cell = spec.group;
    run.seed = runner.plan().seed(spec);
    results.runs.push_back(std::move(run));
  }
  return results;
}

void compare_with(const StoredResults& there, const StudyFlags& options, StudyOutcome& outcome) {
  std::vector<std::pair<std::string, std::string>> overrides;
  for (const auto& [key, value] : options.parameters) overrides.emplace_back(key, value);
  outcome.comparison = compare_results(outcome.results, overrides, there);
}

int study(const StudyFlags& options, const Parts& parts) {
  if (options.trials) return list_trials(parts.of<TrialRegistry>());
  if (options.study.empty()) return list_studies(parts);
  if (!options.record.empty() && !options.rerun)
    throw InputError("--record is of one run: say which with --rerun NUMBER");
  if (!options.against.empty() && options.rerun)
    throw InputError("--against is of a whole study; leave --rerun out");
  if (!options.scheduler.empty() && options.rerun)
    throw InputError("--scheduler is for a whole study; leave --rerun out");
  if (!options.scheduler.empty() && options.workers > 0)
    throw InputError(
        "--workers are threads here, and --scheduler has workers of its own; leave one of them "
        "out");
  StudyConfig config = load(options.study, parts);
  RunnerOptions how = runner_options(options, config.name);
  if (options.work) {
    StudyRunner(std::move(config), parts, std::move(how)).serve(std::cin, std::cout);
    return kHolds;
  }
  how.scheduler = options.scheduler;
  if (!how.scheduler.empty()) {
    // as its workers have it, in whatever folder they are
    if (!how.data.empty()) how.data = std::filesystem::absolute(how.data).lexically_normal();
    how.worker = worker_command(options, config);
  }
  const std::filesystem::path out = how.out;
  // runs that are going on are finished and kept
  how.stop = &end_flag();
  const bool terminal = isatty(fileno(stderr));
  how.progress = [terminal](const RunnerProgress& p) {
    if (terminal)
      fmt::print(stderr, "\r\033[K{} of {} runs, {} left", p.done, p.total,
                 duration_text(p.seconds_left));
  };
  how.log_progress = [terminal](const std::string& name, Nanoseconds now) {
    if (terminal) fmt::print(stderr, "\r\033[Krecords {}: {:.1f} s", name, seconds(now));
  };
  if (!options.data.empty()) InputsRead::note(options.data);
  std::optional<StoredResults> there;
  if (!options.against.empty()) there = read_results(options.against, config.name);
  StudyRunner runner(std::move(config), parts, std::move(how));
  if (there) check_comparable(planned(runner), *there);
  if (!options.record.empty()) refuse_overwriting(options.record, "--record");
  for (const char* name : {"results.csv", "results.parquet", "summary.json", "report.html",
                           "comparison.json", "unfinished.jsonl"})
    refuse_overwriting(out / name, "--out");
  if (terminal) fmt::print(stderr, "\r\033[K");
  if (options.rerun) return rerun(options, runner, out);
  fmt::print("{}", study_heading(runner));
  std::fflush(stdout);
  StudyOutcome outcome = runner.run();
  if (terminal) fmt::print(stderr, "\r\033[K");
  if (!outcome.complete) {
    fmt::print("stopped after {} runs; the same command goes on from there\n",
               outcome.results.runs.size());
    return kDoesNotHold;
  }
  if (there) compare_with(*there, options, outcome);
  fmt::print("{}", study_text(outcome));
  if (outcome.comparison) fmt::print("{}", comparison_text(*outcome.comparison));
  write_report(runner, outcome, out, data_folder() / "web" / "dist");
  fmt::print("results: {}\nreport:  {}\n", (out / "results.csv").string(),
             (out / "report.html").string());
  return outcome.holds() ? kHolds : kDoesNotHold;
}

}  // namespace

void add_study(CLI::App& cli, Action& action) {
  auto options = std::make_shared<StudyFlags>();
  CLI::App* command = cli.add_subcommand(
      "study",
      "Do an experiment of many runs and report on it; without a name, list those there are");
  command->add_option("STUDY", options->study, "name of a study, such as grab/random, or its file");
  command
      ->add_option("--out", options->out, "folder of the results (default handspan-out/study/NAME)")
      ->type_name("DIR");
  command->add_option("--workers", options->workers, "threads (default: one for each core)")
      ->check(CLI::Range(1, 1024));
  command
      ->add_option("--n", options->n, "runs of each cell and combination; else as the study says")
      ->check(CLI::Range(1, 10'000'000));
  add_seed(*command, options->seed, "of the first run; else as the study says");
  add_parameters(*command, options->parameters,
                 "a key of the app in all runs, by path: scene.objects.box.mass=0.6");
  command->add_option("--data", options->data, "what a trial reads")->type_name("PATH");
  command->add_option("--rerun", options->rerun, "do only this run of the study, by its number")
      ->type_name("NUMBER");
  command->add_option("--record", options->record, "with --rerun: write its log to FILE (.mcap)")
      ->type_name("FILE");
  command
      ->add_option("--against", options->against,
                   "compare with earlier results of the study, seed by seed: what changed")
      ->type_name("DIR");
  command
      ->add_option("--scheduler", options->scheduler,
                   "a dask scheduler whose workers do the runs, such as tcp://10.0.0.1:8786")
      ->type_name("ADDRESS");
  // of such a worker: runs come in as lines
  command->add_flag("--work", options->work)->group("");
  command->add_flag("--fresh", options->fresh, "forget the runs of an interrupted study");
  command->add_flag("--trials", options->trials,
                    "list the trials that a study may have as subject");
  command->callback([options, &action] {
    action = [options](const Parts& parts) { return study(*options, parts); };
  });
}

}  // namespace handspan
