#include "record/hdf5_file_reader.hpp"

#include <gtest/gtest.h>

#include <random>

#include "core/error.hpp"
#include "record/hdf5_file.hpp"
#include "record_support.hpp"

namespace handspan {
namespace hdf5_file_reader_test {

using test::error_of;
using test::file_bytes;
using test::Folder;
using test::write_bytes;

void write_example(const std::filesystem::path& path) {
  Hdf5File file(path);
  file.group("/data");
  file.group("/data/demo_0");
  file.group("/data/demo_0/obs");
  std::vector<double> values(60);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.1 * static_cast<double>(i);
  file.matrix("/data/demo_0/obs/eef", values, 3);
  file.vector("/data/demo_0/rewards", std::span<const double>(values).first(20));
  file.bytes("/data/demo_0/states", std::vector<std::byte>(400, std::byte{7}), 20);
  file.group("/mask");
  file.words("/mask/train", {"demo_0", "demo_10"});
  file.attribute("/data", "env_args", std::string("{\"type\": 2}"));
  file.attribute("/data", "scale", values);
  file.attribute("/data", "total", std::int64_t{20});
  file.close();
}

// everything that a reader may ask for
void read_all(const std::filesystem::path& path) {
  const Hdf5FileReader file(path);
  for (const std::string& group : file.groups("/")) {
    for (const std::string& inner : file.groups("/" + group))
      file.groups("/" + group + "/" + inner);
    for (const char* name : {"env_args", "scale", "total"}) {
      file.text_attribute("/" + group, name);
      file.numbers_attribute("/" + group, name);
    }
    for (const Hdf5Item& item : file.items("/" + group))
      if (item.numbers)
        file.numbers("/" + group + "/" + item.path);
      else
        file.words("/" + group + "/" + item.path);
  }
}

TEST(Hdf5FileReader, ReadsGroupsDataSetsAndAttributes) {
  const Folder folder;
  write_example(folder / "a.hdf5");
  const Hdf5FileReader file(folder / "a.hdf5");
  EXPECT_EQ(file.groups("/"), (std::vector<std::string>{"data", "mask"}));
  EXPECT_EQ(file.groups("/data"), (std::vector<std::string>{"demo_0"}));
  const auto items = file.items("/data/demo_0");
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(items[0].path, "obs/eef");
  EXPECT_EQ(items[0].shape, (std::vector<std::size_t>{20, 3}));
  EXPECT_EQ(items[0].type, "float64");
  EXPECT_EQ(items[2].type, "uint8");
  const Hdf5Numbers eef = file.numbers("/data/demo_0/obs/eef");
  ASSERT_EQ(eef.values.size(), 60U);
  EXPECT_EQ(eef.values[59], 0.1 * 59);
  EXPECT_EQ(file.numbers("/data/demo_0/states").values[399], 7.0);
  EXPECT_EQ(file.words("/mask/train"), (std::vector<std::string>{"demo_0", "demo_10"}));
  EXPECT_EQ(file.text_attribute("/data", "env_args"), "{\"type\": 2}");
  EXPECT_EQ(file.numbers_attribute("/data", "total"), std::vector<double>{20.0});
  EXPECT_EQ(file.text_attribute("/data", "none"), std::nullopt);
  EXPECT_EQ(file.text_attribute("/data", "total"), std::nullopt);
}

TEST(Hdf5FileReader, SaysWhatIsWrong) {
  const Folder folder;
  write_example(folder / "a.hdf5");
  const Hdf5FileReader file(folder / "a.hdf5");
  EXPECT_NE(error_of([&] { file.numbers("/data/demo_1/x"); }).find("is not there"),
            std::string::npos);
  EXPECT_NE(
      error_of([&] { file.numbers("/mask/train"); }).find("is text, and numbers are asked for"),
      std::string::npos);
  EXPECT_NE(error_of([&] { file.words("/data/demo_0/rewards"); }).find("has no words"),
            std::string::npos);
  EXPECT_NE(error_of([&] { Hdf5FileReader none(folder / "none.hdf5"); }).find("no such file"),
            std::string::npos);
  write_bytes(folder / "text.hdf5", bytes_of("this is no HDF5 file"));
  EXPECT_NE(
      error_of([&] { Hdf5FileReader text(folder / "text.hdf5"); }).find("is not an HDF5 file"),
      std::string::npos);
  Bytes cut = file_bytes(folder / "a.hdf5");
  cut.resize(cut.size() / 2);
  write_bytes(folder / "cut.hdf5", cut);
  EXPECT_NE(error_of([&] { Hdf5FileReader half(folder / "cut.hdf5"); }).find("cut off"),
            std::string::npos);
}

TEST(Hdf5FileReader, AFileThatIsCutOrHasOtherBitsIsAnErrorAndNoCrash) {
  const Folder folder;
  write_example(folder / "a.hdf5");
  const Bytes whole = file_bytes(folder / "a.hdf5");
  const auto attempt = [&](const Bytes& bytes) {
    write_bytes(folder / "b.hdf5", bytes);
    try {
      read_all(folder / "b.hdf5");
      return true;
    } catch (const InputError&) {
      return false;
    }
  };
  ASSERT_TRUE(attempt(whole));
  for (std::size_t part = 0; part < 200; ++part) {
    Bytes cut = whole;
    cut.resize(whole.size() * part / 200);
    EXPECT_FALSE(attempt(cut)) << "cut to " << cut.size();
  }
  std::mt19937 random(11);
  int refused = 0;
  for (int i = 0; i < 600; ++i) {
    Bytes other = whole;
    // where what it says of itself is: numbers make up the rest
    const std::size_t at = random() % std::min<std::size_t>(whole.size(), 6000);
    other[at] ^= static_cast<std::byte>(1U << (random() % 8));
    if (!attempt(other)) ++refused;
  }
  EXPECT_GT(refused, 50);
}

}  // namespace hdf5_file_reader_test
}  // namespace handspan
