// A connection that speaks HTTP: requests are checked, then answered with files of the page, with
// recordings for who shows a token, with a token for who pairs, or become a client's WebSocket.
#include <fmt/format.h>

#include <boost/beast/websocket/rfc6455.hpp>
#include <nlohmann/json.hpp>
#include <utility>

#include "session/pacer.hpp"
#include "station/host_check.hpp"
#include "station/server_impl.hpp"

namespace handspan {
namespace {

namespace websocket = beast::websocket;
using Json = nlohmann::json;

constexpr std::uint32_t kMostHeader = 16U << 10U;
constexpr std::uint64_t kMostBody = 1U << 10U;
// an answer of which nothing is taken for so long is given up
constexpr auto kAnswerTime = std::chrono::seconds(30);
constexpr long kCookieTime =
    30L * 24 * 3600;  // [s]; the token ends with the station, if not before

const std::string kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action "
    "'self'; "
    "frame-ancestors 'none'";

class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  HttpSession(Server::Impl& server, tcp::socket socket, int place)
      : server_(server),
        visitor_(visitor_of(socket)),
        stream_(std::move(socket)),
        place_(server.places, place) {}

  void start() {
    place_.set_close([self = weak_from_this()] {
      if (const auto still = self.lock()) still->close();
    });
    tcp_stream().expires_after(kHeaderTime);
    if (!server_.secure()) return read();
    beast::async_detect_ssl(tcp_stream(), buffer_,
                            [self = shared_from_this()](ErrorCode error, bool is_tls) {
                              if (error) return self->failed(error);
                              if (is_tls) return self->secure();
                              self->astray_ = true;
                              self->read();
                            });
  }

 private:
  beast::tcp_stream& tcp_stream() { return beast::get_lowest_layer(stream_); }

  void secure() {
    stream_.async_secure(*server_.tls, buffer_.data(),
                         [self = shared_from_this()](ErrorCode error, std::size_t used) {
                           if (error) return self->failed(error);
                           self->buffer_.consume(used);
                           self->read();
                         });
  }

  void read() {
    parser_.emplace();
    parser_->header_limit(kMostHeader);
    parser_->body_limit(kMostBody);
    http::async_read(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](ErrorCode error, std::size_t) { self->received(error); });
  }

  void failed(ErrorCode error) {
    // browsers connect beforehand and say nothing: that is not an attack
    const bool begun = buffer_.size() > 0 || (parser_ && parser_->got_some());
    if (error == beast::error::timeout && begun)
      tell("a connection that was too slow with its request was closed");
    close();
  }

  void close() {
    ErrorCode ignored;
    (void)tcp_stream().socket().shutdown(tcp::socket::shutdown_both, ignored);
    (void)tcp_stream().socket().close(ignored);
  }

  void tell(const std::string& what) {
    server_.notices->tell(visitor_.address, what, steady_now());
  }

  void received(ErrorCode error) {
    // what is not HTTP, or too much of it
    if (error) return failed(error);
    const Request& request = parser_->get();
    const auto header = [&](http::field field) { return std::string_view(request[field]); };
    const std::string_view host = header(http::field::host);
    if (!host_allowed(host, server_.options.hosts))
      return answer({403, {}, "this server is not called by that name\n"});
    if (astray_) {
      const std::string there = fmt::format("https://{}:{}/", host_of(host), server_.port);
      return answer({308, {}, fmt::format("this port speaks https: {}\n", there)},
                    {{http::field::location, there}});
    }
    const char* scheme = server_.secure() ? "https" : "http";
    if (!origin_allowed(header(http::field::origin), scheme, host))
      return answer({403, {}, "pages of other origins may not ask this server\n"});
    visitor_.device = device_of(request);
    place_.show(visitor_.device);
    if (request.target() == "/ws") return upgrade(request);
    if (request.target() == "/pair" && request.method() == http::verb::post) return pair(request);
    if (request.target() == "/pair")
      return answer({405, {}, "pairing is a POST; see docs/protocol.md\n"},
                    {{http::field::allow, "POST"}});
    if (request.method() != http::verb::get && request.method() != http::verb::head)
      return answer({405, {}, "only GET and HEAD\n"}, {{http::field::allow, "GET, HEAD"}});
    answer(server_.pages->answer(request.target(), visitor_.device != 0));
  }

  int device_of(const Request& request) const {
    constexpr std::string_view kBearer = "Bearer ";
    const Nanoseconds now = steady_now();
    if (const std::string_view given = request[http::field::authorization];
        given.starts_with(kBearer))
      if (const int device = server_.access->device_of(given.substr(kBearer.size()), now))
        return device;
    const std::string name = cookie_name(server_.port, server_.secure());
    const auto [first, last] = request.equal_range(http::field::cookie);
    for (auto field = first; field != last; ++field)
      for (const std::string_view token : cookies(std::string_view(field->value()), name))
        if (const int device = server_.access->device_of(token, now)) return device;
    return 0;
  }

  void upgrade(const Request& request) {
    if (!websocket::is_upgrade(request))
      return answer({426, {}, "this is a WebSocket; see docs/protocol.md\n"});
    if (!http::token_list(request[http::field::sec_websocket_protocol]).exists(kSubprotocol))
      return answer({400, {}, fmt::format("the subprotocol must be {}\n", kSubprotocol)});
    tcp_stream().expires_never();
    start_client(server_, std::move(stream_), std::move(place_), visitor_, request);
  }

  // {"code": ...} or {"key": ...}, with "name": who the person is
  void pair(const Request& request) {
    const auto text = [message = Json::parse(request.body(), nullptr, false)](const char* key) {
      return message.is_object() && message.contains(key) && message[key].is_string()
                 ? message[key].get<std::string>()
                 : std::string();
    };
    const std::string code = text("code"), key = text("key"), name = text("name");
    if (code.empty() && key.empty())
      return answer({400, {}, "pairing needs a code or a key; see docs/protocol.md\n"});
    const Nanoseconds now = steady_now();
    const Pairing pairing = key.empty() ? server_.access->pair_by_code(code, name, visitor_, now)
                                        : server_.access->pair_by_key(key, name, visitor_, now);
    if (pairing.dropped != 0) server_.end_device(pairing.dropped);
    if (pairing.device != 0) {
      tell(fmt::format("paired as device {}", pairing.device));
      return answer({200, {}, Json{{"device", pairing.device}}.dump() + "\n", "application/json"},
                    {{http::field::set_cookie,
                      fmt::format("{}={}; Path=/; Max-Age={}; HttpOnly; SameSite=Strict{}",
                                  cookie_name(server_.port, server_.secure()), pairing.token,
                                  kCookieTime, server_.secure() ? "; Secure" : "")}});
    }
    tell(key.empty() ? pairing.wait == 0
                           ? fmt::format("wrong pairing code, {} left", pairing.tries_left)
                           : "wrong pairing codes; it has to wait"
                     : "an address for one page was opened again");
    const Json said = {{"reason", pairing.reason},
                       {"tries_left", pairing.tries_left},
                       {"wait", seconds(pairing.wait)}};
    Fields fields;
    if (pairing.wait > 0)
      fields.emplace_back(http::field::retry_after, fmt::format("{}", pairing.wait / kSecond + 1));
    answer({pairing.wait > 0 ? 429 : 403, {}, said.dump() + "\n", "application/json"}, fields);
  }

  using Fields = std::vector<std::pair<http::field, std::string>>;

  void answer(const PageAnswer& page, const Fields& fields = {}) {
    const unsigned version = parser_->get().version();
    if (page.file.empty()) {
      auto response = std::make_shared<http::response<http::string_body>>(
          http::int_to_status(static_cast<unsigned>(page.status)), version);
      response->body() = page.text;
      response->prepare_payload();
      return finish(response, page, fields);
    }
    http::file_body::value_type body;
    ErrorCode error;
    body.open(page.file.c_str(), beast::file_mode::scan, error);
    if (error) return answer({404, {}, "it cannot be read\n"});
    const std::uint64_t size = body.size();
    auto response = std::make_shared<http::response<http::file_body>>(
        std::piecewise_construct, std::make_tuple(std::move(body)),
        std::make_tuple(http::status::ok, version));
    response->content_length(size);
    finish(response, page, fields);
  }

  template <class Body>
  void finish(const std::shared_ptr<http::response<Body>>& response, const PageAnswer& page,
              const Fields& fields) {
    response->set(http::field::content_type, page.type);
    response->set(http::field::cache_control, "no-cache");
    response->set("X-Content-Type-Options", "nosniff");
    response->set("Content-Security-Policy", kPolicy);
    response->set("Cross-Origin-Resource-Policy", "same-origin");
    response->set("Referrer-Policy", "no-referrer");
    if (page.download)
      response->set(http::field::content_disposition,
                    fmt::format("attachment; filename=\"{}\"", page.file.filename().string()));
    for (const auto& [field, value] : fields) response->set(field, value);
    response->keep_alive(parser_->get().keep_alive() && page.status < 300);
    write(response, std::make_shared<http::response_serializer<Body>>(*response),
          parser_->get().method() == http::verb::head);
  }

  // piece by piece: a long file takes as long as it is being taken
  template <class Body>
  void write(std::shared_ptr<http::response<Body>> response,
             std::shared_ptr<http::response_serializer<Body>> serializer, bool header_only) {
    tcp_stream().expires_after(kAnswerTime);
    const auto done = [self = shared_from_this(), response, serializer, header_only](
                          ErrorCode error, std::size_t) {
      if (error) return self->close();
      if (!header_only && !serializer->is_done())
        return self->write(response, serializer, header_only);
      if (response->keep_alive()) {
        self->tcp_stream().expires_after(kHeaderTime);
        return self->read();
      }
      ErrorCode ignored;
      (void)self->tcp_stream().socket().shutdown(tcp::socket::shutdown_send, ignored);
    };
    if (header_only)
      http::async_write_header(stream_, *serializer, done);
    else
      http::async_write_some(stream_, *serializer, done);
  }

  Server::Impl& server_;
  Visitor visitor_;
  Stream stream_;
  HeldPlace place_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  bool astray_ = false;  // http, to a port of https
};

}  // namespace

void start_http(Server::Impl& server, tcp::socket socket, int place) {
  std::make_shared<HttpSession>(server, std::move(socket), place)->start();
}

}  // namespace handspan
