#include "record/output_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "record_support.hpp"

namespace handspan {
namespace output_file_test {

using test::error_of;
using test::file_bytes;
using test::Folder;

std::string text_in(const std::filesystem::path& path) {
  return std::string(text_of(file_bytes(path)));
}

TEST(OutputFile, WhatIsAppendedIsThereBeforeItIsClosed) {
  const Folder folder;
  test::write_bytes(folder / "some", bytes_of("what was there before, and longer"));
  OutputFile file(folder / "some");
  EXPECT_EQ(text_in(folder / "some"), "");
  file.append(bytes_of("first "));
  EXPECT_EQ(text_in(folder / "some"), "first ");
  file.append({});
  file.append(bytes_of("second"));
  EXPECT_EQ(text_in(folder / "some"), "first second");
  EXPECT_EQ(file.size(), 12U);
  EXPECT_TRUE(file.open());
  file.close();
  EXPECT_FALSE(file.open());
  EXPECT_EQ(text_in(folder / "some"), "first second");
}

TEST(OutputFile, ThereIsNothingToDoTwiceToAClosedFile) {
  const Folder folder;
  const std::string path = (folder / "some").string();
  OutputFile file(path);
  file.append(bytes_of("all"));
  file.close();
  file.close();
  EXPECT_EQ(error_of([&] { file.append(bytes_of("more")); }),
            path + ": is closed; nothing more can be written");
  EXPECT_EQ(text_in(path), "all");
}

TEST(OutputFile, EachCauseHasItsHint) {
  const Folder folder;
  test::write_bytes(folder / "plain", bytes_of("x"));
  const std::string below = (folder / "plain").string() + "/some";
  EXPECT_EQ(error_of([&] { OutputFile file(below); }),
            below + ": cannot be written (Not a directory); make the folder " +
                (folder / "plain").string() + " first");
  const std::string itself = (folder / "").string();
  EXPECT_EQ(error_of([&] { OutputFile file(itself); }),
            itself + ": cannot be written (Is a directory); name a file in it");
  // no more files than are open already
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const std::string said = error_of([&] { OutputFile file(folder / "some"); });
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(said, (folder / "some").string() +
                      ": cannot be written (Too many open files); close some files, or raise the "
                      "limit on open ones (ulimit -n)");
  EXPECT_FALSE(std::filesystem::exists(folder / "some"));
}

// a limit on the size of files stands for a disk that becomes full in the middle of a write
TEST(OutputFile, AWriteThatDidNotFitIsTakenBackAndTheFailureStays) {
  const Folder folder;
  const std::string path = (folder / "some").string();
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{100, before.rlim_max};
  std::signal(SIGXFSZ, SIG_IGN);
  OutputFile file(path);
  file.append(Bytes(60, std::byte{1}));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string said = error_of([&] { file.append(Bytes(60, std::byte{2})); });
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, SIG_DFL);
  EXPECT_EQ(said, path +
                      ": writing failed after 60 bytes (File too large); raise the limit on the "
                      "size of files (ulimit -f)");
  EXPECT_EQ(file.size(), 60U);
  EXPECT_EQ(file_bytes(path), Bytes(60, std::byte{1}));
  // there is room again, and it does not go on as if nothing were missing
  EXPECT_EQ(error_of([&] { file.append(bytes_of("x")); }), said);
  EXPECT_EQ(file_bytes(path), Bytes(60, std::byte{1}));
}

TEST(OutputFile, AFileWithoutItsNameIsAnErrorThatStays) {
  const Folder folder;
  const std::string path = (folder / "some").string();
  OutputFile file(path);
  file.append(bytes_of("seen"));
  std::filesystem::rename(path, folder / "other");
  const std::string said = error_of([&] { file.append(bytes_of("unseen")); });
  EXPECT_EQ(said, path +
                      ": is not there any more after 4 bytes (removed or moved, or its disk was "
                      "taken off); record to a folder that stays");
  EXPECT_EQ(file.size(), 4U);
  // back under its name it lacks something
  std::filesystem::rename(folder / "other", path);
  EXPECT_EQ(error_of([&] { file.append(bytes_of("x")); }), said);
}

TEST(OutputFile, OthersMayReadAndNotWrite) {
  const Folder folder;
  const mode_t mask = ::umask(0);
  OutputFile file(folder / "some");
  ::umask(mask);
  struct stat about{};
  ASSERT_EQ(::stat((folder / "some").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0644U);
}

}  // namespace output_file_test
}  // namespace handspan
