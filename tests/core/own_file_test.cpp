#include "core/own_file.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cerrno>
#include <fstream>
#include <iterator>

namespace handspan {
namespace own_file_test {

class OwnFile : public testing::Test {
 protected:
  OwnFile() {
    std::string name = (std::filesystem::temp_directory_path() / "handspan_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~OwnFile() override { std::filesystem::remove_all(folder_); }
  std::string text(const std::string& name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  unsigned mode(const std::string& name) const {
    struct stat about{};
    return ::stat((folder_ / name).c_str(), &about) == 0 ? about.st_mode & 07777U : 0;
  }
  std::filesystem::path folder_;
};

TEST_F(OwnFile, HasTheTextAndTheModeWhateverTheMaskIs) {
  const std::string secret("a\0b\n", 4);
  for (const mode_t mask : {0000U, 0022U, 0777U})
    for (const mode_t wanted : {0600U, 0644U, 0400U}) {
      const mode_t before = ::umask(mask);
      const bool written = write_own_file(folder_ / "key", secret, wanted);
      ::umask(before);
      EXPECT_TRUE(written);
      EXPECT_EQ(mode("key"), wanted);
    }
  ASSERT_TRUE(write_own_file(folder_ / "key", secret, 0600));
  EXPECT_EQ(text("key"), secret);
  ASSERT_TRUE(write_own_file(folder_ / "key", "", 0600));
  EXPECT_EQ(text("key"), "");
}

// who had the file open, or a link to it, does not get the new secret
TEST_F(OwnFile, IsAnotherFileThanTheOneThatWasThere) {
  std::ofstream(folder_ / "key") << "old";
  std::filesystem::permissions(folder_ / "key", std::filesystem::perms::all);
  std::filesystem::create_hard_link(folder_ / "key", folder_ / "kept");
  std::ifstream open(folder_ / "key");
  ASSERT_TRUE(write_own_file(folder_ / "key", "new", 0600));
  EXPECT_EQ(text("key"), "new");
  EXPECT_EQ(text("kept"), "old");
  EXPECT_EQ(mode("key"), 0600U);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(open), {}), "old");
}

TEST_F(OwnFile, ALinkIsReplacedAndNotFollowed) {
  std::ofstream(folder_ / "target") << "of somebody else";
  std::filesystem::create_symlink(folder_ / "target", folder_ / "key");
  ASSERT_TRUE(write_own_file(folder_ / "key", "secret", 0600));
  EXPECT_EQ(text("target"), "of somebody else");
  EXPECT_FALSE(std::filesystem::is_symlink(folder_ / "key"));
  EXPECT_EQ(text("key"), "secret");
  // one that leads nowhere too
  std::filesystem::remove(folder_ / "key");
  std::filesystem::create_symlink(folder_ / "nowhere", folder_ / "key");
  ASSERT_TRUE(write_own_file(folder_ / "key", "secret", 0600));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "nowhere"));
}

TEST_F(OwnFile, WhereItCannotBeErrnoSaysWhy) {
  EXPECT_FALSE(write_own_file(folder_ / "no/key", "secret", 0600));
  EXPECT_EQ(errno, ENOENT);
  std::filesystem::create_directory(folder_ / "folder");
  EXPECT_FALSE(write_own_file(folder_ / "folder", "secret", 0600));
  EXPECT_EQ(errno, EISDIR);
  std::ofstream(folder_ / "plain") << "x";
  EXPECT_FALSE(write_own_file(folder_ / "plain/key", "secret", 0600));
  EXPECT_EQ(errno, ENOTDIR);
}

}  // namespace own_file_test
}  // namespace handspan
