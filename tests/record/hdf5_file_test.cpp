#include "record/hdf5_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "record_support.hpp"

namespace handspan {
namespace hdf5_file_test {

using test::error_of;
using test::Folder;

TEST(Hdf5File, NumbersComeBackToTheLastBit) {
  const Folder folder;
  const std::vector<double> values = {0.1,
                                      -0.0,
                                      std::numeric_limits<double>::denorm_min(),
                                      -std::numeric_limits<double>::max(),
                                      INFINITY,
                                      1.0 / 3.0};
  {
    Hdf5File file(folder / "a.hdf5");
    file.group("/data");
    file.group("/data/demo_0");
    file.matrix("/data/demo_0/actions", values, 3);
    file.vector("/data/demo_0/rewards", values);
    file.vector("/data/demo_0/dones", std::vector<std::int64_t>{0, -7, 1LL << 52});
    file.close();
  }
  Hdf5File file(folder / "a.hdf5", Hdf5File::Open::kAdd);
  const auto read = file.numbers("/data/demo_0/actions");
  ASSERT_EQ(read.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(read[i]), std::bit_cast<std::uint64_t>(values[i])) << i;
  }
  EXPECT_EQ(file.numbers("/data/demo_0/rewards"), read);
  EXPECT_EQ(file.numbers("/data/demo_0/dones"), (std::vector<double>{0, -7, 4503599627370496.0}));
}

TEST(Hdf5File, WhatHasNoRowsIsThereAndEmpty) {
  const Folder folder;
  Hdf5File file(folder / "a.hdf5");
  file.matrix("/matrix", {}, 3);
  file.matrix("/no_columns", {}, 0);
  file.vector("/vector", std::vector<double>{});
  file.bytes("/bytes", {}, 4);
  file.words("/words", {});
  for (const char* path : {"/matrix", "/no_columns", "/vector", "/bytes"}) {
    EXPECT_TRUE(file.has(path)) << path;
    EXPECT_TRUE(file.numbers(path).empty()) << path;
  }
  EXPECT_TRUE(file.has("/words"));
  EXPECT_TRUE(file.read_words("/words").empty());
  file.close();
}

TEST(Hdf5File, BytesAreWholeWhateverTheNumberOfRows) {
  const Folder folder;
  Hdf5File file(folder / "a.hdf5");
  // about the rows that are compressed together
  for (const std::size_t rows : {1U, 15U, 16U, 17U, 100U}) {
    std::vector<std::byte> values(rows * 7);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<std::byte>((i * 37) & 0xffU);
    file.bytes("/bytes", values, 7);
    const auto read = file.numbers("/bytes");
    ASSERT_EQ(read.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(read[i], static_cast<double>(values[i])) << rows << " rows, byte " << i;
  }
}

TEST(Hdf5File, WordsOfAnyLengthAndAlphabetComeBack) {
  const Folder folder;
  Hdf5File file(folder / "a.hdf5");
  const std::vector<std::string> words = {"demo_0", "", "größe 5 µm",
                                          "a much longer one than those"};
  file.words("/words", words);
  EXPECT_EQ(file.read_words("/words"), words);
  file.words("/words", {""});
  EXPECT_EQ(file.read_words("/words"), (std::vector<std::string>{""}));
}

TEST(Hdf5File, AttributesComeBackAndAreReplaced) {
  const Folder folder;
  Hdf5File file(folder / "a.hdf5");
  file.group("/data");
  file.attribute("/data", "task", std::string("first"));
  file.attribute("/data", "task", std::string("put the parcel down, gently, größer"));
  EXPECT_EQ(file.text_attribute("/data", "task"), "put the parcel down, gently, größer");
  file.attribute("/data", "task", std::string());
  EXPECT_EQ(file.text_attribute("/data", "task"), "");
  file.attribute("/data", "total", std::int64_t{-12});
  EXPECT_EQ(file.numbers_attribute("/data", "total"), (std::vector<double>{-12.0}));
  // of another size than before
  file.attribute("/data", "total", std::vector<double>{0.1, 0.2, 0.3});
  EXPECT_EQ(file.numbers_attribute("/data", "total"), (std::vector<double>{0.1, 0.2, 0.3}));
  file.vector("/data/rows", std::vector<double>{1.0});
  file.attribute("/data/rows", "unit", std::string("rad"));
  EXPECT_EQ(file.text_attribute("/data/rows", "unit"), "rad");
}

TEST(Hdf5File, WhatIsThereIsReplacedAndTheRestStays) {
  const Folder folder;
  {
    Hdf5File file(folder / "a.hdf5");
    file.group("/mask");
    file.words("/mask/train", {"demo_0"});
    file.vector("/other", std::vector<double>{4.0});
    file.close();
  }
  {
    Hdf5File file(folder / "a.hdf5", Hdf5File::Open::kAdd);
    file.group("/mask");  // it is there already
    file.words("/mask/train", {"demo_0", "demo_10"});
    file.close();
  }
  Hdf5File file(folder / "a.hdf5", Hdf5File::Open::kAdd);
  EXPECT_EQ(file.read_words("/mask/train"), (std::vector<std::string>{"demo_0", "demo_10"}));
  EXPECT_EQ(file.numbers("/other"), (std::vector<double>{4.0}));
  // and a new one replaces all of it
  Hdf5File anew(folder / "b.hdf5");
  anew.vector("/x", std::vector<double>{1.0});
  anew.close();
  Hdf5File again(folder / "b.hdf5");
  EXPECT_FALSE(again.has("/x"));
}

TEST(Hdf5File, NamesAreInTheirOrderAsText) {
  const Folder folder;
  Hdf5File file(folder / "a.hdf5");
  file.group("/data");
  for (const char* name : {"demo_2", "demo_10", "demo_0"}) file.group(std::string("/data/") + name);
  EXPECT_EQ(file.names("/data"), (std::vector<std::string>{"demo_0", "demo_10", "demo_2"}));
  EXPECT_EQ(file.names("/"), (std::vector<std::string>{"data"}));
  EXPECT_TRUE(file.names("/data/demo_0").empty());
  EXPECT_TRUE(file.names("/nothing").empty());
  EXPECT_TRUE(file.has("/data/demo_10"));
  EXPECT_FALSE(file.has("/data/demo_1"));
  EXPECT_FALSE(file.has("/nothing/demo_1/obs"));
  EXPECT_TRUE(file.has("/"));
}

TEST(Hdf5File, SaysWhatIsMissing) {
  const Folder folder;
  const std::string path = (folder / "a.hdf5").string();
  Hdf5File file(path);
  file.group("/data");
  file.vector("/numbers", std::vector<double>{1.0});
  const auto lacks = [&](const std::string& what) {
    return path + ": it has no " + what +
           "; only a data set that this program wrote can be added to";
  };
  EXPECT_EQ(error_of([&] { file.numbers("/data/x"); }), lacks("/data/x"));
  EXPECT_EQ(error_of([&] { file.numbers("/data"); }), lacks("/data"));
  EXPECT_EQ(error_of([&] { file.read_words("/numbers"); }), lacks("/numbers"));
  EXPECT_EQ(error_of([&] { file.text_attribute("/data", "task"); }), lacks("/data.task"));
  file.attribute("/data", "total", std::int64_t{1});
  EXPECT_EQ(error_of([&] { file.text_attribute("/data", "total"); }), lacks("/data.total"));
  file.attribute("/data", "task", std::string("put"));
  EXPECT_EQ(error_of([&] { file.numbers_attribute("/data", "task"); }), lacks("/data.task"));
  // a group above is not there
  EXPECT_EQ(error_of([&] { file.vector("/none/x", std::vector<double>{1.0}); }),
            path +
                ": /none/x cannot be written; see that the folder is there, may be written to "
                "and has space");
  EXPECT_NE(error_of([&] {
              file.attribute("/none", "task", std::int64_t{1});
            }).find("/none.task cannot be written"),
            std::string::npos);
}

TEST(Hdf5File, SaysWhereItCannotBeMadeOrAddedTo) {
  const Folder folder;
  const std::string missing = (folder / "no/a.hdf5").string(), text = (folder / "text").string();
  EXPECT_EQ(error_of([&] { Hdf5File file(missing); }),
            missing +
                ": the file cannot be written; see that the folder is there, may be written "
                "to and has space");
  test::write_bytes(text, bytes_of("no HDF5"));
  for (const std::string& path : {missing, text})
    EXPECT_EQ(error_of([&] { Hdf5File file(path, Hdf5File::Open::kAdd); }),
              path +
                  ": it is not an HDF5 file that may be written to; name one that this program "
                  "wrote");
  EXPECT_EQ(test::file_bytes(text).size(), 7U);
}

}  // namespace hdf5_file_test
}  // namespace handspan
