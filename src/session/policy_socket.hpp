#pragma once
// The line to a policy in another program: a Unix domain socket that handspan listens on, and
// messages with their length before them. One client at a time; when it is gone, the next one may
// come. For a thread of its own: it waits.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>

namespace handspan {

/// A message is at most this long [bytes].
inline constexpr std::size_t kMostPolicyMessage = 16U << 20U;

class PolicySocket {
 public:
  using Clock = std::chrono::steady_clock;

  /// Listens. A socket that nobody listens on any more is replaced.
  /// @throws InputError when the path is too long, is another kind of file, is in use or cannot be
  /// made
  explicit PolicySocket(const std::filesystem::path& path);
  ~PolicySocket();
  PolicySocket(const PolicySocket&) = delete;
  PolicySocket& operator=(const PolicySocket&) = delete;

  /// Waits for a client, if none is there, and sends it a message. @throws InputError why it could
  /// not before `until`, or since `stops` became true
  void send(const std::string& message, Clock::time_point until, const std::atomic<bool>& stops);
  /// The next message of the client. When what comes is cut or of a length that cannot be, the
  /// client is let go. @throws InputError as send()
  std::string receive(Clock::time_point until, const std::atomic<bool>& stops);

 private:
  void wait(int file, short what, Clock::time_point until, const std::atomic<bool>& stops,
            const char* late) const;
  void read(char* to, std::size_t size, const char* of, Clock::time_point until,
            const std::atomic<bool>& stops);
  void let_go();

  std::filesystem::path path_;
  int listens_ = -1, client_ = -1;
};

}  // namespace handspan
