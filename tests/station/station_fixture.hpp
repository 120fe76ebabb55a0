#pragma once
// A station that runs in a thread of its own, and clients of it over TLS, for tests.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "station/socket_client.hpp"
#include "station/station.hpp"
#include "station/station_support.hpp"
#include "support/parts.hpp"

namespace handspan::test {

class StationTest : public testing::Test {
 protected:
  StationTest() : app(folder.app(kServedApp)) {
    options.port = 0;
    options.page = folder.path() / "page";
    options.records = folder.path() / "records";
    std::filesystem::create_directories(options.page / "assets");
    std::ofstream(options.page / "index.html") << "<html>the page</html>";
    std::ofstream(options.page / "assets" / "main.js") << "let x;";
    std::ofstream(folder.path() / "secret.txt") << "secret";
  }
  ~StationTest() override { end(); }

  void begin() {
    station.emplace(app, test_parts(), options);
    token = station->new_token("test");
    thread = std::thread([this] { summary = station->run(); });
  }
  void end() {
    if (!thread.joinable()) return;
    station->stop();
    thread.join();
  }
  std::string get(const std::string& target, const std::string& header = "",
                  const std::string& host = "", const std::string& method = "GET") {
    return SocketClient(station->port(), token).http(method, target, header, host);
  }
  /// What a page does that has no token.
  std::string pair(const Json& with, const std::string& header = "") {
    const std::string body = with.dump();
    return SocketClient(station->port())
        .http("POST", "/pair", fmt::format("{}Content-Length: {}\r\n", header, body.size()), "",
              body);
  }
  static std::string status_of(const std::string& answer) { return answer.substr(9, 3); }

  AppFolder folder;
  App app;
  StationOptions options;
  std::string token;
  std::optional<Station> station;
  std::thread thread;
  RunSummary summary;
};

/// What a client is content with.
struct TlsOffer {
  int most = 0;        // of versions; 0: any
  std::string suites;  // of TLS 1.2; empty: the usual
};

// TLS to the server, without a proxy of the system's; closed with the object
class SecureClient {
 public:
  /// @param address of the server's, of which the station sees where it was reached from
  SecureClient(std::uint16_t port, const std::string& certificate, const std::string& host,
               const std::string& address = "127.0.0.1", const TlsOffer& offer = {})
      : host_(host + ":" + std::to_string(port)),
        context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free) {
    const std::unique_ptr<BIO, decltype(&BIO_free)> pem(
        BIO_new_mem_buf(certificate.data(), static_cast<int>(certificate.size())), BIO_free);
    const std::unique_ptr<X509, decltype(&X509_free)> trusted(
        PEM_read_bio_X509(pem.get(), nullptr, nullptr, nullptr), X509_free);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context_.get()), trusted.get());
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_max_proto_version(context_.get(), offer.most);
    if (!offer.suites.empty()) SSL_CTX_set_cipher_list(context_.get(), offer.suites.c_str());
    bio_.reset(BIO_new_ssl_connect(context_.get()));
    SSL* ssl = nullptr;
    BIO_get_ssl(bio_.get(), &ssl);
    SSL_set1_host(ssl, host.c_str());
    BIO_set_conn_hostname(bio_.get(), (address + ":" + std::to_string(port)).c_str());
    connected_ = BIO_do_connect(bio_.get()) > 0;
  }
  std::string version() const {
    SSL* ssl = nullptr;
    BIO_get_ssl(bio_.get(), &ssl);
    return connected_ ? SSL_get_version(ssl) : "none";
  }
  void write(const std::string& bytes) {
    BIO_write(bio_.get(), bytes.data(), static_cast<int>(bytes.size()));
  }
  /// Until the end, or until that is among it.
  std::string read(const std::string& until = "") {
    std::string all;
    char buffer[4096];
    while (until.empty() || all.find(until) == std::string::npos) {
      const int n = BIO_read(bio_.get(), buffer, sizeof buffer);
      if (n <= 0) break;
      all.append(buffer, static_cast<std::size_t>(n));
    }
    return all;
  }
  std::string get(const std::string& target, const std::string& header = "") {
    if (!connected_) return "refused";
    write("GET " + target + " HTTP/1.1\r\nHost: " + host_ + "\r\nConnection: close\r\n" + header +
          "\r\n");
    return read();
  }
  std::string pair(const Json& with) {
    const std::string body = with.dump();
    write("POST /pair HTTP/1.1\r\nHost: " + host_ + "\r\nConnection: close\r\nContent-Length: " +
          std::to_string(body.size()) + "\r\n\r\n" + body);
    return read();
  }
  /// Greets as a page does. @return what it is sent, until that is among it
  std::string greet(const std::string& header, const std::string& until) {
    write("GET /ws HTTP/1.1\r\nHost: " + host_ +
          "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: "
          "handspan.1\r\n" +
          header + "\r\n");
    const std::string hello = R"({"type":"hello","protocol":1,"name":"a","role":"viewer"})";
    // one text frame, masked with zeros
    write(std::string("\x81") + static_cast<char>(0x80 | hello.size()) + std::string(4, '\0') +
          hello);
    return read(until);
  }

 private:
  std::string host_;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
  std::unique_ptr<BIO, decltype(&BIO_free_all)> bio_{nullptr, BIO_free_all};
  bool connected_ = false;
};

}  // namespace handspan::test
