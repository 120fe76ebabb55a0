// `handspan serve` as a person starts and ends it.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>

namespace {

const std::string kServe = std::string("exec ") + HANDSPAN_BINARY + " serve " +
                           HANDSPAN_SOURCE_DIR + "/apps/lift.yaml --no-page-open ";

struct Result {
  int code = -1;
  std::string output;
};

// @param signal sent when the address was printed; 0: none
Result serve(const std::string& arguments, int signal = 0) {
  // the shell tells its number and becomes the program
  FILE* pipe = popen(("echo $$; " + kServe + arguments + " 2>&1 </dev/null").c_str(), "r");
  std::array<char, 4096> line{};
  Result result;
  const pid_t pid = fgets(line.data(), line.size(), pipe) != nullptr ? std::stoi(line.data()) : 0;
  while (fgets(line.data(), line.size(), pipe) != nullptr) {
    result.output += line.data();
    if (signal != 0 && result.output.find("Ctrl-C ends it") != std::string::npos) {
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

TEST(Serve, EndsCleanlyWithASignal) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Result r = serve("--port 0", signal);
    EXPECT_EQ(r.code, 0) << r.output;
    EXPECT_NE(r.output.find("x real time"), std::string::npos) << r.output;
  }
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

}  // namespace
