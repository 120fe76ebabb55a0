#pragma once
// What a study does with its runs when they are done: a fit, an influence, a choice that is run
// again. Stages come in turn, each sees the results so far and may ask for further runs, and what
// it finds is part of the results. They register by name with a schema.
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/registry.hpp"
#include "session/app.hpp"
#include "study/results.hpp"

namespace handspan {

struct StageValue {
  std::string name;
  double value = 0.0;  // SI
  std::string unit;
  std::string row = "";  // of the table that shows it, the name being ROW.COLUMN; "": of none
};

/// A run that a stage asks for.
struct RunRequest {
  std::string cell;                                    // whose fixed keys it has; "": of the first
  int repeat = 0;                                      // its seed is the study's and this
  std::vector<std::pair<std::string, double>> values;  // of variations; the others are drawn
  std::string group = {};  // that it counts to in the results; "": the stage's name
  bool middle = false;     // the others have the middle of what they are drawn from: no noise
};

struct StageContext {
  std::string name;
  /// With the runs that this stage asked for, once they are done.
  const Results& results;
  /// Does them, side by side. @return indices into results.runs, in the order asked
  std::function<std::vector<std::size_t>(std::span<const RunRequest>)> run;
  /// A value of a stage before this: "STAGE.VALUE". @throws InputError
  std::function<double(const std::string&)> value;
  /// The app of a run, for what a stage does with it by itself. @throws InputError when the
  /// subject is a trial
  std::function<std::unique_ptr<App>(const RunRequest&)> app;
};

class Stage {
 public:
  static constexpr char kKind[] = "stage";

  virtual ~Stage() = default;
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  Stage() = default;

  /// Before the first run: whether what it names is there. @param none columns, variations and
  /// cells (those of stages too), without runs @throws InputError
  virtual void check(const Results& none) const { (void)none; }

  /// A function of the results alone, so that a study that was interrupted asks for the same runs.
  /// @throws InputError naming what it lacks
  virtual std::vector<StageValue> run(const StageContext& context) = 0;
};

using StageRegistry = Registry<Stage>;

}  // namespace handspan
