// Parquet files as the library of others reads them back.
#include "record/parquet_file.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <limits>

#include "core/error.hpp"
#include "record_support.hpp"

namespace handspan {
namespace parquet_file_test {

using test::error_of;
using test::Folder;

// what a line of Python prints of `t`, the table that pyarrow reads, and `p`, the file
std::string python(const std::filesystem::path& file, const std::string& expression) {
  const std::filesystem::path source(HANDSPAN_SOURCE_DIR);
  const std::string command = (source / ".deps/venv/bin/python").string() +
                              " -c \"import pyarrow.parquet as q; p = q.ParquetFile('" +
                              file.string() + "'); t = p.read(); print(" + expression +
                              ", end='')\" 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer{};
  while (const std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), n);
  pclose(pipe);
  return text;
}

TEST(ParquetFile, EveryKindOfColumnComesBack) {
  const Folder folder;
  const auto file = folder / "t.parquet";
  write_parquet(file,
                {{"whole", std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min(), 3}},
                 {"number", std::vector<double>{0.1, -1e300}},
                 {"single", std::vector<float>{0.5F, -2.25F}},
                 {"flag", std::vector<bool>{true, false}},
                 {"word", std::vector<std::string>{"größe, 5", ""}},
                 {"vector", ParquetVectors{3, {1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.5F}}},
                 {"numbers", std::vector<std::vector<double>>{{}, {0.1, 0.2}}},
                 {"wholes", std::vector<std::vector<std::int64_t>>{{-1}, {}}},
                 {"words", std::vector<std::vector<std::string>>{{"a", "b c"}, {""}}}},
                {{"pandas", "{}"}, {"key", "two words"}});
  EXPECT_EQ(python(file, "t.to_pydict()"),
            "{'whole': [-9223372036854775808, 3], 'number': [0.1, -1e+300], 'single': [0.5, "
            "-2.25], 'flag': [True, False], 'word': ['größe, 5', ''], 'vector': [[1.0, 2.0, 3.0], "
            "[4.0, 5.0, 6.5]], 'numbers': [[], [0.1, 0.2]], 'wholes': [[-1], []], 'words': [['a', "
            "'b c'], ['']]}");
  EXPECT_EQ(python(file, "*[str(f.type) for f in t.schema], sep='|'"),
            "int64|double|float|bool|string|fixed_size_list<element: float>[3]|"
            "list<element: double>|list<element: int64>|list<element: string>");
  EXPECT_EQ(python(file, "t.schema.metadata[b'key']"), "b'two words'");
  EXPECT_EQ(python(file, "p.metadata.row_group(0).column(0).compression"), "ZSTD");
}

TEST(ParquetFile, GroupsHaveAtMost65536Rows) {
  const Folder folder;
  const auto file = folder / "t.parquet";
  std::vector<std::int64_t> rows(65536 + 1);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int64_t>(i);
  write_parquet(file, {{"row", rows}});
  EXPECT_EQ(python(file, "p.num_row_groups, p.metadata.row_group(0).num_rows, p.metadata.num_rows"),
            "2 65536 65537");
  EXPECT_EQ(python(file, "t['row'].to_pylist() == list(range(65537))"), "True");
}

TEST(ParquetFile, ATableWithoutRowsHasItsColumns) {
  const Folder folder;
  const auto file = folder / "t.parquet";
  write_parquet(file, {{"a", std::vector<double>{}}, {"b", ParquetVectors{2, {}}}});
  EXPECT_EQ(python(file, "t.num_rows, t.column_names"), "0 ['a', 'b']");
}

TEST(ParquetFile, RowsAreCountedByColumn) {
  EXPECT_EQ(rows_of({"a", std::vector<std::string>{"x", "y"}}), 2U);
  EXPECT_EQ(rows_of({"a", ParquetVectors{3, std::vector<float>(12)}}), 4U);
  EXPECT_EQ(rows_of({"a", ParquetVectors{}}), 0U);
  EXPECT_EQ(rows_of({"a", std::vector<std::vector<double>>{{}, {1.0}, {}}}), 3U);
  EXPECT_EQ(rows_of({"a", std::vector<bool>(5)}), 5U);
}

TEST(ParquetFile, ColumnsOfOtherLengthsAreNoTable) {
  const Folder folder;
  const std::string file = (folder / "t.parquet").string();
  const std::string said = error_of([&] {
    write_parquet(file, {{"a", std::vector<double>{1.0, 2.0}}, {"b", std::vector<double>{1.0}}});
  });
  EXPECT_EQ(said.find(file + ": it cannot be written ("), 0U) << said;
}

TEST(ParquetFile, SaysWhereItCannotWrite) {
  const Folder folder;
  const std::string file = (folder / "no/t.parquet").string();
  const std::string said =
      error_of([&] { write_parquet(file, {{"a", std::vector<double>{1.0}}}); });
  EXPECT_EQ(said.find(file + ": it cannot be written ("), 0U) << said;
  EXPECT_NE(said.find("Failed to open local file"), std::string::npos) << said;
  EXPECT_TRUE(said.ends_with("); see that the folder is there, may be written to and has space"))
      << said;
  const std::string full =
      error_of([] { write_parquet("/dev/full", {{"a", std::vector<double>{1.0}}}); });
  EXPECT_NE(full.find("/dev/full: it cannot be written ("), std::string::npos) << full;
}

}  // namespace parquet_file_test
}  // namespace handspan
