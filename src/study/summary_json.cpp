#include <cmath>
#include <nlohmann/json.hpp>

#include "core/build_info.hpp"
#include "robot/engine_versions.hpp"
#include "study/report.hpp"

namespace handspan {
namespace {

using Json = nlohmann::ordered_json;

Json number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }
Json interval(double lower, double upper) { return Json::array({number(lower), number(upper)}); }

Json statistics_of(const Results& results, const std::string& cell) {
  Json all = Json::object();
  for (const Column& column : results.columns) {
    const auto x = results.samples(column.name, cell);
    const Estimate mean = estimate(StatisticKind::kMean, x);
    const Estimate deviation = estimate(StatisticKind::kDeviation, x);
    all[column.name] = {{"n", mean.n},
                        {"mean", number(mean.value)},
                        {"deviation", number(deviation.value)},
                        {"minimum", number(estimate(StatisticKind::kMinimum, x).value)},
                        {"median", number(estimate(StatisticKind::kMedian, x).value)},
                        {"maximum", number(estimate(StatisticKind::kMaximum, x).value)},
                        {"mean_interval", interval(mean.lower, mean.upper)},
                        {"deviation_interval", interval(deviation.lower, deviation.upper)}};
  }
  return all;
}

}  // namespace

std::string summary_json(const StudyOutcome& outcome) {
  const Results& results = outcome.results;
  Json json = {{"study", outcome.study.name},  {"title", outcome.study.title},
               {"seed", outcome.study.seed},   {"runs", results.runs.size()},
               {"complete", outcome.complete}, {"holds", outcome.holds()},
               {"failed", results.failed()}};
  json["columns"] = Json::array();
  for (const Column& c : results.columns)
    json["columns"].push_back({{"name", c.name}, {"unit", c.unit}, {"doc", c.doc}});
  json["variations"] = Json::array();
  for (const auto& v : results.variations)
    json["variations"].push_back({{"name", v.name}, {"unit", v.unit}});
  json["cells"] = Json::array();
  for (const std::string& cell : groups_of(results)) {
    std::size_t runs = 0, good = 0;
    for (const RunRecord& run : results.runs) {
      if (run.cell != cell) continue;
      ++runs;
      good += run.good.value_or(false) ? 1 : 0;
    }
    json["cells"].push_back({{"name", cell},
                             {"runs", runs},
                             {"good", results.judged ? Json(good) : Json(nullptr)},
                             {"statistics", statistics_of(results, cell)}});
  }
  json["stages"] = Json::array();
  for (const StageOutcome& stage : outcome.stages) {
    Json values = Json::object();
    for (const StageValue& value : stage.values)
      values[value.name] = {{"value", number(value.value)}, {"unit", value.unit}};
    json["stages"].push_back({{"name", stage.name}, {"values", values}});
  }
  json["expectations"] = Json::array();
  for (const ExpectationOutcome& e : outcome.expectations)
    json["expectations"].push_back({{"what", e.measured.text},
                                    {"value", number(e.measured.estimate.value)},
                                    {"lower", number(e.measured.estimate.lower)},
                                    {"upper", number(e.measured.estimate.upper)},
                                    {"limit", number(e.limit)},
                                    {"asked", e.limit_text},
                                    {"holds", e.holds}});
  json["published"] = nullptr;
  if (outcome.study.published) {
    Json rows = Json::array();
    for (const PublishedOutcome& p : outcome.published) {
      const Comparison& c = p.comparison;
      rows.push_back({{"what", p.measured.text},
                      {"unit", p.measured.unit},
                      {"published", p.row.value},
                      {"ours", number(p.measured.estimate.value)},
                      {"lower", number(p.measured.estimate.lower)},
                      {"upper", number(p.measured.estimate.upper)},
                      {"difference", number(c.difference)},
                      {"difference_interval", interval(c.lower, c.upper)},
                      {"ratio", number(c.ratio)},
                      {"ratio_interval", interval(c.ratio_lower, c.ratio_upper)}});
    }
    json["published"] = {{"source", outcome.study.published->source}, {"rows", rows}};
  }
  json["overrides"] = Json::object();
  for (const auto& [key, value] : outcome.options.parameters) json["overrides"][key] = value;
  json["timing"] = {{"wall", outcome.wall},           {"inner", outcome.inner},
                    {"simulated", outcome.simulated}, {"done", outcome.done},
                    {"resumed", outcome.resumed},     {"workers", outcome.workers}};
  Json libraries = Json::object();
  for (const auto& [library, version] : engine_versions()) libraries[library] = version;
  json["machine"] = {{"build", build_id()},
                     {"compiler", compiler()},
                     {"cpu", cpu_model()},
                     {"cpu_features", cpu_features()},
                     {"libraries", libraries}};
  // a name may hold any bytes
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace handspan
