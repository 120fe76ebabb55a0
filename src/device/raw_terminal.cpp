#include "device/raw_terminal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "core/error.hpp"
#include "core/escape.hpp"

namespace handspan {
namespace {

constexpr std::array kFatal = {SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGABRT,
                               SIGBUS, SIGFPE, SIGSEGV, SIGTERM};

// what a signal handler needs
std::atomic<bool> in_use{false};
std::atomic<int> raw_fd{-1};
termios before;
std::array<struct sigaction, kFatal.size()> actions_before;

// once, whoever comes first; calls only what a signal handler may
void restore() {
  const int fd = raw_fd.exchange(-1);
  if (fd < 0) return;
  // a program in the background is stopped when it sets a terminal, unless it blocks this
  sigset_t block, old;
  sigemptyset(&block);
  sigaddset(&block, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &block, &old);
  // keys that were typed for the arms are not for the shell
  tcflush(fd, TCIFLUSH);
  tcsetattr(fd, TCSANOW, &before);
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
}

void on_fatal_signal(int number) {
  restore();
  // and then what it does by itself
  std::signal(number, SIG_DFL);
  std::raise(number);
}

// signals that somebody handles are that one's, who will close devices
void take_signals() {
  for (std::size_t i = 0; i < kFatal.size(); ++i) {
    sigaction(kFatal[i], nullptr, &actions_before[i]);
    if (actions_before[i].sa_handler != SIG_DFL) continue;
    struct sigaction ours = {};
    ours.sa_handler = on_fatal_signal;
    sigaction(kFatal[i], &ours, nullptr);
  }
}

void give_signals_back() {
  for (std::size_t i = 0; i < kFatal.size(); ++i) {
    struct sigaction now = {};
    sigaction(kFatal[i], nullptr, &now);
    if (now.sa_handler == on_fatal_signal) sigaction(kFatal[i], &actions_before[i], nullptr);
  }
}

}  // namespace

void restore_terminal() noexcept { restore(); }

RawTerminal::RawTerminal(const std::string& path) {
  const std::string what = path.empty() ? "standard input" : "'" + printable(path) + "'";
  if (in_use.exchange(true))
    throw InputError(what + " cannot be read: another device reads a terminal; there can be one");
  const auto fail = [&](const std::string& cause) {
    if (owned_) ::close(fd_);
    in_use = false;
    throw InputError(cause);
  };
  owned_ = !path.empty();
  fd_ = owned_ ? ::open(path.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC) : STDIN_FILENO;
  if (fd_ < 0) {
    owned_ = false;
    fail(fmt::format("{} cannot be opened: {}; `tty` tells the name of a terminal", what,
                     std::strerror(errno)));
  }
  if (isatty(fd_) == 0)
    fail(what + " is not a terminal; run it in one, or name yours: terminal: /dev/tty");
  const pid_t foreground = tcgetpgrp(fd_);
  if (foreground >= 0 && foreground != getpgrp())
    fail(what + " is not this program's: it runs in the background; start it without &");
  termios raw;
  if (tcgetattr(fd_, &raw) != 0)
    fail(fmt::format("{} does not tell its modes: {}", what, std::strerror(errno)));
  before = raw;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | IEXTEN);
  raw.c_iflag &= ~static_cast<tcflag_t>(IXON);
  raw.c_cc[VSUSP] = _POSIX_VDISABLE;
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  static const int at_exit = std::atexit(restore);
  static_cast<void>(at_exit);
  take_signals();
  raw_fd = fd_;
  if (tcsetattr(fd_, TCSANOW, &raw) != 0) {
    const int error = errno;
    raw_fd = -1;
    give_signals_back();
    fail(fmt::format("{} does not take its modes: {}", what, std::strerror(error)));
  }
  // what was typed before was not meant
  tcflush(fd_, TCIFLUSH);
}

RawTerminal::~RawTerminal() {
  restore();
  give_signals_back();
  if (owned_) ::close(fd_);
  in_use = false;
}

}  // namespace handspan
