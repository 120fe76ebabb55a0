#pragma once
// HTTP and WebSockets of the station, on one thread of its own. What clients say goes to a hub on
// that thread. The page's files and pairing are for everybody who can reach it, all else for those
// who show a token. Boost.Beast is included in its sources only (server_impl.hpp).
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "station/access.hpp"
#include "station/hub.hpp"
#include "station/notices.hpp"
#include "station/page_files.hpp"

namespace handspan {

struct ServerOptions {
  bool lan = false;        // at every address of this machine, of IPv4 and IPv6; else at loopback's
  std::uint16_t port = 0;  // 0: any that is free
  std::vector<std::string>
      hosts;                     // names it may be called by, besides this machine's own for itself
  std::string certificate, key;  // PEM; empty: no TLS
};

class Server {
 public:
  /// Takes the port. @throws InputError when it cannot: taken, not allowed, no such address
  explicit Server(const ServerOptions& options);
  /// Ends the thread.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;
  /// Starts the thread. All of them outlive it
  void start(Hub& hub, const PageFiles& pages, Access& access, Notices& notices);
  /// Runs something on the thread.
  void post(std::function<void()> work);
  /// The same, and waits until it has run. Not from the thread itself.
  void run(const std::function<void()>& work);
  /// Closes all that a device has open; its token has ended. On the thread.
  void end_device(int device);
  /// Closes clients with that reason and ends the thread.
  void stop(const std::string& reason);

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

/// "handspan_8780": of each port its own, since a browser sends cookies of one port of a host to
/// all of them. With TLS as a cookie that no other server of that host can have set.
std::string cookie_name(std::uint16_t port, bool tls);

}  // namespace handspan
