// The acceptance: random runs of the tree's apps replay bit for bit, from the start and
// from a random key frame, one run alone and two at once.
#include <gtest/gtest.h>

#include <thread>

#include "core/random.hpp"
#include "log/recorder.hpp"
#include "log/replay.hpp"
#include "session_support.hpp"
#include "support/parts.hpp"
#include "support/sized.hpp"

namespace handspan {
namespace random_runs_test {

const std::filesystem::path kRoot = HANDSPAN_SOURCE_DIR;

// what went wrong, or ""
std::string run_and_replay(std::uint64_t run, const std::filesystem::path& folder) {
  RandomStream random(run, "random runs");
  const char* const names[] = {"hold", "reach", "lift"};
  App app =
      load_app(kRoot / "apps" / (std::string(names[random.integer(3)]) + ".yaml"), test_parts());
  app.seed = random.integer(1'000'000);
  const auto file = folder / (std::to_string(run) + ".mcap");
  const auto ticks = static_cast<std::int64_t>(1000 + random.integer(5000));
  {
    Session session(app);
    RecorderOptions options;
    options.may_wait = true;
    options.extent = random.uniform() < 0.2 ? RecordExtent::kFull : RecordExtent::kDefault;
    Recorder recorder(session, file, options);
    while (session.ticks() < ticks && !session.ended()) {
      // operators stop and go on, and change what may be changed
      Input input;
      const double what = random.uniform();
      if (what < 2e-3) {
        input.kind = what < 1e-3 ? InputKind::kStop : InputKind::kResume;
        session.mailbox("operator").post(input);
      } else if (what < 3e-3) {
        input.kind = InputKind::kParameter;
        input.to = "task.left_hand.weight";
        input.set(std::vector<double>{random.uniform(0.5, 2.0)});
        session.mailbox("operator").post(input);
      }
      session.tick();
    }
    session.finish();
    if (!recorder.close()) return std::string(recorder.status().message);
  }
  LogFile log(file);
  for (const bool from_start : {true, false}) {
    ReplayOptions options;
    options.verify = true;
    if (!from_start)
      options.from =
          static_cast<Nanoseconds>(random.integer(static_cast<std::uint64_t>(log.ticks()))) *
          log.base_period();
    const ReplayReport report = replay(log, test_parts(), options);
    if (!report.same())
      return app.name + ": tick " + std::to_string(report.difference->tick) + " differs in " +
             name_of(report.difference->quantity);
    if (report.compared != log.ticks() - report.first_tick || report.compared == 0)
      return app.name + ": " + std::to_string(report.compared) + " ticks compared";
  }
  std::filesystem::remove(file);
  return "";
}

TEST(RandomSessionRun, ReplayBitForBitAloneAndTwoAtOnce) {
  const test::AppFolder folder;
  const int runs = test::sized(100);
  for (int run = 0; run < runs; run += 2) {
    const auto first = static_cast<std::uint64_t>(run), second = first + 1;
    if (run % 4 == 0) {
      EXPECT_EQ(run_and_replay(first, folder.path()), "") << "run " << first;
      EXPECT_EQ(run_and_replay(second, folder.path()), "") << "run " << second;
      continue;
    }
    std::string said;
    std::thread other([&] { said = run_and_replay(first, folder.path()); });
    EXPECT_EQ(run_and_replay(second, folder.path()), "") << "run " << second;
    other.join();
    EXPECT_EQ(said, "") << "run " << first;
  }
}

}  // namespace random_runs_test
}  // namespace handspan
