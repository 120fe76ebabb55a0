#include "station/records.hpp"

#include <gtest/gtest.h>

#include <set>

#include "core/error.hpp"
#include "log/log_layout.hpp"
#include "record/mcap_writer.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace records_test {

TEST(Records, NamesAreThoseOfFilesInTheFolderOnly) {
  const test::TemporaryFolder folder;
  folder.write("records/a.mcap", "x");
  folder.write("secret.mcap", "x");
  std::filesystem::create_symlink(folder.path() / "secret.mcap",
                                  folder.path() / "records" / "link.mcap");
  std::filesystem::create_directory(folder.path() / "records" / "folder.mcap");
  const Records records(folder.path() / "records");
  EXPECT_TRUE(records.find("a.mcap"));
  for (const char* name : {"", ".", "..", "../secret.mcap", "/etc/passwd", "link.mcap",
                           "folder.mcap", "none.mcap", ".hidden", "a.mcap/", "a.mcap\n"})
    EXPECT_FALSE(records.find(name)) << name;
  EXPECT_FALSE(records.find(std::string("a.mcap\0b", 8)));
  EXPECT_FALSE(records.find("a\"b.mcap"));
  EXPECT_FALSE(is_file_name("no utf-8 \xc3.mcap"));
  EXPECT_FALSE(is_file_name(std::string(201, 'a')));
}

// a person who copies a log into the folder names it as they like
TEST(Records, NamesOfPeopleAreListed) {
  const test::TemporaryFolder folder;
  const std::set<std::string> names = {"box 4, second try.mcap", "\xc3\xbc\xe6\x97\xa5.mcap",
                                       "a+b&c=#1?.mcap", "50%.mcap"};
  for (const std::string& name : names) folder.write(name, "x");
  Records records(folder.path());
  std::set<std::string> listed;
  for (const RecordInfo& info : records.list("")) listed.insert(info.name);
  EXPECT_EQ(listed, names);
}

TEST(Records, NewNamesAreOfTheWishAndNeverThereAlready) {
  const test::TemporaryFolder folder;
  const Records records(folder.path() / "deep" / "records");
  const auto first = records.new_file("../a  b/\xc3\xa4");
  EXPECT_TRUE(first.filename().string().starts_with("a-b-2")) << first;
  EXPECT_EQ(first.parent_path(), records.folder());
  std::ofstream(first) << "x";
  // of the same second or not
  EXPECT_NE(records.new_file("../a  b/\xc3\xa4"), first);
  EXPECT_TRUE(records.new_file("...").filename().string().starts_with("recording-"));
}

TEST(Records, AFolderThatCannotBeMadeIsToldOf) {
  const test::TemporaryFolder folder;
  folder.write("file", "");
  try {
    (void)Records(folder.path() / "file" / "records").new_file("a");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("choose another with --records"), std::string::npos)
        << error.what();
  }
}

TEST(Records, WhatCannotBeReadIsListedWithTheReason) {
  const test::TemporaryFolder folder;
  folder.write("a.mcap", "this is not a log");
  folder.write("a.png", "picture");
  folder.write("b.txt", "x");
  folder.write("now.mcap", "being written");
  Records records(folder.path());
  const auto list = records.list("now.mcap");
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].name, "a.mcap");
  EXPECT_EQ(list[0].thumbnail, "a.png");
  EXPECT_FALSE(list[0].damage.empty());
  EXPECT_THROW(records.remove("b.txt"), InputError);
  EXPECT_THROW(records.remove("../a.mcap"), InputError);
  records.remove("a.mcap");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "a.mcap"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "a.png"));
}

// nothing runs again in it: the page offers no replay
TEST(Records, WhatWasImportedIsListedAsThat) {
  const test::TemporaryFolder folder;
  McapWriter writer(folder.path() / "in.mcap");
  writer.metadata(kRunMetadata, {{kVersionKey, kFormat},
                                 {kImportedKey, "so100_push"},
                                 {"base_period_ns", "1000"},
                                 {"first_tick", "0"}});
  writer.finish();
  Records records(folder.path());
  const auto list = records.list("");
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].damage, "");
  EXPECT_EQ(list[0].imported, "so100_push");
}

}  // namespace records_test
}  // namespace handspan
