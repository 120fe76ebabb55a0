#include "data/csv_file.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "core/error.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace csv_file_test {

// the cells of a text, as RFC 4180 has them
std::vector<std::vector<std::string>> rows_of(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::size_t at = 0;
  while (at < text.size()) {
    rows.emplace_back();
    for (bool more = true; more;) {
      std::string cell;
      if (text[at] == '"') {
        for (++at; text[at] != '"' || text[at + 1] == '"'; ++at) {
          if (text[at] == '"') ++at;
          cell += text[at];
        }
        ++at;
      } else {
        while (text[at] != ',' && text.compare(at, 2, "\r\n") != 0) cell += text[at++];
      }
      rows.back().push_back(cell);
      more = text[at] == ',';
      at += more ? 1 : 2;
    }
  }
  return rows;
}

TEST(CsvFile, ACellIsQuotedWhereItNeedsIt) {
  EXPECT_EQ(csv_cell("plain words; of 5 µm"), "plain words; of 5 µm");
  EXPECT_EQ(csv_cell(""), "");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("say \"no\""), "\"say \"\"no\"\"\"");
  EXPECT_EQ(csv_cell("\""), "\"\"\"\"");
  EXPECT_EQ(csv_cell("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_cell("two\rlines"), "\"two\rlines\"");
}

TEST(CsvFile, AnyCellsAreReadBack) {
  const test::TemporaryFolder folder;
  std::mt19937_64 random(1);
  const std::string letters = "ab ,\"\n\r;'\t";
  std::vector<std::vector<std::string>> written;
  CsvFile file(folder.path() / "a.csv");
  for (int row = 0; row < 200; ++row) {
    std::string line;
    written.emplace_back();
    for (int column = 0; column < 3; ++column) {
      std::string cell;
      for (std::uint64_t n = random() % 6; n > 0; --n) cell += letters[random() % letters.size()];
      line += (column > 0 ? "," : "") + csv_cell(cell);
      written.back().push_back(cell);
    }
    file.line(line);
  }
  file.close();
  std::ifstream in(folder.path() / "a.csv", std::ios::binary);
  EXPECT_EQ(rows_of({std::istreambuf_iterator<char>(in), {}}), written) << "seed 1";
}

TEST(CsvFile, SaysWhereItCannotWrite) {
  const test::TemporaryFolder folder;
  const std::string missing = (folder.path() / "no/a.csv").string();
  const auto error_of = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  const std::string hint =
      ": it cannot be written; see that the folder may be written to and has space";
  EXPECT_EQ(error_of([&] { CsvFile file(missing); }), missing + hint);
  // a disk that is full shows when what was kept back is written
  CsvFile full("/dev/full");
  full.line("a,b");
  EXPECT_EQ(error_of([&] { full.close(); }), "/dev/full" + hint);
}

}  // namespace csv_file_test
}  // namespace handspan
