#pragma once
// A terminal that gives characters as they are typed and does not show them. As it was before, it
// is again when the object goes, when the program exits, and when a signal ends it. Ctrl-C
// interrupts as ever; Ctrl-Z and Ctrl-S do nothing, since a loop that moves arms must not be
// suspended by a slip.
#include <string>

namespace handspan {

class RawTerminal {
 public:
  /// One at a time in a process. @param path of the terminal; empty: standard input
  /// @throws InputError when it is none, cannot be opened, is in use, or this program is in the
  /// background
  explicit RawTerminal(const std::string& path);
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

  /// To read from.
  int fd() const { return fd_; }

 private:
  int fd_ = -1;
  bool owned_ = false;
};

/// As a RawTerminal's end does, if there is one. What a signal's handler may call.
void restore_terminal() noexcept;

}  // namespace handspan
