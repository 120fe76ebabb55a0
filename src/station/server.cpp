#include "station/server.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <future>
#include <utility>

#include "core/error.hpp"
#include "session/pacer.hpp"
#include "station/server_impl.hpp"

namespace handspan {
namespace {

constexpr int kMostPorts = 8;  // that are tried where any may be taken

ErrorCode open(tcp::acceptor& acceptor, const tcp::endpoint& endpoint, bool both) {
  ErrorCode error;
  (void)acceptor.open(endpoint.protocol(), error);
  if (!error) (void)acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error && endpoint.protocol() == tcp::v6())
    (void)acceptor.set_option(asio::ip::v6_only(!both), error);
  if (!error) (void)acceptor.bind(endpoint, error);
  if (!error) (void)acceptor.listen(asio::socket_base::max_listen_connections, error);
  return error;
}

// no IPv6 on this machine
bool absent(ErrorCode error) {
  return error == asio::error::address_family_not_supported ||
         error == boost::system::errc::address_not_available ||
         error == boost::system::errc::protocol_not_supported;
}

asio::ip::address plain(asio::ip::address address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
  return address;
}

void load_certificate(asio::ssl::context& tls, const ServerOptions& options) {
  ErrorCode error;
  SSL_CTX* context = tls.native_handle();
  // of TLS 1.3 every suite is authenticated encryption
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  if (SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") != 1)
    throw std::runtime_error("OpenSSL knows no suite of authenticated encryption");
  (void)tls.use_certificate_chain(asio::buffer(options.certificate), error);
  if (!error) (void)tls.use_private_key(asio::buffer(options.key), asio::ssl::context::pem, error);
  if (error)
    throw InputError(fmt::format(
        "the certificate cannot be used ({}); delete it, and a new one is made", error.message()));
}

}  // namespace

Visitor visitor_of(const tcp::socket& socket) {
  Visitor visitor;
  ErrorCode error;
  const tcp::endpoint end = socket.remote_endpoint(error);
  const asio::ip::address address = error ? asio::ip::address() : plain(end.address());
  visitor.address = address.to_string();
  visitor.local = !error && address.is_loopback();
  if (visitor.local) return visitor;
  visitor.group = visitor.address;
  if (!address.is_v6()) return visitor;
  auto bytes = address.to_v6().to_bytes();
  std::fill(bytes.begin() + 8, bytes.end(), std::uint8_t{0});
  visitor.group = asio::ip::address_v6(bytes).to_string() + "/64";
  return visitor;
}

std::string cookie_name(std::uint16_t port, bool tls) {
  return fmt::format("{}handspan_{}", tls ? "__Host-" : "", port);
}

ErrorCode Server::Impl::listen() {
  for (int tries = options.port == 0 ? kMostPorts : 1;; --tries) {
    acceptors.clear();
    ErrorCode error;
    if (options.lan) {
      // both kinds of addresses through one socket
      error = open(acceptors.emplace_back(io), {asio::ip::address_v6::any(), options.port}, true);
      if (absent(error)) {
        acceptors.clear();
        error =
            open(acceptors.emplace_back(io), {asio::ip::address_v4::any(), options.port}, false);
      }
      if (!error) port = acceptors.front().local_endpoint().port();
      return error;
    }
    error =
        open(acceptors.emplace_back(io), {asio::ip::address_v4::loopback(), options.port}, false);
    if (error) return error;
    port = acceptors.front().local_endpoint().port();
    // browsers take "localhost" for this one first: nobody else may have it
    error = open(acceptors.emplace_back(io), {asio::ip::address_v6::loopback(), port}, false);
    if (absent(error)) {
      acceptors.pop_back();
      return {};
    }
    if (error != asio::error::address_in_use || tries == 1) return error;
  }
}

void Server::Impl::accept(tcp::acceptor& acceptor) {
  acceptor.async_accept([this, &acceptor](ErrorCode error, tcp::socket socket) {
    if (stopping || error == asio::error::operation_aborted) return;
    if (!error) {
      const Visitor visitor = visitor_of(socket);
      std::string evicted;
      const int place = places.take(visitor, evicted);
      if (!evicted.empty())
        notices->tell(evicted, "too many connections without a token; the oldest was closed",
                      steady_now());
      if (place != 0)
        start_http(*this, std::move(socket), place);
      else
        notices->tell(visitor.address, "there is no room for more connections", steady_now());
    }
    accept(acceptor);
  });
}

void Server::Impl::poll() {
  const Nanoseconds next = hub->poll(steady_now());
  timer.expires_at(std::chrono::steady_clock::time_point(std::chrono::nanoseconds(next)));
  timer.async_wait([this](ErrorCode error) {
    if (!error && !stopping) poll();
  });
}

void Server::Impl::end_device(int device) {
  hub->end_device(device);
  places.end_device(device);
}

Server::Server(const ServerOptions& options) : impl_(std::make_unique<Impl>(options)) {
  Impl& i = *impl_;
  const ErrorCode error = i.listen();
  if (error == asio::error::address_in_use)
    throw InputError(fmt::format(
        "port {} is taken by another program (another handspan serve?); end that one, or choose "
        "another port with --port",
        options.port));
  if (error)
    throw InputError(fmt::format("cannot listen at port {} of {} ({}); choose another with --port",
                                 options.port, options.lan ? "this machine" : "localhost",
                                 error.message()));
  if (options.certificate.empty()) return;
  load_certificate(i.tls.emplace(asio::ssl::context::tls_server), options);
}

Server::~Server() { stop("the server ends"); }

std::uint16_t Server::port() const { return impl_->port; }

void Server::start(Hub& hub, const PageFiles& pages, Access& access, Notices& notices) {
  Impl& i = *impl_;
  i.hub = &hub;
  i.pages = &pages;
  i.access = &access;
  i.notices = &notices;
  for (tcp::acceptor& acceptor : i.acceptors) i.accept(acceptor);
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

void Server::end_device(int device) { impl_->end_device(device); }

void Server::stop(const std::string& reason) {
  Impl& i = *impl_;
  if (!i.thread.joinable()) return;
  asio::post(i.io, [&i, reason] {
    i.stopping = true;
    ErrorCode ignored;
    for (tcp::acceptor& acceptor : i.acceptors) (void)acceptor.close(ignored);
    i.hub->close_all(reason);
    // closings are given a moment to be read
    i.timer.expires_after(std::chrono::milliseconds(200));
    i.timer.async_wait([&i](ErrorCode) { i.io.stop(); });
  });
  i.thread.join();
}

}  // namespace handspan
