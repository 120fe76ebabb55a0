#pragma once
// What the server's sources share: the only header that includes Boost.Beast.
// executors whose types are known and no old interfaces: half the time to compile
#define BOOST_ASIO_NO_TS_EXECUTORS
#define BOOST_ASIO_NO_DEPRECATED
#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <deque>
#include <optional>
#include <thread>

#include "station/server.hpp"

namespace handspan {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using ErrorCode = beast::error_code;
using Request = http::request<http::string_body>;

// a whole header, from the first byte that it waits for; a closing or an upgrade likewise
inline constexpr auto kHeaderTime = std::chrono::seconds(5);

struct Server::Impl {
  explicit Impl(const ServerOptions& wanted) : options(wanted), timer(io) {}

  /// @return what is in the way
  ErrorCode listen();
  void accept(tcp::acceptor& acceptor);
  void poll();
  void end_device(int device);
  bool secure() const { return tls.has_value(); }

  ServerOptions options;
  std::optional<asio::ssl::context> tls;
  Places places;  // outlives those who hold one
  asio::io_context io{1};
  std::deque<tcp::acceptor> acceptors;
  asio::steady_timer timer;
  std::thread thread;
  Hub* hub = nullptr;
  const PageFiles* pages = nullptr;
  Access* access = nullptr;
  Notices* notices = nullptr;
  std::uint16_t port = 0;
  bool stopping = false;
};

/// TCP, later perhaps TLS over it, as one type: what is built on it is compiled once, and that
/// takes long.
class Stream {
 public:
  using executor_type = beast::tcp_stream::executor_type;
  using next_layer_type = beast::tcp_stream;

  explicit Stream(tcp::socket socket)
      : plain_(std::make_unique<beast::tcp_stream>(std::move(socket))) {}

  executor_type get_executor() { return next_layer().get_executor(); }
  beast::tcp_stream& next_layer() { return secure_ ? secure_->next_layer() : *plain_; }
  const beast::tcp_stream& next_layer() const { return secure_ ? secure_->next_layer() : *plain_; }

  /// From here on TLS. @param begun what was read of its beginning, kept until it is done
  /// @param done with how much of that was used
  void async_secure(asio::ssl::context& context, asio::const_buffer begun,
                    std::function<void(ErrorCode, std::size_t)> done) {
    secure_ = std::make_unique<Secure>(std::move(*plain_), context);
    plain_.reset();
    secure_->async_handshake(asio::ssl::stream_base::server, begun, std::move(done));
  }

  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return asio::async_initiate<Token, void(ErrorCode, std::size_t)>(
        [this](Handler handler, std::vector<asio::mutable_buffer> to) {
          if (secure_)
            secure_->async_read_some(to, std::move(handler));
          else
            plain_->async_read_some(to, std::move(handler));
        },
        token, listed<asio::mutable_buffer>(buffers));
  }

  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return asio::async_initiate<Token, void(ErrorCode, std::size_t)>(
        [this](Handler handler, std::vector<asio::const_buffer> from) {
          if (secure_)
            secure_->async_write_some(from, std::move(handler));
          else
            plain_->async_write_some(from, std::move(handler));
        },
        token, listed<asio::const_buffer>(buffers));
  }

 private:
  using Secure = asio::ssl::stream<beast::tcp_stream>;
  using Handler = asio::any_completion_handler<void(ErrorCode, std::size_t)>;

  template <class Buffer, class Buffers>
  static std::vector<Buffer> listed(const Buffers& buffers) {
    return {asio::buffer_sequence_begin(buffers), asio::buffer_sequence_end(buffers)};
  }

  std::unique_ptr<Secure> secure_;
  std::unique_ptr<beast::tcp_stream> plain_;
};

/// Of the other end, while it is connected. @param device 0
Visitor visitor_of(const tcp::socket& socket);

/// Begins to speak HTTP, to the end of the connection.
void start_http(Server::Impl& server, tcp::socket socket, int place);

/// The connection goes on as a WebSocket. @param visitor with the device whose token it showed; of
/// nobody's it is told why it is closed
void start_client(Server::Impl& server, Stream stream, HeldPlace place, const Visitor& visitor,
                  const Request& request);

}  // namespace handspan
