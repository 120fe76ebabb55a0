#include "cli/end_signals.hpp"

#include <unistd.h>

#include <array>
#include <csignal>
#include <ctime>
#include <string_view>

#include "core/time.hpp"
#include "device/raw_terminal.hpp"

namespace handspan {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

std::atomic<bool> asked{false};
std::atomic<void (*)()> call{nullptr};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal's handler sets it");

// a terminal and a program around this one may both pass on what a person asked once
constexpr Nanoseconds kSame = kSecond / 2;

std::atomic<Nanoseconds> first{0};  // when it was asked

// calls only what a signal's handler may
void on_signal(int number) {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  const Nanoseconds now = time.tv_sec * kSecond + time.tv_nsec;
  if (asked.exchange(true)) {
    if (now - first.load() < kSame) return;
    restore_terminal();
    std::signal(number, SIG_DFL);
    std::raise(number);
    return;
  }
  first = now;
  if (const auto told = call.load()) told();
  constexpr std::string_view kWords = "\nending; once more ends at once\n";
  if (::isatty(STDERR_FILENO) != 0)
    static_cast<void>(!::write(STDERR_FILENO, kWords.data(), kWords.size()));
}

}  // namespace

EndSignals::EndSignals() {
  asked = false;
  for (const int number : kSignals) {
    struct sigaction before{};
    sigaction(number, nullptr, &before);
    // what runs under nohup goes on when its terminal is closed
    if (before.sa_handler == SIG_IGN) continue;
    struct sigaction action{};
    action.sa_handler = on_signal;
    sigaction(number, &action, nullptr);
  }
}

EndSignals::~EndSignals() { end_at_once(); }

void end_at_once() {
  for (const int number : kSignals) {
    struct sigaction now{};
    sigaction(number, nullptr, &now);
    if (now.sa_handler == on_signal) std::signal(number, SIG_DFL);
  }
}

void on_end(void (*told)()) { call = told; }

bool end_asked() { return asked.load(std::memory_order_relaxed); }
const std::atomic<bool>& end_flag() { return asked; }

}  // namespace handspan
