#include "core/private_folder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "core/error.hpp"

namespace handspan {
namespace private_folder_test {

TEST(PrivateFolder, IsNewItsOwnersAloneAndGoneWithTheObject) {
  std::filesystem::path path;
  {
    const PrivateFolder one("handspan-test-"), other("handspan-test-");
    path = one.path();
    EXPECT_NE(one.path(), other.path());
    EXPECT_TRUE(path.filename().string().starts_with("handspan-test-"));
    struct stat about{};
    ASSERT_EQ(::lstat(path.c_str(), &about), 0);
    EXPECT_TRUE(S_ISDIR(about.st_mode));
    EXPECT_EQ(about.st_mode & 0777U, 0700U);
    std::ofstream(path / "file") << "x";
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(PrivateFolder, LiesInAFolderOfOnesChoiceOrSaysWhyNot) {
  const PrivateFolder outer("handspan-test-");
  const PrivateFolder inner(outer.path(), "inner.");
  EXPECT_EQ(inner.path().parent_path(), outer.path());
  try {
    const PrivateFolder none(outer.path() / "none", "x");
    FAIL() << "made in a folder that is not there";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              "cannot write " + (outer.path() / "none").string() +
                  ": no folder can be made there (No such file or directory); see that it may be "
                  "written to and has space, or name another (for temporary files: TMPDIR)");
  }
}

}  // namespace private_folder_test
}  // namespace handspan
