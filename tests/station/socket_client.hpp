#pragma once
// A browser's half of HTTP and WebSockets on plain sockets, for tests: it knows nothing of the
// server's library. Blocking, with a limit of 10 s.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace handspan::test {

class SocketClient {
 public:
  struct Message {
    int opcode = 0;  // 1 text, 2 binary, 8 close; 0: the connection is gone
    std::string bytes;
    int code() const {
      return bytes.size() < 2 ? 0
                              : (static_cast<unsigned char>(bytes[0]) << 8) +
                                    static_cast<unsigned char>(bytes[1]);
    }
  };

  /// @param token that it shows; empty: none  @param receive_buffer of the socket [bytes]; 0: the
  /// system's
  explicit SocketClient(std::uint16_t port, std::string token = "", int receive_buffer = 0,
                        bool ipv6 = false)
      : socket_(::socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM, 0)),
        port_(port),
        token_(std::move(token)) {
    if (receive_buffer > 0)
      setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    timeval limit{10, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sockaddr_in6 address6{};
    address6.sin6_family = AF_INET6;
    address6.sin6_port = htons(port);
    address6.sin6_addr = in6addr_loopback;
    const int connected =
        ipv6 ? connect(socket_, reinterpret_cast<sockaddr*>(&address6), sizeof address6)
             : connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address);
    if (connected != 0) {
      disconnect();
      throw std::runtime_error("cannot connect");
    }
  }
  ~SocketClient() { disconnect(); }
  SocketClient(const SocketClient&) = delete;
  SocketClient& operator=(const SocketClient&) = delete;

  /// As a killed page does.
  void disconnect() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }

  bool send_raw(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }

  /// Status line, header and body of one request.
  std::string http(const std::string& method, const std::string& target,
                   const std::string& header = "", std::string host = "",
                   const std::string& body = "") {
    if (host.empty()) host = "localhost:" + std::to_string(port_);
    send_raw(method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n" +
             shown_token() + header + "\r\n" + body);
    std::string all;
    char buffer[65536];
    for (ssize_t n; (n = recv(socket_, buffer, sizeof buffer, 0)) > 0;)
      all.append(buffer, static_cast<std::size_t>(n));
    return all;
  }

  /// @return the status line of the answer to an upgrade
  std::string upgrade(const std::string& header = "", std::string host = "",
                      const std::string& protocol = "handspan.1") {
    if (host.empty()) host = "localhost:" + std::to_string(port_);
    send_raw("GET /ws HTTP/1.1\r\nHost: " + host +
             "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: " +
             protocol + "\r\n" + shown_token() + header + "\r\n");
    while (in_.find("\r\n\r\n") == std::string::npos)
      if (!receive()) return in_;
    const std::size_t end = in_.find("\r\n\r\n");
    const std::string answer = in_.substr(0, end);
    in_.erase(0, end + 4);
    return answer;
  }

  bool send_frame(int opcode, std::string_view payload, bool final = true) {
    std::string frame(1, static_cast<char>((final ? 0x80 : 0) | opcode));
    const std::size_t n = payload.size();
    if (n < 126) {
      frame += static_cast<char>(0x80 | n);
    } else if (n < 65536) {
      frame += static_cast<char>(0x80 | 126);
      frame += static_cast<char>(n >> 8);
      frame += static_cast<char>(n);
    } else {
      frame += static_cast<char>(0x80 | 127);
      for (int shift = 56; shift >= 0; shift -= 8)
        frame += static_cast<char>(static_cast<std::uint64_t>(n) >> shift);
    }
    const char mask[4] = {0x12, 0x34, 0x56, 0x78};
    frame.append(mask, 4);
    for (std::size_t i = 0; i < n; ++i) frame += static_cast<char>(payload[i] ^ mask[i % 4]);
    return send_raw(frame);
  }
  bool say(const nlohmann::json& message) { return send_frame(1, message.dump()); }
  bool give(std::span<const std::uint8_t> bytes) {
    return send_frame(2, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }

  /// The next message; pings are answered.
  Message next() {
    for (;;) {
      Message message;
      std::size_t head = 2, size = 0;
      while (in_.size() < head)
        if (!receive()) return message;
      const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(in_[i]); };
      size = byte(1) & 0x7F;
      if (size >= 126) {
        const std::size_t more = size == 126 ? 2 : 8;
        while (in_.size() < head + more)
          if (!receive()) return message;
        size = 0;
        for (std::size_t i = 0; i < more; ++i) size = (size << 8) + byte(head + i);
        head += more;
      }
      while (in_.size() < head + size)
        if (!receive()) return message;
      message.opcode = byte(0) & 0x0F;
      message.bytes = in_.substr(head, size);
      in_.erase(0, head + size);
      if (message.opcode == 9) {
        send_frame(10, message.bytes);
        continue;
      }
      return message;
    }
  }
  /// The next text of a type; others, and frames, are passed over. Null: closed before.
  nlohmann::json next_text(const std::string& type) {
    for (;;) {
      const Message message = next();
      if (message.opcode == 0 || message.opcode == 8) {
        closed_ = message;
        return {};
      }
      if (message.opcode != 1) continue;
      auto json = nlohmann::json::parse(message.bytes);
      if (json["type"] == type) return json;
    }
  }
  /// Reads up to the closing. @return its code; 0: gone without one
  Message next_close() {
    for (;;) {
      const Message message = next();
      if (message.opcode == 0 || message.opcode == 8) return message;
    }
  }
  const Message& closed() const { return closed_; }
  /// The server ended the connection, rather than that nothing came in time.
  bool ended() const { return ended_; }

  /// Upgrades and says hello. @return the welcome
  nlohmann::json join(const std::string& name, const std::string& role = "operator") {
    upgrade();
    say({{"type", "hello"}, {"protocol", 1}, {"name", name}, {"role", role}});
    return next_text("welcome");
  }
  /// @return the answer's reason; "" when it was done
  std::string ask(nlohmann::json message) {
    message["id"] = ++request_;
    say(message);
    for (;;) {
      const auto answer = next_text("answer");
      if (answer.is_null()) return "closed";
      if (answer["to"] == request_) return answer.value("reason", "");
    }
  }

 private:
  std::string shown_token() const {
    return token_.empty() ? ""
                          : "Cookie: handspan_" + std::to_string(port_) + "=" + token_ + "\r\n";
  }
  bool receive() {
    char buffer[65536];
    const ssize_t n = recv(socket_, buffer, sizeof buffer, 0);
    ended_ = n == 0 || (n < 0 && errno == ECONNRESET);
    if (n <= 0) return false;
    in_.append(buffer, static_cast<std::size_t>(n));
    return true;
  }

  int socket_;
  std::uint16_t port_;
  std::string token_, in_;
  Message closed_;
  int request_ = 0;
  bool ended_ = false;
};

}  // namespace handspan::test
