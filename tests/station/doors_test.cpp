// Who comes in at the station's port, and who does not: pairing, tokens, TLS, names, places.
#include <algorithm>
#include <deque>
#include <utility>

#include "station/certificate.hpp"
#include "station/station_fixture.hpp"

namespace handspan {
namespace doors_test {

using test::Json;
using test::SecureClient;
using test::SocketClient;

class DoorsTest : public test::StationTest {};

std::string secure_get(std::uint16_t port, const std::string& certificate,
                       const std::string& host) {
  return SecureClient(port, certificate, host).get("/");
}

TEST_F(DoorsTest, OtherHostsAndOriginsAreRefused) {
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
    return status_of(SocketClient(station->port(), token).upgrade(header, host));
  };
  EXPECT_EQ(upgrade(""), "101");
  EXPECT_EQ(upgrade(origin("http://localhost:" + port)), "101");
  EXPECT_EQ(upgrade(origin("http://localhost:1")), "403");
  EXPECT_EQ(upgrade(origin("https://localhost:" + port)), "403");
  EXPECT_EQ(upgrade(origin("null")), "403");
  EXPECT_EQ(upgrade("", "evil.example:" + port), "403");
  EXPECT_EQ(status_of(SocketClient(station->port(), token).upgrade("", "", "other")), "400");
}

TEST_F(DoorsTest, ForOtherMachinesItSpeaksTlsUnderItsNamesOnly) {
  const Certificate own = own_certificate(folder.path() / "state", {"robot-lab"});
  options.lan = LanOptions{{"robot-lab"}, own.certificate, own.key};
  begin();
  EXPECT_EQ(status_of(secure_get(station->port(), own.certificate, "robot-lab")), "200");
  EXPECT_EQ(status_of(secure_get(station->port(), own.certificate, "localhost")), "200");
  EXPECT_EQ(secure_get(station->port(), own.certificate, "evil.example"), "refused");
  const Certificate other = own_certificate(folder.path() / "other", {"robot-lab"});
  EXPECT_EQ(secure_get(station->port(), other.certificate, "robot-lab"), "refused");
}

TEST_F(DoorsTest, HttpToItsTlsPortIsToldTheRightAddress) {
  const Certificate own = own_certificate(folder.path() / "state", {"robot-lab"});
  options.lan = LanOptions{{"robot-lab"}, own.certificate, own.key};
  begin();
  const std::string there = fmt::format("https://robot-lab:{}/", station->port());
  const std::string answer =
      get("/assets/main.js", "", fmt::format("robot-lab:{}", station->port()));
  EXPECT_EQ(status_of(answer), "308");
  EXPECT_NE(answer.find("Location: " + there + "\r\n"), std::string::npos) << answer;
  EXPECT_NE(answer.find("this port speaks https: " + there), std::string::npos) << answer;
  EXPECT_EQ(answer.find("let x;"), std::string::npos);
  EXPECT_EQ(status_of(get("/", "", "evil.example")), "403");
}

TEST_F(DoorsTest, TlsIsOfAuthenticatedEncryptionOnly) {
  const Certificate own = own_certificate(folder.path() / "state", {"robot-lab"});
  options.lan = LanOptions{{"robot-lab"}, own.certificate, own.key};
  begin();
  const auto version = [&](const test::TlsOffer& offer) {
    return SecureClient(station->port(), own.certificate, "localhost", "127.0.0.1", offer)
        .version();
  };
  EXPECT_EQ(version({}), "TLSv1.3");
  EXPECT_EQ(version({TLS1_2_VERSION, "ECDHE-ECDSA-AES128-GCM-SHA256"}), "TLSv1.2");
  EXPECT_EQ(version({TLS1_2_VERSION, "ECDHE-ECDSA-CHACHA20-POLY1305"}), "TLSv1.2");
  EXPECT_EQ(version({TLS1_2_VERSION, "ECDHE-ECDSA-AES128-SHA256:ECDHE-ECDSA-AES256-SHA"}), "none");
  EXPECT_EQ(version({TLS1_1_VERSION, "DEFAULT:@SECLEVEL=0"}), "none");
}

constexpr const char* kTheirs[] = {"/records/secret.mcap", "/thumbnails/secret.png",
                                   "/%72ecords/secret.mcap", "/records/none.mcap"};

// "NAME=VALUE" of an answer that sets one
std::string cookie_of(const std::string& answer) {
  const std::size_t at = answer.find("Set-Cookie: ");
  if (at == std::string::npos) return "";
  return answer.substr(at + 12, answer.find(';', at) - at - 12);
}

TEST_F(DoorsTest, OnThisMachineTooNothingIsGivenWithoutAToken) {
  std::filesystem::create_directories(options.records);
  std::ofstream(options.records / "secret.mcap") << "the log";
  std::ofstream(options.records / "secret.png") << "the picture";
  options.code = "123456";
  begin();
  const std::string right = std::exchange(token, "");
  for (const std::string& given :
       {std::string(), std::string(32, '0'), right.substr(1), right + "0"}) {
    token = given;
    for (const char* target : kTheirs) {
      const std::string answer = get(target);
      EXPECT_EQ(status_of(answer), "403") << target;
      EXPECT_EQ(answer.find("the log"), std::string::npos);
    }
    EXPECT_EQ(status_of(get("/")), "200") << "the page itself pairs";
    SocketClient socket(station->port(), token);
    socket.upgrade();
    socket.say({{"type", "hello"}, {"protocol", 1}, {"name", "Eve"}, {"role", "operator"}});
    const auto closed = socket.next_close();
    EXPECT_EQ(closed.code(), 4005);
    EXPECT_EQ(closed.bytes.substr(2),
              "this page is not paired; pairing needs the code that the terminal shows");
  }
  EXPECT_EQ(std::ranges::count(station->take_notices(),
                               "127.0.0.1: a page was closed: this page is not paired; pairing "
                               "needs the code that the terminal shows"),
            1);
  token = right;
  EXPECT_NE(get("/records/secret.mcap").find("the log"), std::string::npos);
  EXPECT_EQ(status_of(get("/thumbnails/secret.png")), "200");
  token = "";
  // as curl does
  const std::string bearer = "Authorization: Bearer " + right + "\r\n";
  EXPECT_NE(get("/records/secret.mcap", bearer).find("the log"), std::string::npos);
}

TEST_F(DoorsTest, TheCodePairsAndTheDeviceKeepsItsCookie) {
  options.code = "123456";
  begin();
  const std::string wrong = pair({{"code", "654321"}, {"name", "Ann"}});
  EXPECT_EQ(status_of(wrong), "403");
  EXPECT_EQ(cookie_of(wrong), "");
  EXPECT_NE(wrong.find("this is not the code that the terminal shows; 4 tries left"),
            std::string::npos);
  EXPECT_NE(wrong.find(R"("tries_left":4)"), std::string::npos);
  const std::string paired = pair({{"code", " 123 456"}, {"name", "Ann"}});
  EXPECT_EQ(status_of(paired), "200");
  const std::string cookie = cookie_of(paired);
  ASSERT_TRUE(cookie.starts_with(fmt::format("handspan_{}=", station->port()))) << paired;
  EXPECT_NE(paired.find("; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict\r\n"),
            std::string::npos);
  // it comes and goes as it likes
  const std::string own = cookie.substr(cookie.find('=') + 1);
  EXPECT_EQ(own.size(), 32U);
  for (int i = 0; i < 2; ++i) {
    SocketClient page(station->port(), own);
    EXPECT_FALSE(page.join("Ann").is_null());
    page.disconnect();
  }
  for (const Json& bad : {Json(), Json{{"code", 123456}}, Json{{"code", ""}}, Json::array({1})})
    EXPECT_EQ(status_of(pair(bad)), "400") << bad;
  EXPECT_EQ(status_of(pair({{"code", "123456"}}, "Origin: http://evil.example\r\n")), "403");
  // guesses become slow, also for the right one from there
  for (int i = 1; i < kFreeTries; ++i) EXPECT_EQ(status_of(pair({{"code", "000000"}})), "403");
  EXPECT_EQ(status_of(pair({{"code", "000000"}})), "429");
  const std::string waits = pair({{"code", "123456"}});
  EXPECT_EQ(status_of(waits), "429");
  EXPECT_EQ(cookie_of(waits), "");
  EXPECT_NE(waits.find("Retry-After: 30"), std::string::npos) << waits;
  const auto notices = station->take_notices();
  EXPECT_EQ(std::ranges::count(notices, "127.0.0.1: wrong pairing code, 4 left"), 1);
  EXPECT_EQ(std::ranges::count(notices, "127.0.0.1: wrong pairing codes; it has to wait"), 1);
  // a key of an address needs no code
  EXPECT_NE(cookie_of(pair({{"key", station->new_key()}})), "");
}

TEST_F(DoorsTest, AKeyOfAnAddressOpensOnce) {
  begin();
  const std::string key = station->new_key();
  EXPECT_NE(cookie_of(pair({{"key", key}, {"name", "Ann"}})), "");
  const std::string again = pair({{"key", key}});
  EXPECT_EQ(status_of(again), "403");
  EXPECT_EQ(cookie_of(again), "");
}

TEST_F(DoorsTest, WhenAPairingEndsItsPageIsClosedAndItsTokenOpensNothing) {
  begin();
  SocketClient operating(station->port(), token);
  operating.join("Bob");
  const std::string cookie = cookie_of(pair({{"key", station->new_key()}, {"name", "Ann"}}));
  const std::string own = cookie.substr(cookie.find('=') + 1);
  SocketClient page(station->port(), own);
  ASSERT_FALSE(page.join("Ann").is_null());
  operating.say({{"type", "devices"}});
  const Json devices = operating.next_text("devices")["devices"];
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[1]["name"], "Ann");
  EXPECT_EQ(operating.ask({{"type", "unpair"}, {"device", devices[1]["id"]}}), "");
  EXPECT_EQ(page.next_close().code(), 4005);
  token = own;
  EXPECT_EQ(status_of(get("/records/none.mcap")), "403");
  // and from the terminal; the one that asked is closed too
  EXPECT_EQ(station->end_device(devices[0]["id"].get<int>()), "test");
  EXPECT_EQ(operating.next_close().code(), 4005);
  EXPECT_TRUE(station->devices().empty());
}

TEST_F(DoorsTest, DrippingConnectionsKeepNobodyOut) {
  begin();
  std::deque<SocketClient> drips;
  for (int i = 0; i < 100; ++i) {
    drips.emplace_back(station->port());
    drips.back().send_raw("G");
  }
  SocketClient page(station->port(), token);
  EXPECT_FALSE(page.join("Ann").is_null());
  EXPECT_EQ(status_of(get("/")), "200");
  // each is gone after 5 s, by the server: the last ones, that nobody had to make room for
  for (int i = 0; i < 10; ++i) drips[90 + static_cast<std::size_t>(i)].send_raw("E");
  EXPECT_EQ(drips.back().next().opcode, 0);
  EXPECT_TRUE(drips.back().ended());
  const auto notices = station->take_notices();
  EXPECT_EQ(std::ranges::count(
                notices, "127.0.0.1: too many connections without a token; the oldest was closed"),
            1);
  EXPECT_FALSE(page.ask({{"type", "subscribe"}, {"rate", 30}}) != "");
}

TEST_F(DoorsTest, OverIPv6TheSameHolds) {
  begin();
  try {
    SocketClient page(station->port(), token, 0, true);
    EXPECT_FALSE(page.join("Ann").is_null());
  } catch (const std::runtime_error&) {
    GTEST_SKIP() << "this machine has no IPv6";
  }
  SocketClient unpaired(station->port(), "", 0, true);
  EXPECT_EQ(status_of(unpaired.http("GET", "/records/none.mcap")), "403");
}

TEST_F(DoorsTest, OtherMachinesPairOverTls) {
  const auto addresses = lan_addresses();
  if (addresses.empty()) GTEST_SKIP() << "this machine has no network address";
  const std::string& address = addresses.front();
  const Certificate own = own_certificate(folder.path() / "state", {address});
  options.lan = LanOptions{{address}, own.certificate, own.key};
  options.code = "123456";
  std::filesystem::create_directories(options.records);
  std::ofstream(options.records / "secret.mcap") << "the log";
  std::ofstream(options.records / "secret.png") << "the picture";
  begin();
  const auto client = [&](const std::string& at = "") {
    const std::string& to = at.empty() ? address : at;
    return SecureClient(station->port(), own.certificate, to, to);
  };
  // at loopback too
  for (const char* at : {"", "127.0.0.1"}) {
    for (const char* target : kTheirs)
      EXPECT_EQ(status_of(client(at).get(target)), "403") << target;
    EXPECT_EQ(status_of(client(at).get("/")), "200") << "the page itself pairs";
    const std::string closed = client(at).greet("", "terminal shows");
    EXPECT_NE(closed.find("this page is not paired"), std::string::npos);
    EXPECT_EQ(closed.find("base_period"), std::string::npos);
  }
  EXPECT_EQ(cookie_of(client().pair({{"code", "000000"}})), "");
  const std::string paired = client().pair({{"code", "123456"}});
  EXPECT_NE(paired.find("; HttpOnly; SameSite=Strict; Secure\r\n"), std::string::npos) << paired;
  const std::string cookie = cookie_of(paired);
  EXPECT_TRUE(cookie.starts_with("__Host-handspan_")) << cookie;
  const std::string header = "Cookie: other=1; " + cookie + "\r\n";
  EXPECT_NE(client().get("/records/secret.mcap", header).find("the log"), std::string::npos);
  EXPECT_EQ(status_of(client().get("/thumbnails/secret.png", header)), "200");
  EXPECT_NE(client().greet(header, "base_period").find("base_period"), std::string::npos);
}

}  // namespace doors_test
}  // namespace handspan
