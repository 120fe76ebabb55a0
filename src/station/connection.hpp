#pragma once
// What the station has of a client's socket. All of it on the I/O thread.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "station/protocol.hpp"

namespace handspan {

class Connection {
 public:
  virtual ~Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  Connection() = default;

  /// Messages that were given to it and are not sent, the one on its way included.
  virtual std::size_t waiting() const = 0;
  virtual void send_text(std::string text) = 0;
  virtual void send_bytes(const std::vector<std::uint8_t>& bytes) = 0;
  /// Sends what waits, then closes. The station forgets it: it is not called any more.
  virtual void close(CloseCode code, std::string_view reason) = 0;
};

}  // namespace handspan
