#include "study/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/build_info.hpp"
#include "core/error.hpp"
#include "core/escape.hpp"
#include "core/file_trees.hpp"
#include "core/text_file.hpp"
#include "robot/engine_versions.hpp"
#include "study/app_subject.hpp"
#include "study/comparison_report.hpp"
#include "study/figure_pictures.hpp"
#include "study/figure_rows.hpp"
#include "study/figure_theme.hpp"
#include "study/report_figures.hpp"
#include "study/report_page.hpp"
#include "study/results_table.hpp"
#include "study/study_text.hpp"

namespace handspan {
namespace {

using Json = nlohmann::json;

// what the script draws: specifications by name, and the runs for one quantity against another
std::string data_of(const StudyOutcome& outcome, const std::vector<DrawnFigure>& figures) {
  Json json = {{"figures", Json::object()}, {"explore", nullptr}};
  for (const DrawnFigure& figure : figures)
    if (!figure.drawing.spec.is_null()) json["figures"][figure.name] = figure.drawing.spec;
  if (outcome.results.runs.size() <= kMostRows) json["explore"] = explored(outcome.results);
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  // nothing in it may end the script that it stands in
  for (std::size_t at = 0; (at = text.find("</", at)) != std::string::npos;)
    text.replace(at, 2, "<\\/");
  return text;
}

std::string interval_html(const Estimate& e, const std::string& unit) {
  if (!std::isfinite(e.lower) || !std::isfinite(e.upper) || !(e.lower < e.upper)) return "";
  return fmt::format(" <span class=interval>[{}, {}]</span>", number_text(e.lower, unit),
                     number_text(e.upper, unit));
}

std::string estimate_html(const Estimate& e, const std::string& unit) {
  return escaped(value_text(e.value, unit)) + interval_html(e, unit);
}

std::string expectations_html(const StudyOutcome& outcome) {
  if (outcome.expectations.empty()) return "";
  std::string out =
      "<h2>What was asked</h2>\n<div class=wide><table><tr><th class=text>of<th>measured"
      "<th class=text>asked<th class=text></tr>\n";
  for (const ExpectationOutcome& e : outcome.expectations) {
    const std::string bound = e.expectation.bound == Bound::kLower   ? "lower bound of "
                              : e.expectation.bound == Bound::kUpper ? "upper bound of "
                                                                     : "";
    out += fmt::format(
        "<tr><td class=text>{}{}<td>{}<td class=text>{}<td class=\"text {}\">{}</tr>\n", bound,
        escaped(e.measured.text +
                (e.expectation.doc.empty() ? "" : " (" + e.expectation.doc + ")")),
        estimate_html(e.measured.estimate, e.measured.unit), escaped(e.limit_text),
        e.holds ? "good" : "bad", e.holds ? "holds" : "does not hold");
  }
  return out + "</table></div>\n";
}

std::string published_html(const StudyOutcome& outcome) {
  if (!outcome.study.published) return "";
  std::string out = fmt::format("<h2>Published, and ours</h2>\n<p class=soft>{}</p>\n",
                                escaped(outcome.study.published->source));
  if (!outcome.study.published->note.empty())
    out += fmt::format("<p>{}</p>\n", escaped(outcome.study.published->note));
  out +=
      "<div class=wide><table><tr><th "
      "class=text>of<th>published<th>n<th>ours<th>n<th>difference<th>ours / "
      "published</tr>\n";
  for (const PublishedOutcome& p : outcome.published) {
    const std::string& unit = p.measured.unit;
    const Comparison& c = p.comparison;
    std::string theirs = value_text(p.row.value, unit);
    if (p.row.plus_minus) theirs += " &plusmn; " + value_text(*p.row.plus_minus, unit);
    out += fmt::format("<tr><td class=text>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}</tr>\n",
                       escaped(p.measured.text), theirs, p.row.n ? std::to_string(*p.row.n) : "",
                       estimate_html(p.measured.estimate, unit),
                       p.row.what.statistic ? std::to_string(p.measured.estimate.n) : "",
                       estimate_html({c.difference, c.lower, c.upper, 0}, unit),
                       estimate_html({c.ratio, c.ratio_lower, c.ratio_upper, 0}, ""));
  }
  return out + "</table></div>\n";
}

std::string statistics_html(const StudyOutcome& outcome) {
  const Results& results = outcome.results;
  std::string out =
      "<h2>Measured</h2>\n<p class=soft>In brackets: 95 % intervals, of means by Student's t, of "
      "deviations by chi-square, of shares by Clopper and Pearson.</p>\n";
  const auto groups = groups_of(results);
  for (const std::string& cell : groups) {
    std::string doc;
    for (const auto& [name, config] : outcome.study.cells)
      if (name == cell && !config.doc.empty()) doc = ": " + config.doc;
    if (groups.size() > 1) out += fmt::format("<h3>{}</h3>\n", escaped(cell + doc));
    out +=
        "<div class=wide><table><tr><th "
        "class=text>column<th>n<th>mean<th>deviation<th>least<th>median"
        "<th>largest</tr>\n";
    for (std::size_t c = 0; c < results.columns.size(); ++c) {
      const Column& column = results.columns[c];
      const auto x = results.samples(column.name, cell);
      const std::string unit = shown_unit(column.unit).unit;
      out += fmt::format("<tr><td class=text title=\"{}\">{}{}<td>{}", escaped(column.doc),
                         escaped(column.name), unit.empty() ? "" : escaped(" [" + unit + "]"),
                         estimate(StatisticKind::kMean, x).n);
      const auto cell_of = [&](StatisticKind kind) {
        Estimate e = estimate(kind, x);
        // of means and deviations only: the table stays readable
        if (kind != StatisticKind::kMean && kind != StatisticKind::kDeviation)
          e.lower = e.upper = e.value;
        // the unit is in the first column
        return "<td>" + number_text(e.value, column.unit) + interval_html(e, column.unit);
      };
      if (results.is_flag(c)) {
        const Estimate share = estimate(StatisticKind::kShare, x);
        out += fmt::format(
            "<td colspan=5 class=text>{} of {} <span class=interval>{:.1f} % [{:.1f}, "
            "{:.1f}]</span>",
            estimate(StatisticKind::kCount, x).value, share.n, 100.0 * share.value,
            100.0 * share.lower, 100.0 * share.upper);
      } else {
        for (const StatisticKind kind :
             {StatisticKind::kMean, StatisticKind::kDeviation, StatisticKind::kMinimum,
              StatisticKind::kMedian, StatisticKind::kMaximum})
          out += cell_of(kind);
      }
      out += "</tr>\n";
    }
    out += "</table></div>\n";
    if (results.judged) {
      const auto good = results.samples("good", cell);
      const Estimate share = estimate(StatisticKind::kShare, good);
      out += fmt::format(
          "<p>Good: {} of {}, {:.1f} % <span class=interval>[{:.1f}, {:.1f}]</span></p>\n",
          estimate(StatisticKind::kCount, good).value, share.n, 100.0 * share.value,
          100.0 * share.lower, 100.0 * share.upper);
    }
  }
  return out;
}

std::string stages_html(const StudyOutcome& outcome) {
  if (outcome.stages.empty()) return "";
  std::string out = "<h2>Found in the runs</h2>\n";
  std::string doc;
  for (const StageOutcome& stage : outcome.stages) {
    out += fmt::format("<h3>{}</h3>\n", escaped(stage.name));
    if (stage.doc != doc) out += fmt::format("<p class=soft>{}</p>\n", escaped(stage.doc));
    doc = stage.doc;
    out += "<div class=wide><table>";
    const StageTable table = stage_table(stage);
    for (std::size_t l = 0; l < table.lines.size(); ++l) {
      const bool head = table.has_head && l == 0;
      out += "<tr>";
      for (const std::string& cell : table.lines[l])
        out += (head ? "<th>" : "<td>") + escaped(cell);
      out += "</tr>\n";
    }
    out += "</table></div>\n";
  }
  return out;
}

// runs that failed or were not good, with what does them again
std::string runs_html(const StudyOutcome& outcome) {
  constexpr std::size_t kMost = 50;
  std::vector<const RunRecord*> bad;
  for (const RunRecord& run : outcome.results.runs)
    if (!run.failure.empty() || !run.good.value_or(true)) bad.push_back(&run);
  if (bad.empty()) return "";
  std::string out = fmt::format(
      "<details><summary>{} runs that were not good or failed</summary>\n<div class=wide><table>"
      "<tr><th class=text>run<th class=text>cell<th>seed",
      bad.size());
  for (const Column& c : outcome.results.columns) {
    const std::string unit = shown_unit(c.unit).unit;
    out += fmt::format("<th>{}{}", escaped(c.name), unit.empty() ? "" : escaped(" [" + unit + "]"));
  }
  out += "<th class=text></tr>\n";
  for (std::size_t i = 0; i < std::min(bad.size(), kMost); ++i) {
    out += fmt::format("<tr><td class=text>{}<td class=text>{}<td>{}", bad[i]->number,
                       escaped(bad[i]->cell), bad[i]->seed);
    for (std::size_t c = 0; c < bad[i]->values.size(); ++c) {
      const double x = bad[i]->values[c];
      out += "<td>" + number_text(x, outcome.results.columns[c].unit);
    }
    out += fmt::format("<td class=text>{}</tr>\n", escaped(bad[i]->failure));
  }
  out += "</table></div>\n";
  if (bad.size() > kMost)
    out += fmt::format("<p class=soft>and {} more, in results.csv</p>\n", bad.size() - kMost);
  return out + "</details>\n";
}

std::string command_of(const StudyOutcome& outcome) {
  std::string command = "handspan study " + shell_word(outcome.study.given);
  const RunnerOptions& options = outcome.options;
  if (options.n) command += fmt::format(" --n {}", *options.n);
  if (options.seed) command += fmt::format(" --seed {}", *options.seed);
  for (const auto& [key, value] : options.parameters)
    command += " --param " + shell_word(fmt::format("{}={}", key, value));
  if (!options.data.empty()) command += " --data " + shell_word(options.data);
  return command;
}

std::string configuration_html(const StudyOutcome& outcome) {
  std::string out = "<h2>Reproduce</h2>\n";
  const std::string command = command_of(outcome);
  out += fmt::format("<pre>{}</pre>\n", escaped(command));
  if (outcome.study.subject.app)
    out += fmt::format(
        "<p>One run again, as a log that replays bit for bit and opens in the station, Foxglove "
        "and "
        "PlotJuggler (the number is shown at each point of the plots):</p>\n<pre>{} --rerun 1 "
        "--record "
        "run.mcap\nhandspan replay run.mcap --verify</pre>\n",
        escaped(command));
  out +=
      "<p>The same build on the same class of CPU gives the same results.csv, with any number of "
      "workers.</p>\n<dl>";
  const auto row = [&](const std::string& name, const std::string& value) {
    out += fmt::format("<dt>{}<dd>{}\n", escaped(name), escaped(value));
  };
  row("build", build_id());
  row("compiler", compiler());
  row("CPU", cpu_model() + ", " + cpu_features());
  std::string libraries;
  for (const auto& [library, version] : engine_versions())
    libraries += (libraries.empty() ? "" : ", ") + library + " " + version;
  row("libraries", libraries);
  row("time",
      fmt::format(
          "{:.1f} s for {} runs by {}{}", outcome.wall, outcome.done, workers_text(outcome),
          outcome.resumed > 0 ? fmt::format("; {} runs were there already", outcome.resumed) : ""));
  out += "</dl>\n";
  const auto show = [&](const char* what, const std::filesystem::path& file) {
    out += fmt::format("<details><summary>{}</summary>\n<pre>{}</pre></details>\n", what,
                       escaped(read_text_file(file)));
  };
  show("The study", outcome.study.file);
  if (outcome.study.vary_from)
    show("The study that it has variations from", outcome.study.vary_from->study);
  return out;
}

// Names of files in `tree`, at `at` and below, which are meant from one folder, become what they
// are from another.
void relink(const Node& at, const std::vector<TreeStep>& steps, Node& tree,
            const std::filesystem::path& from, const std::filesystem::path& to) {
  // `tree` is a new one after each change: what is gone through is the one before
  const Node before = at;
  const auto below = [&](const Node& node, TreeStep step) {
    std::vector<TreeStep> further = steps;
    further.push_back(std::move(step));
    relink(node, further, tree, from, to);
  };
  for (const auto& entry : before.entries()) below(entry.value, entry.key);
  for (std::size_t i = 0; i < before.items().size(); ++i) below(before.items()[i], i);
  if (before.kind() != Node::Kind::kScalar || before.scalar().empty()) return;
  const std::filesystem::path file = (from / before.scalar()).lexically_normal();
  std::error_code none;
  if (!std::filesystem::is_regular_file(file, none)) return;
  const auto relative = std::filesystem::absolute(file).lexically_relative(
      std::filesystem::absolute(to).lexically_normal());
  tree = with_value(tree, steps, scalar_node(relative.generic_string(), before.place()));
}

void write_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.flush();
  if (!out)
    throw InputError(fmt::format(
        "{}: cannot be written; is the folder writable and the disk not full?", file.string()));
}

}  // namespace

std::string report_html(const StudyOutcome& outcome, const std::vector<DrawnFigure>& figures,
                        const std::string& no_pictures, const std::string& script) {
  const StudyConfig& study = outcome.study;
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n<meta name=viewport "
      "content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n<link rel=icon "
      "href=\"data:,\">\n<style>{}{}</style>\n</head>\n<body>\n<main>\n",
      escaped(study.title), kReportStyle, figure_style());
  out += fmt::format("<h1>{}</h1>\n<p class=soft>{}, {} runs, seeds from {}</p>\n",
                     escaped(study.title), escaped(study.name), outcome.results.runs.size(),
                     study.seed);
  out += fmt::format("<p class=\"verdict {}\">{}</p>\n", outcome.holds() ? "good" : "bad",
                     outcome.holds() ? "What was asked holds" : "What was asked does not hold");
  if (!study.doc.empty()) out += fmt::format("<p>{}</p>\n", escaped(study.doc));
  out += expectations_html(outcome);
  if (outcome.comparison) out += comparison_html(*outcome.comparison);
  out += own_figures_html(figures, no_pictures, !script.empty());
  out += published_html(outcome);
  out += stages_html(outcome);
  out += statistics_html(outcome);
  out += runs_html(outcome);
  out += column_figures_html(outcome, figures, no_pictures, !script.empty());
  out += configuration_html(outcome);
  out += "</main>\n";
  if (!script.empty())
    out += fmt::format(
        "<script type=\"application/json\" id=figure-data>{}</script>\n<script>{}</script>\n",
        data_of(outcome, figures), script);
  return out + "</body>\n</html>\n";
}

void write_report(const StudyRunner& runner, const StudyOutcome& outcome,
                  const std::filesystem::path& out, const std::filesystem::path& page) {
  std::filesystem::create_directories(out);
  write_text(out / "results.csv", results_csv(outcome.results));
  write_results_parquet(out / "results.parquet", outcome.results);
  write_text(out / "summary.json", summary_json(outcome));
  if (outcome.comparison) write_text(out / "comparison.json", comparison_json(*outcome.comparison));
  const VegaPrograms vega = find_vega(page);
  std::vector<DrawnFigure> figures = draw_figures(outcome, out);
  const std::string no_pictures = draw_pictures(vega, figures);
  write_figures(figures, out / "figures");
  write_text(out / "report.html", report_html(outcome, figures, no_pictures, vega.page));
  const RunSpec& first = runner.plan().runs().front();
  const RunChanges changes = runner.plan().changes(first);
  const SubjectFiles& files = runner.plan().files();
  if (!outcome.study.subject.app) {
    write_text(out / "trial.yaml", yaml_text(files.changed(changes.changes).front()));
    return;
  }
  const auto app =
      write_app(files, runner.parts(), changes.changes, runner.plan().seed(first), out / "files");
  // the app itself beside the report, the rest below files/
  Node tree = load_tree(app);
  relink(tree, {}, tree, app.parent_path(), out);
  write_text(
      out / "app.yaml",
      fmt::format("# {}, run 1: made by handspan study\n", outcome.study.name) + yaml_text(tree));
}

}  // namespace handspan
