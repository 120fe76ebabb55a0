// The station over loopback: a port, HTTP, WebSockets, a loop on the wall clock, recordings.
#include "station/station.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <thread>
#include <utility>

#include "session/replay.hpp"
#include "station/certificate.hpp"
#include "station/socket_client.hpp"
#include "station/station_support.hpp"

namespace handspan {
namespace {

using test::AppFolder;
using test::Json;
using test::SocketClient;

class StationTest : public testing::Test {
 protected:
  StationTest() : app(folder.app(test::kServedApp)) {
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
    station.emplace(app, options);
    thread = std::thread([this] { summary = station->run(); });
  }
  void end() {
    if (!thread.joinable()) return;
    station->stop();
    thread.join();
  }
  std::string get(const std::string& target, const std::string& header = "",
                  const std::string& host = "", const std::string& method = "GET") {
    return SocketClient(station->port()).http(method, target, header, host);
  }
  static std::string status_of(const std::string& answer) { return answer.substr(9, 3); }

  AppFolder folder;
  App app;
  StationOptions options;
  std::optional<Station> station;
  std::thread thread;
  RunSummary summary;
};

TEST_F(StationTest, ServesThePageAndNothingElse) {
  begin();
  const std::string page = get("/");
  EXPECT_EQ(status_of(page), "200") << page;
  EXPECT_NE(page.find("<html>the page</html>"), std::string::npos);
  EXPECT_NE(page.find("Content-Type: text/html; charset=utf-8"), std::string::npos);
  EXPECT_NE(page.find("Content-Security-Policy: default-src 'self'"), std::string::npos);
  const std::string script = get("/assets/main.js?v=1");
  EXPECT_NE(script.find("Content-Type: text/javascript"), std::string::npos);
  EXPECT_NE(script.find("let x;"), std::string::npos);
  const std::string head = get("/assets/main.js", "", "", "HEAD");
  EXPECT_EQ(status_of(head), "200");
  EXPECT_NE(head.find("Content-Length: 6"), std::string::npos);
  EXPECT_EQ(head.find("let x;"), std::string::npos);
  EXPECT_EQ(status_of(get("/", "Content-Length: 0\r\n", "", "POST")), "405");
  EXPECT_EQ(status_of(get("/", "", "", "DELETE")), "405");
  EXPECT_EQ(status_of(get("/ws")), "426");
  for (const char* target :
       {"/../secret.txt", "/..%2fsecret.txt", "/%2e%2e/secret.txt", "/assets/../../secret.txt",
        "/assets/..%2f..%2fsecret.txt", "//secret.txt", "/records/../secret.txt",
        "/records/..%2f..%2fsecret.txt", "/thumbnails/..%2f..%2fsecret.txt", "/.git",
        "/records/.mcap", "/none"}) {
    const std::string answer = get(target);
    EXPECT_EQ(status_of(answer), "404") << target;
    EXPECT_EQ(answer.find("secret\n"), std::string::npos);
  }
  EXPECT_EQ(status_of(get("/%zz")), "400");
  EXPECT_EQ(status_of(get("/a%00b")), "400");
  std::filesystem::create_symlink(folder.path() / "secret.txt", options.page / "link.txt");
  EXPECT_EQ(status_of(get("/link.txt")), "404");
}

TEST_F(StationTest, WithoutAPageItSaysHowToBuildOne) {
  options.page = folder.path() / "none";
  begin();
  const std::string page = get("/");
  EXPECT_EQ(status_of(page), "200");
  EXPECT_NE(page.find("tools/build release"), std::string::npos);
}

TEST_F(StationTest, OtherHostsAndOriginsAreRefused) {
  begin();
  const std::string port = std::to_string(station->port());
  const auto origin = [](const std::string& of) { return "Origin: " + of + "\r\n"; };
  EXPECT_EQ(status_of(get("/", "", "127.0.0.1:" + port)), "200");
  EXPECT_EQ(status_of(get("/", "", "[::1]:" + port)), "200");
  EXPECT_EQ(status_of(get("/", "", "evil.example")), "403");
  EXPECT_EQ(status_of(get("/", "", "localhost.evil.example:" + port)), "403");
  EXPECT_EQ(status_of(get("/", origin("http://localhost:" + port))), "200");
  EXPECT_EQ(status_of(get("/", origin("http://evil.example"))), "403");
  const auto upgrade = [&](const std::string& header, const std::string& host = "") {
    return status_of(SocketClient(station->port()).upgrade(header, host));
  };
  EXPECT_EQ(upgrade(""), "101");
  EXPECT_EQ(upgrade(origin("http://localhost:" + port)), "101");
  EXPECT_EQ(upgrade(origin("http://localhost:1")), "403");
  EXPECT_EQ(upgrade(origin("https://localhost:" + port)), "403");
  EXPECT_EQ(upgrade(origin("null")), "403");
  EXPECT_EQ(upgrade("", "evil.example:" + port), "403");
  EXPECT_EQ(status_of(SocketClient(station->port()).upgrade("", "", "other")), "400");
}

TEST_F(StationTest, ATakenPortIsOneClearLine) {
  begin();
  options.port = station->port();
  try {
    const Station second(app, options);
    FAIL() << "two on one port";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              fmt::format("port {} is taken by another program (another handspan serve?); end that "
                          "one, or choose another port with --port",
                          options.port));
  }
}

TEST_F(StationTest, APageJoinsSeesOperatesAndIsKilled) {
  begin();
  SocketClient watcher(station->port());
  ASSERT_FALSE(watcher.join("Eve", "viewer").is_null());
  {
    SocketClient page(station->port());
    const Json welcome = page.join("Ann");
    ASSERT_FALSE(welcome.is_null());
    for (SocketClient::Message m = page.next();; m = page.next()) {
      ASSERT_NE(m.opcode, 0);
      if (m.opcode != 2) continue;
      EXPECT_EQ(m.bytes[0], 1);
      break;
    }
    EXPECT_EQ(page.ask({{"type", "operate"}}), "");
    page.disconnect();
  }
  for (;;) {
    const Json event = watcher.next_text("event");
    ASSERT_FALSE(event.is_null());
    if (event["kind"] == "operator" && event["name"] == "nobody") break;
  }
  watcher.next_text("status");
  EXPECT_EQ(watcher.next_text("status")["operators"]["headset"], nullptr);
  end();
  EXPECT_EQ(watcher.next_close().code(), 1001);
  EXPECT_GT(summary.ticks, 0);
}

TEST_F(StationTest, ARunBeginsAnewForTheOneWhoOperates) {
  begin();
  SocketClient page(station->port()), watcher(station->port());
  page.join("Ann");
  watcher.join("Eve", "viewer");
  ASSERT_EQ(page.ask({{"type", "operate"}}), "");
  const auto tick_of = [](const SocketClient::Message& m) {
    std::int64_t tick = 0;
    std::memcpy(&tick, m.bytes.data() + 8, sizeof tick);
    return tick;
  };
  const auto next_tick = [&] {
    for (;;) {
      const auto m = page.next();
      if (m.opcode == 0) return std::int64_t{-1};
      if (m.opcode == 2) return tick_of(m);
    }
  };
  std::int64_t before = 0;
  while (before >= 0 && before < 300) before = next_tick();
  EXPECT_NE(watcher.ask({{"type", "restart"}}), "");
  ASSERT_EQ(page.ask({{"type", "restart"}}), "");
  std::int64_t after = next_tick();
  while (after >= before) before = std::exchange(after, next_tick());
  EXPECT_GE(after, 0);
  EXPECT_LT(after, 300);
  page.next_text("status");
  EXPECT_TRUE(page.next_text("status")["you_operate"]);
}

TEST_F(StationTest, WhatIsTooLongIsClosedBeforeItIsKept) {
  begin();
  SocketClient page(station->port());
  page.join("Ann");
  page.send_frame(1, std::string(kMostBytes + 4096, ' '));
  EXPECT_EQ(page.next_close().code(), 4003);
  // a message in pieces that never ends
  SocketClient slow(station->port());
  slow.join("Bob");
  slow.send_frame(2, std::string(1000, 'x'), false);
  for (int i = 0; i < 100; ++i)
    if (!slow.send_frame(0, std::string(1000, 'x'), false)) break;
  EXPECT_EQ(slow.next_close().code(), 4003);
  SocketClient hello(station->port());
  hello.upgrade();
  hello.send_frame(1, std::string(kMostHelloBytes + 1, ' '));
  EXPECT_EQ(hello.next_close().code(), 4003);
}

TEST_F(StationTest, AFloodIsClosedAndTheOthersGoOn) {
  begin();
  SocketClient other(station->port());
  other.join("Eve", "viewer");
  SocketClient flood(station->port());
  flood.join("Ann");
  for (int i = 0; i < 3000; ++i)
    if (!flood.say({{"type", "ping"}, {"t", i}})) break;
  EXPECT_EQ(flood.next_close().code(), 4004);
  EXPECT_EQ(other.ask({{"type", "subscribe"}, {"rate", 30}}), "");
}

TEST_F(StationTest, AClientThatReadsNothingLosesFramesAndNothingElse) {
  begin();
  SocketClient stalled(station->port(), 4096);
  stalled.join("Eve", "viewer");
  ASSERT_EQ(stalled.ask({{"type", "subscribe"}, {"rate", 90}, {"channels", {"*"}}}), "");
  SocketClient other(station->port());
  other.join("Bob", "viewer");
  std::uint32_t first = 0, last = 0;
  const auto sequence = [](const SocketClient::Message& m) {
    std::uint32_t value = 0;
    std::memcpy(&value, m.bytes.data() + 4, sizeof value);
    return value;
  };
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(3);
  while (std::chrono::steady_clock::now() < until) {
    const auto m = other.next();
    ASSERT_NE(m.opcode, 0);
    if (m.opcode != 2) continue;
    if (first == 0) first = sequence(m);
    last = sequence(m);
  }
  EXPECT_GT(last, first);
  // what waited in the sockets, then frames of now: their numbers have no holes, their ticks have
  std::int64_t before = 0, widest = 0;
  for (int frames = 0; frames < 400;) {
    const auto m = stalled.next();
    ASSERT_NE(m.opcode, 0);
    if (m.opcode != 2) continue;
    std::int64_t tick = 0;
    std::memcpy(&tick, m.bytes.data() + 8, sizeof tick);
    if (frames++ > 0) widest = std::max(widest, tick - before);
    before = tick;
    if (widest > 500) break;
  }
  EXPECT_GT(widest, 500) << "nothing was lost: the sockets took it all";
}

TEST_F(StationTest, ARunThatIsRecordedFromItsFirstTickIsWhole) {
  options.record = true;
  options.until = kSecond / 2;
  begin();
  thread.join();
  Records records(options.records);
  const auto list = records.list("");
  ASSERT_EQ(list.size(), 1U);
  EXPECT_FALSE(list[0].thumbnail.empty());
  LogFile log(options.records / list[0].name);
  EXPECT_EQ(log.first_tick(), 0);
  EXPECT_EQ(log.ticks(), 500);
}

TEST_F(StationTest, RecordingsAreMadeListedReplayedFetchedAndDeleted) {
  begin();
  SocketClient page(station->port());
  page.join("Ann");
  // what is under way when a recording begins is in it too
  ASSERT_EQ(page.ask({{"type", "operate"}}), "");
  page.ask({{"type", "episode"}, {"mark", "start"}, {"text", "grab"}});
  ASSERT_EQ(page.ask({{"type", "record"}, {"on", true}, {"name", "../a b"}}), "");
  EXPECT_EQ(page.ask({{"type", "record"}, {"on", true}, {"name", "x"}}),
            "a recording is under way; stop it first");
  for (double recorded = 0.0; recorded < 0.7;)
    recorded = page.next_text("status")["recording"]["seconds"];
  page.ask({{"type", "episode"}, {"mark", "success"}});
  ASSERT_EQ(page.ask({{"type", "record"}, {"on", false}}), "");
  EXPECT_EQ(page.ask({{"type", "record"}, {"on", false}}), "nothing is being recorded");
  page.say({{"type", "list"}});
  const Json records = page.next_text("records")["records"];
  ASSERT_EQ(records.size(), 1U);
  const auto name = records[0]["name"].get<std::string>();
  EXPECT_TRUE(name.starts_with("a-b-")) << name;
  EXPECT_GT(records[0]["seconds"].get<double>(), 0.6);
  ASSERT_EQ(records[0]["episodes"].size(), 1U) << records;
  EXPECT_EQ(records[0]["episodes"][0]["task"], "grab");
  EXPECT_EQ(records[0]["episodes"][0]["outcome"], "success");
  EXPECT_EQ(records[0]["episodes"][0]["operator"], "Ann");
  const std::string file = get("/records/" + name);
  EXPECT_EQ(status_of(file), "200");
  EXPECT_NE(file.find("attachment; filename=\"" + name + "\""), std::string::npos);
  ASSERT_TRUE(records[0]["thumbnail"].is_string()) << page.next_text("status")["recording"];
  EXPECT_NE(get(records[0]["thumbnail"]).find("image/png"), std::string::npos);

  // it was begun in the middle of a run, and is the same run again from there
  LogFile log(options.records / name);
  EXPECT_GT(log.first_tick(), 0);
  ReplayOptions verify;
  verify.verify = true;
  const ReplayReport report = replay(log, verify);
  EXPECT_TRUE(report.same());
  EXPECT_GT(report.compared, 600);

  ASSERT_EQ(page.ask({{"type", "replay"}, {"name", name}}), "");
  ASSERT_EQ(page.ask({{"type", "speed"}, {"factor", 0}}), "");
  const double wanted = seconds(log.first_tick() * log.base_period()) + 0.3;
  ASSERT_EQ(page.ask({{"type", "seek"}, {"time", wanted}}), "");
  double shown = 0.0;
  for (int frames = 0; frames < 200 && std::abs(shown - wanted) > 0.0015;) {
    const auto m = page.next();
    ASSERT_NE(m.opcode, 0);
    if (m.opcode != 2 || (m.bytes[1] & kReplayFlag) == 0) continue;
    std::memcpy(&shown, m.bytes.data() + 16, sizeof shown);
    ++frames;
  }
  EXPECT_NEAR(shown, wanted, 0.0015);
  // it says what was then, and of the live arms what is now
  ASSERT_EQ(page.ask({{"type", "stop"}}), "");
  Json said;
  for (int i = 0; i < 20; ++i) {
    said = page.next_text("status");
    if (said["stopped"].get<bool>()) break;
  }
  EXPECT_EQ(said["stopped"], true);
  EXPECT_EQ(said["replay"]["stopped"], false);
  EXPECT_EQ(said["replay"]["mode"], said["mode"]);
  EXPECT_TRUE(said["replay"]["limits"].is_array());
  EXPECT_NE(said["replay"]["holding"], said["holding"]);
  ASSERT_EQ(page.ask({{"type", "resume"}}), "");
  ASSERT_EQ(page.ask({{"type", "replay"}, {"off", true}}), "");

  EXPECT_NE(page.ask({{"type", "delete"}, {"name", "../secret.txt"}}), "");
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "secret.txt"));
  EXPECT_EQ(page.ask({{"type", "delete"}, {"name", name}}), "");
  EXPECT_FALSE(std::filesystem::exists(options.records / name));
}

// one request over TLS, by somebody who trusts that certificate alone
// TLS to the server, without a proxy of the system's; closed with the object
class SecureClient {
 public:
  /// @param address of the server's, of which the station sees where it was reached from
  SecureClient(std::uint16_t port, const std::string& certificate, const std::string& host,
               const std::string& address = "127.0.0.1")
      : host_(host + ":" + std::to_string(port)),
        context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free) {
    const std::unique_ptr<BIO, decltype(&BIO_free)> pem(
        BIO_new_mem_buf(certificate.data(), static_cast<int>(certificate.size())), BIO_free);
    const std::unique_ptr<X509, decltype(&X509_free)> trusted(
        PEM_read_bio_X509(pem.get(), nullptr, nullptr, nullptr), X509_free);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context_.get()), trusted.get());
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
    bio_.reset(BIO_new_ssl_connect(context_.get()));
    SSL* ssl = nullptr;
    BIO_get_ssl(bio_.get(), &ssl);
    SSL_set1_host(ssl, host.c_str());
    BIO_set_conn_hostname(bio_.get(), (address + ":" + std::to_string(port)).c_str());
    connected_ = BIO_do_connect(bio_.get()) > 0;
  }
  bool connected() const { return connected_; }
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
  /// Greets as a page does. @return what the welcome begins with, up to the cookie's end
  std::string greet(const std::string& token) {
    write("GET /ws HTTP/1.1\r\nHost: " + host_ +
          "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: "
          "handspan.1\r\n\r\n");
    read("\r\n\r\n");
    const std::string hello =
        R"({"type":"hello","protocol":1,"name":"a","role":"viewer","token":")" + token + R"("})";
    // one text frame, masked with zeros
    write(std::string("\x81") + static_cast<char>(0x80 | hello.size()) + std::string(4, '\0') +
          hello);
    return read(R"("devices")");
  }

 private:
  std::string host_;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
  std::unique_ptr<BIO, decltype(&BIO_free_all)> bio_{nullptr, BIO_free_all};
  bool connected_ = false;
};

std::string secure_get(std::uint16_t port, const std::string& certificate,
                       const std::string& host) {
  return SecureClient(port, certificate, host).get("/");
}

TEST_F(StationTest, AMarkThatCameBeforeTheEndOfARecordingIsInIt) {
  begin();
  SocketClient page(station->port());
  page.join("Ann");
  ASSERT_EQ(page.ask({{"type", "operate"}}), "");
  for (int i = 0; i < 6; ++i) {
    ASSERT_EQ(page.ask({{"type", "record"}, {"on", true}, {"name", fmt::format("m{}", i)}}), "");
    page.ask({{"type", "episode"}, {"mark", "start"}, {"text", "grab"}});
    page.ask({{"type", "episode"}, {"mark", "success"}});
    ASSERT_EQ(page.ask({{"type", "record"}, {"on", false}}), "");
  }
  page.say({{"type", "list"}});
  const Json records = page.next_text("records")["records"];
  ASSERT_EQ(records.size(), 6U);
  for (const Json& record : records) {
    ASSERT_EQ(record["episodes"].size(), 1U) << record;
    EXPECT_EQ(record["episodes"][0]["outcome"], "success");
  }
}

TEST_F(StationTest, ForOtherMachinesItSpeaksTlsUnderItsNamesOnly) {
  const Certificate own = own_certificate(folder.path() / "state", {"robot-lab"});
  options.lan = LanOptions{{"robot-lab"}, own.certificate, own.key, "123456"};
  begin();
  EXPECT_EQ(status_of(secure_get(station->port(), own.certificate, "robot-lab")), "200");
  EXPECT_EQ(status_of(secure_get(station->port(), own.certificate, "localhost")), "200");
  EXPECT_EQ(secure_get(station->port(), own.certificate, "evil.example"), "refused");
  const Certificate other = own_certificate(folder.path() / "other", {"robot-lab"});
  EXPECT_EQ(secure_get(station->port(), other.certificate, "robot-lab"), "refused");
  // without TLS nothing is said
  EXPECT_EQ(get("/").find("HTTP"), std::string::npos);
}

TEST_F(StationTest, RecordingsAreForPairedPagesOfOtherMachines) {
  const auto addresses = lan_addresses();
  if (addresses.empty()) GTEST_SKIP() << "this machine has no network address";
  const std::string& address = addresses.front();
  const Certificate own = own_certificate(folder.path() / "state", {address});
  options.lan = LanOptions{{address}, own.certificate, own.key, "123456"};
  std::filesystem::create_directories(options.records);
  std::ofstream(options.records / "secret.mcap") << "the log";
  std::ofstream(options.records / "secret.png") << "the picture";
  begin();
  const auto asked = [&](const std::string& target, const std::string& header = "",
                         const std::string& at = "") {
    return SecureClient(station->port(), own.certificate, at.empty() ? address : at,
                        at.empty() ? address : at)
        .get(target, header);
  };
  const char* const kTheirs[] = {"/records/secret.mcap", "/thumbnails/secret.png",
                                 "/%72ecords/secret.mcap", "/records/none.mcap"};
  for (const char* target : kTheirs) {
    const std::string bare = asked(target);
    EXPECT_EQ(status_of(bare), "403") << target;
    EXPECT_EQ(bare.find("the log"), std::string::npos);
    EXPECT_EQ(status_of(asked(target, "Cookie: handspan_0=0\r\n")), "403") << target;
  }
  EXPECT_EQ(status_of(asked("/")), "200") << "the page itself pairs";
  EXPECT_EQ(SecureClient(station->port(), own.certificate, address, address)
                .greet("000000")
                .find("cookie"),
            std::string::npos);
  // what the welcome of a paired page gives opens them
  const std::string welcome =
      SecureClient(station->port(), own.certificate, address, address).greet("123456");
  const std::size_t at = welcome.find(R"("cookie":")");
  ASSERT_NE(at, std::string::npos) << welcome.substr(0, 300);
  const std::string cookie = welcome.substr(at + 10, welcome.find('"', at + 10) - at - 10);
  const std::string header = "Cookie: other=1; " + cookie + "\r\n";
  const std::string log = asked("/records/secret.mcap", header);
  EXPECT_EQ(status_of(log), "200");
  EXPECT_NE(log.find("the log"), std::string::npos);
  EXPECT_EQ(status_of(asked("/thumbnails/secret.png", header)), "200");
  // this machine needs no pairing
  EXPECT_EQ(status_of(asked("/records/secret.mcap", "", "127.0.0.1")), "200");
}

TEST_F(StationTest, AFolderThatIsRemovedEndsTheRecording) {
  begin();
  SocketClient page(station->port());
  page.join("Ann");
  ASSERT_EQ(page.ask({{"type", "operate"}}), "");
  ASSERT_EQ(page.ask({{"type", "record"}, {"on", true}, {"name", "gone"}}), "");
  EXPECT_TRUE(page.next_text("status")["recording"]["free"].is_number());
  std::filesystem::remove_all(options.records);
  Json recording;
  for (int i = 0; i < 100; ++i) {
    recording = page.next_text("status")["recording"];
    if (!recording["on"].get<bool>()) break;
  }
  EXPECT_FALSE(recording["on"].get<bool>()) << "it ends by itself";
  EXPECT_NE(recording["message"].get<std::string>().find("is not there any more"),
            std::string::npos)
      << recording;
  for (int i = 0; i < 1000 && station->failed_recordings() == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(station->failed_recordings(), 1);
}

// the limit on a file's size stands for a full disk
TEST_F(StationTest, AFullDiskIsToldOnThePageWithWhatIsKept) {
  begin();
  SocketClient page(station->port());
  page.join("Ann");
  ASSERT_EQ(page.ask({{"type", "operate"}}), "");
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(page.ask({{"type", "record"}, {"on", true}, {"name", "full"}}), "");
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  std::uintmax_t written = 0;
  for (const auto& entry : std::filesystem::directory_iterator(options.records))
    written = std::max(written, entry.file_size());
  ASSERT_GT(written, 0U);
  const rlimit small{written + 1, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  Json recording;
  for (int i = 0; i < 100; ++i) {
    recording = page.next_text("status")["recording"];
    // why is told at once, what is kept when it was looked at
    if (recording["message"].get<std::string>().find("kept") != std::string::npos) break;
    EXPECT_TRUE(recording["on"].get<bool>() == recording["message"].get<std::string>().empty());
  }
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, SIG_DFL);
  EXPECT_FALSE(recording["on"].get<bool>()) << "it ends by itself";
  const auto message = recording["message"].get<std::string>();
  EXPECT_NE(message.find("the recording ended by itself: "), std::string::npos) << message;
  EXPECT_NE(message.find("writing failed after "), std::string::npos) << message;
  EXPECT_NE(message.find(" s are kept"), std::string::npos) << message;
  // counted when its thumbnail is written
  for (int i = 0; i < 1000 && station->failed_recordings() == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(station->failed_recordings(), 1);
  // the loop goes on, and the next one is a recording as any
  ASSERT_EQ(page.ask({{"type", "record"}, {"on", true}, {"name", "next"}}), "");
  ASSERT_EQ(page.ask({{"type", "record"}, {"on", false}}), "");
  EXPECT_EQ(page.next_text("status")["recording"]["message"], "");
}

}  // namespace
}  // namespace handspan
