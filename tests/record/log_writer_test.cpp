#include "record/log_writer.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>

#include "record_support.hpp"
#include "support/alloc.hpp"
#include "support/sized.hpp"

namespace handspan {
namespace log_writer_test {

using test::error_of;
using test::Folder;

void vector_of(const LogSample& sample, Bytes& out) {
  std::vector<double> values(sample.raw.size() / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), sample.raw.data(), sample.raw.size());
  encode_vector(sample.source_stamp, values, out);
}

StreamId add_vector(LogWriter& log, const std::string& topic) {
  return log.add(topic, message_type<messages::Vector>(), {{"unit", "m"}}, vector_of);
}

TEST(LogWriter, WhatIsPushedIsInTheFile) {
  const Folder folder;
  LogWriter log(folder / "log.mcap");
  log.metadata("build", {{"a", "b"}});
  const StreamId a = add_vector(log, "/a"), b = add_vector(log, "/b");
  log.start();
  constexpr int kCount = 5000;
  for (int i = 0; i < kCount; ++i) {
    const std::array<double, 3> values = {1.0 * i, 2, 3};
    const Nanoseconds time = i * Nanoseconds{1'000'000};
    ASSERT_TRUE(log.push(a, time, time - 7, static_cast<std::uint64_t>(i),
                         std::as_bytes(std::span(values))));
    const auto room = log.reserve(b, time, time - 9, static_cast<std::uint64_t>(i), 8);
    ASSERT_NE(room.data(), nullptr);
    const double value = -i;
    std::memcpy(room.data(), &value, 8);
    log.commit();
  }
  log.stop();
  log.attach({"end.txt", "text/plain", 1, 2, Bytes(3)});
  EXPECT_TRUE(log.close());
  EXPECT_TRUE(log.close());  // once is enough
  const LogStatus status = log.status();
  EXPECT_EQ(status.messages, 2u * kCount);
  EXPECT_EQ(status.dropped, 0u);
  EXPECT_FALSE(status.failed) << status.message;
  EXPECT_EQ(status.bytes, std::filesystem::file_size(folder / "log.mcap"));

  const McapReader reader(folder / "log.mcap");
  EXPECT_TRUE(reader.complete()) << reader.damage();
  EXPECT_EQ(reader.metadata("build"), (McapMap{{"a", "b"}}));
  EXPECT_TRUE(reader.attachment("end.txt"));
  EXPECT_EQ(reader.channel("/b")->metadata, (McapMap{{"unit", "m"}}));
  int seen = 0;
  reader.messages({}, [&](const McapChannel& channel, const McapMessage& message) {
    const int i = seen / 2;
    const bool first = seen % 2 == 0;
    EXPECT_EQ(channel.topic, first ? "/a" : "/b");
    EXPECT_EQ(message.sequence, static_cast<std::uint32_t>(i));
    EXPECT_EQ(message.publish_time, message.log_time - (first ? 7 : 9));
    const auto vector = decode<messages::Vector>(message.bytes);
    EXPECT_EQ(vector.values,
              first ? (std::vector<double>{1.0 * i, 2, 3}) : (std::vector<double>{-1.0 * i}));
    ++seen;
    return !testing::Test::HasFailure();
  });
  EXPECT_EQ(seen, 2 * kCount);
}

TEST(LogWriter, PushingAllocatesNothing) {
  const Folder folder;
  LogWriter log(folder / "log.mcap", {.ring_bytes = 1U << 16U, .file = {}});
  const StreamId a = add_vector(log, "/a");
  log.start();
  const std::array<double, 16> values{};
  const test::AllocationCount allocations;
  bool failed = false;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    log.push(a, 0, 0, i, std::as_bytes(std::span(values)));  // dropped ones too
    failed = failed || log.status().failed;
  }
  EXPECT_EQ(allocations.count(), 0u);
  EXPECT_FALSE(failed);
}

TEST(LogWriter, AFullRingDropsAndCounts) {
  const Folder folder;
  LogWriter log(folder / "log.mcap", {.ring_bytes = 1024, .file = {}});
  const StreamId a = add_vector(log, "/a");
  const std::array<double, 10> values{};
  int taken = 0;
  for (std::uint64_t i = 0; i < 100; ++i)
    taken += log.push(a, 0, 0, i, std::as_bytes(std::span(values))) ? 1 : 0;
  EXPECT_EQ(taken, 8);                               // of 8 + 32 + 80 bytes each
  EXPECT_FALSE(log.push(a, 0, 0, 0, Bytes(2000)));   // never fits
  EXPECT_FALSE(log.push(StreamId{7}, 0, 0, 0, {}));  // there is no such stream
  EXPECT_EQ(log.reserve(a, 0, 0, 0, ~std::size_t{0}).data(), nullptr);
  EXPECT_EQ(log.status().dropped, 95u);
  log.start();
  EXPECT_FALSE(log.close());
  EXPECT_EQ(log.status().messages, 8u);
  EXPECT_FALSE(log.status().failed);
  EXPECT_EQ(test::read_all(McapReader(folder / "log.mcap")).size(), 8u);
}

TEST(LogWriter, AnEmptySampleIsASample) {
  const Folder folder;
  LogWriter log(folder / "log.mcap");
  const StreamId a = add_vector(log, "/a");
  log.start();
  EXPECT_TRUE(log.push(a, 0, 0, 0, {}));
  EXPECT_TRUE(log.close());
  EXPECT_EQ(test::read_all(McapReader(folder / "log.mcap")).size(), 1u);
}

TEST(LogWriter, AnEncoderThatThrowsEndsTheRecordingWithItsWords) {
  const Folder folder;
  LogWriter log(folder / "log.mcap");
  const StreamId a =
      log.add("/a", message_type<messages::String>(), {}, [](const LogSample& sample, Bytes& out) {
        if (sample.tick == 3) throw std::runtime_error("three");
        encode(messages::String{"x"}, out);
      });
  log.start();
  for (std::uint64_t i = 0; i < 5; ++i) log.push(a, 0, 0, i, {});
  EXPECT_FALSE(log.close());
  EXPECT_TRUE(log.status().failed);
  EXPECT_EQ(log.status().message,
            (folder / "log.mcap").string() +
                ": a message of /a cannot be made: three; the recording has ended");
  const McapReader reader(folder / "log.mcap");
  EXPECT_TRUE(reader.complete());
  EXPECT_EQ(test::read_all(reader).size(), 3u);
}

TEST(LogWriter, ATimeBeforeZeroEndsTheRecording) {
  const Folder folder;
  LogWriter log(folder / "log.mcap");
  const StreamId a = add_vector(log, "/a");
  log.start();
  log.push(a, -1, 0, 0, {});
  EXPECT_FALSE(log.close());
  EXPECT_NE(log.status().message.find("log time of /a is -1 ns"), std::string_view::npos);
}

TEST(LogWriter, SaysWhatComesTooLateOrTwice) {
  const Folder folder;
  const std::string path = (folder / "log.mcap").string();
  LogWriter log(path);
  add_vector(log, "/a");
  EXPECT_EQ(error_of([&] { add_vector(log, "/a"); }),
            path + ": topic /a is there twice; give one of them another name");
  log.start();
  EXPECT_EQ(error_of([&] { add_vector(log, "/b"); }),
            path + ": topic /b comes after the start; add all topics before");
  EXPECT_EQ(error_of([&] { log.start(); }), path + ": was started before; start it once");
  EXPECT_EQ(error_of([&] { log.metadata("a", {}); }),
            path + ": is being recorded; add metadata before start() or after stop()");
  EXPECT_EQ(error_of([&] { log.attach({}); }),
            path + ": is being recorded; attach before start() or after stop()");
  EXPECT_NE(error_of([&] { LogWriter other(folder / "no/log.mcap"); }).find("make the folder "),
            std::string::npos);
}

// the limit on a file's size stands for a full disk
TEST(LogWriter, AFullDiskEndsTheRecordingAndNotTheLoop) {
  const Folder folder;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{200'000, before.rlim_max};
  std::signal(SIGXFSZ, SIG_IGN);
  LogWriter log(folder / "log.mcap", {.ring_bytes = 1U << 20U, .file = {.chunk_bytes = 20'000}});
  const StreamId a = add_vector(log, "/a");
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  log.start();
  std::mt19937_64 random(1);
  std::array<double, 100> values{};
  std::uint64_t ticks = 0, refused = 0;
  // goes on for as long after the failure as before it
  for (std::uint64_t failed_at = 0; failed_at == 0 || ticks < 2 * failed_at; ++ticks) {
    for (auto& value : values) value = static_cast<double>(random());
    if (!log.push(a, static_cast<Nanoseconds>(ticks), 0, ticks, std::as_bytes(std::span(values))))
      ++refused;
    if (failed_at == 0 && log.status().failed) failed_at = ticks;
    if (ticks % 100 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_FALSE(log.close());
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, SIG_DFL);
  const LogStatus status = log.status();
  EXPECT_TRUE(status.failed);
  EXPECT_NE(status.message.find("log.mcap: writing failed after "), std::string_view::npos);
  EXPECT_EQ(status.dropped, refused);
  EXPECT_GT(refused, 0u);
  const auto read = test::read_all(McapReader(folder / "log.mcap"));
  EXPECT_GT(read.size(), 100u);
  for (std::size_t i = 0; i < read.size(); ++i) ASSERT_EQ(read[i].sequence, i);
}

// a child records ticks of its clock until it is killed; all that is older than a second is there
TEST(LogWriter, AKilledRecordingHasAllButItsLastSecond) {
  const std::uint32_t seed = 11;
  std::mt19937 random(seed);
  const Folder folder;
  for (int run = 0; run < test::sized(20); ++run) {
    const auto path = folder / ("log" + std::to_string(run) + ".mcap");
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      LogWriter log(path);
      const StreamId a = add_vector(log, "/a");
      log.start();
      const std::array<double, 50> values{};
      const auto start = std::chrono::steady_clock::now();
      for (std::uint64_t tick = 0;; ++tick) {
        const Nanoseconds now = (std::chrono::steady_clock::now() - start).count();
        log.push(a, now, now, tick, std::as_bytes(std::span(values)));
        // tells the last time that was recorded
        if (::write(pipe[1], &now, sizeof now) != sizeof now) ::_exit(1);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
    ::close(pipe[1]);
    const auto life = std::chrono::milliseconds(random() % 4000);
    std::this_thread::sleep_for(life);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    Nanoseconds last = 0;
    std::uint64_t pushed = 0;
    for (Nanoseconds time; ::read(pipe[0], &time, sizeof time) == sizeof time; ++pushed)
      last = time;
    ::close(pipe[0]);

    SCOPED_TRACE(testing::Message() << "seed " << seed << ", run " << run << ", " << life.count()
                                    << " ms, pushed " << pushed << " up to " << last << " ns");
    if (!std::filesystem::exists(path)) {
      EXPECT_LE(last, kSecond);
      continue;
    }
    std::vector<test::Read> read;
    const std::string said = error_of([&] { read = test::read_all(McapReader(path)); });
    if (last <= kSecond) continue;  // it may have been killed in its first write
    EXPECT_EQ(said, "no error");
    ASSERT_FALSE(read.empty());
    EXPECT_GE(read.back().log_time, last - kSecond);
    for (std::size_t i = 0; i < read.size(); ++i) ASSERT_EQ(read[i].sequence, i);
  }
}

}  // namespace log_writer_test
}  // namespace handspan
