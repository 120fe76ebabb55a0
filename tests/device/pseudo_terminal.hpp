#pragma once
// A terminal that a test types on.
#include <gtest/gtest.h>
#include <pty.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>

namespace handspan::test {

class PseudoTerminal {
 public:
  PseudoTerminal() {
    std::array<char, 64> name{};
    EXPECT_EQ(openpty(&master_, &slave_, name.data(), nullptr, nullptr), 0) << strerror(errno);
    path_ = name.data();
  }
  ~PseudoTerminal() {
    hang_up();
    ::close(slave_);
  }
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  const std::string& path() const { return path_; }
  int master() const { return master_; }
  void type(const std::string& bytes) const {
    EXPECT_EQ(write(master_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  termios modes() const {
    termios modes{};
    EXPECT_EQ(tcgetattr(slave_, &modes), 0);
    return modes;
  }
  /// The person closes its window.
  void hang_up() {
    if (master_ >= 0) ::close(master_);
    master_ = -1;
  }

 private:
  int master_ = -1, slave_ = -1;
  std::string path_;
};

inline bool same_modes(const termios& a, const termios& b) {
  return a.c_lflag == b.c_lflag && a.c_iflag == b.c_iflag && a.c_oflag == b.c_oflag &&
         a.c_cflag == b.c_cflag && std::memcmp(a.c_cc, b.c_cc, sizeof a.c_cc) == 0;
}

}  // namespace handspan::test
