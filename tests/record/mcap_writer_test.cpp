// The file itself; what other readers make of it is in readers_test.cpp.
#include "record/mcap_writer.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>

#include "record_support.hpp"

namespace handspan {
namespace mcap_writer_test {

using test::error_of;
using test::Folder;

TEST(McapWriter, WhatWasWrittenIsReadBack) {
  const Folder folder;
  for (const int level : {0, 1, 3}) {
    McapOptions options;
    options.zstd_level = level;
    options.chunk_bytes = 1000;
    McapWriter writer(folder / "log.mcap", options);
    writer.metadata("build", {{"compiler", "g++"}, {"flags", ""}});
    const auto written = test::write_turns(writer, 500);
    const Bytes attached(2000, std::byte{7});
    writer.attach({"app.yaml", "application/yaml", 3, 4, attached});
    writer.finish();
    EXPECT_EQ(writer.bytes(), std::filesystem::file_size(folder / "log.mcap"));

    const McapReader reader(folder / "log.mcap");
    EXPECT_TRUE(reader.complete()) << reader.damage();
    EXPECT_EQ(reader.profile(), "ros2");
    EXPECT_EQ(reader.library(), "handspan 0.2.0");
    EXPECT_EQ(test::read_all(reader), written);
    EXPECT_GT(reader.statistics().chunks, 10u);
    EXPECT_EQ(reader.statistics().messages, 500u);
    EXPECT_EQ(reader.statistics().channel_messages.at(0), 250u);
    EXPECT_EQ(reader.statistics().last_time, 499'000'000);
    EXPECT_EQ(reader.channel("/a")->metadata, (McapMap{{"of", "test"}}));
    EXPECT_EQ(reader.schema(reader.channel("/a")->schema)->text, "string data\n");
    EXPECT_EQ(reader.metadata("build"), (McapMap{{"compiler", "g++"}, {"flags", ""}}));
    EXPECT_EQ(reader.attachment("app.yaml")->bytes, attached);
    EXPECT_EQ(reader.attachment("app.yaml")->create_time, 4);
    EXPECT_FALSE(reader.attachment("other"));
    EXPECT_FALSE(reader.metadata("other"));
  }
}

TEST(McapWriter, ChunksCloseBySizeAndByTime) {
  const Folder folder;
  McapOptions options;
  options.chunk_time = 10'000'000;
  McapWriter by_time(folder / "time.mcap", options);
  test::write_turns(by_time, 101);  // 1 ms apart: 0 to 10 ms is one chunk of 11
  by_time.finish();
  EXPECT_EQ(by_time.statistics().chunks, 10u);

  McapWriter by_size(folder / "size.mcap", {.chunk_bytes = 1, .chunk_time = kSecond});
  test::write_turns(by_size, 7);
  EXPECT_EQ(by_size.open_bytes(), 0u);
  by_size.finish();
  EXPECT_EQ(by_size.statistics().chunks, 7u);
}

TEST(McapWriter, ByChannelEachOneIsInOnePieceAndReadInTheOrderOfTime) {
  const Folder folder;
  McapOptions options{.chunk_time = kSecond, .zstd_level = 0, .by_channel = true};
  McapWriter writer(folder / "log.mcap", options);
  const auto written = test::write_turns(writer, 100);
  writer.finish();
  const McapReader reader(folder / "log.mcap");
  ASSERT_TRUE(reader.complete()) << reader.damage();
  EXPECT_EQ(reader.statistics().chunks, 1u);
  EXPECT_EQ(test::read_all(reader), written);
  // and in the file they stand channel after channel
  const Bytes bytes = test::file_bytes(folder / "log.mcap");
  const std::string_view file = text_of(bytes);
  std::size_t last_a = 0, first_b = file.size();
  for (const auto& message : written) {
    const auto at = file.find(message.bytes);
    ASSERT_NE(at, file.npos);
    if (message.topic == "/a")
      last_a = std::max(last_a, at);
    else
      first_b = std::min(first_b, at);
  }
  EXPECT_LT(last_a, first_b);
}

TEST(McapWriter, AClosedChunkIsInTheFile) {
  const Folder folder;
  McapWriter writer(folder / "log.mcap");
  const auto written = test::write_turns(writer, 10);
  EXPECT_TRUE(test::read_all(McapReader(folder / "log.mcap")).empty());
  writer.close_chunk();
  const McapReader reader(folder / "log.mcap");
  EXPECT_FALSE(reader.complete());
  EXPECT_EQ(test::read_all(reader), written);
}

TEST(McapWriter, TheSameSchemaIsThereOnce) {
  const Folder folder;
  McapWriter writer(folder / "log.mcap");
  const auto first = writer.add_schema("a", "ros2msg", "x");
  EXPECT_EQ(writer.add_schema("a", "ros2msg", "x"), first);
  EXPECT_NE(writer.add_schema("a", "ros2msg", "y"), first);
}

TEST(McapWriter, AnEmptyLogIsComplete) {
  const Folder folder;
  McapWriter(folder / "log.mcap").finish();
  const McapReader reader(folder / "log.mcap");
  EXPECT_TRUE(reader.complete());
  EXPECT_TRUE(test::read_all(reader).empty());
}

TEST(McapWriter, SaysWhereItCannotWrite) {
  const Folder folder;
  const std::string missing = (folder / "no/log.mcap").string();
  EXPECT_EQ(error_of([&] { McapWriter writer(missing); }),
            missing + ": cannot be written (No such file or directory); make the folder " +
                (folder / "no").string() + " first");
  EXPECT_NE(error_of([&] { McapWriter writer(folder / "."); }).find("Is a directory"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              McapWriter writer(folder / "log.mcap", {.zstd_level = 20});
            }).find("zstd level is 20; it must be 1 to 19"),
            std::string::npos);
}

TEST(McapWriter, SaysWhatIsWrongWithAMessage) {
  const Folder folder;
  const std::string path = (folder / "log.mcap").string();
  McapWriter writer(path);
  EXPECT_EQ(error_of([&] { writer.write({}); }),
            path + ": a message is of channel 0, which there is not");
  EXPECT_EQ(error_of([&] { writer.add_channel("/a", 1); }),
            path + ": channel /a: there is no schema 1");
  const auto channel = writer.add_channel("/a", 0);
  EXPECT_EQ(error_of([&] { writer.write({channel, 0, -1, 0, {}}); }),
            path + ": log time of /a is -1 ns; MCAP knows times >= 0 only");
  writer.finish();
  EXPECT_EQ(error_of([&] { writer.finish(); }),
            path + ": is finished; nothing more can be written");
}

TEST(McapWriter, AFullDiskIsSaid) {
  const std::string said = error_of([] { McapWriter writer("/dev/full"); });
  EXPECT_EQ(
      said,
      "/dev/full: writing failed after 0 bytes (No space left on device); free some space, or "
      "record to another disk");
}

TEST(McapWriter, AFileThatHasNoNameAnyMoreIsSaid) {
  for (const bool moved : {false, true}) {
    const Folder folder;
    const std::filesystem::path path = folder / "log.mcap";
    McapWriter writer(path, {.chunk_bytes = 3000, .zstd_level = 0});
    test::write_turns(writer, 100);
    if (moved)
      std::filesystem::rename(path, folder / "other.mcap");
    else
      std::filesystem::remove(path);
    const std::string said = error_of([&] { writer.close_chunk(), writer.finish(); });
    EXPECT_NE(said.find("log.mcap: is not there any more after "), std::string::npos) << said;
    EXPECT_NE(said.find("record to a folder that stays"), std::string::npos) << said;
    // also when something else has its name
    std::ofstream(path) << "other";
    EXPECT_EQ(error_of([&] { writer.finish(); }), said);
  }
}

// the limit on a file's size stands for a disk that becomes full in the middle of a chunk
TEST(McapWriter, AFileThatCannotGrowEndsWithItsLastWholeRecord) {
  const Folder folder;
  const std::string path = (folder / "log.mcap").string();
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{20'000, before.rlim_max};
  std::signal(SIGXFSZ, SIG_IGN);
  McapWriter writer(path, {.chunk_bytes = 3000, .zstd_level = 0});
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string said = error_of([&] { test::write_turns(writer, 10'000); });
  const std::string again = error_of([&] { writer.close_chunk(), writer.finish(); });
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, SIG_DFL);
  EXPECT_NE(said.find("log.mcap: writing failed after "), std::string::npos) << said;
  EXPECT_NE(said.find("raise the limit on the size of files"), std::string::npos) << said;
  EXPECT_EQ(again, said);

  EXPECT_EQ(std::filesystem::file_size(path), writer.bytes());
  const McapReader reader(path);
  EXPECT_GT(reader.statistics().messages, 50u);
  EXPECT_EQ(test::read_all(reader).size(), reader.statistics().messages);
  EXPECT_NE(reader.damage().find("ends without its closing records"), std::string::npos);
}

}  // namespace mcap_writer_test
}  // namespace handspan
