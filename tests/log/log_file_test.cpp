// Logs opened: what they say of themselves, and what a damaged one is told apart by.
#include "log/log_file.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/build_info.hpp"
#include "log/log_layout.hpp"
#include "log/logged_hashes.hpp"
#include "log/recorder.hpp"
#include "record/metadata_checksum.hpp"
#include "session/session_support.hpp"
#include "support/parts.hpp"
#include "support/scenes.hpp"
#include "support/small_log.hpp"

namespace handspan {
namespace log_file_test {

using test::SmallLog;
using test::TemporaryFolder;

std::string without(std::string text, const std::string& part) {
  for (std::size_t at; (at = text.find(part)) != std::string::npos;) text.erase(at, part.size());
  return text;
}

template <class Call>
std::string said_of(const TemporaryFolder& folder, const Call& call) {
  try {
    call();
  } catch (const InputError& error) {
    return without(error.what(), folder.path().string() + "/");
  }
  return "no error";
}

TEST(LogFile, SaysWhatIsNoLogOfOurs) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.mcap";
  const auto error_with = [&](const McapMap& about) {
    {
      const SmallLog log(file, about);
    }
    return said_of(folder, [&] { LogFile log(file); });
  };
  EXPECT_EQ(error_with({}), "no error");
  EXPECT_EQ(error_with({{"format", "4"}}),
            "a.mcap: its format is '4'; this handspan reads format 3");
  EXPECT_EQ(error_with({{"format", "2"}}),
            "a.mcap: its format is '2'; this handspan reads format 3, and handspan 0.1 reads this "
            "one: its apps have other words (docs/renamed.md)");
  EXPECT_EQ(error_with({{"format", "-"}}),
            "a.mcap: it does not say its format; the log is damaged");
  EXPECT_EQ(error_with({{"base_period_ns", "fast"}}),
            "a.mcap: its base_period_ns is 'fast', which is not a number; the log is damaged");
  EXPECT_EQ(error_with({{"base_period_ns", ""}}),
            "a.mcap: its base_period_ns is '', which is not a number; the log is damaged");
  EXPECT_EQ(error_with({{"first_tick", "12x"}}),
            "a.mcap: its first_tick is '12x', which is not a number; the log is damaged");
  for (const char* period : {"0", "-1000000"})
    EXPECT_EQ(error_with({{"base_period_ns", period}}), "a.mcap: its ticks are damaged") << period;
  EXPECT_EQ(error_with({{"first_tick", "-1"}}), "a.mcap: its ticks are damaged");
  // too large for a number of ticks
  EXPECT_EQ(error_with({{"first_tick", "99999999999999999999"}}),
            "a.mcap: its first_tick is '99999999999999999999', which is not a number; the log is "
            "damaged");
  McapWriter(file).finish();
  EXPECT_EQ(said_of(folder, [&] { LogFile log(file); }),
            "a.mcap: it is an MCAP file, but no log of handspan: it has no metadata 'handspan'");
}

TEST(LogFile, TheFirstMetadataWithAChecksumThatHoldsCounts) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.mcap";
  McapMap about = {{"format", "3"}, {"base_period_ns", "2000000"}, {"first_tick", "5"}};
  const auto sealed = [](McapMap map) {
    map[kChecksumKey] = checksum_of(map);
    return map;
  };
  const McapMap good = sealed(about);
  McapMap damaged = good;
  damaged["first_tick"] = "6";
  McapMap bare = about;
  bare["first_tick"] = "7";
  const auto first_tick = [&](const std::vector<McapMap>& maps) {
    McapWriter writer(file);
    for (const McapMap& map : maps) writer.metadata(kRunMetadata, map);
    writer.finish();
    return LogFile(file).first_tick();
  };
  EXPECT_EQ(first_tick({good, bare}), 5);
  EXPECT_EQ(first_tick({damaged, good}), 5);
  EXPECT_EQ(first_tick({bare, good}), 5);
  EXPECT_EQ(first_tick({bare}), 7);
  EXPECT_EQ(first_tick({damaged, bare}), 7);
  EXPECT_NE(said_of(folder, [&] { first_tick({damaged, damaged}); }).find("checksum"),
            std::string::npos);
}

TEST(LogFile, EpisodesAreBetweenTheirMarks) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.mcap";
  {
    SmallLog log(file);
    log.event(0, "authority", "hand", "jog");
    log.event(1, "episode", "success", "of none that began");
    log.event(5, "operator", "anna");
    log.event(10, "episode", "start", "pick it");
    log.event(12, "authority", "hand", "headset");
    log.event(20, "episode", "failure", "dropped");
    log.event(21, "episode", "discard", "it has ended already");
    log.event(30, "operator", "ben");
    // one that begins before the other's end
    log.event(40, "episode", "start", "place it");
    log.event(50, "episode", "start", "place it again");
    log.event(60, "mode", "left", "moves");
    log.hashes(0, 100);
  }
  const LogFile log(file);
  const auto episodes = log.episodes();
  ASSERT_EQ(episodes.size(), 3U);
  EXPECT_EQ(episodes[0].start, 10);
  EXPECT_EQ(episodes[0].end, 20);
  EXPECT_EQ(episodes[0].task, "pick it");
  EXPECT_EQ(episodes[0].outcome, "failure");
  EXPECT_EQ(episodes[0].remark, "dropped");
  EXPECT_EQ(episodes[0].operator_name, "anna");
  ASSERT_EQ(episodes[0].authority.size(), 2U);
  EXPECT_EQ(episodes[0].authority[0].text, "jog");
  EXPECT_EQ(episodes[0].authority[1].text, "headset");
  EXPECT_EQ(episodes[1].outcome, "unfinished");
  EXPECT_EQ(episodes[2].outcome, "unfinished");
  EXPECT_EQ(episodes[2].start, 50);
  EXPECT_EQ(episodes[2].end, 100);  // of the log
  EXPECT_EQ(episodes[2].operator_name, "ben");
  // who had authority when it began
  ASSERT_EQ(episodes[2].authority.size(), 1U);
  EXPECT_EQ(episodes[2].authority[0].text, "headset");
  EXPECT_EQ(log.ticks(), 100);
}

TEST(LogFile, TicksWithoutHashesAreLostAndOnesThatFollowAreOneRun) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.mcap";
  {
    SmallLog log(file, {{"first_tick", "100"}});
    log.hashes(100, 10);
    log.hashes(110, 10);
    log.hashes(150, 20);
    log.key_frame(140, "before");
    log.key_frame(149, "at its last tick");
    log.key_frame(200, "after");
    log.hashes(190, 60);
  }
  const LogFile log(file);
  EXPECT_EQ(log.first_tick(), 100);
  EXPECT_EQ(log.ticks(), 250);
  EXPECT_EQ(log.lost(), (std::vector<LostTicks>{{120, 149}, {170, 189}}));
  EXPECT_EQ(log.damage(),
            "lost: the run from 0.120 s to 0.149 s\nlost: the run from 0.170 s to 0.189 s");
  EXPECT_EQ(log.resumes({120, 149}), 149);
  EXPECT_EQ(log.resumes({170, 189}), 200);
  EXPECT_EQ(log.resumes({201, INT64_MAX}), std::nullopt);
  const auto runs = log.hashes();
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0].first, 100);
  EXPECT_EQ(runs[0].rows.size(), 20U);
  EXPECT_EQ(runs[0].rows[15][3], 116U);
  EXPECT_EQ(runs[1].first, 150);
  EXPECT_EQ(runs[2].rows.back()[0], 250U);
}

TEST(LogFile, AKeyFrameIsTheLastAtOrBeforeATickHoweverFarBack) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.mcap";
  {
    SmallLog log(file);
    log.key_frame(10, "ten");
    log.key_frame(1000, "thousand");
    log.key_frame(1000, "thousand");  // each is there twice
    log.key_frame(9000, "later");
  }
  const LogFile log(file);
  EXPECT_EQ(log.key_frames(), (std::vector<std::int64_t>{10, 1000, 9000}));
  const auto text_at = [&](std::int64_t tick) {
    const auto [at, state] = log.key_frame(tick);
    return std::to_string(at) + " " + std::string(text_of(state));
  };
  EXPECT_EQ(text_at(10), "10 ten");
  EXPECT_EQ(text_at(999), "10 ten");
  EXPECT_EQ(text_at(1000), "1000 thousand");
  EXPECT_EQ(text_at(8999), "1000 thousand");  // eight seconds before
  EXPECT_EQ(text_at(1'000'000), "9000 later");
  EXPECT_EQ(said_of(folder, [&] { log.key_frame(9); }),
            "a.mcap: it has no key frame at or before 0.009 s");
  const auto empty = folder.path() / "b.mcap";
  {
    const SmallLog none(empty);
  }
  EXPECT_TRUE(LogFile(empty).key_frames().empty());
  EXPECT_EQ(said_of(folder, [&] { LogFile(empty).key_frame(5); }),
            "b.mcap: it has no key frame at or before 0.005 s");
}

TEST(LogFile, InputsComeBackWithTheirOwnStamps) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.mcap";
  {
    SmallLog log(file);
    log.input(3, "parameter", "task.hand.weight", "", {0.25}, -5);
    log.input(4, "sample", "hand", "words", std::vector<double>(kMostInputNumbers, 1.5), 4'000'123);
  }
  const LogFile log(file);
  const auto inputs = log.inputs();
  ASSERT_EQ(inputs.size(), 2U);
  EXPECT_EQ(inputs[0].tick, 3);
  EXPECT_EQ(inputs[0].input.kind, InputKind::kParameter);
  EXPECT_EQ(inputs[0].input.to.view(), "task.hand.weight");
  EXPECT_EQ(inputs[0].input.stamp, -5);
  EXPECT_EQ(inputs[0].input.values()[0], 0.25);
  EXPECT_EQ(inputs[1].input.text.view(), "words");
  EXPECT_EQ(inputs[1].input.values().size(), kMostInputNumbers);
  EXPECT_EQ(inputs[1].input.stamp, 4'000'123);
  const auto large = folder.path() / "b.mcap";
  {
    SmallLog more(large);
    more.input(7, "sample", "hand", "", std::vector<double>(kMostInputNumbers + 1), 0);
  }
  EXPECT_EQ(said_of(folder, [&] { LogFile(large).inputs(); }),
            "b.mcap: an input at tick 7 has 257 numbers; 256 is the most");
  const auto odd = folder.path() / "c.mcap";
  {
    SmallLog more(odd);
    more.input(7, "sampel", "hand", "", {}, 0);
  }
  EXPECT_NE(said_of(folder, [&] { LogFile(odd).inputs(); }).find("did you mean 'sample'?"),
            std::string::npos);
}

TEST(LogFile, HashesOfOtherQuantitiesAreRefused) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.mcap";
  {
    SmallLog log(file);
    log.write(kHashTopic, {}, 0, 0,
              messages::TickHashes{0, 4, std::vector<std::uint8_t>(12, std::uint8_t{1})});
  }
  EXPECT_EQ(said_of(folder, [&] { LogFile(file).hashes(); }),
            "a.mcap: it has hashes of 4 quantities and this handspan of 5; replay it with the "
            "build that recorded it");
}

// from a stranger's file: nothing is written outside of the log's own folder
TEST(LogFile, FilesWithPathsThatLeadElsewhereAreRefused) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.mcap";
  for (const std::string path :
       {"../outside", "/tmp/handspan_outside", "a/../../outside", "..", "../"}) {
    {
      SmallLog log(file);
      log.writer().attach({std::string(kFilePrefix) + path, "application/yaml", 0, 0, {}});
    }
    LogFile log(file);
    EXPECT_EQ(said_of(folder, [&] { log.app(test_parts()); }),
              "a.mcap: an attachment has the path 'files/" + path + "'; the log is damaged");
  }
  for (const std::string path : {"../app.yaml", "/etc/passwd", "x/../../app.yaml"}) {
    {
      const SmallLog log(file, {{"app_file", path}});
    }
    LogFile log(file);
    EXPECT_EQ(said_of(folder, [&] { log.app(test_parts()); }),
              "a.mcap: its app has the path '" + path + "'; the log is damaged");
  }
  // a path that comes back is none that leads elsewhere, and what it lacks is said of the log
  {
    const SmallLog log(file, {{"app_file", "x/../app.yaml"}});
  }
  LogFile log(file);
  const std::string said = said_of(folder, [&] { log.app(test_parts()); });
  EXPECT_EQ(said.find("a.mcap: in the files that it has: app.yaml"), 0U) << said;
}

TEST(LogFile, TheAppHasTheSeedOfTheLogHoweverLarge) {
  const test::AppFolder folder;
  const auto file = folder.path() / "run.mcap";
  App app = folder.app(test::kPairArms);
  app.seed = 18446744073709551615ULL;
  {
    Session session(app);
    Recorder recorder(session, file, {});
    for (int i = 0; i < 5; ++i) session.tick();
    session.finish();
    EXPECT_TRUE(recorder.close());
  }
  LogFile log(file);
  EXPECT_EQ(log.app(test_parts()).seed, app.seed);
}

TEST(LogFile, AnotherMachineIsToldByWhatDiffers) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.mcap";
  {
    const SmallLog log(file, {{"build", build_id()}, {"cpu_features", cpu_features()}});
  }
  EXPECT_EQ(LogFile(file).other_machine(), "");
  {
    const SmallLog log(file, {{"build", "other"}, {"cpu_features", "none"}});
  }
  EXPECT_EQ(LogFile(file).other_machine(), "build was other and is " + build_id() +
                                               "; cpu_features was none and is " + cpu_features());
  // an older log does not say
  {
    const SmallLog log(file);
  }
  EXPECT_EQ(LogFile(file).other_machine(), "");
}

TEST(AtTheirStamps, AnInputComesAtTheFirstTickThatIsNotBeforeItAndNeverBeforeTheOneBefore) {
  std::vector<Input> inputs(6);
  const Nanoseconds stamps[] = {-500, 0, 1, 1'000'000, 1'000'001, 5};
  for (std::size_t i = 0; i < 6; ++i) inputs[i].stamp = stamps[i];
  const auto logged = at_their_stamps(inputs, 1'000'000);
  std::vector<std::int64_t> ticks;
  for (const auto& each : logged) ticks.push_back(each.tick);
  EXPECT_EQ(ticks, (std::vector<std::int64_t>{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(logged[4].input.stamp, 1'000'001);
}

TEST(LogFeed, GivesEachTickItsInputsAndOnceMoreWhenTimeGoesBack) {
  std::vector<LoggedInput> inputs(4);
  const std::int64_t ticks[] = {2, 2, 3, 7};
  for (std::size_t i = 0; i < 4; ++i) {
    inputs[i].tick = ticks[i];
    inputs[i].input.stamp = static_cast<Nanoseconds>(10 + i);
  }
  LogFeed feed(inputs);
  const auto at = [&](std::int64_t tick) {
    std::string all;
    Input input;
    while (feed.next(tick, input)) all += std::to_string(input.stamp) + " ";
    return all;
  };
  EXPECT_EQ(at(0), "");
  EXPECT_EQ(at(2), "10 11 ");
  EXPECT_EQ(at(2), "10 11 ");  // the tick is done once more
  EXPECT_EQ(at(3), "12 ");
  EXPECT_EQ(at(4), "");
  EXPECT_EQ(at(8), "");  // 7 was gone past
  EXPECT_EQ(at(1), "");
  EXPECT_EQ(at(7), "13 ");
  EXPECT_EQ(at(2), "10 11 ");
}

}  // namespace log_file_test
}  // namespace handspan
