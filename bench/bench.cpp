#include "bench/bench.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "bench/figure.hpp"
#include "bench/machine.hpp"
#include "bench/outcome.hpp"
#include "core/error.hpp"
#include "core/files_read.hpp"

namespace handspan {
namespace {

struct Measured {
  Figure figure;
  Samples samples;    // of batches
  LoopSamples loop;   // or of a loop
  std::string error;  // what building or checking the workload threw

  bool empty() const { return samples.ours.empty() && loop.ours.seconds.empty(); }
  Outcome outcome() const {
    return figure.loop.ours ? outcome_of(figure, loop) : outcome_of(figure, samples);
  }
};

// Google Benchmark decides how many batches there are; they are kept by the workload, and this
// shows each figure when it is done.
class Table : public benchmark::BenchmarkReporter {
 public:
  explicit Table(const std::vector<Measured>& figures) : figures_(figures) {
    for (const auto& f : figures) width_ = std::max(width_, f.figure.name.size());
  }

  bool ReportContext(const Context&) override {
    fmt::print("{}", heading(width_));
    return true;
  }

  // Called for the runs of one figure, and with repetitions again for Google Benchmark's own
  // statistics of them.
  void ReportRuns(const std::vector<Run>& runs) override {
    if (runs.empty() || runs.front().run_type == Run::RT_Aggregate) return;
    const Measured& measured = figures_[next_++];
    if (!measured.error.empty() || measured.empty()) return;
    fmt::print("{}", rows_of(measured.figure, measured.outcome(), width_));
    std::fflush(stdout);
  }

 private:
  const std::vector<Measured>& figures_;
  std::size_t next_ = 0, width_ = 0;
};

std::vector<Measured> chosen_figures(const BenchOptions& options, const Parts& parts) {
  std::vector<Figure> all;
  for (const auto& list :
       {dynamics_figures(options.root), distance_figures(options.root), mesh_figures(),
        contact_figures(), learn_figures(), plant_figures(options.root),
        control_figures(options.root), session_figures(options.root, parts),
        teleop_figures(options.root, parts), study_figures(options.root, parts),
        station_figures(options.root, parts)})
    all.insert(all.end(), list.begin(), list.end());
  std::vector<Measured> chosen;
  std::vector<std::string> names;
  try {
    const std::regex filter(options.filter);
    for (auto& figure : all) {
      names.push_back(figure.name);
      if (std::regex_search(figure.name, filter)) chosen.push_back({std::move(figure), {}, {}, {}});
    }
  } catch (const std::regex_error& error) {
    throw InputError(fmt::format("the filter {} is not a regular expression: {}",
                                 shown(options.filter), error.what()));
  }
  if (chosen.empty())
    throw InputError(fmt::format("the filter {} names no figure; there are {}",
                                 shown(options.filter), fmt::join(names, ", ")));
  return chosen;
}

// Each iteration of Google Benchmark is one batch of ours and one of the peer's. It calls this with
// more iterations until min_time is reached, then once for each further repetition with as many:
// what was sampled on the way is dropped.
void register_batches(Measured& measured, const BenchOptions& options) {
  struct Run {
    Workload workload;
    int calls = 0;
    benchmark::IterationCount iterations = 0;
  };
  const auto run = std::make_shared<Run>();
  const auto body = [run, &measured](benchmark::State& state) {
    try {
      if (run->calls == 0) {
        run->workload = measured.figure.make();
        run->calls = fitted_calls(run->workload);
      }
    } catch (const std::exception& error) {
      measured.error = error.what();
      state.SkipWithError(error.what());
      return;
    }
    if (state.max_iterations != run->iterations) measured.samples = {};
    run->iterations = state.max_iterations;
    for (auto _ : state)
      state.SetIterationTime(measure_pair(run->workload, run->calls, measured.samples));
  };
  benchmark::RegisterBenchmark(measured.figure.name.c_str(), body)
      ->UseManualTime()
      ->MinTime(options.min_time)
      ->Repetitions(options.repetitions);
}

// A loop has its own number of ticks: each repetition is one run of it.
void register_loop(Measured& measured, const BenchOptions& options) {
  const auto body = [&measured](benchmark::State& state) {
    for (auto _ : state) {
      // one that failed is not run again
      if (!measured.error.empty()) return;
      try {
        state.SetIterationTime(measure_loop(measured.figure.loop, measured.loop));
      } catch (const std::exception& error) {
        measured.error = error.what();
        state.SkipWithError(error.what());
        return;
      }
    }
  };
  benchmark::RegisterBenchmark(measured.figure.name.c_str(), body)
      ->UseManualTime()
      ->Iterations(1)
      ->Repetitions(options.repetitions);
}

nlohmann::ordered_json report(const BenchMachine& machine, const std::vector<Measured>& figures) {
  nlohmann::ordered_json json;
  json["machine"] = {{"cpu", machine.cpu},           {"cores", machine.cores},
                     {"compiler", machine.compiler}, {"build", machine.build},
                     {"mujoco", machine.mujoco},     {"pinocchio", machine.pinocchio},
                     {"load", machine.load}};
  json["figures"] = nlohmann::ordered_json::array();
  for (const auto& measured : figures)
    json["figures"].push_back(report_of(measured.figure, measured.outcome()));
  return json;
}

}  // namespace

int run_benchmarks(const BenchOptions& options, const Parts& parts) {
  if (!(options.min_time > 0.0) || !std::isfinite(options.min_time))
    throw InputError(
        fmt::format("the measured time of a figure is {} s; it must be > 0", options.min_time));
  if (options.repetitions < 1)
    throw InputError(
        fmt::format("there are to be {} repetitions; at least 1 is needed", options.repetitions));
  std::vector<Measured> figures = chosen_figures(options, parts);
  // opened first: a wrong path is to be known before minutes of measuring
  std::ofstream file;
  if (options.json) {
    refuse_overwriting(*options.json, "--json");
    file.open(*options.json);
    if (!file) throw InputError(fmt::format("{} cannot be written", options.json->string()));
  }
  const BenchMachine machine = this_machine();
  fmt::print("{}, {} cores, load {:.2f}\n{}, build {}; MuJoCo {}, Pinocchio {}\n\n", machine.cpu,
             machine.cores, machine.load, machine.compiler, machine.build, machine.mujoco,
             machine.pinocchio);
  benchmark::ClearRegisteredBenchmarks();
  for (auto& figure : figures)
    figure.figure.loop.ours ? register_loop(figure, options) : register_batches(figure, options);
  Table table(figures);
  benchmark::RunSpecifiedBenchmarks(&table, nullptr, ".");
  benchmark::ClearRegisteredBenchmarks();
  for (const auto& figure : figures)
    if (!figure.error.empty())
      throw std::runtime_error(fmt::format("{}: {}", figure.figure.name, figure.error));
  if (options.json) {
    file << report(machine, figures).dump(2) << '\n';
    file.close();
    if (!file) throw InputError(fmt::format("{} cannot be written", options.json->string()));
  }
  return std::ranges::all_of(figures,
                             [](const Measured& m) { return meets(m.figure, m.outcome()); })
             ? 0
             : 1;
}

}  // namespace handspan
