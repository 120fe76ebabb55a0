#include "cli/serve_terminal.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>

#include "core/error.hpp"
#include "session/pacer.hpp"

namespace handspan {
namespace {

constexpr int kLook = 100;             // [ms]
constexpr int kFigures = 5;            // looks
constexpr std::size_t kLongest = 200;  // of what is typed in one line

bool in_foreground() { return isatty(STDIN_FILENO) == 0 || tcgetpgrp(STDIN_FILENO) == getpgrp(); }

}  // namespace

ServeTerminal::ServeTerminal(Station& station)
    : station_(station), figures_(isatty(fileno(stderr)) != 0), thread_([this] { run(); }) {}

ServeTerminal::~ServeTerminal() {
  over_ = true;
  thread_.join();
}

void ServeTerminal::run() {
  for (int look = 0; !over_; ++look) {
    hear();
    for (const std::string& line : station_.take_notices()) say(line);
    if (!figures_ || look % kFigures != 0) continue;
    const StationStatus s = station_.status();
    fmt::print(stderr, "\r\033[K{:.1f} s, {} here, {}{}, {} late ticks", seconds(s.simulated),
               s.clients, s.operator_name.empty() ? "nobody" : s.operator_name + " operates",
               s.recording ? ", recording" : "", s.pacer.overruns);
  }
  for (const std::string& line : station_.take_notices()) say(line);
  if (figures_) fmt::print(stderr, "\r\033[K");
}

// waits for a line, a while
void ServeTerminal::hear() {
  // in the background reading would stop the program
  if (heard_all_ || !in_foreground()) {
    poll(nullptr, 0, kLook);
    return;
  }
  pollfd in{STDIN_FILENO, POLLIN, 0};
  if (poll(&in, 1, kLook) <= 0) return;
  char buffer[256];
  const ssize_t n = read(STDIN_FILENO, buffer, sizeof buffer);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (n <= 0) {
    heard_all_ = true;
    return;
  }
  for (ssize_t i = 0; i < n; ++i) {
    if (buffer[i] != '\n') {
      if (typed_.size() < kLongest) typed_ += buffer[i];
      continue;
    }
    obey(typed_);
    typed_.clear();
  }
}

void ServeTerminal::obey(const std::string& line) {
  const std::size_t space = line.find(' ');
  const std::string word = line.substr(0, space);
  if (word.empty()) return;
  if (word == "devices") {
    const auto devices = station_.devices();
    if (devices.empty()) say("no device is paired");
    const Nanoseconds now = steady_now();
    for (const PairedDevice& device : devices)
      say(fmt::format("{}: {}, {}, seen {:.0f} s ago", device.id, device.name, device.address,
                      seconds(now - device.seen)));
    return;
  }
  int id = 0;
  if (word == "end" && space != std::string::npos)
    (void)std::from_chars(line.data() + space + 1, line.data() + line.size(), id);
  if (word != "end" || id == 0)
    return say(
        fmt::format("'{}' is not a command; there are: devices, end N (of devices)", shown(line)));
  const std::string name = station_.end_device(id);
  say(name.empty() ? fmt::format("there is no paired device {}", id)
                   : fmt::format("the pairing of device {} ({}) is ended", id, name));
}

void ServeTerminal::say(const std::string& line) const {
  fmt::print(stderr, "{}{}\n", figures_ ? "\r\033[K" : "", line);
}

}  // namespace handspan
