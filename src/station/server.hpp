#pragma once
// HTTP and WebSockets of the station, on one thread of its own. What clients say goes to a hub on
// that thread. Boost.Beast is included in server.cpp only.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "station/hub.hpp"
#include "station/page_files.hpp"

namespace handspan {

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any that is free
  std::vector<std::string>
      hosts;                     // names it may be called by, besides this machine's own for itself
  std::string certificate, key;  // PEM; empty: no TLS
  // of recordings, asked for from other machines: "NAME=VALUE"; empty: nobody needs it
  std::string cookie;
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
  /// Starts the thread. Both outlive the thread
  void start(Hub& hub, const PageFiles& pages);
  /// Runs something on the thread.
  void post(std::function<void()> work);
  /// The same, and waits until it has run. Not from the thread itself.
  void run(const std::function<void()>& work);
  /// Closes clients with that reason and ends the thread.
  void stop(const std::string& reason);

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace handspan
