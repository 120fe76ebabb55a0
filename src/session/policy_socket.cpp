#include "session/policy_socket.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "core/error.hpp"

namespace handspan {
namespace {

constexpr std::size_t kLengthBytes = 4;  // most significant byte first

std::string errno_words() { return std::generic_category().message(errno); }

sockaddr_un socket_address(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string text = path.string();
  if (text.size() >= sizeof address.sun_path)
    throw InputError(
        fmt::format("the socket's path is {} bytes long, and {} are possible; choose "
                    "a shorter one",
                    text.size(), sizeof address.sun_path - 1));
  std::memcpy(address.sun_path, text.c_str(), text.size() + 1);
  return address;
}

const sockaddr* plain(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

// One that a program which has ended left behind is taken away.
void clear_path(const std::filesystem::path& path, const sockaddr_un& address) {
  struct stat about{};
  if (lstat(path.c_str(), &about) != 0) return;
  if (!S_ISSOCK(about.st_mode))
    throw InputError(
        fmt::format("'{}' is there, and is no socket; choose another path", shown(path.string())));
  const int tries = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool in_use = tries >= 0 && ::connect(tries, plain(address), sizeof address) == 0;
  if (tries >= 0) ::close(tries);
  if (in_use)
    throw InputError(
        fmt::format("somebody listens on '{}' already; end that program, or choose "
                    "another path",
                    shown(path.string())));
  ::unlink(path.c_str());
}

}  // namespace

PolicySocket::PolicySocket(const std::filesystem::path& path) : path_(path) {
  const sockaddr_un address = socket_address(path);
  clear_path(path, address);
  listens_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  // only for this user: it moves an arm
  const mode_t before = ::umask(0177);
  const bool good = listens_ >= 0 && ::bind(listens_, plain(address), sizeof address) == 0 &&
                    ::listen(listens_, 1) == 0;
  const std::string why = errno_words();
  ::umask(before);
  if (good) return;
  if (listens_ >= 0) ::close(listens_);
  throw InputError(fmt::format("no socket can be made at '{}': {}", shown(path.string()), why));
}

PolicySocket::~PolicySocket() {
  let_go();
  ::close(listens_);
  ::unlink(path_.c_str());
}

void PolicySocket::let_go() {
  if (client_ >= 0) ::close(client_);
  client_ = -1;
}

void PolicySocket::wait(int file, short what, Clock::time_point until,
                        const std::atomic<bool>& stops, const char* late) const {
  for (;;) {
    if (stops) throw InputError("the run has ended");
    pollfd waits{file, what, 0};
    if (::poll(&waits, 1, 10) > 0) return;
    if (Clock::now() >= until) throw InputError(late);
  }
}

void PolicySocket::send(const std::string& message, Clock::time_point until,
                        const std::atomic<bool>& stops) {
  if (client_ < 0) {
    wait(listens_, POLLIN, until, stops, "no client has connected");
    client_ = ::accept4(listens_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (client_ < 0) throw InputError("a client could not be connected: " + errno_words());
  }
  std::string bytes(kLengthBytes, '\0');
  for (std::size_t i = 0; i < kLengthBytes; ++i)
    bytes[i] = static_cast<char>(message.size() >> (8 * (kLengthBytes - 1 - i)) & 0xFFU);
  bytes += message;
  for (std::size_t done = 0; done < bytes.size();) {
    wait(client_, POLLOUT, until, stops, "its client does not read what it is sent");
    const ssize_t n = ::send(client_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (n > 0) {
      done += static_cast<std::size_t>(n);
    } else if (n < 0 && errno != EAGAIN && errno != EINTR) {
      let_go();
      throw InputError("its client is gone");
    }
  }
}

void PolicySocket::read(char* to, std::size_t size, const char* of, Clock::time_point until,
                        const std::atomic<bool>& stops) {
  for (std::size_t done = 0; done < size;) {
    wait(client_, POLLIN, until, stops, "its client has not answered in time");
    const ssize_t n = ::recv(client_, to + done, size - done, 0);
    if (n > 0) {
      done += static_cast<std::size_t>(n);
      continue;
    }
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    let_go();
    if (done == 0 && of == nullptr) throw InputError("its client is gone");
    throw InputError(fmt::format("its client is gone in the middle of a message: {} of {} bytes{}",
                                 done, size, of == nullptr ? " of its length came" : of));
  }
}

std::string PolicySocket::receive(Clock::time_point until, const std::atomic<bool>& stops) {
  std::array<char, kLengthBytes> head{};
  read(head.data(), head.size(), nullptr, until, stops);
  std::size_t size = 0;
  for (const char byte : head) size = size << 8U | static_cast<unsigned char>(byte);
  if (size == 0 || size > kMostPolicyMessage) {
    // what follows cannot be told apart any more
    let_go();
    throw InputError(fmt::format("its client announces a message of {} bytes; from 1 to {} can be",
                                 size, kMostPolicyMessage));
  }
  std::string message(size, '\0');
  read(message.data(), size, " came", until, stops);
  return message;
}

}  // namespace handspan
