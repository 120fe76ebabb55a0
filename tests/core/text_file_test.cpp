#include "core/text_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/error.hpp"

namespace handspan {
namespace text_file_test {

class TextFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("handspan_text_{}", getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string error_of_file(const std::filesystem::path& path) {
    try {
      read_text_file(path);
    } catch (const ConfigError& error) {
      const std::string what = error.what();
      return what.starts_with(path.string()) ? what.substr(path.string().size()) : what;
    }
    return "no error";
  }

  std::filesystem::path folder_;
};

TEST_F(TextFile, IsReadAsItIs) {
  std::ofstream(folder_ / "a b.yaml", std::ios::binary) << "a: 1\r\n";
  EXPECT_EQ(read_text_file(folder_ / "a b.yaml"), "a: 1\r\n");
}

TEST_F(TextFile, MissingFilesFoldersAndPipesAreErrors) {
  EXPECT_EQ(error_of_file(folder_ / "no.yaml"), ": the file does not exist; correct its name");
  EXPECT_EQ(error_of_file(folder_), ": this is a folder; name a file in it");
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(error_of_file(folder_ / "pipe"), ": this is not a regular file; name a file");
}

TEST_F(TextFile, WhatCannotBeReadIsAnError) {
  // nothing is mapped at its start, so that its first read fails also for root
  EXPECT_EQ(error_of_file("/proc/self/mem"), ": the file cannot be read; check its permissions");
  const std::filesystem::path path = folder_ / "secret.yaml";
  std::ofstream(path) << "a: 1\n";
  std::filesystem::permissions(path, std::filesystem::perms::none);
  EXPECT_EQ(error_of_file(path),
            getuid() == 0 ? "no error" : ": the file cannot be read; check its permissions");
}

TEST_F(TextFile, HugeFilesAreErrors) {
  const std::filesystem::path path = folder_ / "huge.yaml";
  std::ofstream(path) << "a: 1\n";
  std::filesystem::resize_file(path, kMaxTextBytes + 1);
  EXPECT_EQ(error_of_file(path), ": the file is larger than 16 MiB; split it");
}

}  // namespace text_file_test
}  // namespace handspan
