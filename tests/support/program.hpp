#pragma once
// The program as a person runs it, for tests: exit code and output, in a folder of the test's own.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace handspan::test {

inline const std::filesystem::path kRoot = HANDSPAN_SOURCE_DIR;

struct Result {
  int code;
  std::string output;  // both streams

  bool has(const std::string& text) const { return output.find(text) != std::string::npos; }
};

inline Result shell(const std::string& line) {
  FILE* pipe = popen(("( " + line + " ) 2>&1 </dev/null").c_str(), "r");
  std::string output;
  std::array<char, 4096> buffer;
  while (const std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe))
    output.append(buffer.data(), n);
  return {WEXITSTATUS(pclose(pipe)), output};
}

/// A test in a new folder, in which its commands run.
class InFolder : public testing::Test {
 protected:
  InFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "handspan_cli_XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~InFolder() override { std::filesystem::remove_all(folder_); }

  Result run(const std::string& arguments) const {
    return shell("cd " + folder_.string() + " && " + HANDSPAN_BINARY + " " + arguments);
  }
  void write(const std::filesystem::path& file, const std::string& text) const {
    std::filesystem::create_directories((folder_ / file).parent_path());
    std::ofstream(folder_ / file) << text;
  }
  std::string read(const std::filesystem::path& file) const {
    std::stringstream text;
    text << std::ifstream(folder_ / file).rdbuf();
    return text.str();
  }
  std::filesystem::path folder_;
};

}  // namespace handspan::test
