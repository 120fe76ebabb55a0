#include "record/repair.hpp"

#include <gtest/gtest.h>

#include "record_support.hpp"

namespace handspan {
namespace repair_test {

using test::error_of;

TEST(Repair, ACopyOfACutLogHasItsRestAndSaysWhatIsLacking) {
  const test::Folder folder;
  std::vector<test::Read> written;
  {
    McapWriter writer(folder / "log.mcap", {.chunk_bytes = 1000});
    writer.metadata("build", {{"a", "b"}});
    writer.attach({"app.yaml", "application/yaml", 1, 2, Bytes(5, std::byte{4})});
    written = test::write_turns(writer, 200);
    writer.close_chunk();
  }
  const Bytes whole = test::file_bytes(folder / "log.mcap");
  test::write_bytes(folder / "cut.mcap", ByteSpan(whole).first(whole.size() - 700));
  const std::string lost = repair_log(folder / "cut.mcap", folder / "repaired.mcap");
  EXPECT_TRUE(lost.starts_with("byte ")) << lost;
  EXPECT_NE(lost.find("lost: the last "), std::string::npos) << lost;

  const McapReader cut(folder / "cut.mcap"), repaired(folder / "repaired.mcap");
  EXPECT_FALSE(repaired.complete());
  EXPECT_NE(repaired.damage().find("it is a repaired copy of a damaged file, which had lost this"),
            std::string::npos)
      << repaired.damage();
  EXPECT_NE(repaired.damage().find(lost), std::string::npos) << repaired.damage();
  EXPECT_TRUE(repaired.lacking());
  const auto read = test::read_all(repaired);
  EXPECT_EQ(read, test::read_all(cut));
  EXPECT_GT(read.size(), 150u);
  EXPECT_TRUE(std::equal(read.begin(), read.end(), written.begin()));
  EXPECT_EQ(repaired.metadata("build"), (McapMap{{"a", "b"}}));
  EXPECT_EQ(repaired.attachment("app.yaml")->bytes, Bytes(5, std::byte{4}));
  EXPECT_EQ(repaired.channel("/a")->metadata, (McapMap{{"of", "test"}}));
  EXPECT_EQ(repaired.schema(repaired.channel("/a")->schema)->name, "std_msgs/msg/String");

  // a copy of the copy says it too
  EXPECT_EQ(repair_log(folder / "repaired.mcap", folder / "again.mcap"), repaired.damage());
}

TEST(Repair, OneWrongBitOfAChunkCostsThatChunk) {
  const test::Folder folder;
  std::vector<test::Read> written;
  {
    McapWriter writer(folder / "log.mcap", {.chunk_bytes = 1000});
    written = test::write_turns(writer, 200);
    writer.finish();
  }
  Bytes bytes = test::file_bytes(folder / "log.mcap");
  // in the middle of the third chunk
  std::size_t at = kMcapMagic.size(), size = 0;
  for (int chunks = 0; chunks < 3; at += kMcapRecordHead + size) {
    ByteCursor head(ByteSpan(bytes).subspan(at));
    chunks += head.get<std::uint8_t>() == static_cast<std::uint8_t>(McapRecord::kChunk) ? 1 : 0;
    size = head.get<std::uint64_t>();
  }
  bytes[at - size / 2] ^= std::byte{4};
  test::write_bytes(folder / "bit.mcap", bytes);
  const std::string lost = repair_log(folder / "bit.mcap", folder / "repaired.mcap");
  const McapReader checked(folder / "bit.mcap", McapReader::Open::kChecked);
  const McapReader repaired(folder / "repaired.mcap");
  ASSERT_EQ(checked.losses().size(), 1u) << lost;
  const McapLoss loss = checked.losses().front();
  std::vector<test::Read> rest;
  for (const test::Read& read : written)
    if (read.log_time < loss.from || read.log_time > loss.to) rest.push_back(read);
  EXPECT_LT(rest.size(), written.size());
  EXPECT_GT(rest.size(), written.size() / 2);
  EXPECT_EQ(test::read_all(checked), rest);
  EXPECT_EQ(test::read_all(repaired), rest);
  EXPECT_EQ(checked.statistics().messages, rest.size());
  EXPECT_EQ(repaired.losses(), checked.losses());
  EXPECT_FALSE(repaired.complete());
}

TEST(Repair, WhatIsThereTwiceHoldsWhenOneCopyIsDamaged) {
  const test::Folder folder;
  const Bytes content(500, std::byte{4});
  {
    McapWriter writer(folder / "log.mcap", {.chunk_bytes = 1000, .twice = true});
    writer.metadata("build", {{"a", "b"}});
    writer.attach({"app.yaml", "application/yaml", 1, 2, content});
    test::write_turns(writer, 100);
    writer.finish();
  }
  const Bytes whole = test::file_bytes(folder / "log.mcap");
  const McapReader reader(folder / "log.mcap", McapReader::Open::kChecked);
  ASSERT_TRUE(reader.complete()) << reader.damage();
  ASSERT_EQ(reader.attachments().size(), 2u);
  ASSERT_EQ(reader.metadata().size(), 2u);
  for (const McapAttachmentInfo& info : reader.attachments()) {
    Bytes bytes = whole;
    bytes[info.offset + 200] ^= std::byte{4};
    test::write_bytes(folder / "bit.mcap", bytes);
    const McapReader damaged(folder / "bit.mcap", McapReader::Open::kChecked);
    EXPECT_FALSE(damaged.complete());
    EXPECT_FALSE(damaged.lacking());
    EXPECT_NE(damaged.damage().find("app.yaml: the attachment's checksum is not that of its "
                                    "content; nothing is lost: its other copy holds"),
              std::string::npos)
        << damaged.damage();
    EXPECT_EQ(damaged.attachment("app.yaml")->bytes, content);
    // nothing is lacking in a copy
    repair_log(folder / "bit.mcap", folder / "repaired.mcap");
    const McapReader repaired(folder / "repaired.mcap", McapReader::Open::kChecked);
    EXPECT_TRUE(repaired.complete()) << repaired.damage();
    EXPECT_EQ(repaired.attachments().size(), 2u);
    EXPECT_EQ(repaired.metadata().size(), 2u);
  }
  // both: it is lost, and said
  Bytes bytes = whole;
  for (const McapAttachmentInfo& info : reader.attachments())
    bytes[info.offset + 200] ^= std::byte{4};
  test::write_bytes(folder / "bit.mcap", bytes);
  const McapReader lost(folder / "bit.mcap", McapReader::Open::kChecked);
  EXPECT_TRUE(lost.lacking());
  EXPECT_NE(lost.damage().find("lost: this attachment"), std::string::npos) << lost.damage();
}

TEST(Repair, NeverWritesOverTheLog) {
  const test::Folder folder;
  McapWriter(folder / "log.mcap").finish();
  const Bytes before = test::file_bytes(folder / "log.mcap");
  EXPECT_NE(error_of([&] {
              repair_log(folder / "log.mcap", folder / "./log.mcap");
            }).find("is the log to be repaired; name another file for its copy"),
            std::string::npos);
  EXPECT_EQ(test::file_bytes(folder / "log.mcap"), before);
  test::write_bytes(folder / "text", bytes_of("this is text"));
  EXPECT_NE(error_of([&] {
              repair_log(folder / "text", folder / "out.mcap");
            }).find("is not an MCAP file"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder / "out.mcap"));
}

}  // namespace repair_test
}  // namespace handspan
