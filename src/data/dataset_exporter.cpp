#include "data/dataset_exporter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/error.hpp"

namespace handspan {
namespace {

std::optional<std::pair<int, std::string>> parse_correction(const std::string& text) {
  const std::size_t equal = text.find('=');
  if (equal == std::string::npos) return std::nullopt;
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + equal, number);
  if (error != std::errc() || end != text.data() + equal || number < 1) return std::nullopt;
  return std::pair(number, text.substr(equal + 1));
}

// a correction of an episode that is not there would be lost without a word
void check_corrections(const DatasetConfig& config, int episodes) {
  for (const auto& [key, corrections] :
       {std::pair("outcome", &config.outcomes), std::pair("task_of", &config.tasks)})
    for (const auto& [number, text] : *corrections)
      if (number > episodes)
        throw InputError(fmt::format("{} {}={}: there {} {} episode{}", key, number, shown(text),
                                     episodes == 1 ? "is" : "are", episodes,
                                     episodes == 1 ? "" : "s"));
}

struct Hdf5Config : DatasetConfig {
  bool append = false, states = true;
  double validation = 0.1;
};

class Hdf5Exporter : public Exporter {
 public:
  explicit Hdf5Exporter(const Hdf5Config& config) : config_(config) {}

  std::string default_output(const std::string& log) const override { return log + ".hdf5"; }
  bool takes_several() const override { return true; }
  ExportReport write(const ExportRequest& request) override {
    return export_dataset(request, config_, config_.states, [&] {
      return hdf5_dataset(request.out,
                          {config_.rate, config_.actions, config_.append, config_.validation});
    });
  }

 private:
  Hdf5Config config_;
};

class LerobotExporter : public Exporter {
 public:
  explicit LerobotExporter(const DatasetConfig& config) : config_(config) {}

  std::string default_output(const std::string& log) const override { return log + "-lerobot"; }
  bool takes_several() const override { return true; }
  ExportReport write(const ExportRequest& request) override {
    return export_dataset(request, config_, false, [&] {
      DatasetOptions options;
      options.rate = config_.rate;
      options.frame = config_.actions;
      return lerobot_dataset(request.out, options);
    });
  }

 private:
  DatasetConfig config_;
};

}  // namespace

namespace dataset_detail {

Schema<std::pair<int, std::string>> correction() {
  return text()
      .check(
          [](const std::string& value) -> std::optional<Fault> {
            if (parse_correction(value)) return std::nullopt;
            return Fault{fmt::format("'{}' names no episode", shown(value)),
                         "write 3=WORDS, counted from 1"};
          },
          "NUMBER=WORDS")
      .map([](const std::string& value) { return *parse_correction(value); });
}

Schema<std::pair<int, std::string>> outcome_correction() {
  return correction().check(
      [](const std::pair<int, std::string>& one) -> std::optional<Fault> {
        constexpr const char* kOutcomes[] = {"success", "failure", "discard", "stop"};
        if (std::ranges::find(kOutcomes, one.second) != std::end(kOutcomes)) return std::nullopt;
        return Fault{fmt::format("is {}={}", one.first, shown(one.second)),
                     "an outcome is success, failure, discard or stop"};
      },
      "of success, failure, discard, stop");
}

}  // namespace dataset_detail

ExportReport export_dataset(const ExportRequest& request, const DatasetConfig& config, bool states,
                            const std::function<std::unique_ptr<DatasetWriter>()>& make) {
  DemonstrationOptions with;
  with.rate = config.rate;
  with.frame = config.actions;
  with.discarded = config.discarded;
  with.states = states;
  with.streams = config.streams;
  for (const auto& [number, text] : config.outcomes) with.outcomes[number] = text;
  for (const auto& [number, text] : config.tasks) with.tasks[number] = text;
  with.task = config.task;
  if (request.progress)
    with.progress = [&](const std::string& log, int episode, double share) {
      request.progress(fmt::format("{}, episode {}", log, episode), share);
    };
  const std::unique_ptr<DatasetWriter> writer = make();
  Demonstrations demonstrations(request.parts, with);
  ExportReport report;
  std::int64_t count = 0, rows = 0;
  for (const auto& file : request.logs) {
    LogFile log = open_for_export(file, report);
    demonstrations.add(log, [&](Demonstration&& demo) {
      ++count;
      rows += static_cast<std::int64_t>(demo.rows);
      writer->add(std::move(demo), demonstrations.layout());
    });
  }
  check_corrections(config, demonstrations.episodes());
  const auto& remarks = demonstrations.remarks();
  report.remarks.insert(report.remarks.end(), remarks.begin(), remarks.end());
  if (count == 0)
    throw InputError(fmt::format("nothing is left to export: {}", fmt::join(report.remarks, "; ")));
  writer->close();
  report.summary = fmt::format("{} demonstration{}, {} rows at {:g} Hz, in {}", count,
                               count == 1 ? "" : "s", rows, config.rate.hz(), request.out.string());
  report.facts = {{"demonstrations", count},
                  {"rows", rows},
                  {"rate", config.rate.hz()},
                  {"actions", demonstrations.layout().action_columns},
                  {"out", request.out.string()}};
  return report;
}

void register_dataset_exporters(ExporterRegistry& exporters) {
  exporters.add(
      "hdf5",
      dataset_object<Hdf5Config>("Hdf5")
          .optional("append", &Hdf5Config::append, boolean(), "add to the data set that is there")
          .optional("states", &Hdf5Config::states, boolean(), "with snapshots of plant and loop")
          .optional("validation", &Hdf5Config::validation, number().min(0).max(0.5),
                    "share of demonstrations in mask/valid"),
      "one file of all episodes of all logs, as robomimic reads it",
      [](const Hdf5Config& config) { return std::make_unique<Hdf5Exporter>(config); });
  exporters.add(
      "lerobot", dataset_object<DatasetConfig>("Lerobot"),
      "one folder of all episodes of all logs, as LeRobot reads it",
      [](const DatasetConfig& config) { return std::make_unique<LerobotExporter>(config); });
}

}  // namespace handspan
