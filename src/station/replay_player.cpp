#include "station/replay_player.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/error.hpp"
#include "log/logged_plants.hpp"

namespace handspan {
namespace {

using Clock = std::chrono::steady_clock;

// how often it looks whether somebody wants something else
constexpr auto kStep = std::chrono::milliseconds(10);

}  // namespace

ReplayPlayer::ReplayPlayer(const std::filesystem::path& file, const Parts& parts,
                           const ShownLayout& shown)
    : log_(file), app_(log_.app(parts)) {
  session_ = std::make_unique<Session>(app_, replay_options(log_, app_, false));
  const auto bad = [&](const char* what) {
    return InputError(fmt::format(
        "{} is of the app '{}' with other {} than those shown; serve the app that it is of",
        file.filename().string(), app_.name, what));
  };
  if (session_->base_period() != log_.base_period()) throw bad("ticks");
  const ShownLayout mine = shown_layout(*session_);
  if (mine.bodies != shown.bodies) throw bad("bodies");
  if (mine.references != shown.references) throw bad("references");
  if (!std::ranges::equal(mine.channels, shown.channels,
                          [](const ChannelInfo& a, const ChannelInfo& b) {
                            return a.name == b.name && a.type == b.type && a.size == b.size;
                          }))
    throw bad("channels");
  start_ = seconds(log_.first_tick() * log_.base_period());
  end_ = seconds(log_.ticks() * log_.base_period());
  tap_ = std::make_unique<LoopTap>(*session_);
  if (log_.first_tick() > 0) session_->restore(log_.key_frame(log_.first_tick()).second);
  thread_ = std::thread([this] { run(); });
}

ReplayPlayer::~ReplayPlayer() {
  over_ = true;
  if (thread_.joinable()) thread_.join();
  tap_.reset();
}

void ReplayPlayer::seek(double time) { seek_ = std::clamp(time, start_, end_); }

void ReplayPlayer::set_factor(double factor) {
  factor_ = std::clamp(factor, 0.0, kMostReplayFactor);
}

std::string ReplayPlayer::message() const {
  const std::lock_guard lock(mutex_);
  return message_;
}

void ReplayPlayer::run() noexcept {
  try {
    play();
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex_);
    message_ = error.what();
  }
}

// One tick, or over what is lost. @return false: nothing that follows can be shown
bool ReplayPlayer::step() {
  const std::int64_t tick = session_->ticks();
  for (const LostTicks& lost : log_.lost()) {
    if (tick < lost.first || tick > lost.last || tick == resumed_) continue;
    const auto next = log_.resumes(lost);
    {
      const std::lock_guard text(mutex_);
      message_ = fmt::format(
          "lost: from {:.1f} s {}", seconds(lost.first * log_.base_period()),
          next ? fmt::format("to {:.1f} s", seconds(*next * log_.base_period())) : "on");
    }
    if (!next) return false;
    session_->restore(log_.key_frame(*next).second);
    resumed_ = *next;
    return true;
  }
  session_->tick();
  return true;
}

void ReplayPlayer::play() {
  const std::int64_t last = log_.ticks();
  double due = 0.0;  // ticks that the clock owes
  Clock::time_point before = Clock::now();
  while (!over_) {
    if (const double wanted = seek_.exchange(-1.0); wanted >= 0.0) {
      const std::int64_t tick =
          std::clamp(static_cast<std::int64_t>(std::llround(wanted * 1e9)) / log_.base_period(),
                     log_.first_tick(), last);
      // from here on is nearer than from a key frame when it is less than one ahead
      const std::int64_t now = session_->ticks();
      if (const auto [key, bytes] = log_.key_frame(tick); tick < now || key > now)
        session_->restore(bytes);
      while (session_->ticks() < tick && !over_ && seek_ < 0.0 && step()) {
      }
      due = 0.0;
      before = Clock::now();
    }
    const Clock::time_point now = Clock::now();
    due += factor_ * std::chrono::duration<double>(now - before).count() * 1e9 /
           static_cast<double>(log_.base_period());
    before = now;
    const Clock::time_point until = now + kStep;
    while (due >= 1.0 && session_->ticks() < last && Clock::now() < until && step()) due -= 1.0;
    // a machine that is too slow for the factor plays slower
    due = std::min(due, 100.0);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace handspan
