// What recording costs a tick, how fast a log runs again, how long a long one takes to open, and
// whether answers of 10,000 numbers make ticks late.

#include <chrono>
#include <thread>

#include "bench/figure.hpp"
#include "bench/session/answer_loop.hpp"
#include "core/private_folder.hpp"
#include "log/log_file.hpp"
#include "log/recorder.hpp"
#include "session/run.hpp"

namespace handspan {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kRecordTarget = 3.0;            // [us] a tick
constexpr double kReplayTarget = 1000.0 / 15.0;  // [us]: 15 times real time at 1 kHz
constexpr double kOpenTarget = 0.3e6;            // [us]
constexpr double kAnswerTarget = 1000.0;         // [us]: a tick's period
constexpr double kLateAnswers = 0.1;             // [%] of ticks, more than without answers
constexpr int kTicks = 8000;
constexpr Nanoseconds kLongLog = 600 * kSecond;
constexpr int kOpenings = 15;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// a file that goes with the object
class Scratch {
 public:
  std::filesystem::path path() const { return folder_.path() / "bench.mcap"; }

 private:
  PrivateFolder folder_{"handspan_bench_"};
};

// two FR3 that lift a box; of a tick, the recorder's part
TickSamples record(const std::filesystem::path& root, const Parts& parts, RecordExtent extent) {
  const App app = load_app(root / "apps/lift.yaml", parts);
  const Scratch file;
  Session session(app);
  RecorderOptions options;
  options.extent = extent;
  Recorder recorder(session, file.path(), options);
  session.unwatch(recorder);
  TickSamples samples;
  for (int i = 0; i < kTicks; ++i) {
    session.tick();
    const auto start = Clock::now();
    recorder.after_tick(session);
    samples.seconds.push_back(since(start));
    // without a clock the writer would not keep up; that is not the tick's cost
    while (recorder.waiting() > 0.5) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return samples;
}

// a tick of a closed replay, its hashes compared
TickSamples replay_ticks(const std::filesystem::path& root, const Parts& parts) {
  const App app = load_app(root / "apps/lift.yaml", parts);
  TickSamples samples;
  Session session(app);
  TickHashes last{};
  for (int i = 0; i < kTicks; ++i) {
    const auto start = Clock::now();
    session.tick();
    last = session.hashes();
    samples.seconds.push_back(since(start));
  }
  if (last == TickHashes{}) throw std::runtime_error("a tick has no hashes");
  return samples;
}

TickSamples open_long_log(const std::filesystem::path& root, const Parts& parts) {
  App app = load_app(root / "apps/lift.yaml", parts);
  const Scratch file;
  {
    Session session(app);
    RecorderOptions options;
    options.may_wait = true;
    Recorder recorder(session, file.path(), options);
    RunOptions run;
    run.until = kLongLog;
    run.to_the_end = true;
    run_session(session, run);
  }
  TickSamples samples;
  for (int i = 0; i < kOpenings; ++i) {
    const auto start = Clock::now();
    const LogFile log(file.path());
    if (log.episodes().size() != 1 || log.ticks() != kLongLog / log.base_period())
      throw std::runtime_error("the long log does not show its episode");
    samples.seconds.push_back(since(start));
  }
  return samples;
}

}  // namespace

std::vector<Figure> session_figures(const std::filesystem::path& root, const Parts& parts) {
  const auto figure = [](const char* name, double target, std::function<TickSamples()> ours) {
    Figure f;
    f.name = name;
    f.largest_median = target;
    f.loop.ours = std::move(ours);
    return f;
  };
  Figure late =
      figure("loop/answer_10000", kLateAnswers, [root] { return measure_late_answers(root); });
  late.unit = Figure::Unit::kPercent;
  Figure takes = figure("loop/answer_10000_tick", kAnswerTarget,
                        [root] { return measure_answer_ticks(root); });
  takes.largest_p99 = kAnswerTarget;
  return {late,
          takes,
          figure("session/record_default", kRecordTarget,
                 [root, &parts] { return record(root, parts, RecordExtent::kDefault); }),
          figure("session/record_full", kRecordTarget,
                 [root, &parts] { return record(root, parts, RecordExtent::kFull); }),
          figure("session/replay_tick", kReplayTarget,
                 [root, &parts] { return replay_ticks(root, parts); }),
          figure("session/open_600_s_log", kOpenTarget,
                 [root, &parts] { return open_long_log(root, parts); })};
}

}  // namespace handspan
