#include "bench/peer_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "core/error.hpp"

namespace handspan {
namespace {

constexpr const char* kHint = "run tools/setup --peers again, or the program by hand";

[[noreturn]] void fail(const Peer& peer, const std::string& cause) {
  throw std::runtime_error(fmt::format("the rival {} ({}) {}; {}", peer.name,
                                       fmt::join(peer.command, " "), cause, kHint));
}

// What a program writes goes to files without names: however much it is, nobody has to read while
// the program runs.
struct Capture {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::tmpfile(), &std::fclose};

  Capture() {
    if (!file) throw std::runtime_error("no temporary file can be made; free some disk space");
  }

  int descriptor() const { return fileno(file.get()); }

  std::string last_line() const {
    std::string text;
    char part[4096];
    if (std::fseek(file.get(), 0, SEEK_SET) != 0) return "";
    for (std::size_t n; (n = std::fread(part, 1, sizeof part, file.get())) > 0;)
      text.append(part, n);
    const auto end = text.find_last_not_of(" \r\n");
    if (end == std::string::npos) return "";
    const auto before = text.find_last_of('\n', end);
    const auto begin = before == std::string::npos ? 0 : before + 1;
    return text.substr(begin, end - begin + 1);
  }
};

pid_t started(const Peer& peer, const std::string& urdf, const Capture& out,
              const Capture& errors) {
  std::vector<std::string> words = peer.command;
  words.push_back(urdf);
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.descriptor(), STDERR_FILENO);
  pid_t pid = 0;
  const int error =
      posix_spawn(&pid, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) fail(peer, fmt::format("cannot be started: {}", std::strerror(error)));
  return pid;
}

// The status of waitpid.
int ended(const Peer& peer, pid_t pid, std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  int status = 0;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > deadline) {
      kill(pid, SIGKILL);
      waitpid(pid, &status, 0);
      fail(peer,
           fmt::format("did not end within {} s", std::chrono::duration<double>(limit).count()));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return status;
}

PeerFigure parsed(const Peer& peer, const std::string& line) {
  const auto json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object())
    fail(peer, fmt::format("printed no JSON object as its last line, but '{}'", shown(line)));
  const auto number = [&](const char* key) -> std::optional<double> {
    if (!json.contains(key)) return {};
    if (!json[key].is_number())
      fail(peer,
           fmt::format("printed a {} that is not a number: {}", key, shown(json[key].dump())));
    return json[key].get<double>();
  };
  const auto required = [&](const char* key) {
    const auto value = number(key);
    if (!value) fail(peer, fmt::format("printed no {}", key));
    return *value;
  };
  PeerFigure figure;
  figure.median = required("median_us");
  figure.p99 = required("p99_us");
  const double n = required("n");
  if (!(figure.median > 0.0))
    fail(peer, fmt::format("printed a median_us of {}; it must be > 0", figure.median));
  if (!(figure.p99 >= figure.median))
    fail(peer, fmt::format("printed a p99_us of {}, below the median_us of {}", figure.p99,
                           figure.median));
  if (!(n >= 1.0 && n <= 1e9 && n == std::floor(n)))
    fail(peer, fmt::format("printed an n of {}; it must be a whole number >= 1", n));
  figure.n = static_cast<long>(n);
  figure.tracking = number("tracking_mm");
  figure.overhead = number("overhead_us");
  figure.name = json.contains("name") && json["name"].is_string() ? json["name"].get<std::string>()
                                                                  : peer.name;
  return figure;
}

}  // namespace

std::vector<Peer> two_arm_peers(const std::filesystem::path& root) {
  const std::string tsid = (root / ".deps/peers-bin/tsid_tick").string(),
                    python = (root / ".deps/peers/bin/python").string(),
                    placo = (root / "bench/peers/placo_tick.py").string();
  const bool has_placo = std::filesystem::exists(python) && std::filesystem::exists(placo);
  return {{"TSID", {tsid}, std::filesystem::exists(tsid), false},
          {"placo dynamics", {python, placo, "--dynamics"}, has_placo, false},
          {"placo kinematics", {python, placo}, has_placo, true}};
}

PeerFigure run_peer(const Peer& peer, const std::filesystem::path& urdf,
                    std::chrono::milliseconds limit) {
  const Capture out, errors;
  const int status = ended(peer, started(peer, urdf.string(), out, errors), limit);
  if (WIFSIGNALED(status))
    fail(peer,
         fmt::format("was ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status))));
  if (WEXITSTATUS(status) != 0)
    fail(peer, fmt::format("ended with exit code {}: {}", WEXITSTATUS(status),
                           shown(errors.last_line())));
  return parsed(peer, out.last_line());
}

}  // namespace handspan
