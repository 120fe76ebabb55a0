// `handspan serve` as a person starts and ends it.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <sys/stat.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <regex>
#include <string>
#include <utility>

namespace serve_test {

const std::string kServe = std::string("exec ") + HANDSPAN_BINARY + " serve " +
                           HANDSPAN_SOURCE_DIR + "/apps/lift.yaml --no-page-open ";

struct Result {
  int code = -1;
  std::string output;
};

using Look = std::function<void(const std::string& output)>;

// @param signal sent when the code was printed, which is last; 0: none  @param look before that
// @param input of a shell, that is typed at its terminal
Result serve(const std::string& arguments, int signal = 0, const Look& look = {},
             const std::string& input = "</dev/null") {
  // the shell tells its number and becomes the program
  FILE* pipe = popen(("echo $$; " + kServe + arguments + " 2>&1 " + input).c_str(), "r");
  std::array<char, 4096> line{};
  Result result;
  const pid_t pid = fgets(line.data(), line.size(), pipe) != nullptr ? std::stoi(line.data()) : 0;
  while (fgets(line.data(), line.size(), pipe) != nullptr) {
    result.output += line.data();
    if (signal != 0 && result.output.find("pairing code") != std::string::npos) {
      if (look) look(result.output);
      // it waits for signals a moment later
      usleep(500'000);
      kill(pid, signal);
      signal = 0;
    }
  }
  const int status = pclose(pipe);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

TEST(Serve, RunsForATimeAndSumsUp) {
  const Result r = serve("--port 0 --for 0.5s");
  EXPECT_EQ(r.code, 0) << r.output;
  EXPECT_NE(r.output.find("lift: http://localhost:"), std::string::npos) << r.output;
  EXPECT_NE(r.output.find("x real time"), std::string::npos) << r.output;
}

TEST(Serve, ParametersAreInItsRecordings) {
  std::string folder = (std::filesystem::temp_directory_path() / "handspan_serve_XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const Result r = serve(
      "--port 0 --for 0.5s --param scene.objects.box.mass=0.75 --record "
      "--records " +
      folder);
  EXPECT_EQ(r.code, 0) << r.output;
  int logs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".mcap") continue;
    ++logs;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), {});
    EXPECT_NE(bytes.find("mass: 0.75"), std::string::npos);
    const std::string verify = std::string(HANDSPAN_BINARY) + " replay --verify '" +
                               entry.path().string() + "' >/dev/null 2>&1";
    EXPECT_EQ(std::system(verify.c_str()), 0) << verify;
  }
  EXPECT_GE(logs, 1);
  std::filesystem::remove_all(folder);
}

TEST(Serve, EndsCleanlyWithASignal) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const Result r = serve("--port 0", signal);
    EXPECT_EQ(r.code, 0) << r.output;
    EXPECT_NE(r.output.find("x real time"), std::string::npos) << r.output;
  }
}

TEST(Serve, TheAddressHasAKeyAndTheTokenFileIsItsOwnersOnly) {
  std::string folder = (std::filesystem::temp_directory_path() / "handspan_serve_XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string file = folder + "/token", other = folder + "/other";
  // somebody laid a link there, which others may write to
  std::ofstream(other) << "theirs";
  std::filesystem::create_symlink(other, file);
  std::string output, header;
  mode_t mode = 0;
  const Result r = serve("--port 0 --token-file " + file, SIGINT, [&](const std::string& so_far) {
    output = so_far;
    struct stat about{};
    if (lstat(file.c_str(), &about) == 0) mode = about.st_mode;
    std::getline(std::ifstream(file) >> std::ws, header);
  });
  EXPECT_EQ(r.code, 0) << r.output;
  EXPECT_TRUE(std::regex_search(
      output, std::regex("lift: http://localhost:[0-9]+/#key=[0-9a-f]{32} \\(Ctrl-C ends it\\)\n")))
      << output;
  EXPECT_TRUE(std::regex_search(output, std::regex("pairing code of other pages: [0-9]{6}\n")));
  EXPECT_TRUE(S_ISREG(mode));
  EXPECT_EQ(mode & 0777U, 0600U);
  EXPECT_TRUE(std::regex_match(header, std::regex("Authorization: Bearer [0-9a-f]{32}"))) << header;
  EXPECT_EQ(output.find(header.substr(header.rfind(' ') + 1)), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(file)) << "a token that ended is no use";
  std::string theirs;
  std::ifstream(other) >> theirs;
  EXPECT_EQ(theirs, "theirs");
  const Result bad = serve("--port 0 --for 0.1s --token-file " + folder + "/none/token");
  EXPECT_EQ(bad.code, 2);
  EXPECT_NE(bad.output.find("--token-file: " + folder + "/none/token cannot be written ("),
            std::string::npos)
      << bad.output;
  std::filesystem::remove_all(folder);
}

TEST(Serve, TheTerminalListsAndEndsPairedDevices) {
  std::string folder = (std::filesystem::temp_directory_path() / "handspan_serve_XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const Result r = serve("--port 0 --for 1.5s --token-file " + folder + "/token", 0, {},
                         "<<E\ndevices\nend 1\nend 1\ndance\ndevices\nE");
  EXPECT_EQ(r.code, 0) << r.output;
  const std::regex said(
      "1: token, this machine, seen [0-9]+ s ago\n"
      "the pairing of device 1 \\(token\\) is ended\n"
      "there is no paired device 1\n"
      "'dance' is not a command; there are: devices, end N \\(of devices\\)\n"
      "no device is paired\n");
  EXPECT_TRUE(std::regex_search(r.output, said)) << r.output;
  std::filesystem::remove_all(folder);
}

TEST(Serve, ATakenPortIsOneLineAndBadInput) {
  const int taken = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(taken, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(taken, 1), 0);
  ASSERT_EQ(getsockname(taken, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string port = std::to_string(ntohs(address.sin_port));
  const Result r = serve("--port " + port);
  close(taken);
  EXPECT_EQ(r.code, 2);
  EXPECT_EQ(r.output,
            "port " + port +
                " is taken by another program (another handspan serve?); end that one, or "
                "choose another port with --port\n");
}

}  // namespace serve_test
