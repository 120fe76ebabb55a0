// What a run of a study costs beyond its physics, control and metrics.

#include <chrono>
#include <fstream>

#include "bench/figure.hpp"
#include "core/private_folder.hpp"
#include "study/app_subject.hpp"
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

}  // namespace

std::vector<Figure> study_figures(const std::filesystem::path& root, const Parts& parts) {
  Figure f;
  f.name = "study/run_overhead";
  f.largest_median = kOverheadTarget;
  f.loop.ours = [root, &parts] {
    return overhead(root, parts, "{uniform: [0.4, 0.6], key: scene.objects.box.mass}");
  };
  return {f};
}

}  // namespace handspan
