#include "study/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>

#include "core/build_info.hpp"
#include "core/error.hpp"
#include "core/suggest.hpp"
#include "core/text_file.hpp"
#include "study/app_subject.hpp"
#include "study/evaluation.hpp"
#include "study/figure_set.hpp"
#include "study/journal.hpp"
#include "study/remote_runs.hpp"
#include "study/series_file.hpp"
#include "study/stage_runs.hpp"
#include "study/subjects.hpp"
#include "study/trial_subject.hpp"

namespace handspan {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kStageRuns = "stage_runs.jsonl";

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

bool keeps_series(const StudyConfig& study, const RunSpec& spec) {
  return study.series && spec.repeat < study.series->runs.value_or(spec.repeat + 1);
}

// The workers: threads, each with a subject of its own, or those of a scheduler.
class Pool {
 public:
  /// @param workers 0: the scheduler's @param fingerprint of the study, for those
  Pool(const StudyConfig& study, const RunPlan& plan, const Parts& parts,
       const RunnerOptions& options, int workers, const std::string& fingerprint, Journal* journal,
       StudyOutcome& outcome)
      : study_(study),
        plan_(plan),
        options_(options),
        fingerprint_(fingerprint),
        journal_(journal),
        outcome_(outcome) {
    for (int w = 0; w < workers; ++w)
      subjects_.push_back(make_subject(study, plan.files(), parts, options.data));
  }

  // Appends the runs to the results, in this order. @return whether all were done
  bool run(const std::vector<RunSpec>& specs) {
    std::vector<RunRecord>& runs = outcome_.results.runs;
    const std::size_t first = runs.size();
    std::vector<std::size_t> todo;
    std::vector<char> done(specs.size(), 0);
    for (std::size_t i = 0; i < specs.size(); ++i) {
      runs.push_back(record_of(specs[i]));
      if (take_over(runs.back()))
        done[i] = 1;
      else
        todo.push_back(i);
    }
    total_ += static_cast<int>(specs.size());
    finished_ += static_cast<int>(specs.size() - todo.size());
    outcome_.resumed += static_cast<int>(specs.size() - todo.size());
    if (subjects_.empty())
      run_remotely(specs, first, todo, done);
    else
      run_here(specs, first, todo, done);
    const bool all = std::ranges::all_of(done, [](char d) { return d != 0; });
    if (!all) {
      std::size_t kept = first;
      for (std::size_t i = 0; i < specs.size(); ++i)
        if (done[i] != 0) {
          if (kept != first + i) runs[kept] = std::move(runs[first + i]);
          ++kept;
        }
      runs.resize(kept);
    }
    return all;
  }

 private:
  void run_here(const std::vector<RunSpec>& specs, std::size_t first,
                const std::vector<std::size_t>& todo, std::vector<char>& done) {
    std::vector<RunRecord>& runs = outcome_.results.runs;
    std::atomic<std::size_t> next{0};
    const auto work = [&](StudySubject& subject) {
      try {
        for (std::size_t i; (i = next++) < todo.size() && !stopped();) {
          do_run(subject, specs[todo[i]], runs[first + todo[i]]);
          done[todo[i]] = 1;
        }
      } catch (...) {
        // of the journal: runs that cannot be kept are not done
        const std::scoped_lock lock(mutex_);
        if (!error_) error_ = std::current_exception();
        next = todo.size();
      }
    };
    {
      std::vector<std::jthread> threads;
      for (std::size_t w = 1; w < std::min(subjects_.size(), todo.size()); ++w)
        threads.emplace_back(work, std::ref(*subjects_[w]));
      if (!todo.empty()) work(*subjects_[0]);
    }
    if (error_) std::rethrow_exception(error_);
  }

  void run_remotely(const std::vector<RunSpec>& specs, std::size_t first,
                    const std::vector<std::size_t>& todo, std::vector<char>& done) {
    std::vector<RunSpec> asked;
    std::map<int, std::size_t> index_of;  // by number
    for (const std::size_t i : todo) {
      asked.push_back(specs[i]);
      index_of[specs[i].number] = i;
    }
    do_remotely({options_.scheduler, options_.worker, fingerprint_, options_.stop}, asked,
                [&](RemoteRun came) {
                  const std::size_t i = index_of.at(came.record.number);
                  RunRecord& run = outcome_.results.runs[first + i];
                  run.values = std::move(came.record.values);
                  run.failure = std::move(came.record.failure);
                  keep_series(specs[i], came.series);
                  finish(run, came.inner, came.simulated);
                  done[i] = 1;
                });
  }

  bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }

  RunRecord record_of(const RunSpec& spec) const {
    RunRecord run;
    run.number = spec.number;
    run.cell = spec.group;
    run.repeat = spec.repeat;
    run.seed = plan_.seed(spec);
    run.drawn = plan_.changes(spec).drawn;
    return run;
  }

  bool take_over(RunRecord& run) const {
    if (journal_ == nullptr) return false;
    const auto found = journal_->done().find(run.number);
    if (found == journal_->done().end()) return false;
    run.values = found->second.values;
    run.failure = found->second.failure;
    run.good = judged(study_, outcome_.results.columns, run);
    return true;
  }

  void do_run(StudySubject& subject, const RunSpec& spec, RunRecord& run) {
    RunOutcome outcome;
    try {
      const RunChanges changes = plan_.changes(spec);
      outcome = subject.run(changes.changes, spec.repeat, run.seed);
      run.values = std::move(outcome.values);
    } catch (const std::exception& error) {
      run.failure = error.what();
      run.values.assign(outcome_.results.columns.size(), NAN);
    }
    keep_series(spec, outcome.series);
    finish(run, outcome.inner, outcome.simulated);
  }

  void keep_series(const RunSpec& spec, const std::vector<TimeSeries>& series) const {
    if (keeps_series(study_, spec) && !series.empty() && !options_.out.empty())
      write_series_file(series, series_file(options_.out, spec.number));
  }

  // It is done: judged, kept, counted.
  void finish(RunRecord& run, double inner, double simulated) {
    run.good = judged(study_, outcome_.results.columns, run);
    if (journal_ != nullptr) journal_->add(run);
    const std::scoped_lock lock(mutex_);
    outcome_.inner += inner;
    outcome_.simulated += simulated;
    ++outcome_.done;
    ++finished_;
    if (!options_.progress) return;
    const double each = since(start_) / outcome_.done;
    options_.progress({finished_, total_, each * (total_ - finished_)});
  }

  const StudyConfig& study_;
  const RunPlan& plan_;
  const RunnerOptions& options_;
  std::string fingerprint_;
  Journal* journal_;
  StudyOutcome& outcome_;
  std::vector<std::unique_ptr<StudySubject>> subjects_;
  const Clock::time_point start_ = Clock::now();
  std::mutex mutex_;
  std::exception_ptr error_;
  int total_ = 0, finished_ = 0;
};

int workers_of(const RunnerOptions& options, std::size_t runs) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int wanted = options.workers > 0 ? options.workers : cores;
  return std::clamp(wanted, 1, static_cast<int>(std::max<std::size_t>(1, runs)));
}

}  // namespace

StudyRunner::StudyRunner(StudyConfig study, const Parts& parts, RunnerOptions options)
    : study_(std::move(study)),
      parts_(parts),
      options_(std::move(options)),
      logs_(study_, parts_, options_.out.empty() ? "" : options_.out / "logs",
            options_.log_progress) {
  if (options_.n) {
    study_.n = options_.n;
    for (auto& [name, cell] : study_.cells) cell.n.reset();
  }
  if (options_.seed) study_.seed = *options_.seed;
  if (!options_.data.empty() && !std::filesystem::exists(options_.data))
    throw InputError(
        fmt::format("--data {}: there is no such file or folder", options_.data.string()));
  SubjectFiles files = study_.subject.app ? SubjectFiles::of_app(*study_.subject.app)
                                          : SubjectFiles::of_trial(*study_.subject.trial);
  int cases = 0;
  if (study_.subject.trial && !study_.n)
    cases = TrialSubject(study_, files, parts_, options_.data).cases();
  plan_ = std::make_unique<RunPlan>(study_, std::move(files), options_.parameters, cases);
  // what a cell's first run cannot be made of is wrong with the study
  const auto subject = make_subject(study_, plan_->files(), parts_, options_.data);
  std::size_t cell = plan_->cells().size();
  for (const RunSpec& run : plan_->runs()) {
    if (run.cell == cell) continue;
    cell = run.cell;
    columns_ = subject->prepare(plan_->changes(run).changes, plan_->seed(run));
  }
  check_names(study_, columns_, plan_->cells());
  check_figures(study_, columns_, plan_->cells());
}

StudyRunner::~StudyRunner() = default;

RunSpec StudyRunner::spec(int number) const {
  const auto& runs = plan_->runs();
  if (number >= 1 && static_cast<std::size_t>(number) <= runs.size())
    return runs[static_cast<std::size_t>(number - 1)];
  if (!options_.out.empty() && !study_.stages.empty())
    if (const auto run = read_stage_run(options_.out / kStageRuns, fingerprint(), number))
      return plan_->spec(run->request, run->stage, number);
  throw InputError(fmt::format("--rerun {}: the study has the runs 1 to {}{}", number, runs.size(),
                               study_.stages.empty()
                                   ? ""
                                   : ", and those that its stages ask for once it is done: see "
                                     "results.csv"));
}

std::string StudyRunner::fingerprint() const {
  std::string all = build_id() + read_text_file(study_.file) + options_.data.string();
  if (study_.vary_from) all += read_text_file(study_.vary_from->study);
  for (std::size_t f = 0; f < plan_->files().size(); ++f) all += yaml_text(plan_->files().tree(f));
  for (const auto& [key, value] : options_.parameters) all += key + "=" + value + "\n";
  all += fmt::format("{} {}", study_.seed, study_.n.value_or(0));
  all += logs_.sources();
  return fingerprint_of(all);
}

void StudyRunner::serve(std::istream& in, std::ostream& out) const {
  const auto subject = make_subject(study_, plan_->files(), parts_, options_.data);
  serve_runs(
      fingerprint(), *plan_, *subject, columns_.size(),
      [this](const RunSpec& spec) { return keeps_series(study_, spec); }, in, out);
}

StudyOutcome StudyRunner::run() {
  const auto start = Clock::now();
  StudyOutcome outcome;
  outcome.study = study_;
  outcome.options = options_;
  outcome.results.cells = plan_->cells();
  for (const auto& [name, variation] : study_.vary) {
    const bool normal = variation.distribution == Distribution::kNormal;
    outcome.results.variations.push_back(
        {name, variation.unit, normal ? variation.low : NAN, normal ? variation.high : NAN});
  }
  outcome.results.columns = columns_;
  outcome.results.judged = !study_.good.empty();
  const bool remote = !options_.scheduler.empty();
  outcome.workers = remote ? 0 : workers_of(options_, plan_->runs().size());
  std::optional<Journal> journal;
  if (!options_.out.empty()) {
    std::filesystem::create_directories(options_.out);
    journal.emplace(options_.out / "unfinished.jsonl", fingerprint(), options_.fresh);
  }
  Pool pool(study_, *plan_, parts_, options_, outcome.workers, remote ? fingerprint() : "",
            journal ? &*journal : nullptr, outcome);
  outcome.complete = pool.run(plan_->runs());
  std::vector<StageRun> asked;
  for (std::size_t s = 0; outcome.complete && s < study_.stages.size(); ++s) {
    const auto& [name, part] = study_.stages[s];
    StageContext context{name, outcome.results, {}, {}, {}};
    context.run = [&, &stage = name](std::span<const RunRequest> requests) {
      std::vector<RunSpec> specs;
      std::vector<std::size_t> indices;
      const std::size_t first = outcome.results.runs.size();
      for (const RunRequest& request : requests) {
        indices.push_back(first + specs.size());
        specs.push_back(plan_->spec(request, stage, static_cast<int>(first + specs.size()) + 1));
        asked.push_back({specs.back().number, stage, request});
      }
      if (!pool.run(specs)) throw StudyStopped();
      return indices;
    };
    context.value = [&](const std::string& value) {
      return stage_value(outcome.stages, value).value;
    };
    context.app = [&, &stage = name](const RunRequest& request) {
      if (!study_.subject.app)
        throw InputError("it is about an app, and the study's subject is a trial");
      const RunSpec spec = plan_->spec(request, stage, 0);
      return changed_app(study_, plan_->files(), parts_, plan_->changes(spec).changes,
                         plan_->seed(spec));
    };
    try {
      outcome.stages.push_back(
          {name, part.make()->run(context), parts_.of<StageRegistry>().doc(part.name)});
    } catch (const StudyStopped&) {
      outcome.complete = false;
    } catch (const ConfigError&) {
      throw;
    } catch (const InputError& error) {
      throw ConfigError(
          {{part.place, "stages." + name, "cannot be done: " + std::string(error.what()), ""}});
    }
  }
  if (outcome.complete) {
    if (!options_.out.empty() && !asked.empty())
      write_stage_runs(options_.out / kStageRuns, fingerprint(), asked);
    evaluate(outcome);
    if (journal) journal->remove();
  }
  outcome.wall = since(start);
  return outcome;
}

}  // namespace handspan
