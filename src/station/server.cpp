#include "station/server.hpp"

#include <fmt/format.h>
#include <pthread.h>

// executors whose types are known and no old interfaces: half the time to compile
#define BOOST_ASIO_NO_TS_EXECUTORS
#define BOOST_ASIO_NO_DEPRECATED
#include <algorithm>
#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <deque>
#include <future>
#include <set>
#include <thread>
#include <utility>

#include "core/error.hpp"
#include "station/host_check.hpp"

namespace handspan {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using ErrorCode = beast::error_code;
using Request = http::request<http::empty_body>;

constexpr std::size_t kMostConnections = 64;  // HTTP and clients together
constexpr std::uint32_t kMostHeader = 16U << 10U;
constexpr auto kHttpTime = std::chrono::seconds(30), kHandshakeTime = std::chrono::seconds(5);
// a client that is silent for this long, pings included, is gone
constexpr auto kSilence = std::chrono::seconds(10);
// requests are not read while a client has so many messages waiting: memory stays bounded
constexpr std::size_t kMostWaiting = 64;
constexpr int kSystemBytes = 64 << 10;  // of a client, before the system's doubling
constexpr std::size_t kReadBytes = 4096;
constexpr std::size_t kLongestReason = 120;  // of a closing, in the WebSocket protocol 123

}  // namespace

struct Server::Impl {
  explicit Impl(const ServerOptions& wanted) : options(wanted), acceptor(io), timer(io) {}

  void accept();
  void poll();

  ServerOptions options;
  std::optional<asio::ssl::context> tls;
  std::size_t connections = 0;  // outlives those that count themselves in it
  asio::io_context io{1};
  tcp::acceptor acceptor;
  asio::steady_timer timer;
  std::thread thread;
  Hub* hub = nullptr;
  const PageFiles* pages = nullptr;
  std::uint16_t port = 0;
  bool stopping = false;
};

namespace {

// TCP, or TLS over it, as one type: what is built on it is compiled once, and that takes long.
class Stream {
 public:
  using executor_type = beast::tcp_stream::executor_type;
  using next_layer_type = beast::tcp_stream;

  /// @param tls none: plain
  Stream(tcp::socket socket, std::optional<asio::ssl::context>& tls) {
    if (tls)
      secure_ = std::make_unique<Secure>(std::move(socket), *tls);
    else
      plain_ = std::make_unique<beast::tcp_stream>(std::move(socket));
  }

  executor_type get_executor() { return next_layer().get_executor(); }
  beast::tcp_stream& next_layer() { return secure_ ? secure_->next_layer() : *plain_; }
  const beast::tcp_stream& next_layer() const { return secure_ ? secure_->next_layer() : *plain_; }

  void async_handshake(std::function<void(ErrorCode)> done) {
    if (secure_)
      secure_->async_handshake(asio::ssl::stream_base::server, std::move(done));
    else
      done({});
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

// after the closing handshake there is nothing that a cut could hide: TLS needs no end of its own
[[maybe_unused]] void teardown(beast::role_type role, Stream& stream, ErrorCode& error) {
  websocket::teardown(role, stream.next_layer().socket(), error);
}

template <class Handler>
void async_teardown(beast::role_type role, Stream& stream, Handler&& handler) {
  websocket::async_teardown(role, stream.next_layer().socket(), std::forward<Handler>(handler));
}

// counts itself among the server's connections
class Counted {
 public:
  explicit Counted(std::size_t& count) : count_(&count) { ++count; }
  Counted(Counted&& other) noexcept : count_(std::exchange(other.count_, nullptr)) {}
  Counted& operator=(Counted&&) = delete;
  ~Counted() {
    if (count_ != nullptr) --*count_;
  }

 private:
  std::size_t* count_;
};

class Client : public Connection, public std::enable_shared_from_this<Client> {
 public:
  Client(Server::Impl& server, Stream stream, Counted counted)
      : server_(server), socket_(std::move(stream)), counted_(std::move(counted)) {}

  void start(const Request& request) {
    websocket::stream_base::timeout timeout{};
    timeout.handshake_timeout = kHandshakeTime;
    timeout.idle_timeout = kSilence;
    timeout.keep_alive_pings = true;
    socket_.set_option(timeout);
    socket_.set_option(websocket::stream_base::decorator([](websocket::response_type& response) {
      response.set(http::field::sec_websocket_protocol, kSubprotocol);
    }));
    // its own check knows the limit of each moment, and closes with the protocol's words
    socket_.read_message_max(0);
    // messages in one piece: programs of others may read them with little
    socket_.auto_fragment(false);
    socket_.async_accept(request, [self = shared_from_this()](ErrorCode error) {
      if (!error) self->welcome();
    });
  }

  std::size_t waiting() const override { return out_.size(); }
  void send_text(std::string text) override { send({std::move(text), true}); }
  void send_bytes(const std::vector<std::uint8_t>& bytes) override {
    send({std::string(bytes.begin(), bytes.end()), false});
  }
  void close(CloseCode code, std::string_view reason) override {
    number_ = 0;
    closing_ = true;
    reason_ = websocket::close_reason(static_cast<websocket::close_code>(code),
                                      std::string(reason.substr(0, kLongestReason)));
    if (out_.empty() || !open_) finish();
  }

 private:
  struct Message {
    std::string bytes;
    bool is_text;
  };

  void welcome() {
    open_ = true;
    const bool remote =
        !beast::get_lowest_layer(socket_).socket().remote_endpoint().address().is_loopback();
    beast::get_lowest_layer(socket_).socket().set_option(tcp::no_delay(true));
    // what waits in the system is old when it is seen
    beast::get_lowest_layer(socket_).socket().set_option(
        asio::socket_base::send_buffer_size(kSystemBytes));
    // close() may come out of add()
    const int number = server_.hub->add(*this, remote, steady_now());
    if (closing_) return;
    number_ = number;
    read();
  }

  void read() {
    reading_ = true;
    socket_.async_read_some(buffer_, kReadBytes,
                            [self = shared_from_this()](ErrorCode error, std::size_t) {
                              self->reading_ = false;
                              self->received(error);
                            });
  }

  void received(ErrorCode error) {
    if (error) {
      leave();
      return;
    }
    if (closing_) return;
    if (buffer_.size() > kMostBytes) {
      server_.hub->too_large(number_);
    } else if (socket_.is_message_done()) {
      const Nanoseconds now = steady_now();
      const auto* data = static_cast<const char*>(buffer_.data().data());
      if (socket_.got_text()) {
        server_.hub->text(number_, {data, buffer_.size()}, now);
      } else {
        server_.hub->bytes(number_, {reinterpret_cast<const std::uint8_t*>(data), buffer_.size()},
                           now);
      }
      buffer_.consume(buffer_.size());
    }
    read_on();
  }

  // not while it has more to read than it does
  void read_on() {
    if (!closing_ && !reading_ && out_.size() < kMostWaiting) read();
  }

  void send(Message message) {
    if (closing_) return;
    out_.push_back(std::move(message));
    if (out_.size() == 1) write();
  }

  void write() {
    socket_.text(out_.front().is_text);
    socket_.async_write(
        asio::buffer(out_.front().bytes),
        [self = shared_from_this()](ErrorCode error, std::size_t) { self->written(error); });
  }

  void written(ErrorCode error) {
    if (error) {
      leave();
      return;
    }
    out_.pop_front();
    if (!out_.empty())
      write();
    else if (closing_)
      finish();
    if (!closing_ && !reading_ && out_.size() < kMostWaiting) read();
  }

  void finish() {
    if (finished_ || !open_) return;
    finished_ = true;
    socket_.async_close(reason_, [self = shared_from_this()](ErrorCode) {});
  }

  void leave() {
    if (number_ != 0) server_.hub->gone(std::exchange(number_, 0));
    closing_ = true;
    ErrorCode ignored;
    beast::get_lowest_layer(socket_).socket().close(ignored);
  }

  Server::Impl& server_;
  websocket::stream<Stream> socket_;
  Counted counted_;
  beast::flat_buffer buffer_;
  std::deque<Message> out_;  // the first is on its way
  websocket::close_reason reason_;
  int number_ = 0;  // 0: the hub does not know it any more
  bool open_ = false, reading_ = false, closing_ = false, finished_ = false;
};

class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  HttpSession(Server::Impl& server, Stream stream, Counted counted)
      : server_(server), stream_(std::move(stream)), counted_(std::move(counted)) {}

  void start() {
    beast::get_lowest_layer(stream_).expires_after(kHandshakeTime);
    stream_.async_handshake([self = shared_from_this()](ErrorCode error) {
      if (!error) self->read();
    });
  }

 private:
  void read() {
    parser_.emplace();
    parser_->header_limit(kMostHeader);
    beast::get_lowest_layer(stream_).expires_after(kHttpTime);
    http::async_read(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](ErrorCode error, std::size_t) { self->received(error); });
  }

  void received(ErrorCode error) {
    if (error) {
      ErrorCode ignored;
      // what is no HTTP, or too much of it
      if (error != http::error::end_of_stream)
        beast::get_lowest_layer(stream_).socket().shutdown(tcp::socket::shutdown_both, ignored);
      return;
    }
    const Request& request = parser_->get();
    const auto header = [&](http::field field) { return std::string_view(request[field]); };
    const std::string_view host = header(http::field::host);
    const char* scheme = server_.options.certificate.empty() ? "http" : "https";
    if (!host_allowed(host, server_.options.hosts))
      return answer({403, {}, "this server is not called by that name\n"});
    if (!origin_allowed(header(http::field::origin), scheme, host))
      return answer({403, {}, "pages of other origins may not ask this server\n"});
    if (request.target() == "/ws") {
      if (!websocket::is_upgrade(request))
        return answer({426, {}, "this is a WebSocket; see docs/protocol.md\n"});
      if (!http::token_list(request[http::field::sec_websocket_protocol]).exists(kSubprotocol))
        return answer({400, {}, fmt::format("the subprotocol must be {}\n", kSubprotocol)});
      beast::get_lowest_layer(stream_).expires_never();
      std::make_shared<Client>(server_, std::move(stream_), std::move(counted_))->start(request);
      return;
    }
    if (request.method() != http::verb::get && request.method() != http::verb::head)
      return answer({405, {}, "only GET and HEAD\n"});
    answer(server_.pages->answer(request.target(), may_see_recordings(request)));
  }

  // from this machine, or with what a paired page was given
  bool may_see_recordings(const Request& request) const {
    if (server_.options.cookie.empty()) return true;
    ErrorCode error;
    const auto from = beast::get_lowest_layer(stream_).socket().remote_endpoint(error);
    if (!error && from.address().is_loopback()) return true;
    const auto [first, last] = request.equal_range(http::field::cookie);
    return std::any_of(first, last, [&](const auto& header) {
      return has_cookie(std::string_view(header.value()), server_.options.cookie);
    });
  }

  template <class Response>
  void finish(Response&& made, const PageAnswer& page) {
    using Body = typename std::decay_t<Response>::body_type;
    auto response = std::make_shared<http::response<Body>>(std::forward<Response>(made));
    response->set(http::field::content_type, page.type);
    response->set(http::field::cache_control, "no-cache");
    response->set("X-Content-Type-Options", "nosniff");
    response->set("Content-Security-Policy",
                  "default-src 'self' 'unsafe-inline' data: blob:; object-src 'none'; "
                  "frame-ancestors 'none'");
    if (page.download)
      response->set(http::field::content_disposition,
                    fmt::format("attachment; filename=\"{}\"", page.file.filename().string()));
    if (page.status == 405) response->set(http::field::allow, "GET, HEAD");
    response->keep_alive(parser_->get().keep_alive() && page.status < 400);
    const auto done = [self = shared_from_this(), response](ErrorCode error, std::size_t) {
      if (!error && response->keep_alive()) {
        self->read();
        return;
      }
      ErrorCode ignored;
      beast::get_lowest_layer(self->stream_).socket().shutdown(tcp::socket::shutdown_send, ignored);
    };
    if (parser_->get().method() == http::verb::head) {
      auto serializer = std::make_shared<http::response_serializer<Body>>(*response);
      http::async_write_header(
          stream_, *serializer,
          [serializer, done](ErrorCode error, std::size_t n) { done(error, n); });
    } else {
      http::async_write(stream_, *response, done);
    }
  }

  void answer(const PageAnswer& page) {
    const unsigned version = parser_->get().version();
    if (!page.file.empty()) {
      http::file_body::value_type body;
      ErrorCode error;
      body.open(page.file.c_str(), beast::file_mode::scan, error);
      if (!error) {
        const std::uint64_t size = body.size();
        http::response<http::file_body> response(std::piecewise_construct,
                                                 std::make_tuple(std::move(body)),
                                                 std::make_tuple(http::status::ok, version));
        response.content_length(size);
        return finish(std::move(response), page);
      }
      return answer({404, {}, "it cannot be read\n"});
    }
    http::response<http::string_body> response(
        http::int_to_status(static_cast<unsigned>(page.status)), version);
    response.body() = page.text;
    response.prepare_payload();
    finish(std::move(response), page);
  }

  Server::Impl& server_;
  Stream stream_;
  Counted counted_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::empty_body>> parser_;
};

}  // namespace

void Server::Impl::accept() {
  acceptor.async_accept([this](ErrorCode error, tcp::socket socket) {
    if (stopping || error == asio::error::operation_aborted) return;
    if (!error && connections < kMostConnections)
      std::make_shared<HttpSession>(*this, Stream(std::move(socket), tls), Counted(connections))
          ->start();
    accept();
  });
}

void Server::Impl::poll() {
  const Nanoseconds next = hub->poll(steady_now());
  timer.expires_at(std::chrono::steady_clock::time_point(std::chrono::nanoseconds(next)));
  timer.async_wait([this](ErrorCode error) {
    if (!error && !stopping) poll();
  });
}

Server::Server(const ServerOptions& options) : impl_(std::make_unique<Impl>(options)) {
  Impl& i = *impl_;
  ErrorCode error;
  const auto address = asio::ip::make_address(options.address, error);
  if (error) throw InputError(fmt::format("{} is no address to listen at", shown(options.address)));
  const tcp::endpoint endpoint(address, options.port);
  (void)i.acceptor.open(endpoint.protocol(), error);
  if (!error) (void)i.acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) (void)i.acceptor.bind(endpoint, error);
  if (!error) (void)i.acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error == asio::error::address_in_use)
    throw InputError(fmt::format(
        "port {} is taken by another program (another handspan serve?); end that one, or choose "
        "another port with --port",
        options.port));
  if (error)
    throw InputError(fmt::format("cannot listen at port {} of {} ({}); choose another with --port",
                                 options.port, options.address, error.message()));
  i.port = i.acceptor.local_endpoint().port();
  if (options.certificate.empty()) return;
  i.tls.emplace(asio::ssl::context::tls_server);
  SSL_CTX_set_min_proto_version(i.tls->native_handle(), TLS1_2_VERSION);
  (void)i.tls->use_certificate_chain(asio::buffer(options.certificate), error);
  if (!error)
    (void)i.tls->use_private_key(asio::buffer(options.key), asio::ssl::context::pem, error);
  if (error)
    throw InputError(
        fmt::format("the certificate cannot be used ({}); delete it, and a new one is "
                    "made",
                    error.message()));
}

Server::~Server() { stop("the server ends"); }

std::uint16_t Server::port() const { return impl_->port; }

void Server::start(Hub& hub, const PageFiles& pages) {
  Impl& i = *impl_;
  i.hub = &hub;
  i.pages = &pages;
  i.accept();
  i.poll();
  i.thread = std::thread([&i] {
    pthread_setname_np(pthread_self(), "station");
    i.io.run();
  });
}

void Server::post(std::function<void()> work) { asio::post(impl_->io, std::move(work)); }

void Server::run(const std::function<void()>& work) {
  std::promise<void> done;
  asio::post(impl_->io, [&] {
    work();
    done.set_value();
  });
  done.get_future().wait();
}

void Server::stop(const std::string& reason) {
  Impl& i = *impl_;
  if (!i.thread.joinable()) return;
  asio::post(i.io, [&i, reason] {
    i.stopping = true;
    ErrorCode ignored;
    (void)i.acceptor.close(ignored);
    i.hub->close_all(reason);
    // closings are given a moment to be read
    i.timer.expires_after(std::chrono::milliseconds(200));
    i.timer.async_wait([&i](ErrorCode) { i.io.stop(); });
  });
  i.thread.join();
}

}  // namespace handspan
