#include "device/raw_terminal.hpp"

#include <fcntl.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <functional>

#include "core/error.hpp"
#include "device/pseudo_terminal.hpp"

namespace handspan {
namespace raw_terminal_test {

using test::PseudoTerminal;
using test::same_modes;

std::string refusal(const std::string& path) {
  try {
    RawTerminal raw(path);
    return "none";
  } catch (const InputError& error) {
    return error.what();
  }
}

// runs it in a process whose terminal is a new one, types when it is ready, waits for its end
// @return how it ended, and whether the terminal is as it was
std::pair<int, bool> run_in_terminal(const std::function<void()>& program, const char* typed,
                                     int signal_number = 0) {
  int master = -1;
  std::array<int, 2> ready{}, looked{};
  EXPECT_EQ(pipe(ready.data()), 0);
  EXPECT_EQ(pipe(looked.data()), 0);
  // the modes before, as the child sees them: both ends share them
  const pid_t child = forkpty(&master, nullptr, nullptr, nullptr);
  if (child == 0) {
    termios modes{};
    tcgetattr(STDIN_FILENO, &modes);
    static_cast<void>(!write(ready[1], &modes, sizeof modes));
    RawTerminal* raw = new RawTerminal("");
    static_cast<void>(!write(ready[1], "r", 1));
    // not before the modes were looked at
    char go = 0;
    static_cast<void>(!read(looked[0], &go, 1));
    program();
    delete raw;
    _exit(0);
  }
  termios before{}, after{}, during{};
  char sign = 0;
  EXPECT_EQ(read(ready[0], &before, sizeof before), static_cast<ssize_t>(sizeof before));
  EXPECT_EQ(read(ready[0], &sign, 1), 1);
  EXPECT_EQ(tcgetattr(master, &during), 0);
  EXPECT_EQ(during.c_lflag & (ICANON | ECHO), 0U);
  EXPECT_NE(during.c_lflag & ISIG, 0U);
  EXPECT_EQ(write(looked[1], "g", 1), 1);
  const std::string text(typed);
  EXPECT_EQ(write(master, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  if (signal_number != 0) kill(child, signal_number);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(tcgetattr(master, &after), 0) << strerror(errno);
  close(master);
  close(ready[0]);
  close(ready[1]);
  close(looked[0]);
  close(looked[1]);
  return {status, same_modes(before, after)};
}

[[noreturn]] void wait_for_ever() {
  while (true) pause();
}

TEST(RawTerminal, NeitherLinesNorEchoAndBackAsItWas) {
  PseudoTerminal terminal;
  const termios before = terminal.modes();
  ASSERT_NE(before.c_lflag & (ICANON | ECHO), 0U);
  {
    RawTerminal raw(terminal.path());
    const termios during = terminal.modes();
    EXPECT_EQ(during.c_lflag & (ICANON | ECHO), 0U);
    EXPECT_NE(during.c_lflag & ISIG, 0U);
    EXPECT_EQ(during.c_oflag, before.c_oflag);
    terminal.type("w");
    char key = 0;
    fcntl(raw.fd(), F_SETFL, 0);
    EXPECT_EQ(read(raw.fd(), &key, 1), 1);
    EXPECT_EQ(key, 'w');
  }
  EXPECT_TRUE(same_modes(before, terminal.modes()));
}

TEST(RawTerminal, CtrlCInterruptsAndTheTerminalIsAsItWas) {
  const auto [status, restored] = run_in_terminal(wait_for_ever, "\x03");
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
  EXPECT_TRUE(restored);
}

TEST(RawTerminal, CtrlZAndCtrlSDoNothing) {
  const auto [status, restored] = run_in_terminal(wait_for_ever, "\x1a\x13\x03");
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
  EXPECT_TRUE(restored);
}

TEST(RawTerminal, IsAsItWasAfterSignalsAndExit) {
  for (const int number : {SIGTERM, SIGHUP, SIGQUIT}) {
    const auto [status, restored] = run_in_terminal(wait_for_ever, "", number);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == number) << status;
    EXPECT_TRUE(restored) << number;
  }
  const auto [status, restored] = run_in_terminal([] { std::exit(3); }, "");
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_TRUE(restored);
}

TEST(RawTerminal, ASignalThatTheProgramHandlesIsItsOwn) {
  static volatile std::sig_atomic_t handled = 0;
  std::signal(SIGTERM, [](int) { handled = 1; });
  PseudoTerminal terminal;
  {
    RawTerminal raw(terminal.path());
    std::raise(SIGTERM);
    EXPECT_EQ(handled, 1);
    EXPECT_EQ(terminal.modes().c_lflag & ECHO, 0U);
  }
  struct sigaction now = {};
  sigaction(SIGINT, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

TEST(RawTerminal, WhatIsNoTerminalIsRefusedWithWhatToDo) {
  EXPECT_EQ(refusal("/dev/null"),
            "'/dev/null' is not a terminal; run it in one, or name yours: terminal: /dev/tty");
  EXPECT_EQ(refusal("/dev/pts/none"),
            "'/dev/pts/none' cannot be opened: No such file or directory; `tty` tells the name of "
            "a terminal");
  // standard input, in a process where it is none
  const pid_t child = fork();
  if (child == 0) {
    const int null = open("/dev/null", O_RDONLY);
    dup2(null, STDIN_FILENO);
    _exit(
        refusal("") ==
                "standard input is not a terminal; run it in one, or name yours: terminal: /dev/tty"
            ? 0
            : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  // after a refusal there may be one
  PseudoTerminal terminal;
  EXPECT_EQ(refusal(terminal.path()), "none");
}

TEST(RawTerminal, ThereIsOneAtATime) {
  PseudoTerminal terminal;
  RawTerminal raw(terminal.path());
  EXPECT_EQ(refusal(terminal.path()),
            "'" + terminal.path() +
                "' cannot be read: another device reads a terminal; there can be one");
}

TEST(RawTerminal, InTheBackgroundItIsRefused) {
  int master = -1;
  const pid_t child = forkpty(&master, nullptr, nullptr, nullptr);
  if (child == 0) {
    const pid_t background = fork();
    if (background == 0) {
      setpgid(0, 0);
      _exit(refusal("") ==
                    "standard input is not this program's: it runs in the background; start it "
                    "without &"
                ? 0
                : 1);
    }
    int status = 1;
    waitpid(background, &status, 0);
    _exit(status == 0 ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  close(master);
}

}  // namespace raw_terminal_test
}  // namespace handspan
