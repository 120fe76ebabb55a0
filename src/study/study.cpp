#include "study/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/config.hpp"
#include "core/suggest.hpp"

namespace handspan {
namespace {

using schema_detail::Relation;

std::optional<Fault> interval_fault(const StatisticConfig& what) {
  if (!what.interval || what.statistic == StatisticKind::kShare) return std::nullopt;
  return Fault{fmt::format("is {}, which is of shares alone", name_of(*what.interval)),
               "take it away: the other statistics have one interval each", "interval"};
}

ObjectSchema<StatisticConfig> statistic_schema() {
  return object<StatisticConfig>("Statistic", "a number of the results")
      .optional("statistic", &StatisticConfig::statistic, statistic_kind_schema(),
                "of a column's samples; left out for a stage's value")
      .optional("p", &StatisticConfig::p, number().min(0).max(1), "of a quantile")
      .optional("interval", &StatisticConfig::interval, share_interval_schema(),
                "of a share; left out: clopper_pearson")
      .required("of", &StatisticConfig::of, text(),
                "a column, a variation, good, or STAGE.VALUE without a statistic")
      .optional("cell", &StatisticConfig::cell, text(), "else all of them together")
      .place(&StatisticConfig::place)
      .check([](const StatisticConfig& s) { return interval_fault(s); });
}

using Limit = std::variant<double, StatisticConfig>;

Schema<Limit> limit_schema() {
  Description description;
  description.type = "number or Statistic";
  return {[](const Node& node, Reader& reader) -> std::optional<Limit> {
            if (node.kind() == Node::Kind::kObject) {
              const auto statistic = statistic_schema().read(node, reader);
              return statistic ? std::optional<Limit>(*statistic) : std::nullopt;
            }
            const auto value = number_in_si().read(node, reader);
            return value ? std::optional<Limit>(*value) : std::nullopt;
          },
          description};
}

struct ExpectationFile : StatisticConfig {
  std::optional<Limit> at_least, at_most, above, below;
  Bound bound = Bound::kValue;
  double times = 1.0;
  std::string doc;
};

Schema<Expectation> expectation_schema() {
  const auto file =
      object<ExpectationFile>("Expectation", "what is asked of the results; the exit code's reason")
          .optional("statistic", &StatisticConfig::statistic, statistic_kind_schema(),
                    "of a column's samples; left out for a stage's value")
          .optional("p", &StatisticConfig::p, number().min(0).max(1), "of a quantile")
          .optional("interval", &StatisticConfig::interval, share_interval_schema(),
                    "of a share; left out: clopper_pearson")
          .required("of", &StatisticConfig::of, text(),
                    "a column, a variation, good, or STAGE.VALUE without a statistic")
          .optional("cell", &StatisticConfig::cell, text(), "else all of them together")
          .optional(
              "bound", &ExpectationFile::bound,
              choice<Bound>(
                  {{"value", Bound::kValue}, {"lower", Bound::kLower}, {"upper", Bound::kUpper}}),
              "lower, upper: of its 95 % interval")
          .optional("at_least", &ExpectationFile::at_least, limit_schema())
          .optional("at_most", &ExpectationFile::at_most, limit_schema())
          .optional("above", &ExpectationFile::above, limit_schema())
          .optional("below", &ExpectationFile::below, limit_schema())
          .optional("times", &ExpectationFile::times, number().above(0),
                    "the limit is multiplied by it")
          .optional("doc", &ExpectationFile::doc, text())
          .place(&StatisticConfig::place)
          .check([](const ExpectationFile& f) -> std::optional<Fault> {
            if (const auto fault = interval_fault(f)) return fault;
            const int given =
                (f.at_least ? 1 : 0) + (f.at_most ? 1 : 0) + (f.above ? 1 : 0) + (f.below ? 1 : 0);
            if (given == 1) return std::nullopt;
            return Fault{fmt::format("has {} limits", given == 0 ? "no" : "several"),
                         "give one of at_least, at_most, above, below"};
          });
  return file.map([](ExpectationFile f) {
    Expectation e;
    e.what = f;
    e.bound = f.bound;
    e.times = f.times;
    e.doc = f.doc;
    const auto take = [&](std::optional<Limit>& limit, Relation relation) {
      if (!limit) return;
      e.limit = std::move(*limit);
      e.relation = relation;
    };
    take(f.at_least, Relation::kAtLeast);
    take(f.at_most, Relation::kAtMost);
    take(f.above, Relation::kAbove);
    take(f.below, Relation::kBelow);
    return e;
  });
}

struct RowFile : StatisticConfig {
  double value = 0.0;
  std::optional<double> plus_minus, deviation;
  std::optional<int> n;
};

Schema<PublishedTable> published_schema() {
  const auto row = object<RowFile>("Row", "a number of the publication")
                       .optional("statistic", &StatisticConfig::statistic, statistic_kind_schema(),
                                 "of a column's samples; left out for a stage's value")
                       .optional("p", &StatisticConfig::p, number().min(0).max(1), "of a quantile")
                       .optional("interval", &StatisticConfig::interval, share_interval_schema(),
                                 "of a share; left out: clopper_pearson")
                       .required("of", &StatisticConfig::of, text(),
                                 "our column, or STAGE.VALUE without a statistic")
                       .optional("cell", &StatisticConfig::cell, text(), "our cell; else all")
                       .required("value", &RowFile::value, number_in_si(), "theirs")
                       .optional("plus_minus", &RowFile::plus_minus, number_in_si(), "as printed")
                       .optional("n", &RowFile::n, integer().min(1), "their number of samples")
                       .optional("deviation", &RowFile::deviation, number_in_si(),
                                 "of the samples of their mean")
                       .place(&StatisticConfig::place)
                       .check([](const RowFile& f) -> std::optional<Fault> {
                         if (const auto fault = interval_fault(f)) return fault;
                         if (f.statistic || (!f.n && !f.deviation)) return std::nullopt;
                         return Fault{"is of samples, and a stage's value has none", "take it away",
                                      f.n ? "n" : "deviation"};
                       })
                       .map([](const RowFile& f) {
                         PublishedRow r;
                         r.what = f;
                         r.value = f.value;
                         r.plus_minus = f.plus_minus;
                         r.n = f.n;
                         r.deviation = f.deviation;
                         return r;
                       });
  return object<PublishedTable>("Published")
      .required("source", &PublishedTable::source, text(), "work, table, page")
      .optional("note", &PublishedTable::note, text(), "what is not comparable, and why")
      .required("rows", &PublishedTable::rows, list(row).min_size(1));
}

Schema<GoodRule> good_schema() {
  return object<GoodRule>("Bounds", "of a column, all of which must hold")
      .optional("at_least", &GoodRule::at_least, number_in_si())
      .optional("at_most", &GoodRule::at_most, number_in_si())
      .optional("above", &GoodRule::above, number_in_si())
      .optional("below", &GoodRule::below, number_in_si())
      .place(&GoodRule::place)
      .check([](const GoodRule& r) -> std::optional<Fault> {
        if (r.at_least || r.at_most || r.above || r.below) return std::nullopt;
        return Fault{"has no bound", "give at_least, at_most, above or below"};
      });
}

Schema<SubjectConfig> subject_schema() {
  return object<SubjectConfig>("Subject", "what is measured")
      .optional("app", &SubjectConfig::app, file(), "an app, run as fast as it goes")
      .optional("trial", &SubjectConfig::trial, any_value(),
                "a registered trial: {type: NAME, ...}; handspan study --trials lists them")
      .place(&SubjectConfig::place)
      .check([](const SubjectConfig& s) -> std::optional<Fault> {
        if (s.app.has_value() != s.trial.has_value()) return std::nullopt;
        return Fault{s.app ? "is an app and a trial" : "is nothing", "give one of app and trial"};
      });
}

ObjectSchema<StudyConfig> study_schema(const Parts& parts) {
  const auto cell =
      object<CellConfig>("Cell", "runs with something in common")
          .optional("doc", &CellConfig::doc, text())
          .optional("set", &CellConfig::set, dictionary(any_value()), "values of keys, by path")
          .optional("use", &CellConfig::use, dictionary(text()), "keys that get a log's path")
          .optional("n", &CellConfig::n, integer().min(1).max(10'000'000), "else the study's")
          .optional("vary", &CellConfig::vary, dictionary(variation_schema()),
                    "in place of the study's variation of that name");
  const auto series =
      object<SeriesConfig>("Series", "channels over time, one file a run in DIR/series")
          .optional("channels", &SeriesConfig::channels, list(text()).min_size(1),
                    "of an app; * is any text; left out: all that have numbers")
          .optional("rate", &SeriesConfig::rate, rate())
          .optional("runs", &SeriesConfig::runs, integer().min(1).max(10'000'000),
                    "the first of each cell; left out: all");
  const auto log =
      object<LogConfig>("Log", "recorded in full before the runs by one run of an app to its end")
          .place(&LogConfig::place)
          .required("app", &LogConfig::app, file(), "one that comes to an end by itself")
          .optional("seed", &LogConfig::seed, integer().min(0))
          .optional("set", &LogConfig::set, dictionary(any_value()), "values of keys, by path");
  const auto vary_from =
      object<VaryFrom>("VaryFrom", "variations of another study, as it has them")
          .required("study", &VaryFrom::study, file(), "whose own 'vary' is meant")
          .optional("only", &VaryFrom::only, list(text()).min_size(1), "else all of them")
          .place(&VaryFrom::place);
  return object<StudyConfig>(
             "Study", "an experiment of studies/: many runs, what is measured, what was published")
      .required("title", &StudyConfig::title, text())
      .optional("doc", &StudyConfig::doc, text(), "what it asks, and how")
      .required("subject", &StudyConfig::subject, subject_schema())
      .optional("n", &StudyConfig::n, integer().min(1).max(10'000'000),
                "runs of each cell and combination of grids; left out: a trial's cases, else 1")
      .optional("seed", &StudyConfig::seed, integer().min(0),
                "of the first run; each further run of a cell has the next")
      .optional("longest", &StudyConfig::longest, number("s").above(0),
                "of a run, in simulated time; else as the app says")
      .optional("logs", &StudyConfig::logs, dictionary(log),
                "that runs use, such as a demonstration")
      .optional("use", &StudyConfig::use, dictionary(text()),
                "keys that get a log's path, in all runs: the log's name")
      .optional("set", &StudyConfig::set, dictionary(any_value()),
                "values of keys, by path, in all runs")
      .optional("vary_from", &StudyConfig::vary_from, vary_from,
                "beside one's own: noise that several studies have")
      .optional("vary", &StudyConfig::vary, dictionary(variation_schema()), "by name")
      .optional("cells", &StudyConfig::cells, dictionary(cell),
                "by name; all have the same seeds, so that what is drawn is the same")
      .optional("metrics", &StudyConfig::metrics, dictionary(parts.of<MetricRegistry>().schema()),
                "of an app's runs, by name; a trial has its own")
      .optional("good", &StudyConfig::good, dictionary(good_schema()),
                "what makes a run good, by column")
      .optional("stages", &StudyConfig::stages, dictionary(parts.of<StageRegistry>().schema()),
                "what is done with the runs, in turn")
      .optional("expect", &StudyConfig::expect, list(expectation_schema()))
      .optional("published", &StudyConfig::published, published_schema())
      .optional("series", &StudyConfig::series, series)
      .optional("figures", &StudyConfig::figures, dictionary(parts.of<FigureRegistry>().schema()),
                "that the report draws, by name")
      .check([](const StudyConfig& s) -> std::optional<Fault> {
        if (s.subject.app && s.metrics.empty())
          return Fault{"has no metrics",
                       "say what is measured in the app's runs: metrics: {NAME: {type: ...}}"};
        if (s.subject.trial && !s.metrics.empty())
          return Fault{"are of apps, and a trial gives its own numbers", "take them away",
                       "metrics"};
        if (s.subject.trial && s.longest) return Fault{"is of apps", "take it away", "longest"};
        return std::nullopt;
      });
}

void check_names(const StudyConfig& study) {
  std::vector<Issue> issues;
  const auto check = [&](const char* kind, const std::string& name, const Place& place) {
    if (!schema_detail::is_identifier(name))
      issues.push_back({place, kind, fmt::format("has the name '{}'", shown(name)),
                        schema_detail::kIdentifierHint});
  };
  const Place whole{study.file.string(), 0, 0};
  std::set<std::string> groups;
  std::vector<std::string> varied;
  for (const auto& [name, variation] : study.vary)
    if (variation.distribution != Distribution::kGrid) varied.push_back(name);
  for (const auto& [name, cell] : study.cells) {
    check("cells", name, whole);
    groups.insert(name);
    for (const auto& [of, variation] : cell.vary) {
      const std::string place = "cells." + name + ".vary." + of;
      if (std::ranges::count(varied, of) == 0)
        issues.push_back({variation.place, place,
                          "is in place of a variation of the study, and there is none of that name "
                          "that is not a grid",
                          did_you_mean(of, varied, "there are")});
      if (variation.distribution == Distribution::kGrid)
        issues.push_back({variation.place, place, "is a grid, which all cells have in common",
                          "take a list or a distribution, or make the study's a grid"});
    }
  }
  for (const auto& [name, stage] : study.stages) {
    check("stages", name, stage.place);
    if (groups.contains(name))
      issues.push_back(
          {stage.place, "stages." + name, "is named as a cell", "choose another name"});
  }
  for (const auto& [name, figure] : study.figures) check("figures", name, figure.place);
  for (const auto& [name, variation] : study.vary) check("vary", name, variation.place);
  for (const auto& [name, metric] : study.metrics) check("metrics", name, metric.place);
  if (!issues.empty()) throw ConfigError(std::move(issues));
}

// Puts the variations of the other study before the study's own. Their places are in its file.
void take_variations(StudyConfig& study) {
  if (!study.vary_from) return;
  const VaryFrom& from = *study.vary_from;
  const Node tree = load_tree(from.study);
  const Node* written = tree.kind() == Node::Kind::kObject ? tree.find("vary") : nullptr;
  if (written == nullptr)
    throw ConfigError({{from.place, "vary_from.study",
                        fmt::format("is {}, which has no 'vary'", from.study.string()),
                        "name a study that has"}});
  auto there = read_tree(*written, from.study.string(), Schema(dictionary(variation_schema())));
  std::vector<std::string> names;
  for (const auto& [name, variation] : there) names.push_back(name);
  std::vector<Issue> issues;
  for (const std::string& name : from.only)
    if (!std::ranges::count(names, name))
      issues.push_back({from.place, "vary_from.only",
                        fmt::format("has '{}', which that study does not vary", shown(name)),
                        did_you_mean(name, names, "it varies")});
  std::erase_if(there, [&](const auto& entry) {
    return !from.only.empty() && !std::ranges::count(from.only, entry.first);
  });
  for (const auto& [name, variation] : study.vary)
    if (std::ranges::count(there, name, [](const auto& entry) { return entry.first; }) > 0)
      issues.push_back({variation.place, "vary." + name, "is in vary_from too",
                        "choose another name, or say in vary_from.only which are meant"});
  if (!issues.empty()) throw ConfigError(std::move(issues));
  study.vary.insert(study.vary.begin(), std::make_move_iterator(there.begin()),
                    std::make_move_iterator(there.end()));
}

}  // namespace

StudyConfig load_study(const std::filesystem::path& file, std::string name, const Parts& parts) {
  StudyConfig study = load_yaml(file, study_schema(parts));
  study.file = file;
  study.name = std::move(name);
  study.given = study.name;
  take_variations(study);
  for (auto& [key, variation] : study.vary) variation.name = key;
  for (auto& [cell, config] : study.cells)
    for (auto& [key, variation] : config.vary) variation.name = key;
  check_names(study);
  return study;
}

Description study_description(const Parts& parts) { return study_schema(parts).description(); }

}  // namespace handspan
