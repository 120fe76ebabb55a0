#include "log/logged_wrench.hpp"

#include <gtest/gtest.h>

#include "support/alloc.hpp"
#include "support/scenes.hpp"
#include "support/small_log.hpp"

namespace handspan {
namespace logged_wrench_test {

using test::SmallLog;

// a force along x that rises by 1 N in each 10 ms from 1 s on, to 20 N; about z it falls
std::filesystem::path ramp(const test::TemporaryFolder& folder) {
  const auto file = folder.path() / "a.mcap";
  SmallLog log(file);
  for (int i = 0; i <= 20; ++i)
    log.sample("reference.push.wrench", {{"type", "vector"}}, 1000 + 10 * i, 0,
               messages::WrenchStamped{{}, {1.0 * i, 2.0, 0.0}, {0.0, 0.0, -0.5 * i}});
  log.sample("some.numbers", {{"type", "vector"}}, 5, 0, messages::Vector{{}, {1.0}});
  return file;
}

LoggedWrenchConfig config_of(const std::filesystem::path& log) {
  LoggedWrenchConfig config;
  config.log = log;
  config.channel = "reference.push.wrench";
  return config;
}

// what it asks for after so many ticks of 1 ms, and whether that is its end
struct Asked {
  Vector6d F;
  SourceStatus status;
};
Asked after(Source& source, int ticks) {
  const Moment moment;
  Motion reference, wanted;
  source.start(moment, reference);
  Asked asked{Vector6d::Zero(), SourceStatus::kSilent};
  for (int i = 0; i < ticks; ++i) {
    asked.status = source.update(moment, reference, wanted).status;
    asked.F = wanted.wrench;
  }
  return asked;
}

TEST(LoggedWrench, ItsTimesCountFromItsStartWithStraightLinesBetween) {
  const test::TemporaryFolder folder;
  const auto source = logged_wrench(config_of(ramp(folder)));
  EXPECT_TRUE(source->ends());
  EXPECT_EQ(source->asks_for(), kWrenchKind);
  for (const int ticks : {1, 5, 10, 15, 199}) {
    const Asked asked = after(*source, ticks);
    EXPECT_EQ(asked.status, SourceStatus::kActive) << ticks;
    EXPECT_NEAR(asked.F[0], 0.1 * ticks, 1e-9) << ticks;
    EXPECT_NEAR(asked.F[1], 2.0, 1e-12);
    EXPECT_NEAR(asked.F[5], -0.05 * ticks, 1e-9) << ticks;
  }
  const Asked end = after(*source, 250);
  EXPECT_EQ(end.status, SourceStatus::kDone);
  EXPECT_EQ(end.F[0], 20.0);
}

TEST(LoggedWrench, APartAndASpeedMayBeAskedFor) {
  const test::TemporaryFolder folder;
  LoggedWrenchConfig config = config_of(ramp(folder));
  config.span = {1050 * kSecond / 1000, 1100 * kSecond / 1000};
  config.speed = 0.5;
  const auto source = logged_wrench(config);
  // 5 N at its beginning, and half as fast
  EXPECT_NEAR(after(*source, 20).F[0], 6.0, 1e-9);
  EXPECT_NEAR(after(*source, 90).F[0], 9.5, 1e-9);
  EXPECT_EQ(after(*source, 90).status, SourceStatus::kActive);
  EXPECT_EQ(after(*source, 110).status, SourceStatus::kDone);
  EXPECT_EQ(after(*source, 110).F[0], 10.0);
}

TEST(LoggedWrench, AfterAHoldItGoesOnAndAfterAStartItBeginsAnew) {
  const test::TemporaryFolder folder;
  const auto source = logged_wrench(config_of(ramp(folder)));
  after(*source, 50);
  const Moment moment;
  Motion reference, wanted;
  source->resume(moment, reference);
  source->update(moment, reference, wanted);
  EXPECT_NEAR(wanted.wrench[0], 5.1, 1e-9);
  EXPECT_NEAR(after(*source, 1).F[0], 0.1, 1e-9);
}

TEST(LoggedWrench, ASnapshotGoesOnAndATickAllocatesNothing) {
  const test::TemporaryFolder folder;
  const auto source = logged_wrench(config_of(ramp(folder)));
  const auto other = logged_wrench(config_of(ramp(folder)));
  after(*source, 77);
  std::vector<std::byte> bytes;
  StateArchive save(bytes);
  source->state(save);
  StateArchive load{std::span<const std::byte>(bytes)};
  other->state(load);
  const Moment moment;
  Motion reference, a, b;
  const test::AllocationCount allocations;
  for (int i = 0; i < 100; ++i) {
    source->update(moment, reference, a);
    other->update(moment, reference, b);
    EXPECT_EQ(a.wrench, b.wrench);
  }
  EXPECT_EQ(allocations.count(), 0U);
}

TEST(LoggedWrench, SaysWhatTheLogLacks) {
  const test::TemporaryFolder folder;
  const auto file = ramp(folder);
  const auto error_of = [](const LoggedWrenchConfig& config) -> std::string {
    try {
      logged_wrench(config);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  LoggedWrenchConfig config = config_of(file);
  config.channel = "reference.pish.wrench";
  EXPECT_EQ(error_of(config), file.string() +
                                  " has no wrenches under /reference/pish/wrench; did you mean "
                                  "'/reference/push/wrench'?");
  config.channel = "some.numbers";
  EXPECT_NE(error_of(config).find(" has no wrenches under /some/numbers"), std::string::npos);
  config = config_of(file);
  config.span.from = 1195 * kSecond / 1000;
  EXPECT_EQ(error_of(config), file.string() +
                                  ": /reference/push/wrench has 1 wrenches in the time that is "
                                  "asked for, and 2 are the fewest; give another part of the "
                                  "log");
  const auto bare = folder.path() / "bare.mcap";
  {
    SmallLog none(bare);
  }
  EXPECT_EQ(error_of(config_of(bare)),
            bare.string() + " has no wrenches under /reference/push/wrench; it has none at all");
  const auto odd = folder.path() / "odd.mcap";
  {
    SmallLog log(odd);
    for (int i = 0; i < 3; ++i)
      log.sample("reference.push.wrench", {{"type", "vector"}}, 100 * i, 0,
                 messages::WrenchStamped{{}, {i == 1 ? NAN : 1.0, 0, 0}, {}});
  }
  EXPECT_EQ(error_of(config_of(odd)),
            odd.string() +
                ": one of the wrenches under /reference/push/wrench, at 0.100 s, is not "
                "finite; give a part of the log without it, or record it anew");
}

}  // namespace logged_wrench_test
}  // namespace handspan
