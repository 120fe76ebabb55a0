#include "study/remote_runs.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/build_info.hpp"
#include "core/error.hpp"
#include "core/escape.hpp"
#include "core/private_folder.hpp"
#include "scene/data_folder.hpp"

namespace handspan {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json asked(const RunSpec& spec) {
  Json given = Json::array();
  for (const auto& [variation, value] : spec.given) given.push_back({variation, value});
  return {{"run", spec.number},
          {"cell", spec.cell},
          {"group", spec.group},
          {"repeat", spec.repeat},
          {"combination", spec.combination},
          {"given", given},
          {"middle", spec.middle}};
}

RunSpec spec_of(const Json& json) {
  RunSpec spec;
  spec.number = json.at("run").get<int>();
  spec.cell = json.at("cell").get<std::size_t>();
  spec.group = json.at("group").get<std::string>();
  spec.repeat = json.at("repeat").get<int>();
  spec.combination = json.at("combination").get<int>();
  for (const Json& value : json.at("given"))
    spec.given.emplace_back(value.at(0).get<std::size_t>(), value.at(1).get<double>());
  spec.middle = json.at("middle").get<bool>();
  return spec;
}

// JSON has neither NaN, which is null, nor infinities, which are words
std::vector<double> numbers(const Json& json) {
  std::vector<double> values;
  for (const Json& value : json)
    values.push_back(value.is_null()     ? NAN
                     : value.is_number() ? value.get<double>()
                     : value == "inf"    ? INFINITY
                                         : -INFINITY);
  return values;
}

Json numbers(const std::vector<double>& values) {
  Json json = Json::array();
  for (const double value : values)
    json.push_back(std::isfinite(value) ? Json(value)
                   : std::isnan(value)  ? Json(nullptr)
                                        : Json(value > 0.0 ? "inf" : "-inf"));
  return json;
}

RemoteRun run_of(const Json& json) {
  RemoteRun run;
  run.record.number = json.at("run").get<int>();
  run.record.values = numbers(json.at("values"));
  run.record.failure = json.at("failure").get<std::string>();
  for (const Json& series : json.at("series"))
    run.series.push_back({series.at("name").get<std::string>(),
                          series.at("unit").get<std::string>(), numbers(series.at("time")),
                          numbers(series.at("values"))});
  run.simulated = json.at("simulated").get<double>();
  run.inner = json.at("inner").get<double>();
  return run;
}

Json answer_of(const RunSpec& spec, const RunPlan& plan, StudySubject& subject, std::size_t columns,
               bool keeps_series) {
  RunOutcome outcome;
  std::string failure;
  try {
    outcome = subject.run(plan.changes(spec).changes, spec.repeat, plan.seed(spec));
  } catch (const std::exception& error) {
    failure = error.what();
    outcome.values.assign(columns, NAN);
  }
  Json series = Json::array();
  if (keeps_series)
    for (const TimeSeries& each : outcome.series)
      series.push_back({{"name", each.name},
                        {"unit", each.unit},
                        {"time", numbers(each.time)},
                        {"values", numbers(each.values)}});
  return {{"run", spec.number}, {"values", numbers(outcome.values)}, {"series", series},
          {"failure", failure}, {"simulated", outcome.simulated},    {"inner", outcome.inner}};
}

// the project's Python where it is, else the one in $PATH
std::string python() {
  std::error_code none;
  const fs::path own = data_folder() / ".deps/venv/bin/python";
  return fs::is_regular_file(own, none) ? own.string() : std::string("python3");
}

}  // namespace

void do_remotely(const RemoteOptions& options, const std::vector<RunSpec>& specs,
                 const std::function<void(RemoteRun)>& done) {
  if (specs.empty()) return;
  const PrivateFolder folder("handspan-remote-");
  const fs::path file = folder.path() / "runs.jsonl";
  {
    std::ofstream out(file, std::ios::binary);
    out << line_of(
        {{"command", options.command}, {"study", options.fingerprint}, {"build", build_id()}});
    for (const RunSpec& spec : specs) out << line_of(asked(spec));
    if (!out.flush())
      throw InputError(fmt::format("{}: cannot be written; is the disk full?", file.string()));
  }
  // says its number, by which it can be told to stop
  const std::string command =
      fmt::format("echo '{{\"process\": '$$'}}'; PYTHONPATH={} exec {} -m handspan_study {} {}",
                  shell_word((data_folder() / "python").string()), shell_word(python()),
                  shell_word(options.scheduler), shell_word(file.string()));
  std::FILE* const pipe = popen(command.c_str(), "re");
  if (pipe == nullptr) throw InputError("a shell cannot be started to hand runs to the scheduler");
  std::atomic<pid_t> process{0};
  const std::jthread stopper([&](const std::stop_token& over) {
    while (!over.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      if (process == 0 || options.stop == nullptr || !options.stop->load()) continue;
      kill(process, SIGINT);
      return;
    }
  });
  std::string problem;
  std::size_t came = 0;
  char* line = nullptr;
  std::size_t room = 0;
  while (getline(&line, &room, pipe) > 0) {
    Json json;
    RemoteRun run;
    try {
      json = Json::parse(line);
      if (json.contains("process"))
        process = json["process"].get<pid_t>();
      else if (json.contains("error"))
        problem = json["error"].get<std::string>();
      else
        run = run_of(json);
    } catch (const Json::exception&) {
      problem = fmt::format(
          "--scheduler {}: what came back is no run, '{}'; is handspan on the workers this one?",
          options.scheduler, printable(std::string(line).substr(0, 80)));
    }
    if (run.record.number == 0) continue;
    done(std::move(run));
    ++came;
  }
  std::free(line);
  const int status = pclose(pipe);
  if (!problem.empty()) throw InputError(problem);
  const bool stopped = options.stop != nullptr && options.stop->load();
  if (came < specs.size() && !stopped)
    throw InputError(fmt::format(
        "--scheduler {}: what hands the runs over ended early (code {}, {} of {} came back); its "
        "words are above. The same command goes on from there",
        options.scheduler, WIFEXITED(status) ? WEXITSTATUS(status) : -1, came, specs.size()));
}

void serve_runs(const std::string& fingerprint, const RunPlan& plan, StudySubject& subject,
                std::size_t columns, const std::function<bool(const RunSpec&)>& keeps_series,
                std::istream& in, std::ostream& out) {
  out << line_of({{"study", fingerprint}, {"build", build_id()}}) << std::flush;
  for (std::string line; std::getline(in, line);) {
    const RunSpec spec = spec_of(Json::parse(line));
    out << line_of(answer_of(spec, plan, subject, columns, keeps_series(spec))) << std::flush;
  }
}

}  // namespace handspan
