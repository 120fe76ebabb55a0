// The station over loopback: a port, HTTP, WebSockets, a loop on the wall clock, recordings.
#include "station/station.hpp"

#include <malloc.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <utility>

#include "log/replay.hpp"
#include "station/station_fixture.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace station_test {

using test::Json;
using test::SocketClient;
using test::StationTest;

TEST_F(StationTest, ServesThePageAndNothingElse) {
  begin();
  const std::string page = get("/");
  EXPECT_EQ(status_of(page), "200") << page;
  EXPECT_NE(page.find("<html>the page</html>"), std::string::npos);
  EXPECT_NE(page.find("Content-Type: text/html; charset=utf-8"), std::string::npos);
  EXPECT_NE(page.find("Content-Security-Policy: default-src 'none'; script-src 'self'"),
            std::string::npos);
  EXPECT_EQ(page.find("unsafe"), std::string::npos);
  EXPECT_NE(page.find("Cross-Origin-Resource-Policy: same-origin"), std::string::npos);
  EXPECT_NE(page.find("Referrer-Policy: no-referrer"), std::string::npos);
  const std::string script = get("/assets/main.js?v=1");
  EXPECT_NE(script.find("Content-Type: text/javascript"), std::string::npos);
  EXPECT_NE(script.find("let x;"), std::string::npos);
  const std::string head = get("/assets/main.js", "", "", "HEAD");
  EXPECT_EQ(status_of(head), "200");
  EXPECT_NE(head.find("Content-Length: 6"), std::string::npos);
  EXPECT_EQ(head.find("let x;"), std::string::npos);
  EXPECT_EQ(status_of(get("/", "Content-Length: 0\r\n", "", "POST")), "405");
  EXPECT_EQ(status_of(get("/", "", "", "DELETE")), "405");
  EXPECT_EQ(status_of(get("/pair")), "405");
  EXPECT_EQ(status_of(get("/ws")), "426");
  for (const char* target :
       {"/../secret.txt", "/..%2fsecret.txt", "/%2e%2e/secret.txt", "/assets/../../secret.txt",
        "/assets/..%2f..%2fsecret.txt", "//secret.txt", "/records/../secret.txt",
        "/records/..%2f..%2fsecret.txt", "/thumbnails/..%2f..%2fsecret.txt", "/.git",
        "/records/.mcap", "/none"}) {
    const std::string answer = get(target);
    EXPECT_EQ(status_of(answer), "404") << target;
    EXPECT_EQ(answer.find("secret\n"), std::string::npos);
  }
  EXPECT_EQ(status_of(get("/%zz")), "400");
  EXPECT_EQ(status_of(get("/a%00b")), "400");
  std::filesystem::create_symlink(folder.path() / "secret.txt", options.page / "link.txt");
  EXPECT_EQ(status_of(get("/link.txt")), "404");
}

TEST_F(StationTest, WithoutAPageItSaysHowToBuildOne) {
  options.page = folder.path() / "none";
  begin();
  const std::string page = get("/");
  EXPECT_EQ(status_of(page), "200");
  EXPECT_NE(page.find("tools/build release"), std::string::npos);
}

TEST_F(StationTest, ATakenPortIsOneClearLine) {
  begin();
  options.port = station->port();
  try {
    const Station second(app, test_parts(), options);
    FAIL() << "two on one port";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              fmt::format("port {} is taken by another program (another handspan serve?); end that "
                          "one, or choose another port with --port",
                          options.port));
  }
}

TEST_F(StationTest, APageJoinsSeesOperatesAndIsKilled) {
  begin();
  SocketClient watcher(station->port(), token);
  ASSERT_FALSE(watcher.join("Eve", "viewer").is_null());
  {
    SocketClient page(station->port(), token);
    const Json welcome = page.join("Ann");
    ASSERT_FALSE(welcome.is_null());
    for (SocketClient::Message m = page.next();; m = page.next()) {
      ASSERT_NE(m.opcode, 0);
      if (m.opcode != 2) continue;
      EXPECT_EQ(m.bytes[0], 1);
      break;
    }
    EXPECT_EQ(page.ask({{"type", "operate"}}), "");
    page.disconnect();
  }
  for (;;) {
    const Json event = watcher.next_text("event");
    ASSERT_FALSE(event.is_null());
    if (event["kind"] == "operator" && event["name"] == "nobody") break;
  }
  watcher.next_text("status");
  EXPECT_EQ(watcher.next_text("status")["operators"]["headset"], nullptr);
  end();
  EXPECT_EQ(watcher.next_close().code(), 1001);
  EXPECT_GT(summary.ticks, 0);
}

TEST_F(StationTest, ARunBeginsAnewForTheOneWhoOperates) {
  begin();
  SocketClient page(station->port(), token), watcher(station->port(), token);
  page.join("Ann");
  watcher.join("Eve", "viewer");
  ASSERT_EQ(page.ask({{"type", "operate"}}), "");
  const auto tick_of = [](const SocketClient::Message& m) {
    std::int64_t tick = 0;
    std::memcpy(&tick, m.bytes.data() + 8, sizeof tick);
    return tick;
  };
  const auto next_tick = [&] {
    for (;;) {
      const auto m = page.next();
      if (m.opcode == 0) return std::int64_t{-1};
      if (m.opcode == 2) return tick_of(m);
    }
  };
  std::int64_t before = 0;
  while (before >= 0 && before < 300) before = next_tick();
  EXPECT_NE(watcher.ask({{"type", "restart"}}), "");
  ASSERT_EQ(page.ask({{"type", "restart"}}), "");
  std::int64_t after = next_tick();
  while (after >= before) before = std::exchange(after, next_tick());
  EXPECT_GE(after, 0);
  EXPECT_LT(after, 300);
  page.next_text("status");
  EXPECT_TRUE(page.next_text("status")["you_operate"]);
}

TEST_F(StationTest, WhatIsTooLongIsClosedBeforeItIsKept) {
  begin();
  SocketClient page(station->port(), token);
  page.join("Ann");
  page.send_frame(1, std::string(kMostBytes + 4096, ' '));
  EXPECT_EQ(page.next_close().code(), 4003);
  // a message in pieces that never ends
  SocketClient slow(station->port(), token);
  slow.join("Bob");
  slow.send_frame(2, std::string(1000, 'x'), false);
  for (int i = 0; i < 100; ++i)
    if (!slow.send_frame(0, std::string(1000, 'x'), false)) break;
  EXPECT_EQ(slow.next_close().code(), 4003);
  SocketClient hello(station->port(), token);
  hello.upgrade();
  hello.send_frame(1, std::string(kMostHelloBytes + 1, ' '));
  EXPECT_EQ(hello.next_close().code(), 4003);
}

TEST_F(StationTest, AFloodIsClosedAndTheOthersGoOn) {
  begin();
  SocketClient other(station->port(), token);
  other.join("Eve", "viewer");
  SocketClient flood(station->port(), token);
  flood.join("Ann");
  for (int i = 0; i < 3000; ++i)
    if (!flood.say({{"type", "ping"}, {"t", i}})) break;
  EXPECT_EQ(flood.next_close().code(), 4004);
  EXPECT_EQ(other.ask({{"type", "subscribe"}, {"rate", 30}}), "");
}

TEST_F(StationTest, AClientThatReadsNothingLosesFramesAndNothingElse) {
  begin();
  SocketClient stalled(station->port(), token, 4096);
  stalled.join("Eve", "viewer");
  ASSERT_EQ(stalled.ask({{"type", "subscribe"}, {"rate", 90}, {"channels", {"*"}}}), "");
  SocketClient other(station->port(), token);
  other.join("Bob", "viewer");
  std::uint32_t first = 0, last = 0;
  const auto sequence = [](const SocketClient::Message& m) {
    std::uint32_t value = 0;
    std::memcpy(&value, m.bytes.data() + 4, sizeof value);
    return value;
  };
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(3);
  while (std::chrono::steady_clock::now() < until) {
    const auto m = other.next();
    ASSERT_NE(m.opcode, 0);
    if (m.opcode != 2) continue;
    if (first == 0) first = sequence(m);
    last = sequence(m);
  }
  EXPECT_GT(last, first);
  // what waited in the sockets, then frames of now: their numbers have no holes, their ticks have
  std::int64_t before = 0, widest = 0;
  for (int frames = 0; frames < 400;) {
    const auto m = stalled.next();
    ASSERT_NE(m.opcode, 0);
    if (m.opcode != 2) continue;
    std::int64_t tick = 0;
    std::memcpy(&tick, m.bytes.data() + 8, sizeof tick);
    if (frames++ > 0) widest = std::max(widest, tick - before);
    before = tick;
    if (widest > 500) break;
  }
  EXPECT_GT(widest, 500) << "nothing was lost: the sockets took it all";
}

TEST_F(StationTest, ARunThatIsRecordedFromItsFirstTickIsWhole) {
  options.record = true;
  options.until = kSecond / 2;
  begin();
  thread.join();
  Records records(options.records);
  const auto list = records.list("");
  ASSERT_EQ(list.size(), 1U);
  EXPECT_FALSE(list[0].thumbnail.empty());
  LogFile log(options.records / list[0].name);
  EXPECT_EQ(log.first_tick(), 0);
  EXPECT_EQ(log.ticks(), 500);
}

TEST_F(StationTest, RecordingsAreMadeListedReplayedFetchedAndDeleted) {
  begin();
  SocketClient page(station->port(), token);
  page.join("Ann");
  // what is under way when a recording begins is in it too
  ASSERT_EQ(page.ask({{"type", "operate"}}), "");
  page.ask({{"type", "episode"}, {"mark", "start"}, {"text", "grab"}});
  ASSERT_EQ(page.ask({{"type", "record"}, {"on", true}, {"name", "../a b"}}), "");
  EXPECT_EQ(page.ask({{"type", "record"}, {"on", true}, {"name", "x"}}),
            "a recording is under way; stop it first");
  for (double recorded = 0.0; recorded < 0.7;)
    recorded = page.next_text("status")["recording"]["seconds"];
  page.ask({{"type", "episode"}, {"mark", "success"}});
  ASSERT_EQ(page.ask({{"type", "record"}, {"on", false}}), "");
  EXPECT_EQ(page.ask({{"type", "record"}, {"on", false}}), "nothing is being recorded");
  page.say({{"type", "list"}});
  const Json records = page.next_text("records")["records"];
  ASSERT_EQ(records.size(), 1U);
  const auto name = records[0]["name"].get<std::string>();
  EXPECT_TRUE(name.starts_with("a-b-")) << name;
  EXPECT_GT(records[0]["seconds"].get<double>(), 0.6);
  ASSERT_EQ(records[0]["episodes"].size(), 1U) << records;
  EXPECT_EQ(records[0]["episodes"][0]["task"], "grab");
  EXPECT_EQ(records[0]["episodes"][0]["outcome"], "success");
  EXPECT_EQ(records[0]["episodes"][0]["operator"], "Ann");
  const std::string file = get("/records/" + name);
  EXPECT_EQ(status_of(file), "200");
  EXPECT_NE(file.find("attachment; filename=\"" + name + "\""), std::string::npos);
  ASSERT_TRUE(records[0]["thumbnail"].is_string()) << page.next_text("status")["recording"];
  EXPECT_NE(get(records[0]["thumbnail"]).find("image/png"), std::string::npos);

  // it was begun in the middle of a run, and is the same run again from there
  LogFile log(options.records / name);
  EXPECT_GT(log.first_tick(), 0);
  ReplayOptions verify;
  verify.verify = true;
  const ReplayReport report = replay(log, test_parts(), verify);
  EXPECT_TRUE(report.same());
  EXPECT_GT(report.compared, 600);

  ASSERT_EQ(page.ask({{"type", "replay"}, {"name", name}}), "");
  ASSERT_EQ(page.ask({{"type", "speed"}, {"factor", 0}}), "");
  const double wanted = seconds(log.first_tick() * log.base_period()) + 0.3;
  ASSERT_EQ(page.ask({{"type", "seek"}, {"time", wanted}}), "");
  double shown = 0.0;
  for (int frames = 0; frames < 200 && std::abs(shown - wanted) > 0.0015;) {
    const auto m = page.next();
    ASSERT_NE(m.opcode, 0);
    if (m.opcode != 2 || (m.bytes[1] & kReplayFlag) == 0) continue;
    std::memcpy(&shown, m.bytes.data() + 16, sizeof shown);
    ++frames;
  }
  EXPECT_NEAR(shown, wanted, 0.0015);
  // it says what was then, and of the live arms what is now
  ASSERT_EQ(page.ask({{"type", "stop"}}), "");
  Json said;
  for (int i = 0; i < 20; ++i) {
    said = page.next_text("status");
    if (said["stopped"].get<bool>()) break;
  }
  EXPECT_EQ(said["stopped"], true);
  EXPECT_EQ(said["replay"]["stopped"], false);
  EXPECT_EQ(said["replay"]["mode"], said["mode"]);
  EXPECT_TRUE(said["replay"]["limits"].is_array());
  EXPECT_NE(said["replay"]["holding"], said["holding"]);
  ASSERT_EQ(page.ask({{"type", "resume"}}), "");
  ASSERT_EQ(page.ask({{"type", "replay"}, {"off", true}}), "");

  EXPECT_NE(page.ask({{"type", "delete"}, {"name", "../secret.txt"}}), "");
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "secret.txt"));
  EXPECT_EQ(page.ask({{"type", "delete"}, {"name", name}}), "");
  EXPECT_FALSE(std::filesystem::exists(options.records / name));
}

TEST_F(StationTest, AMarkThatCameBeforeTheEndOfARecordingIsInIt) {
  begin();
  SocketClient page(station->port(), token);
  page.join("Ann");
  ASSERT_EQ(page.ask({{"type", "operate"}}), "");
  for (int i = 0; i < 6; ++i) {
    ASSERT_EQ(page.ask({{"type", "record"}, {"on", true}, {"name", fmt::format("m{}", i)}}), "");
    page.ask({{"type", "episode"}, {"mark", "start"}, {"text", "grab"}});
    page.ask({{"type", "episode"}, {"mark", "success"}});
    ASSERT_EQ(page.ask({{"type", "record"}, {"on", false}}), "");
  }
  page.say({{"type", "list"}});
  const Json records = page.next_text("records")["records"];
  ASSERT_EQ(records.size(), 6U);
  for (const Json& record : records) {
    ASSERT_EQ(record["episodes"].size(), 1U) << record;
    EXPECT_EQ(record["episodes"][0]["outcome"], "success");
  }
}

// A log that is replayed is large blocks. Once one was freed, the allocator would put the next
// among small ones, from where the system gets nothing back while the loop's memory is locked.
TEST_F(StationTest, LargeBlocksAreGivenBackHoweverManyCame) {
  if (mallinfo2().arena == 0) GTEST_SKIP() << "another allocator, as a sanitizer's";
  begin();
  SocketClient page(station->port(), token);
  page.join("Ann");  // it runs
  constexpr std::size_t kLarge = 30 << 20, kNext = 25 << 20;
  // volatile: a block that nobody uses is not asked for
  void* volatile block = std::malloc(kLarge);
  std::free(block);
  malloc_trim(0);  // what other tests left
  const std::size_t before = mallinfo2().hblkhd;
  block = std::malloc(kNext);
  EXPECT_GE(mallinfo2().hblkhd, before + kNext);
  std::free(block);
}

TEST_F(StationTest, AFolderThatIsRemovedEndsTheRecording) {
  begin();
  SocketClient page(station->port(), token);
  page.join("Ann");
  ASSERT_EQ(page.ask({{"type", "operate"}}), "");
  ASSERT_EQ(page.ask({{"type", "record"}, {"on", true}, {"name", "gone"}}), "");
  EXPECT_TRUE(page.next_text("status")["recording"]["free"].is_number());
  std::filesystem::remove_all(options.records);
  Json recording;
  for (int i = 0; i < 100; ++i) {
    recording = page.next_text("status")["recording"];
    if (!recording["on"].get<bool>()) break;
  }
  EXPECT_FALSE(recording["on"].get<bool>()) << "it ends by itself";
  EXPECT_NE(recording["message"].get<std::string>().find("is not there any more"),
            std::string::npos)
      << recording;
  for (int i = 0; i < 1000 && station->failed_recordings() == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(station->failed_recordings(), 1);
}

// the limit on a file's size stands for a full disk
TEST_F(StationTest, AFullDiskIsToldOnThePageWithWhatIsKept) {
  begin();
  SocketClient page(station->port(), token);
  page.join("Ann");
  ASSERT_EQ(page.ask({{"type", "operate"}}), "");
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(page.ask({{"type", "record"}, {"on", true}, {"name", "full"}}), "");
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  std::uintmax_t written = 0;
  for (const auto& entry : std::filesystem::directory_iterator(options.records))
    written = std::max(written, entry.file_size());
  ASSERT_GT(written, 0U);
  const rlimit small{written + 1, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  Json recording;
  for (int i = 0; i < 100; ++i) {
    recording = page.next_text("status")["recording"];
    // why is told at once, what is kept when it was looked at
    if (recording["message"].get<std::string>().find("kept") != std::string::npos) break;
    EXPECT_TRUE(recording["on"].get<bool>() == recording["message"].get<std::string>().empty());
  }
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, SIG_DFL);
  EXPECT_FALSE(recording["on"].get<bool>()) << "it ends by itself";
  const auto message = recording["message"].get<std::string>();
  EXPECT_NE(message.find("the recording ended by itself: "), std::string::npos) << message;
  EXPECT_NE(message.find("writing failed after "), std::string::npos) << message;
  EXPECT_NE(message.find(" s are kept"), std::string::npos) << message;
  // counted when its thumbnail is written
  for (int i = 0; i < 1000 && station->failed_recordings() == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(station->failed_recordings(), 1);
  // the loop goes on, and the next one is a recording as any
  ASSERT_EQ(page.ask({{"type", "record"}, {"on", true}, {"name", "next"}}), "");
  ASSERT_EQ(page.ask({{"type", "record"}, {"on", false}}), "");
  EXPECT_EQ(page.next_text("status")["recording"]["message"], "");
}

}  // namespace station_test
}  // namespace handspan
