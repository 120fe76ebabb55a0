// A client's WebSocket: what it says goes to the hub, what the hub says to it.
#include <boost/beast/websocket.hpp>
#include <utility>

#include "session/pacer.hpp"
#include "station/server_impl.hpp"

namespace handspan {
namespace {

namespace websocket = beast::websocket;

// a client that is silent for this long, pings included, is gone
constexpr auto kPageSilence = std::chrono::seconds(10);
// requests are not read while a client has so many messages waiting: memory stays bounded
constexpr std::size_t kMostWaiting = 64;
constexpr int kSystemBytes = 64 << 10;  // of a client, before the system's doubling
constexpr std::size_t kReadBytes = 4096;
constexpr std::size_t kLongestReason = 120;  // of a closing, in the WebSocket protocol 123

}  // namespace

// after the closing handshake there is nothing that a cut could hide: TLS needs no end of its own
[[maybe_unused]] static void teardown(beast::role_type role, Stream& stream, ErrorCode& error) {
  websocket::teardown(role, stream.next_layer().socket(), error);
}

template <class Handler>
static void async_teardown(beast::role_type role, Stream& stream, Handler&& handler) {
  websocket::async_teardown(role, stream.next_layer().socket(), std::forward<Handler>(handler));
}

namespace {

class Client : public Connection, public std::enable_shared_from_this<Client> {
 public:
  Client(Server::Impl& server, Stream stream, HeldPlace place, Visitor visitor)
      : server_(server),
        socket_(std::move(stream)),
        place_(std::move(place)),
        visitor_(std::move(visitor)) {}

  void start(const Request& request) {
    place_.set_close([self = weak_from_this()] {
      if (const auto still = self.lock(); still && !still->closing_) still->leave();
    });
    websocket::stream_base::timeout timeout{};
    timeout.handshake_timeout = kHeaderTime;
    timeout.idle_timeout = kPageSilence;
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
    // those with words of our own: what a client says does not go to a terminal
    if (code == CloseCode::kNotPaired || code == CloseCode::kNoHello ||
        code == CloseCode::kTooMany || code == CloseCode::kTooFast)
      server_.notices->tell(visitor_.address, "a page was closed: " + std::string(reason),
                            steady_now());
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
    if (visitor_.device == 0) {
      close(CloseCode::kNotPaired,
            "this page is not paired; pairing needs the code that the terminal shows");
      return;
    }
    beast::get_lowest_layer(socket_).socket().set_option(tcp::no_delay(true));
    // what waits in the system is old when it is seen
    beast::get_lowest_layer(socket_).socket().set_option(
        asio::socket_base::send_buffer_size(kSystemBytes));
    number_ = server_.hub->add(*this, visitor_, steady_now());
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
      server_.access->saw(visitor_.device, now);
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
    read_on();
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
    (void)beast::get_lowest_layer(socket_).socket().close(ignored);
  }

  Server::Impl& server_;
  beast::websocket::stream<Stream> socket_;
  HeldPlace place_;
  Visitor visitor_;
  beast::flat_buffer buffer_;
  std::deque<Message> out_;  // the first is on its way
  websocket::close_reason reason_;
  int number_ = 0;  // 0: the hub does not know it any more
  bool open_ = false, reading_ = false, closing_ = false, finished_ = false;
};

}  // namespace

void start_client(Server::Impl& server, Stream stream, HeldPlace place, const Visitor& visitor,
                  const Request& request) {
  std::make_shared<Client>(server, std::move(stream), std::move(place), visitor)->start(request);
}

}  // namespace handspan
