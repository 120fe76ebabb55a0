// What the station costs a tick, how long a sample takes from a page on this machine to the tick
// that latches it, and whether a viewer and a recording make ticks late.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "bench/figure.hpp"
#include "core/private_folder.hpp"
#include "device/headset.hpp"
#include "session/run.hpp"
#include "station/hub.hpp"
#include "station/server.hpp"
#include "station/station.hpp"

namespace handspan {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kTapTarget = 20.0;                            // [us] a tick
constexpr double kMedianTarget = 1000.0, kP99Target = 5000.0;  // [us]
constexpr int kStationTicks = 8000;
constexpr Nanoseconds kRun = 10 * kSecond;
constexpr Nanoseconds kBetweenSamples = 11'000'000;
constexpr double kLateTarget = 0.1;                 // [%] more than without
constexpr double kBehindTarget = 5000.0;            // [us]
constexpr double kEndTarget = 1000.0;               // [us] a tick
constexpr std::int64_t kLeastPerSecond = 60 * 100;  // [bytes] that a viewer is sent
constexpr int kPairs = 3;
constexpr Nanoseconds kPairRun = 60 * kSecond;

// of a tick, the tap's part: two FR3 that lift a box
TickSamples tap(const std::filesystem::path& root, const Parts& parts) {
  const App app = load_app(root / "apps/lift.yaml", parts);
  LiveLoop loop(app);
  TickSamples samples;
  loop.session.unwatch(loop.tap);
  for (int i = 0; i < kStationTicks; ++i) {
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
  std::vector<PairedDevice> devices() const override { return {}; }
  bool unpair(int) override { return false; }
  RecordingStatus recording() const override { return {}; }
};

// as little of a page as shakes hands and speaks; a thread reads what it is sent away
class Page {
 public:
  Page(std::uint16_t port, const std::string& token, const char* role)
      : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
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
        "Sec-WebSocket-Protocol: handspan.1\r\nAuthorization: Bearer " +
        token + "\r\n\r\n");
    std::string answer;
    char c = 0;
    while (!answer.ends_with("\r\n\r\n") && recv(socket_, &c, 1, 0) == 1) answer += c;
    reader_ = std::thread([this] {
      char buffer[65536];
      for (ssize_t n = 0; (n = recv(socket_, buffer, sizeof buffer, 0)) > 0;) received_ += n;
    });
    send(1, fmt::format(R"({{"type":"hello","protocol":1,"name":"bench","role":"{}"}})", role));
  }
  ~Page() {
    shutdown(socket_, SHUT_RDWR);
    reader_.join();
    close(socket_);
  }
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;

  std::int64_t received() const { return received_; }

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
  std::atomic<std::int64_t> received_{0};  // [bytes]
  std::thread reader_;
};

// on the wall clock, a page of 60 frames a second that gives samples of a headset
TickSamples latched(const std::filesystem::path& root, const Parts& parts) {
  const App app = load_app(root / "apps/follow.yaml", parts);
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
  Access access("");
  Notices notices;
  const std::string token = access.new_token("bench");
  server.start(hub, pages, access, notices);
  std::atomic<bool> over{false};
  std::thread person([&] {
    Page page(server.port(), token, "operator");
    page.send(1, R"({"type":"operate"})");
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

// of the run of an app in the station, alone or with a viewer of 60 frames a second and a recording
RunSummary served(const App& app, const std::filesystem::path& root, const Parts& parts,
                  bool watched) {
  StationOptions options;
  options.port = 0;
  options.page = root;
  const PrivateFolder records("handspan_bench_");
  options.records = records.path();
  options.record = watched;
  options.until = kPairRun;
  RunSummary summary;
  {
    Station station(app, parts, options);
    // the port is taken, but nobody answers there before run()
    std::int64_t received = 0;
    std::atomic<bool> over{false};
    const std::string token = station.new_token("bench");
    std::thread viewer;
    if (watched)
      viewer = std::thread([&] {
        Page page(station.port(), token, "viewer");
        page.send(1, R"({"type":"subscribe","id":1,"channels":["*.wrench"],"rate":60})");
        while (!over) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        received = page.received();
      });
    summary = station.run();
    over = true;
    if (viewer.joinable()) viewer.join();
    if (watched && received < kPairRun / kSecond * kLeastPerSecond)
      throw std::runtime_error(
          fmt::format("the viewer was sent {} bytes: not 60 frames a second", received));
  }
  return summary;
}

// Pairs of runs without and with; who is first alternates. Measured once for all figures of it.
struct Pairs {
  TickSamples late, behind, end;

  const Pairs& measured(const std::filesystem::path& root, const Parts& parts) {
    if (!late.seconds.empty()) return *this;
    const App app = load_app(root / "apps/grab.yaml", parts);
    for (int pair = 0; pair < kPairs; ++pair) {
      double share[2] = {};
      for (const int watched : {pair % 2, 1 - pair % 2}) {
        const RunSummary run = served(app, root, parts, watched == 1);
        share[watched] = static_cast<double>(run.pacer.overruns) / static_cast<double>(run.ticks);
        fmt::print(stderr, "pair {} of {}, {}: {:.3f} % of ticks late; behind p99.9 {:.2f} ms\n",
                   pair + 1, kPairs, watched == 1 ? "watched and recorded" : "alone",
                   100.0 * share[watched], 1e3 * run.behind_p999);
        if (watched != 1) continue;
        behind.seconds.push_back(run.behind_p999);
        end.seconds.push_back(run.behind_end);
      }
      late.seconds.push_back(share[1] - share[0]);
    }
    return *this;
  }
};

}  // namespace

std::vector<Figure> station_figures(const std::filesystem::path& root, const Parts& parts) {
  Figure tick, sample, late, behind, end;
  tick.name = "station/tap_tick";
  tick.largest_median = kTapTarget;
  tick.loop.ours = [root, &parts] { return tap(root, parts); };
  sample.name = "station/sample_latched";
  sample.largest_median = kMedianTarget;
  sample.largest_p99 = kP99Target;
  sample.loop.ours = [root, &parts] { return latched(root, parts); };
  const auto pairs = std::make_shared<Pairs>();
  late.name = "station/watched_late";
  late.unit = Figure::Unit::kPercent;
  late.largest_median = kLateTarget;
  late.loop.ours = [root, &parts, pairs] { return pairs->measured(root, parts).late; };
  behind.name = "station/watched_behind_p999";
  behind.largest_median = kBehindTarget;
  behind.loop.ours = [root, &parts, pairs] { return pairs->measured(root, parts).behind; };
  end.name = "station/watched_behind_end";
  end.largest_median = kEndTarget;
  end.loop.ours = [root, &parts, pairs] { return pairs->measured(root, parts).end; };
  return {tick, sample, late, behind, end};
}

}  // namespace handspan
