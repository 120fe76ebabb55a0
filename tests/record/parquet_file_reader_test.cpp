#include "record/parquet_file_reader.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "core/error.hpp"
#include "record/parquet_file.hpp"
#include "record_support.hpp"

namespace handspan {
namespace parquet_file_reader_test {

using test::error_of;
using test::file_bytes;
using test::Folder;
using test::write_bytes;

void write_example(const std::filesystem::path& path) {
  std::vector<double> number;
  std::vector<std::int64_t> whole;
  std::vector<bool> flag;
  std::vector<std::string> word;
  std::vector<std::vector<std::string>> words;
  std::vector<std::vector<double>> ragged;
  ParquetVectors vectors{3, {}};
  for (int i = 0; i < 40; ++i) {
    number.push_back(0.1 * i);
    whole.push_back(-i);
    flag.push_back(i % 2 == 1);
    word.push_back("w" + std::to_string(i));
    words.push_back({"a", "b"});
    ragged.emplace_back(static_cast<std::size_t>(1 + i % 2), 1.0);
    for (int e = 0; e < 3; ++e) vectors.values.push_back(static_cast<float>(3 * i + e));
  }
  number[7] = std::numeric_limits<double>::quiet_NaN();
  write_parquet(path, {{"number", number},
                       {"whole", whole},
                       {"flag", flag},
                       {"word", word},
                       {"words", words},
                       {"ragged", ragged},
                       {"vectors", vectors}});
}

void read_all(const std::filesystem::path& path) {
  const ParquetFileReader file(path);
  for (const ParquetField& field : file.fields()) {
    if (field.name == "ragged") continue;
    if (field.numbers) file.numbers(field.name);
    if (field.words) file.words(field.name);
  }
}

TEST(ParquetFileReader, ReadsNumbersListsAndWords) {
  const Folder folder;
  write_example(folder / "a.parquet");
  const ParquetFileReader file(folder / "a.parquet");
  EXPECT_EQ(file.rows(), 40U);
  ASSERT_EQ(file.fields().size(), 7U);
  const auto number = file.numbers("number");
  EXPECT_EQ(number.width, 1U);
  EXPECT_EQ(number.values[3], 0.1 * 3);
  EXPECT_TRUE(std::isnan(number.values[7]));
  EXPECT_EQ(file.numbers("whole").values[39], -39.0);
  EXPECT_EQ(file.numbers("flag").values[1], 1.0);
  const auto vectors = file.numbers("vectors");
  EXPECT_EQ(vectors.width, 3U);
  EXPECT_EQ(vectors.values[119], 119.0);
  EXPECT_EQ(file.words("word")[39], std::vector<std::string>{"w39"});
  EXPECT_EQ(file.words("words")[0], (std::vector<std::string>{"a", "b"}));
}

TEST(ParquetFileReader, SaysWhatIsWrong) {
  const Folder folder;
  write_example(folder / "a.parquet");
  const ParquetFileReader file(folder / "a.parquet");
  EXPECT_NE(error_of([&] { file.numbers("numbre"); }).find("did you mean 'number'?"),
            std::string::npos);
  EXPECT_NE(error_of([&] { file.numbers("word"); }).find("numbers are asked for"),
            std::string::npos);
  EXPECT_NE(error_of([&] { file.words("whole"); }).find("words are asked for"), std::string::npos);
  EXPECT_NE(
      error_of([&] { file.numbers("ragged"); }).find("has 2 numbers in row 1, and 1 in the first"),
      std::string::npos);
  EXPECT_NE(error_of([&] { ParquetFileReader none(folder / "none"); }).find("no such file"),
            std::string::npos);
  write_bytes(folder / "text", bytes_of("this is no Parquet file, however long it is"));
  EXPECT_NE(error_of([&] { ParquetFileReader text(folder / "text"); }).find("cannot be read"),
            std::string::npos);
}

TEST(ParquetFileReader, AFileThatIsCutOrHasOtherBitsIsAnErrorAndNoCrash) {
  const Folder folder;
  write_example(folder / "a.parquet");
  const Bytes whole = file_bytes(folder / "a.parquet");
  const auto attempt = [&](const Bytes& bytes) {
    write_bytes(folder / "b.parquet", bytes);
    try {
      read_all(folder / "b.parquet");
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
  std::mt19937 random(12);
  int refused = 0;
  for (int i = 0; i < 1000; ++i) {
    Bytes other = whole;
    other[random() % whole.size()] ^= static_cast<std::byte>(1U << (random() % 8));
    if (!attempt(other)) ++refused;
  }
  EXPECT_GT(refused, 100);
}

}  // namespace parquet_file_reader_test
}  // namespace handspan
