#pragma once
// A study: one YAML file that says what is measured, what varies, how often, and what was
// published.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "study/figure.hpp"
#include "study/metric.hpp"
#include "study/stage.hpp"
#include "study/statistic.hpp"
#include "study/trial.hpp"
#include "study/variation.hpp"

namespace handspan {

/// What is measured: an app, or a trial's configuration.
struct SubjectConfig {
  Place place;
  std::optional<std::filesystem::path> app;
  std::optional<Node> trial;
};

using KeyValues = std::vector<std::pair<std::string, Node>>;

/// A log that runs use, recorded before them by one run of an app to its end.
struct LogConfig {
  Place place;
  std::filesystem::path app;
  std::uint64_t seed = 1;
  KeyValues set;
};

/// Keys that are given the path of a log, by its name.
using LogUses = std::vector<std::pair<std::string, std::string>>;

/// Runs with something in common. All cells get the same seeds and draws: common random numbers.
struct CellConfig {
  std::string doc;
  KeyValues set;
  LogUses use;
  std::optional<int> n;
  std::vector<std::pair<std::string, Variation>> vary;  // in place of the study's of that name
};

/// A number of the results: of a column's samples, or of a stage.
struct StatisticConfig {
  Place place;
  std::optional<StatisticKind> statistic;
  double p = 0.5;
  std::optional<ShareInterval> interval;  // of a share; none: Clopper's and Pearson's
  std::string of;                         // a column, "good", or STAGE.VALUE of a stage
  std::string cell;                       // "": all cells
};

enum class Bound { kValue, kLower, kUpper };

/// What is asked of the results: bound of what, relation, times * (number or statistic).
struct Expectation {
  StatisticConfig what;
  Bound bound = Bound::kValue;  // of its interval
  schema_detail::Relation relation = schema_detail::Relation::kAtLeast;
  std::variant<double, StatisticConfig> limit;
  double times = 1.0;
  std::string doc;
};

/// A row of the published table.
struct PublishedRow {
  StatisticConfig what;
  double value = 0.0;
  std::optional<double> plus_minus;  // as printed
  std::optional<int> n;
  std::optional<double> deviation;  // of what a mean is of
};

struct PublishedTable {
  std::string source;
  std::string note;
  std::vector<PublishedRow> rows;
};

/// Variations of another study, as it has them.
struct VaryFrom {
  Place place;
  std::filesystem::path study;
  std::vector<std::string> only;  // empty: all of them
};

/// A run is good when each of these columns is within its bounds.
struct GoodRule {
  Place place;
  std::optional<double> at_least, at_most, above, below;
};

struct SeriesConfig {
  std::vector<std::string> channels = {"*"};
  Rate rate = Rate::hz(100);
  std::optional<int> runs;  // the first of each cell; none: all
};

struct StudyConfig {
  std::string name;  // of its file below studies/: "grab/random"
  std::filesystem::path file;
  std::string given;  // how a person names it: its name, or its file's
  std::string title, doc;
  SubjectConfig subject;
  std::optional<int> n;
  std::uint64_t seed = 1;
  std::optional<double> longest;  // [s] of simulated time
  std::vector<std::pair<std::string, LogConfig>> logs;
  KeyValues set;  // of all cells
  LogUses use;    // likewise
  std::optional<VaryFrom> vary_from;
  std::vector<std::pair<std::string, Variation>> vary;  // those of vary_from first
  std::vector<std::pair<std::string, CellConfig>> cells;
  std::vector<std::pair<std::string, MetricRegistry::Part>> metrics;
  std::vector<std::pair<std::string, GoodRule>> good;
  std::vector<std::pair<std::string, StageRegistry::Part>> stages;
  std::vector<Expectation> expect;
  std::optional<PublishedTable> published;
  std::optional<SeriesConfig> series;
  std::vector<std::pair<std::string, FigureRegistry::Part>> figures;
};

/// @param parts with the metrics and stages that it may name; may go afterwards
/// @throws ConfigError with all that is wrong in the file
StudyConfig load_study(const std::filesystem::path& file, std::string name, const Parts& parts);

/// Documentation of a study's keys, with the metrics and stages that `parts` has now.
Description study_description(const Parts& parts);

}  // namespace handspan
