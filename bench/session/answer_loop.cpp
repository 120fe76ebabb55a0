#include "bench/session/answer_loop.hpp"

#include <fmt/format.h>

#include <chrono>
#include <stdexcept>
#include <string>

#include "core/config.hpp"
#include "core/private_folder.hpp"
#include "reference/asking_source.hpp"
#include "session/run.hpp"
#include "skills/built_in.hpp"

#include <fstream>

namespace handspan {
namespace {

using AnswerClock = std::chrono::steady_clock;

constexpr std::size_t kPoseNumbers = 7;
constexpr Nanoseconds kAnswerRun = 20 * kSecond;
constexpr int kAnswerPairs = 3, kAnswerTicks = 5000;

struct BigAnswerConfig : AskingConfig {};

// asks for nothing but to stay: rows of the pose that it was asked at
class BigAnswer : public AskingSource {
 public:
  BigAnswer(const BigAnswerConfig& config, const SourceContext& context)
      : AskingSource(config, context, kPoseNumbers,
                     [](const Question& question, Answer& answer, const std::atomic<bool>&) {
                       answer.numbers = {0.005};  // between rows [s]
                       while (answer.numbers.size() <= kAnswerNumbers)
                         answer.numbers.insert(answer.numbers.end(), question.numbers.begin(),
                                               question.numbers.end());
                     }) {}

 protected:
  void ask(const Moment&, const Motion& reference, Question& question) override {
    const Pose& X = reference.pose.X_WE;
    Eigen::Map<Eigen::Vector3d>(question.numbers.data()) = X.p;
    Eigen::Map<Eigen::Vector4d>(question.numbers.data() + 3) = X.quaternion().coeffs();
  }
};

App answer_app(const std::filesystem::path& folder, const std::filesystem::path& root,
               const Parts& parts, bool answers) {
  const auto file = folder / (answers ? "with.yaml" : "without.yaml");
  std::ofstream(file) << "extends: " << (root / "apps/slow.yaml").string()
                      << "\nscene: " << (root / "scenes/follow.yaml").string()
                      << "\nduration: 3600 s\n"
                         "sources:\n  many: {type: big_answer, task: hand, latency: 50 ms, every: "
                         "100 ms}\n"
                         "machines:\n  arm:\n    states:\n      work:\n        do: ["
                      << (answers ? "{type: follow, task: hand, sources: [{source: many}]}"
                                  : "{type: hold, tasks: [hand]}")
                      << "]\n        next: [{to: rest, when: [{type: event, name: never}]}]\n";
  return load_app(file, parts);
}

Parts with_big_answers() {
  Parts made = built_in_parts();
  made.of<SourceRegistry>().add(
      "big_answer", asking_keys(object<BigAnswerConfig>("BigAnswer"), false),
      "answers of 10,000 numbers", [](const BigAnswerConfig& config, const SourceContext& context) {
        return std::make_unique<BigAnswer>(config, context);
      });
  return made;
}

const AskingSource& asking(Session& session) {
  return dynamic_cast<const AskingSource&>(
      session.arbiter().source(session.arbiter().find_source("many")));
}

double late_share(const App& app, bool answers) {
  Session session(app);
  RunOptions run;
  run.until = kAnswerRun;
  run.clock = ClockKind::kWall;
  run.to_the_end = true;
  const RunSummary summary = run_session(session, run);
  // ten a second, but for the first
  const auto least = answers ? static_cast<std::uint64_t>(kAnswerRun / kSecond * 9) : 0U;
  if (asking(session).answered() < least || asking(session).refused() > 0)
    throw std::runtime_error(fmt::format("{} answers came and {} were refused",
                                         asking(session).answered(), asking(session).refused()));
  return static_cast<double>(summary.pacer.overruns) / static_cast<double>(summary.ticks);
}

}  // namespace

TickSamples measure_answer_ticks(const std::filesystem::path& root) {
  const PrivateFolder folder("handspan_bench_");
  const Parts with = with_big_answers();
  const App app = answer_app(folder.path(), root, with, true);
  Session session(app);
  TickSamples samples;
  for (int i = 0; i < kAnswerTicks; ++i) {
    session.await_answers();
    const std::uint64_t before = asking(session).answered();
    const auto start = AnswerClock::now();
    session.tick();
    const double took = std::chrono::duration<double>(AnswerClock::now() - start).count();
    if (asking(session).answered() > before) samples.seconds.push_back(took);
  }
  if (samples.seconds.size() < kAnswerTicks / 110)
    throw std::runtime_error(fmt::format("{} ticks took answers", samples.seconds.size()));
  return samples;
}

TickSamples measure_late_answers(const std::filesystem::path& root) {
  const PrivateFolder folder("handspan_bench_");
  const Parts big = with_big_answers();
  const App apps[2] = {answer_app(folder.path(), root, big, false),
                       answer_app(folder.path(), root, big, true)};
  TickSamples samples;
  for (int pair = 0; pair < kAnswerPairs; ++pair) {
    double share[2] = {};
    for (const int with : {pair % 2, 1 - pair % 2}) {
      share[with] = late_share(apps[with], with == 1);
      fmt::print(stderr, "pair {} of {}, {}: {:.3f} % of ticks late\n", pair + 1, kAnswerPairs,
                 with == 1 ? "with answers" : "without", 100.0 * share[with]);
    }
    samples.seconds.push_back(share[1] - share[0]);
  }
  return samples;
}

}  // namespace handspan
