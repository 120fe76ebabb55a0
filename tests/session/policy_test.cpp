// A policy in another program: what it is asked, how the arm follows its answers, and what becomes
// of answers that are none.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <functional>
#include <string>
#include <thread>

#include "reference/asking_source.hpp"
#include "session/policy_socket.hpp"
#include "session/session_support.hpp"

namespace handspan {
namespace policy_test {

using test::AppFolder;
using test::kPairArms;

constexpr Nanoseconds kMs = 1'000'000;

std::string framed(const std::string& message) {
  std::string bytes(4, '\0');
  for (int i = 0; i < 4; ++i) bytes[i] = static_cast<char>(message.size() >> (24 - 8 * i));
  return bytes + message;
}

// A client in a thread: what it sends for each question, by its number; nothing: it goes.
class Client {
 public:
  using Reply = std::function<std::string(int question, const std::string& asked)>;
  Client(const std::filesystem::path& path, const Reply& reply)
      : line_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    EXPECT_EQ(::connect(line_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    thread_ = std::thread([this, reply] { run(reply); });
  }
  ~Client() {
    ::shutdown(line_, SHUT_RDWR);
    thread_.join();
    ::close(line_);
  }

 private:
  bool read(char* to, std::size_t size) const {
    for (std::size_t done = 0; done < size;) {
      const ssize_t n = ::recv(line_, to + done, size - done, 0);
      if (n <= 0) return false;
      done += static_cast<std::size_t>(n);
    }
    return true;
  }
  void run(const Reply& reply) const {
    std::array<unsigned char, 4> head{};
    for (int question = 1; read(reinterpret_cast<char*>(head.data()), 4); ++question) {
      std::size_t size = 0;
      for (const unsigned char byte : head) size = size << 8U | byte;
      std::string asked(size, '\0');
      if (!read(asked.data(), size)) break;
      const std::string bytes = reply(question, asked);
      ::send(line_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      // it goes, also where what it announced has not come
      if (bytes.size() < 24) break;
    }
    ::shutdown(line_, SHUT_RDWR);
  }
  int line_;
  std::thread thread_;
};

std::string policy_app(const AppFolder& folder, const std::string& keys = "") {
  return kPairArms + "sources:\n  brain: {type: policy, task: hand, socket: " +
         (folder.path() / "line").string() + ", latency: 50 ms, answers_within: 2 s" + keys + R"(}
machines:
  arm:
    start: work
    states:
      work: {do: [{type: follow, task: hand, sources: [{source: brain}], reengages: true}]}
)";
}

struct Policed {
  explicit Policed(const AppFolder& folder, const Client::Reply& reply,
                   const std::string& keys = "")
      : app(folder.app(policy_app(folder, keys))),
        session(app, live()),
        client(folder.path() / "line", reply) {}
  static SessionOptions live() {
    SessionOptions options;
    options.live_devices = true;
    return options;
  }
  void to(Nanoseconds until) {
    while (session.now() < until) {
      session.tick();
      for (const Event& event : session.events().events())
        if (event.kind == "refused") refused.push_back(std::string(event.text.view()));
    }
  }
  const AskingSource& brain() {
    return dynamic_cast<const AskingSource&>(
        session.arbiter().source(session.arbiter().find_source("brain")));
  }
  std::string reason() {
    return std::string(session.arbiter().reason(session.arbiter().find_reference("hand")));
  }
  App app;
  Session session;
  Client client;  // connects when the session listens
  std::vector<std::string> refused;
};

// `n` equal rows; seen from the hand: so far along its x
std::string answer(int question, double x, int n, const std::string& more = "") {
  std::string rows;
  for (int i = 0; i < n; ++i)
    rows += (i > 0 ? ", " : "") + std::string("[") + std::to_string(x) + ", 0, 0, 0, 0, 0, 1]";
  return framed("{\"question\": " + std::to_string(question) + ", \"dt\": 0.02, \"poses\": [" +
                rows + "]" + more + "}");
}

TEST(Policy, IsAskedWithObservationsByNameAndMovesTheHandFromWhereItWas) {
  const AppFolder folder;
  std::string first;
  Policed run(
      folder,
      [&](int question, const std::string& asked) {
        if (question == 1) first = asked;
        return answer(question, 0.02, 30);
      },
      ", relative: true, observations: [left.arm.q, mode.arm, reference.hand.pose]");
  const Eigen::Matrix3d R = test::frame_reference(run.session, "hand").arm().X_WE.R;
  const Eigen::Vector3d p = test::frame_reference(run.session, "hand").arm().X_WE.p;
  run.to(180 * kMs);
  EXPECT_EQ(first.find("{\"observations\":{\"left.arm.q\":["), 0U) << first;
  EXPECT_NE(first.find("\"mode.arm\":[0.0]"), std::string::npos) << first;
  EXPECT_NE(first.find("\"question\":1,\"stamp\":0.0}"), std::string::npos) << first;
  EXPECT_EQ(run.brain().answered(), 1U);
  EXPECT_EQ(run.reason(), "");
  const Eigen::Vector3d q = test::reference_of(run.session, "hand").wanted().pose.X_WE.p;
  EXPECT_NEAR((q - p - R * Eigen::Vector3d(0.02, 0, 0)).norm(), 0.0, 1e-6);
}

TEST(Policy, HoldsWithTheReasonWhenItsAnswerIsNone) {
  const std::string row = "[0, 0, 0, 0, 0, 0, 1]";
  const std::string head = "{\"question\": 1, \"dt\": 0.02, \"poses\": ";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "its client is gone"},
      {framed(std::string(100, 'x')).substr(0, 14),
       "its client is gone in the middle of a message: 10 of 100 bytes came"},
      {std::string(4, '\0'),
       "its client announces a message of 0 bytes; from 1 to 16777216 can be"},
      {std::string(4, '\x7f'),
       "its client announces a message of 2139062143 bytes; from 1 to 16777216 can be"},
      {framed("this is no JSON, whatever it says"), "its answer is not JSON"},
      {framed(head + "[[NaN, 0, 0, 0, 0, 0, 1]]}"), "its answer is not JSON"},
      {framed("[1, 2, 3, 4, 5, 6, 7, 8, 9]"), "its answer is not an object of JSON"},
      {framed(head + "[[null, 0, 0, 0, 0, 0, 1]]}"), "poses[0][0] is not a finite number"},
      {framed(head + "[[0, 0, 0, 0, 0, 1]]}"), "poses[0] of its answer is not a row of 7 numbers"},
      {framed(head + "[]}"), "'poses' of its answer is not a list of 1 to 2048 rows"},
      {framed("{\"question\": 1, \"poses\": [" + row + "]}"), "its answer has no 'dt'"},
      {framed("{\"question\": -1, \"dt\": 0.02, \"poses\": []}"),
       "'question' of its answer is not a whole number"},
      {framed("{\"question\": 99, \"dt\": 0.02, \"poses\": [" + row + "]}"),
       "it answers question 99, which was never asked"},
      {framed(head + "[" + row + "], \"stamp\": \"now\"}"),
       "'stamp' of its answer is not a finite number"},
      {framed("{\"question\": 1, \"failure\": \"I see nothing\"}"),
       "it has no answer: I see nothing"},
  };
  for (const auto& [bytes, reason] : cases) {
    const AppFolder folder;
    Policed run(folder, [&](int, const std::string&) { return bytes; });
    run.to(60 * kMs);
    EXPECT_EQ(run.brain().answered(), 0U);
    EXPECT_EQ(run.reason().find("brain: " + reason), 0U) << run.reason() << "\nfor " << reason;
  }
}

TEST(Policy, RefusesPosesThatAreNoneAndStampsThatGoBack) {
  const AppFolder folder;
  Policed run(
      folder,
      [](int question, const std::string&) {
        if (question == 2) return answer(question, 0.0, 50, ", \"stamp\": 0.1");
        if (question == 3) return answer(question, 0.0, 2);
        return answer(question, 0.0, 50, ", \"stamp\": 0.15");
      },
      ", relative: true");
  run.to(500 * kMs);
  ASSERT_EQ(run.refused.size(), 2U);
  EXPECT_EQ(run.refused[0], "answer 2: its stamp is before that of the answer before");
  // asked again at once: 250 ms, and its rows end 20 ms later
  EXPECT_EQ(run.refused[1], "answer 3: ends before it came");
  EXPECT_EQ(run.reason(), "") << "what it followed goes on";
}

TEST(Policy, AClientThatIsGoneMakesTheHandHoldAndTheNextOneGoesOn) {
  const AppFolder folder;
  Policed run(
      folder,
      [](int question, const std::string&) {
        return question < 3 ? answer(question, 0.0, 30) : std::string();
      },
      ", relative: true");
  run.to(440 * kMs);
  EXPECT_EQ(run.reason(), "");
  run.to(460 * kMs);
  EXPECT_EQ(run.reason(), "brain: its client is gone");
  const Client next(folder.path() / "line",
                    [](int question, const std::string&) { return answer(question + 3, 0.0, 30); });
  run.to(800 * kMs);
  EXPECT_EQ(run.reason(), "");
  EXPECT_EQ(run.brain().answered(), 3U);
}

TEST(Policy, WithoutAClientItHoldsAndSaysSo) {
  const AppFolder folder;
  const App app = folder.app(policy_app(folder, ", every: 10 s"));
  Session live(app, Policed::live());
  const auto hand = live.arbiter().find_reference("hand");
  live.take_answers_as_they_come(true);
  live.tick();
  EXPECT_EQ(live.arbiter().reason(hand), "brain: waits for its first answer");
  // where no devices are opened nobody can connect
  const App plain = folder.app(policy_app(folder), "plain");
  Session other(plain);
  while (other.now() < 60 * kMs) other.tick();
  EXPECT_EQ(other.arbiter().reason(other.arbiter().find_reference("hand")),
            "brain: nobody can connect in this run");
}

TEST(Policy, WhatIsWrongInTheAppIsSaidAtItsPlace) {
  const AppFolder folder;
  EXPECT_EQ(folder.error(policy_app(folder, ", observations: [left.arm.w]"))
                .find("test.yaml:16: sources.brain "),
            0U);
  EXPECT_NE(folder.error(policy_app(folder, ", observations: [left.arm.w]")).find("left.arm.w"),
            std::string::npos);
  EXPECT_NE(folder.error(policy_app(folder, ", latency: -1 s")).find("latency"), std::string::npos);
}

TEST(PolicySocket, TakesAPathOnlyWhenItIsFree) {
  const AppFolder folder;
  const auto path = folder.path() / "line";
  const auto error = [](const std::filesystem::path& at) -> std::string {
    try {
      const PolicySocket line(at);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  {
    const PolicySocket line(path);
    EXPECT_NE(error(path).find("somebody listens on"), std::string::npos);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  std::ofstream(path) << "a file of somebody's";
  EXPECT_NE(error(path).find("is there, and is no socket; choose another path"), std::string::npos);
  std::filesystem::remove(path);
  // one that was left behind
  const int left = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(left, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ::close(left);
  EXPECT_EQ(error(path), "");
  EXPECT_NE(error(folder.path() / std::string(120, 'x')).find("choose a shorter one"),
            std::string::npos);
  EXPECT_NE(error(folder.path() / "nowhere" / "line").find("no socket can be made"),
            std::string::npos);
}

}  // namespace policy_test
}  // namespace handspan
