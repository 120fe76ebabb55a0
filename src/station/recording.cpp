#include "station/recording.hpp"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "core/error.hpp"
#include "log/log_file.hpp"
#include "mujoco/picture.hpp"

namespace handspan {
namespace {

constexpr std::array<int, 2> kThumbnail = {320, 180};
// how far ahead the first tick of a recording is said; doubled when the loop was there before
constexpr Nanoseconds kAhead = 50'000'000;
constexpr int kTries = 6;
// before that the first chunks are no rate
constexpr double kRateTime = 3.0;  // [s]

// what can be read of a log that was not finished
std::string kept_of(const std::filesystem::path& file) {
  try {
    const LogFile log(file);
    return fmt::format("its first {:.1f} s are kept",
                       seconds((log.ticks() - log.first_tick()) * log.base_period()));
  } catch (const std::exception&) {
    return "nothing of it can be read";
  }
}

}  // namespace

RecorderGate::RecorderGate(Session& session) {
  std::vector<std::byte> bytes;
  session.snapshot(bytes);
  snapshot_bytes_ = bytes.size();
  save_plant(session);
  // contacts may grow
  plant_state_.reserve(2 * plant_state_.size() + (1U << 16U));
  plant_state_.clear();
  ticks_ = session.ticks();
}

void RecorderGate::between_ticks(Session& session) noexcept {
  ticks_.store(session.ticks(), std::memory_order_relaxed);
  switch (errand_.load(std::memory_order_acquire)) {
    case Errand::kBegin:
      if (session.ticks() < tick_) return;
      if (session.ticks() > tick_) {
        errand_.store(Errand::kMissed, std::memory_order_release);
        return;
      }
      session.watch(*recorder_);
      errand_.store(Errand::kDone, std::memory_order_release);
      return;
    case Errand::kEnd:
      // what was sent before the end was asked for is taken in the tick that follows: a mark too
      if (session.ticks() < tick_) return;
      recorder_->end(session);
      session.unwatch(*recorder_);
      save_plant(session);
      errand_.store(Errand::kDone, std::memory_order_release);
      return;
    default:
      return;
  }
}

// what a picture needs; nothing when nothing is simulated
void RecorderGate::save_plant(Session& session) noexcept {
  if (session.world() != nullptr) session.world()->snapshot(plant_state_);
}

void RecorderGate::close() noexcept { closed_.store(true, std::memory_order_release); }

bool RecorderGate::wait() {
  for (;;) {
    // asked before the errand: what the loop did before it ended is then seen
    const bool over = closed();
    const Errand errand = errand_.load(std::memory_order_acquire);
    if (errand == Errand::kDone || errand == Errand::kMissed || over) {
      errand_.store(Errand::kNone, std::memory_order_relaxed);
      return errand == Errand::kDone;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

bool RecorderGate::begin(Recorder& recorder, std::int64_t tick) {
  recorder_ = &recorder;
  tick_ = tick;
  errand_.store(Errand::kBegin, std::memory_order_release);
  return wait();
}

void RecorderGate::end(Recorder& recorder) {
  plant_state_.clear();
  recorder_ = &recorder;
  tick_ = ticks() + 2;  // the one that is under way took its inputs before
  errand_.store(Errand::kEnd, std::memory_order_release);
  wait();
}

Recording::~Recording() {
  if (recorder_) stop();
}

void Recording::set_loop(Session* session, RecorderGate* gate) {
  session_ = session;
  gate_ = gate;
}

void Recording::start(const std::string& wish, bool running) {
  if (recorder_) throw InputError("a recording is under way; stop it first");
  if (session_ == nullptr || gate_->closed())
    throw InputError("the loop is not running; wait until it has started again");
  const std::filesystem::path file = records_.new_file(wish.empty() ? session_->app().name : wish);
  Nanoseconds ahead = kAhead;
  for (int i = 0; i < kTries; ++i, ahead *= 2) {
    std::int64_t first = running ? 0 : session_->ticks();
    RecorderOptions options;
    options.extent = session_->app().record;
    if (running)
      options.running = RunningSession{gate_->snapshot_bytes(), [&] {
                                         first = gate_->ticks() + ahead / session_->base_period();
                                         return first;
                                       }};
    std::unique_ptr<Recorder> recorder;
    try {
      recorder = std::make_unique<Recorder>(*session_, file, options);
    } catch (const std::exception&) {
      // of what could not be begun nothing stays
      std::error_code error;
      std::filesystem::remove(file, error);
      throw;
    }
    if (running && !gate_->begin(*recorder, first)) {
      recorder.reset();
      std::filesystem::remove(file);
      continue;
    }
    const std::lock_guard lock(mutex_);
    first_tick_ = first;
    begun_ = std::chrono::steady_clock::now();
    first_bytes_ = recorder->status().bytes;
    recorder_ = std::move(recorder);
    status_ = {};
    status_.on = true;
    status_.file = file.filename().string();
    return;
  }
  throw InputError("the recording could not be started: the loop ran ahead of it; try again");
}

void Recording::stop() {
  if (!recorder_) throw InputError("nothing is being recorded");
  gate_->end(*recorder_);
  const bool whole = recorder_->close();
  const LogStatus log = recorder_->status();
  const std::string kept = log.failed ? kept_of(records_.folder() / status_.file) : "";
  {
    const std::lock_guard lock(mutex_);
    status_.on = false;
    status_.failed = log.failed;
    status_.seconds = seconds((gate_->ticks() - first_tick_) * session_->base_period());
    status_.kept = kept;
    if (log.failed)
      status_.message = fmt::format("the recording ended by itself: {}; {}", log.message, kept);
    else if (!whole)
      status_.message = fmt::format("{} messages were lost: the disk is too slow", log.dropped);
    recorder_.reset();
  }
  // a loop that has ended stays as it is until the next one is set
  if (const World* world = session_->world()) {
    std::vector<std::byte> state = gate_->plant_state();
    if (gate_->closed()) world->snapshot(state);
    write_thumbnail(state);
  }
}

void Recording::write_thumbnail(const std::vector<std::byte>& plant_state) {
  try {
    const App& app = session_->app();
    write_picture(app.scene, session_->world()->robots(), plant_state,
                  {kThumbnail, app.picture.view}, records_.thumbnail(status_.file));
  } catch (const std::exception& error) {
    // a list without a picture is no failure of the recording, and hides none
    const std::lock_guard lock(mutex_);
    if (status_.message.empty()) status_.message = fmt::format("no thumbnail: {}", error.what());
  }
}

RecordingStatus Recording::status() const {
  const std::lock_guard lock(mutex_);
  RecordingStatus status = status_;
  if (recorder_) {
    status.seconds =
        std::max(0.0, seconds((gate_->ticks() - first_tick_) * session_->base_period()));
    const LogStatus log = recorder_->status();
    status.failed = log.failed;
    if (log.failed) status.message = fmt::format("the recording ended by itself: {}", log.message);
    const double wall =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
    if (wall > kRateTime && !log.failed && log.bytes > first_bytes_)
      rate_ = static_cast<double>(log.bytes - first_bytes_) / wall;
  }
  status.free = disk_.free_bytes();
  if (status.free && rate_ > 0.0) status.left = static_cast<double>(*status.free) / rate_;
  return status;
}

}  // namespace handspan
