// What a run of a study costs beyond its physics, control and metrics.

#include <chrono>
#include <fstream>

#include "bench/figure.hpp"
#include "core/private_folder.hpp"
#include "core/random.hpp"
#include "study/app_subject.hpp"
#include "study/figure_pictures.hpp"
#include "study/report.hpp"
#include "study/run_plan.hpp"

namespace handspan {
namespace {

constexpr double kOverheadTarget = 5000.0;  // [us] a run

// a study in a file that goes with the object
class StudyScratch {
 public:
  StudyScratch(const std::filesystem::path& root, const std::string& vary)
      : file_(folder_.path() / "study.yaml") {
    std::ofstream(file_) << "title: overhead\nsubject: {app: "
                         << std::filesystem::absolute(root / "apps/lift.yaml").string()
                         << "}\nn: 100\nlongest: 0.05 s\n"
                            "metrics: {box: {type: object, object: box}}\nvary:\n  x: "
                         << vary << "\n";
  }
  const std::filesystem::path& path() const { return file_; }

 private:
  PrivateFolder folder_{"handspan_bench_"};
  std::filesystem::path file_;
};

// two FR3 that lift a box; of a run what is not in its loop. The first compiles and does not count
TickSamples overhead(const std::filesystem::path& root, const Parts& parts,
                     const std::string& vary) {
  const StudyScratch file(root, vary);
  const StudyConfig study = load_study(file.path(), "overhead", parts);
  const RunPlan plan(study, SubjectFiles::of_app(*study.subject.app), {}, 0);
  AppSubject subject(study, plan.files(), parts);
  TickSamples samples;
  for (const RunSpec& run : plan.runs()) {
    const auto start = std::chrono::steady_clock::now();
    const auto changes = plan.changes(run);
    const RunOutcome outcome = subject.run(changes.changes, run.repeat, plan.seed(run));
    const double all =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (run.number > 1) samples.seconds.push_back(all - outcome.inner);
  }
  return samples;
}

constexpr int kReportRows = 5000;
constexpr double kReportTarget = 1e6;  // [us]

// Of so many runs that nobody made: four columns in two cells, with noise.
StudyOutcome many_runs(const std::filesystem::path& file, const Parts& parts) {
  std::ofstream(file) << "title: many runs\nsubject: {app: app.yaml}\n"
                         "metrics: {a: {type: object, object: box}}\nfigures:\n"
                         "  landing: {type: ellipses, x: a, y: b}\n"
                         "  spread: {type: bars, of: [a, b], statistic: deviation}\n";
  std::ofstream(file.parent_path() / "app.yaml") << "name: none\n";
  StudyOutcome outcome;
  outcome.study = load_study(file, "many", parts);
  outcome.results.cells = {"near", "far"};
  outcome.results.columns = {{"a", "m", ""}, {"b", "m", ""}, {"c", "rad", ""}, {"d", "s", ""}};
  RandomStream random(1, "report");
  for (int i = 0; i < kReportRows; ++i) {
    RunRecord run;
    run.number = i + 1;
    run.cell = outcome.results.cells[static_cast<std::size_t>(i % 2)];
    run.repeat = i / 2;
    run.seed = static_cast<std::uint64_t>(1 + i / 2);
    for (int c = 0; c < 4; ++c) run.values.push_back(0.1 * (i % 2) + 0.02 * random.normal());
    outcome.results.runs.push_back(run);
  }
  return outcome;
}

// from results to a page with its pictures, and their files
TickSamples report(const std::filesystem::path& root, const Parts& parts) {
  const PrivateFolder folder("handspan_bench_");
  const StudyOutcome outcome = many_runs(folder.path() / "study.yaml", parts);
  const VegaPrograms vega = find_vega(root / "web/dist");
  TickSamples samples;
  for (int i = 0; i < 5; ++i) {
    const auto start = std::chrono::steady_clock::now();
    auto figures = draw_figures(outcome, "");
    const std::string missing = draw_pictures(vega, figures);
    write_figures(figures, folder.path() / "figures");
    std::ofstream(folder.path() / "report.html")
        << report_html(outcome, figures, missing, vega.page);
    samples.seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return samples;
}

}  // namespace

std::vector<Figure> study_figures(const std::filesystem::path& root, const Parts& parts) {
  Figure f;
  f.name = "study/run_overhead";
  f.largest_median = kOverheadTarget;
  f.loop.ours = [root, &parts] {
    return overhead(root, parts, "{uniform: [0.4, 0.6], key: scene.objects.box.mass}");
  };
  Figure page;
  page.name = "study/report_5000";
  page.largest_median = kReportTarget;
  page.loop.ours = [root, &parts] { return report(root, parts); };
  return {f, page};
}

}  // namespace handspan
