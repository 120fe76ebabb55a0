// What the station costs a tick, and how long a sample takes from a page on this machine to the
// tick that latches it.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "bench/figure.hpp"
#include "session/run.hpp"
#include "station/hub.hpp"
#include "station/server.hpp"
#include "teleop/headset.hpp"

namespace handspan {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kTapTarget = 20.0;                            // [us] a tick
constexpr double kMedianTarget = 1000.0, kP99Target = 5000.0;  // [us]
constexpr int kTicks = 8000;
constexpr Nanoseconds kRun = 10 * kSecond;
constexpr Nanoseconds kBetweenSamples = 11'000'000;

// of a tick, the tap's part: two FR3 that lift a box
TickSamples tap(const std::filesystem::path& root) {
  const App app = load_app(root / "apps/lift.yaml");
  LiveLoop loop(app);
  TickSamples samples;
  loop.session.unwatch(loop.tap);
  for (int i = 0; i < kTicks; ++i) {
    loop.session.tick();
    const auto start = Clock::now();
    loop.tap.after_tick(loop.session);
    samples.seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  return samples;
}

// how old samples are, by the clock of who gave them, when they are latched
class Ages : public SessionWatcher {
 public:
  explicit Ages(TickSamples& samples) : samples_(samples) { samples.seconds.reserve(10'000); }
  void after_tick(Session& session) noexcept override {
    const Nanoseconds now = steady_now();
    for (const Input& input : session.inputs())
      if (input.kind == InputKind::kSample) samples_.seconds.push_back(seconds(now - input.stamp));
  }

 private:
  TickSamples& samples_;
};

class NoServices : public Services {
 public:
  void record(bool, const std::string&, Done done) override { done("none"); }
  void remove(const std::string&, Done done) override { done("none"); }
  void list(std::function<void(const std::vector<RecordInfo>&)> done) override { done({}); }
  void replay(
      const std::string&,
      std::function<void(std::shared_ptr<ReplayPlayer>, const std::string&)> done) override {
    done(nullptr, "none");
  }
  void restart() override {}
  RecordingStatus recording() const override { return {}; }
};

// as little of a page as operates and gives samples; a thread reads what it is sent away
class Page {
 public:
  explicit Page(std::uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("the station's port cannot be reached");
    write(
        "GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        "Sec-WebSocket-Protocol: handspan.1\r\n\r\n");
    std::string answer;
    char c = 0;
    while (!answer.ends_with("\r\n\r\n") && recv(socket_, &c, 1, 0) == 1) answer += c;
    reader_ = std::thread([this] {
      char buffer[65536];
      while (recv(socket_, buffer, sizeof buffer, 0) > 0) {
      }
    });
    send(1, R"({"type":"hello","protocol":1,"name":"bench","role":"operator"})");
    send(1, R"({"type":"operate"})");
  }
  ~Page() {
    shutdown(socket_, SHUT_RDWR);
    reader_.join();
    close(socket_);
  }
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;

  // with a mask of zeros
  void send(int opcode, std::string_view payload) {
    std::string frame = {static_cast<char>(0x80 | opcode)};
    if (payload.size() < 126) {
      frame += static_cast<char>(0x80 | payload.size());
    } else {
      frame += static_cast<char>(0x80 | 126);
      frame += static_cast<char>(payload.size() >> 8U);
      frame += static_cast<char>(payload.size());
    }
    frame.append(4, '\0');
    write(frame.append(payload));
  }

 private:
  void write(std::string_view bytes) {
    if (::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(bytes.size()))
      throw std::runtime_error("the station closed the page");
  }

  int socket_;
  std::thread reader_;
};

// on the wall clock, a page of 60 frames a second that gives samples of a headset
TickSamples latched(const std::filesystem::path& root) {
  const App app = load_app(root / "apps/follow.yaml");
  TickSamples samples;
  NoServices services;
  LiveLoop loop(app);
  Ages ages(samples);
  loop.session.watch(ages);
  Server server(ServerOptions{});
  Records records(root);
  const PageFiles pages(root, records);
  Hub hub(HubOptions{}, services);
  hub.set_loop(loop);
  server.start(hub, pages);
  std::atomic<bool> over{false};
  std::thread person([&] {
    Page page(server.port());
    SampleMessage sample;
    sample.numbers.assign(headset_layout().numbers(), 0.0);
    for (Nanoseconds due = steady_now(); !over; due += kBetweenSamples) {
      sleep_until(due);
      ++sample.sequence;
      sample.stamp = seconds(steady_now());
      const auto bytes = encode_sample(sample);
      page.send(2, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
  });
  RunOptions run;
  run.until = kRun;
  run.clock = ClockKind::kWall;
  run.between = [&](const PacerCounts& counts) {
    loop.between_ticks(counts);
    return true;
  };
  run_session(loop.session, run);
  over = true;
  person.join();
  server.stop("over");
  loop.session.unwatch(ages);
  if (samples.seconds.size() < 500) throw std::runtime_error("too few samples were latched");
  return samples;
}

}  // namespace

std::vector<Figure> station_figures(const std::filesystem::path& root) {
  Figure tick, sample;
  tick.name = "station/tap_tick";
  tick.largest_median = kTapTarget;
  tick.loop.ours = [root] { return tap(root); };
  sample.name = "station/sample_latched";
  sample.largest_median = kMedianTarget;
  sample.largest_p99 = kP99Target;
  sample.loop.ours = [root] { return latched(root); };
  return {tick, sample};
}

}  // namespace handspan
