#include <cmath>
#include <nlohmann/json.hpp>

#include "core/build_info.hpp"
#include "robot/engine_versions.hpp"
#include "study/report.hpp"

namespace handspan {
namespace {

using Ordered = nlohmann::ordered_json;

Ordered finite_number(double x) { return std::isfinite(x) ? Ordered(x) : Ordered(nullptr); }
Ordered interval(double lower, double upper) {
  return Ordered::array({finite_number(lower), finite_number(upper)});
}

Ordered statistics_of(const Results& results, const std::string& cell) {
  Ordered all = Ordered::object();
  for (const Column& column : results.columns) {
    const auto x = results.samples(column.name, cell);
    const Estimate mean = estimate(StatisticKind::kMean, x);
    const Estimate deviation = estimate(StatisticKind::kDeviation, x);
    all[column.name] = {{"n", mean.n},
                        {"mean", finite_number(mean.value)},
                        {"deviation", finite_number(deviation.value)},
                        {"minimum", finite_number(estimate(StatisticKind::kMinimum, x).value)},
                        {"median", finite_number(estimate(StatisticKind::kMedian, x).value)},
                        {"maximum", finite_number(estimate(StatisticKind::kMaximum, x).value)},
                        {"mean_interval", interval(mean.lower, mean.upper)},
                        {"deviation_interval", interval(deviation.lower, deviation.upper)}};
  }
  return all;
}

Ordered share_of_good(const Results& results, const std::string& cell) {
  if (!results.judged) return nullptr;
  const auto good = results.samples("good", cell);
  Ordered share = Ordered::object();
  for (const ShareInterval kind : {ShareInterval::kClopperPearson, ShareInterval::kWilson}) {
    const Estimate e = estimate(StatisticKind::kShare, good, 0.5, kind);
    share["value"] = finite_number(e.value);
    share[name_of(kind)] = interval(e.lower, e.upper);
  }
  return share;
}

}  // namespace

// One function, since it is one line for each key, in the order of the file.
std::string summary_json(const StudyOutcome& outcome) {
  const Results& results = outcome.results;
  Ordered json = {{"format", kResultsFormat},     {"study", outcome.study.name},
                  {"title", outcome.study.title}, {"seed", outcome.study.seed},
                  {"runs", results.runs.size()},  {"complete", outcome.complete},
                  {"holds", outcome.holds()},     {"failed", results.failed()}};
  json["columns"] = Ordered::array();
  for (const Column& c : results.columns)
    json["columns"].push_back({{"name", c.name}, {"unit", c.unit}, {"doc", c.doc}});
  json["variations"] = Ordered::array();
  for (const auto& v : results.variations)
    json["variations"].push_back({{"name", v.name}, {"unit", v.unit}});
  json["cells"] = Ordered::array();
  for (const std::string& cell : groups_of(results)) {
    std::size_t runs = 0, good = 0;
    for (const RunRecord& run : results.runs) {
      if (run.cell != cell) continue;
      ++runs;
      good += run.good.value_or(false) ? 1 : 0;
    }
    json["cells"].push_back({{"name", cell},
                             {"runs", runs},
                             {"good", results.judged ? Ordered(good) : Ordered(nullptr)},
                             {"good_share", share_of_good(results, cell)},
                             {"statistics", statistics_of(results, cell)}});
  }
  json["stages"] = Ordered::array();
  for (const StageOutcome& stage : outcome.stages) {
    Ordered values = Ordered::object();
    for (const StageValue& value : stage.values)
      values[value.name] = {{"value", finite_number(value.value)}, {"unit", value.unit}};
    json["stages"].push_back({{"name", stage.name}, {"values", values}});
  }
  json["expectations"] = Ordered::array();
  for (const ExpectationOutcome& e : outcome.expectations)
    json["expectations"].push_back({{"what", e.measured.text},
                                    {"value", finite_number(e.measured.estimate.value)},
                                    {"lower", finite_number(e.measured.estimate.lower)},
                                    {"upper", finite_number(e.measured.estimate.upper)},
                                    {"limit", finite_number(e.limit)},
                                    {"asked", e.limit_text},
                                    {"holds", e.holds}});
  json["published"] = nullptr;
  if (outcome.study.published) {
    Ordered rows = Ordered::array();
    for (const PublishedOutcome& p : outcome.published) {
      const Comparison& c = p.comparison;
      rows.push_back({{"what", p.measured.text},
                      {"unit", p.measured.unit},
                      {"published", p.row.value},
                      {"ours", finite_number(p.measured.estimate.value)},
                      {"lower", finite_number(p.measured.estimate.lower)},
                      {"upper", finite_number(p.measured.estimate.upper)},
                      {"difference", finite_number(c.difference)},
                      {"difference_interval", interval(c.lower, c.upper)},
                      {"ratio", finite_number(c.ratio)},
                      {"ratio_interval", interval(c.ratio_lower, c.ratio_upper)}});
    }
    json["published"] = {{"source", outcome.study.published->source}, {"rows", rows}};
  }
  json["overrides"] = Ordered::object();
  for (const auto& [key, value] : outcome.options.parameters) json["overrides"][key] = value;
  json["timing"] = {{"wall", outcome.wall},           {"inner", outcome.inner},
                    {"simulated", outcome.simulated}, {"done", outcome.done},
                    {"resumed", outcome.resumed},     {"workers", outcome.workers}};
  Ordered libraries = Ordered::object();
  for (const auto& [library, version] : engine_versions()) libraries[library] = version;
  json["machine"] = {{"build", build_id()},
                     {"compiler", compiler()},
                     {"cpu", cpu_model()},
                     {"cpu_features", cpu_features()},
                     {"libraries", libraries}};
  // a name may hold any bytes
  return json.dump(2, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

}  // namespace handspan
