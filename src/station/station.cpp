#include "station/station.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <future>
#include <thread>

#include "core/error.hpp"
#include "core/escape.hpp"
#include "station/certificate.hpp"
#include "station/hub.hpp"
#include "station/server.hpp"
#include "station/worker.hpp"

namespace handspan {
namespace {

constexpr std::size_t kMostPlayers = 2;
// the end of a run stays in view for a while before the next one
constexpr auto kPause = std::chrono::seconds(1);
constexpr auto kStatusTime = std::chrono::milliseconds(200);

ServerOptions server_options(const StationOptions& options) {
  ServerOptions server;
  server.port = options.port;
  if (!options.lan) return server;
  server.lan = true;
  server.hosts = options.lan->hosts;
  server.certificate = options.lan->certificate;
  server.key = options.lan->key;
  return server;
}

// What was freed goes back to the system. Large blocks lie by themselves from here on: the
// allocator would else put ever larger ones among small ones, and where the loop has locked its
// memory nothing of that is given back.
#ifdef __GLIBC__
constexpr int kLargeBlock = 256 << 10;  // [bytes]
void keep_large_blocks_apart() { mallopt(M_MMAP_THRESHOLD, kLargeBlock); }
void free_memory() { malloc_trim(0); }
#else
void keep_large_blocks_apart() {}
void free_memory() {}
#endif

}  // namespace

struct Station::Impl : Services {
  Impl(const App& of, const Parts& made_of, const StationOptions& with)
      : app(of),
        parts(made_of),
        options(with),
        records(with.records),
        tape(records),
        pages(with.page, records),
        access(with.code.empty() ? pairing_code() : with.code),
        server(server_options(with)),
        hub(HubOptions{fmt::format("{}-{}", getpid(), std::time(nullptr)), with.rate, with.pace},
            *this) {
    loop = std::make_unique<LiveLoop>(app, options.parameters);
    hub.set_loop(*loop);
    tape.set_loop(&loop->session, &loop->gate);
    layout = hub.told();
  }

  ~Impl() override {
    server.stop("the server ended");
    loop->gate.close();
    worker->run([this] { end_recording(); });
    worker.reset();
  }

  // Services, on the I/O thread; the work is the worker's, the answer the I/O thread's again
  void record(bool on, const std::string& name, Done done) override {
    worker->post([this, on, name, done = std::move(done)] {
      answer(done, [&] { on ? tape.start(name) : tape.stop(); });
    });
  }
  void remove(const std::string& name, Done done) override {
    worker->post([this, name, done = std::move(done)] {
      answer(done, [&] {
        if (const RecordingStatus now = tape.status(); now.on && now.file == name)
          throw InputError(fmt::format("{} is being recorded; stop the recording first", name));
        records.remove(name);
      });
    });
  }
  void list(std::function<void(const std::vector<RecordInfo>&)> done) override {
    worker->post([this, done = std::move(done)] {
      const RecordingStatus now = tape.status();
      server.post([done, all = records.list(now.on ? now.file : "")] { done(all); });
    });
  }
  void replay(
      const std::string& name,
      std::function<void(std::shared_ptr<ReplayPlayer>, const std::string&)> done) override {
    worker->post([this, name, done = std::move(done)] {
      std::shared_ptr<ReplayPlayer> player;
      std::string reason;
      try {
        std::erase_if(players, [](const auto& p) { return p.expired(); });
        if (players.size() >= kMostPlayers)
          throw InputError(fmt::format("{} replays run already; end one", kMostPlayers));
        const auto file = records.find(name);
        if (!file) throw InputError(fmt::format("there is no recording '{}'", printable(name)));
        player = player_of(*file);
        players.push_back(player);
      } catch (const std::exception& error) {
        reason = error.what();
      }
      server.post([done, player = std::move(player), reason] { done(player, reason); });
    });
  }
  // It ends on the worker: that takes a while.
  std::shared_ptr<ReplayPlayer> player_of(const std::filesystem::path& file) {
    const auto end = [](const ReplayPlayer* player) {
      delete player;
      free_memory();
    };
    return {new ReplayPlayer(file, parts, layout),
            [weak = std::weak_ptr(worker), end](ReplayPlayer* player) {
              if (const auto still = weak.lock())
                still->post([end, player] { end(player); });
              else
                end(player);
            }};
  }
  // one that failed is told and ended here: it would seem to go on
  RecordingStatus recording() const override {
    RecordingStatus status = tape.status();
    if (status.on && status.failed && !ending.exchange(true))
      worker->post([this, why = status.message] {
        fmt::print(stderr, "{}\n", why);
        end_recording();
        ending = false;
      });
    return status;
  }
  void restart() override { anew.store(true, std::memory_order_relaxed); }
  std::vector<PairedDevice> devices() const override { return access.devices(); }
  bool unpair(int device) override { return !end_device(device).empty(); }
  // from any thread; later, so that who asks for it is answered before it is closed
  std::string end_device(int device) {
    std::string name = access.end(device);
    if (!name.empty()) server.post([this, device] { server.end_device(device); });
    return name;
  }

  // of a run from its first tick; what fails is told, and the run goes on
  void start_first_recording() {
    try {
      tape.start("", false);
    } catch (const std::exception& error) {
      ++failed_recordings;
      fmt::print(stderr, "{}\n", error.what());
    }
  }
  void end_recording() const {
    try {
      if (!tape.status().on) return;
      tape.stop();
      const RecordingStatus ended = tape.status();
      if (!ended.failed) return;
      ++failed_recordings;
      // why was told at once where somebody looked
      fmt::print(stderr, "{}\n",
                 ending ? fmt::format("{}: {}", ended.file, ended.kept) : ended.message);
    } catch (const std::exception& error) {
      fmt::print(stderr, "{}\n", error.what());
    }
  }

  template <class F>
  void answer(const Done& done, F&& work) {
    std::string reason;
    try {
      work();
    } catch (const std::exception& error) {
      reason = error.what();
    }
    server.post([done, reason] { done(reason); });
  }

  const App& app;
  const Parts& parts;
  StationOptions options;
  Records records;
  mutable Recording tape;
  PageFiles pages;
  Access access;
  Notices notices;
  Server server;
  Hub hub;
  std::unique_ptr<LiveLoop> loop;
  ShownLayout layout;
  std::atomic<bool> anew{false};                     // somebody asked for the next run
  std::vector<std::weak_ptr<ReplayPlayer>> players;  // the worker's
  mutable std::atomic<bool> ending{false};           // a recording that failed
  mutable std::atomic<int> failed_recordings{0};
  // players that end late still find it, or find that it is gone
  std::shared_ptr<Worker> worker = std::make_shared<Worker>();
};

Station::Station(const App& app, const Parts& parts, const StationOptions& options)
    : impl_(std::make_unique<Impl>(app, parts, options)) {}

Station::~Station() = default;

std::uint16_t Station::port() const { return impl_->server.port(); }

RunSummary Station::run() {
  Impl& i = *impl_;
  keep_large_blocks_apart();
  i.server.start(i.hub, i.pages, i.access, i.notices);
  Nanoseconds left = i.options.until.value_or(INT64_MAX);
  RunSummary summary;
  std::optional<Divergence> diverged;  // of the first run that did
  for (;;) {
    LiveLoop& loop = *i.loop;
    if (i.options.record) i.worker->run([&i] { i.start_first_recording(); });
    RunOptions how;
    how.until = left;
    how.goes_on = !i.options.once;
    how.clock = ClockKind::kWall;
    how.pace = i.options.pace;
    i.anew = false;
    how.between = [this, &i, &loop](const PacerCounts& counts) {
      loop.between_ticks(counts);
      return !stopped_.load(std::memory_order_relaxed) && !i.anew.load(std::memory_order_relaxed);
    };
    summary = run_session(loop.session, how);
    if (!diverged) diverged = summary.diverged;
    loop.gate.close();
    i.worker->run([&i] { i.end_recording(); });
    left -= loop.session.now();
    if ((i.options.once && !i.anew) || left <= 0) break;
    const auto until = std::chrono::steady_clock::now() + kPause;
    while (!stopped_ && !i.anew && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (stopped_) break;
    auto next = std::make_unique<LiveLoop>(i.app, i.options.parameters);
    i.worker->run([&i, &next] { i.tape.set_loop(&next->session, &next->gate); });
    i.server.run([&i, &next] { i.hub.set_loop(*next); });
    i.loop = std::move(next);
  }
  i.server.stop("the server ended");
  summary.diverged = diverged;
  return summary;
}

const std::string& Station::code() const { return impl_->access.code(); }
std::string Station::new_key() { return impl_->access.new_key(); }
std::string Station::new_token(const std::string& name) { return impl_->access.new_token(name); }
std::vector<PairedDevice> Station::devices() const { return impl_->access.devices(); }
std::string Station::end_device(int device) { return impl_->end_device(device); }
std::vector<std::string> Station::take_notices() { return impl_->notices.take(); }

int Station::failed_recordings() const { return impl_->failed_recordings; }

StationStatus Station::status() const {
  const auto promise = std::make_shared<std::promise<StationStatus>>();
  auto future = promise->get_future();
  impl_->server.post([&i = *impl_, promise] { promise->set_value(i.hub.told_people()); });
  return future.wait_for(kStatusTime) == std::future_status::ready ? future.get() : StationStatus();
}

}  // namespace handspan
