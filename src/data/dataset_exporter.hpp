#pragma once
// Data sets for learning as formats of export: their common keys, and the way from logs through
// demonstrations into a DatasetWriter.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/values.hpp"
#include "data/dataset.hpp"
#include "data/exporter.hpp"

namespace handspan {

/// The word of a default, for the documentation of schemas (core/defaults.hpp).
inline std::string default_text(const ActionFrame& frame) {
  return frame == ActionFrame::kAbsolute ? "absolute" : "relative";
}

/// Keys that every data set has. Formats with more derive from it.
struct DatasetConfig {
  Rate rate = {20, 1};
  ActionFrame actions = ActionFrame::kAbsolute;
  bool streams = false, discarded = false;
  // corrections, by the number of an episode among all logs, from 1
  std::vector<std::pair<int, std::string>> outcomes, tasks;
  std::string task;  // of all others; "": as recorded
};

namespace dataset_detail {
/// "3=WORDS", the number from 1 on.
Schema<std::pair<int, std::string>> correction();
/// The same of an outcome, which is success, failure, discard or stop.
Schema<std::pair<int, std::string>> outcome_correction();
}  // namespace dataset_detail

/// A schema of those keys; more are added to it: dataset_object<C>("Lines").optional(...).
template <class C>
ObjectSchema<C> dataset_object(std::string name) {
  using D = DatasetConfig;
  return object<C>(std::move(name))
      .optional("rate", &D::rate, handspan::rate(), "rows a second")
      .optional("actions", &D::actions,
                choice<ActionFrame>(
                    {{"absolute", ActionFrame::kAbsolute}, {"relative", ActionFrame::kRelative}}),
                "poses in the world, or relative to the measured tool")
      .optional("streams", &D::streams, boolean(),
                "take what was recorded instead of running the log again")
      .optional("discarded", &D::discarded, boolean(), "discarded episodes too")
      .optional("outcome", &D::outcomes, list(dataset_detail::outcome_correction()),
                "3=failure corrects the third episode's outcome in what is written")
      .optional("task", &D::task, text(), "words of all episodes' task")
      .optional("task_of", &D::tasks, list(dataset_detail::correction()),
                "3=WORDS corrects the third one's");
}

/// Makes demonstrations of all episodes of the logs and gives them to the writer.
/// @param states whether snapshots of plant and loop are taken for it
/// @param make is called before a log is read, and may refuse the output
/// @throws InputError as Demonstrations, the writer, and when nothing is left to be written
ExportReport export_dataset(const ExportRequest& request, const DatasetConfig& config, bool states,
                            const std::function<std::unique_ptr<DatasetWriter>()>& make);

/// hdf5 (robomimic), lerobot.
void register_dataset_exporters(ExporterRegistry& exporters);

}  // namespace handspan
