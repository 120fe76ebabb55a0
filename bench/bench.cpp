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
#include "core/error.hpp"

namespace handspan {
namespace {

constexpr double kPercentile = 0.99;

struct Side {
  double median = 0.0, p99 = 0.0;  // in the figure's unit
};

struct Result {
  Side ours, peer;
  std::size_t n = 0;
  double ratio = 0.0, real_time = 0.0;  // real_time 0: nothing is simulated
};

struct Measured {
  Figure figure;
  Samples samples;
  std::string error;  // what building or checking the workload threw
};

Side side(const Figure& figure, const std::vector<double>& samples) {
  const double median = quantile(samples, 0.5), p99 = quantile(samples, kPercentile);
  if (figure.unit == Figure::Unit::kStepsPerSecond) return {1.0 / median, 1.0 / p99};
  return {1e6 * median, 1e6 * p99};
}

Result result(const Measured& measured) {
  const Samples& s = measured.samples;
  Result r;
  r.ours = side(measured.figure, s.ours);
  r.peer = side(measured.figure, s.peer);
  r.n = s.ours.size();
  std::vector<double> ratios(r.n);
  std::ranges::transform(s.ours, s.peer, ratios.begin(), std::divides<>());
  r.ratio = quantile(std::move(ratios), 0.5);
  if (measured.figure.step > 0.0) r.real_time = measured.figure.step / quantile(s.ours, 0.5);
  return r;
}

std::string unit(const Figure& figure) {
  return figure.unit == Figure::Unit::kMicroseconds ? "us" : "steps/s";
}

std::string target(const Figure& figure) {
  std::vector<std::string> parts;
  if (figure.largest_ratio > 0.0)
    parts.push_back(fmt::format("ratio <= {:.2f}", figure.largest_ratio));
  if (figure.least_real_time > 0.0)
    parts.push_back(fmt::format(">= {:.0f} x real time", figure.least_real_time));
  return fmt::format("{}", fmt::join(parts, ", "));
}

bool met(const Figure& figure, const Result& r) {
  return (figure.largest_ratio <= 0.0 || r.ratio <= figure.largest_ratio) &&
         (figure.least_real_time <= 0.0 || r.real_time >= figure.least_real_time);
}

std::string number(double x) {
  return x < 1e4 ? fmt::format("{:.3f}", x) : fmt::format("{:.0f}", x);
}

// Google Benchmark decides how many batches there are; they are kept by the workload, and this
// shows each figure when it is done.
class Table : public benchmark::BenchmarkReporter {
 public:
  explicit Table(const std::vector<Measured>& figures) : figures_(figures) {
    for (const auto& f : figures) width_ = std::max(width_, f.figure.name.size());
  }

  bool ReportContext(const Context&) override {
    fmt::print("{:<{}}  {:<7} {:>9} {:>9} {:>6}  {:>9} {:>9}  {:>6} {:>9}  {}\n", "figure", width_,
               "unit", "median", "p99", "n", "peer", "peer p99", "ratio", "real time", "target");
    return true;
  }

  // Called for the runs of one figure, and with repetitions again for Google Benchmark's own
  // statistics of them.
  void ReportRuns(const std::vector<Run>& runs) override {
    if (runs.empty() || runs.front().run_type == Run::RT_Aggregate) return;
    const Measured& measured = figures_[next_++];
    const Figure& f = measured.figure;
    if (measured.samples.ours.empty()) return;
    const Result r = result(measured);
    const std::string wanted = target(f);
    fmt::print("{:<{}}  {:<7} {:>9} {:>9} {:>6}  {:>9} {:>9}  {:>6.3f} {:>9}  {}\n", f.name, width_,
               unit(f), number(r.ours.median), number(r.ours.p99), r.n, number(r.peer.median),
               number(r.peer.p99), r.ratio,
               r.real_time > 0.0 ? fmt::format("{:.0f} x", r.real_time) : "",
               wanted.empty() ? "" : wanted + (met(f, r) ? ": met" : ": MISSED"));
    std::fflush(stdout);
  }

 private:
  const std::vector<Measured>& figures_;
  std::size_t next_ = 0, width_ = 0;
};

std::vector<Measured> chosen_figures(const BenchOptions& options) {
  std::vector<Figure> all;
  for (const auto& list : {dynamics_figures(options.root), distance_figures(options.root),
                           plant_figures(options.root)})
    all.insert(all.end(), list.begin(), list.end());
  std::vector<Measured> chosen;
  std::vector<std::string> names;
  try {
    const std::regex filter(options.filter);
    for (auto& figure : all) {
      names.push_back(figure.name);
      if (std::regex_search(figure.name, filter)) chosen.push_back({std::move(figure), {}, {}});
    }
  } catch (const std::regex_error& error) {
    throw InputError(fmt::format("the filter {} is no regular expression: {}",
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
void register_figure(Measured& measured, const BenchOptions& options) {
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

nlohmann::ordered_json report(const Machine& machine, const std::vector<Measured>& figures) {
  nlohmann::ordered_json json;
  json["machine"] = {{"cpu", machine.cpu},           {"cores", machine.cores},
                     {"compiler", machine.compiler}, {"build", machine.build},
                     {"mujoco", machine.mujoco},     {"pinocchio", machine.pinocchio},
                     {"load", machine.load}};
  json["figures"] = nlohmann::ordered_json::array();
  for (const auto& measured : figures) {
    const Figure& f = measured.figure;
    const Result r = result(measured);
    const std::string wanted = target(f);
    nlohmann::ordered_json one = {{"name", f.name},
                                  {"unit", unit(f)},
                                  {"median", r.ours.median},
                                  {"p99", r.ours.p99},
                                  {"n", r.n}};
    one["peer"] = {{"name", f.peer}, {"median", r.peer.median}, {"p99", r.peer.p99}};
    one["ratio"] = r.ratio;
    one["real_time"] =
        r.real_time > 0.0 ? nlohmann::ordered_json(r.real_time) : nlohmann::ordered_json();
    one["target"] = wanted.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(wanted);
    one["met"] = wanted.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(met(f, r));
    json["figures"].push_back(std::move(one));
  }
  return json;
}

}  // namespace

int run_benchmarks(const BenchOptions& options) {
  if (!(options.min_time > 0.0) || !std::isfinite(options.min_time))
    throw InputError(
        fmt::format("the measured time of a figure is {} s; it must be > 0", options.min_time));
  if (options.repetitions < 1)
    throw InputError(
        fmt::format("there are to be {} repetitions; at least 1 is needed", options.repetitions));
  std::vector<Measured> figures = chosen_figures(options);
  // opened first: a wrong path is to be known before minutes of measuring
  std::ofstream file;
  if (options.json) {
    file.open(*options.json);
    if (!file) throw InputError(fmt::format("{} cannot be written", options.json->string()));
  }
  const Machine machine = this_machine();
  fmt::print("{}, {} cores, load {:.2f}\n{}, build {}; MuJoCo {}, Pinocchio {}\n\n", machine.cpu,
             machine.cores, machine.load, machine.compiler, machine.build, machine.mujoco,
             machine.pinocchio);
  benchmark::ClearRegisteredBenchmarks();
  for (auto& figure : figures) register_figure(figure, options);
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
  return std::ranges::all_of(figures, [](const Measured& m) { return met(m.figure, result(m)); })
             ? 0
             : 1;
}

}  // namespace handspan
