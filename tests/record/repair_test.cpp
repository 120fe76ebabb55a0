#include "record/repair.hpp"

#include <gtest/gtest.h>

#include "record_support.hpp"

namespace handspan {
namespace {

using test::error_of;

TEST(Repair, ACutLogIsCompleteAgain) {
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
  const std::string lost = mend_log(folder / "cut.mcap", folder / "mended.mcap");
  EXPECT_TRUE(lost.starts_with("byte ")) << lost;
  EXPECT_NE(lost.find("lost: the last "), std::string::npos) << lost;

  const McapReader cut(folder / "cut.mcap"), mended(folder / "mended.mcap");
  EXPECT_TRUE(mended.complete()) << mended.damage();
  const auto read = test::read_all(mended);
  EXPECT_EQ(read, test::read_all(cut));
  EXPECT_GT(read.size(), 150u);
  EXPECT_TRUE(std::equal(read.begin(), read.end(), written.begin()));
  EXPECT_EQ(mended.metadata("build"), (McapMap{{"a", "b"}}));
  EXPECT_EQ(mended.attachment("app.yaml")->bytes, Bytes(5, std::byte{4}));
  EXPECT_EQ(mended.channel("/a")->metadata, (McapMap{{"of", "test"}}));
  EXPECT_EQ(mended.schema(mended.channel("/a")->schema)->name, "std_msgs/msg/String");

  EXPECT_EQ(mend_log(folder / "mended.mcap", folder / "again.mcap"), "nothing was lost");
}

TEST(Repair, NeverWritesOverTheLog) {
  const test::Folder folder;
  McapWriter(folder / "log.mcap").finish();
  const Bytes before = test::file_bytes(folder / "log.mcap");
  EXPECT_NE(error_of([&] {
              mend_log(folder / "log.mcap", folder / "./log.mcap");
            }).find("is the log to be mended; name another file for its copy"),
            std::string::npos);
  EXPECT_EQ(test::file_bytes(folder / "log.mcap"), before);
  test::write_bytes(folder / "text", bytes_of("this is text"));
  EXPECT_NE(
      error_of([&] { mend_log(folder / "text", folder / "out.mcap"); }).find("is no MCAP file"),
      std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder / "out.mcap"));
}

}  // namespace
}  // namespace handspan
