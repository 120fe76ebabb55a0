#include "core/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/error.hpp"

namespace handspan {
namespace {

constexpr std::size_t kKept = 4096;  // [bytes] of what it said

// the end of a pipe, closed with the object
class PipeEnd {
 public:
  explicit PipeEnd(int file) : file_(file) {}
  ~PipeEnd() { close(); }
  PipeEnd(const PipeEnd&) = delete;
  PipeEnd& operator=(const PipeEnd&) = delete;
  void close() {
    if (file_ >= 0) ::close(file_);
    file_ = -1;
  }
  int file() const { return file_; }

 private:
  int file_;
};

// @return whether the child closed its output before the time was over
bool read_all(int file, std::chrono::steady_clock::time_point until, std::string& said) {
  std::array<char, 4096> bytes{};
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd waited{file, POLLIN, 0};
    const int ready = poll(&waited, 1, static_cast<int>(left.count()));
    if (ready == 0) return false;
    if (ready < 0) {
      if (errno == EINTR) continue;
      return true;
    }
    const ssize_t n = read(file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return true;
    said.append(bytes.data(), static_cast<std::size_t>(n));
    if (said.size() > 2 * kKept) said.erase(0, said.size() - kKept);
  }
}

}  // namespace

ChildOutcome run_child(const std::vector<std::string>& words, std::chrono::seconds longest) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw InputError(fmt::format("{} cannot be started: {}", words.front(), std::strerror(errno)));
  PipeEnd from(ends[0]), to(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, to.file(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, to.file(), STDERR_FILENO);
  std::vector<std::string> kept = words;
  std::vector<char*> arguments;
  for (std::string& word : kept) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, words.front().c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  to.close();
  if (error != 0)
    throw InputError(fmt::format("{} cannot be started: {}", words.front(), std::strerror(error)));
  ChildOutcome outcome;
  outcome.in_time = read_all(from.file(), std::chrono::steady_clock::now() + longest, outcome.said);
  if (!outcome.in_time) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) outcome.code = WEXITSTATUS(status);
  if (outcome.said.size() > kKept) outcome.said.erase(0, outcome.said.size() - kKept);
  return outcome;
}

std::optional<std::filesystem::path> program_in_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string folders = path == nullptr ? "" : path;
  while (!folders.empty()) {
    const auto end = std::min(folders.find(':'), folders.size());
    const std::filesystem::path file = std::filesystem::path(folders.substr(0, end)) / name;
    if (access(file.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(file)) return file;
    folders.erase(0, std::min(end + 1, folders.size()));
  }
  return std::nullopt;
}

}  // namespace handspan
