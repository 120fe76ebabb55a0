#include "core/files_read.hpp"

#include <gtest/gtest.h>

#include "core/text_file.hpp"

namespace handspan {
namespace {

TEST(FilesRead, GathersWhatIsReadWhileItExistsEachOnce) {
  const std::filesystem::path root = HANDSPAN_SOURCE_DIR;
  read_text_file(root / "README.md");
  FilesRead outer;
  read_text_file(root / "LICENSE");
  read_text_file(root / "src/../LICENSE");
  {
    FilesRead inner;
    read_text_file(root / "README.md");
    EXPECT_EQ(inner.files(), std::vector<std::filesystem::path>{root / "README.md"});
  }
  EXPECT_EQ(outer.files(), std::vector<std::filesystem::path>{root / "LICENSE"});
}

}  // namespace
}  // namespace handspan
