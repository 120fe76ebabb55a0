// Random and mutated messages against the hub: whatever comes, nothing crashes, every client that
// is closed was told a reason, and while nobody operates the arms stay where they are.
#include <gtest/gtest.h>

#include <random>

#include "station/station_support.hpp"
#include "support/sized.hpp"

namespace handspan {
namespace hub_fuzz_test {

using test::FakeConnection;
using test::HubTest;
using test::Json;

class HubFuzz : public HubTest {
 protected:
  using Random = std::mt19937_64;

  static std::size_t below(Random& random, std::size_t n) { return random() % n; }

  // a value of any kind, also deep ones
  static Json value(Random& random, int depth) {
    switch (below(random, depth > 3 ? 8 : 10)) {
      case 0:
        return nullptr;
      case 1:
        return true;
      case 2:
        return static_cast<std::int64_t>(random());
      case 3:
        return 1e308 * (static_cast<double>(below(random, 5)) - 2.0);
      case 4:
        return 1;
      case 5:
        return "scripted";
      case 6:
        return std::string(below(random, 200), 'x');
      case 7:
        return "\u0000\u00e4*?";
      case 8: {
        Json list = Json::array();
        for (std::size_t i = below(random, 4); i > 0; --i) list.push_back(value(random, depth + 1));
        return list;
      }
      default: {
        Json object = Json::object();
        for (std::size_t i = below(random, 4); i > 0; --i)
          object["k" + std::to_string(i)] = value(random, depth + 1);
        return object;
      }
    }
  }

  static std::string text(Random& random) {
    static const char* const kTypes[] = {"hello",     "ping",    "subscribe", "list",   "ask",
                                         "stop",      "operate", "yield",     "resume", "event",
                                         "parameter", "episode", "record",    "delete", "replay",
                                         "seek",      "speed",   "other"};
    static const char* const kKeys[] = {"id",     "t",        "channels", "rate", "to",  "name",
                                        "value",  "mark",     "text",     "on",   "off", "time",
                                        "factor", "protocol", "role",     "token"};
    Json message = {{"type", kTypes[below(random, std::size(kTypes))]}};
    for (std::size_t i = below(random, 5); i > 0; --i)
      message[kKeys[below(random, std::size(kKeys))]] = value(random, 0);
    std::string bytes = message.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (below(random, 4) == 0) mutate(bytes, random);
    return bytes;
  }

  template <class Bytes>
  static void mutate(Bytes& bytes, Random& random) {
    for (std::size_t i = 1 + below(random, 4); i > 0 && !bytes.empty(); --i) {
      const std::size_t at = below(random, bytes.size());
      switch (below(random, 3)) {
        case 0:
          bytes[at] = static_cast<typename Bytes::value_type>(random());
          break;
        case 1:
          bytes.resize(at);
          break;
        default:
          bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes[at]);
          break;
      }
    }
  }
};

TEST_F(HubFuzz, NothingThatComesBreaksIt) {
  const int messages = test::sized(200'000);
  Random random(7);
  std::unique_ptr<FakeConnection> page;
  int client = 0, closed = 0;
  const auto enter = [&] {
    page = std::make_unique<FakeConnection>();
    client = hub.add(*page, Visitor(), now);
    if (below(random, 8) != 0)
      say(client, {{"type", "hello"}, {"protocol", 1}, {"name", "Ann"}, {"role", "operator"}});
    if (below(random, 2) != 0) say(client, {{"type", "operate"}});
  };
  enter();
  for (int i = 0; i < messages; ++i) {
    SCOPED_TRACE(i);
    if (below(random, 2) == 0) {
      hub.text(client, text(random), now);
    } else {
      std::vector<std::uint8_t> bytes = encode_sample(sample(below(random, 2) != 0));
      if (below(random, 4) != 0) mutate(bytes, random);
      hub.bytes(client, bytes, now);
    }
    now += 3'000'000;
    if (i % 16 == 0) tick(1);
    if (page->texts.size() > 64) page->texts.clear();
    page->frames.clear();
    if (page->code == 0) continue;
    ++closed;
    EXPECT_GE(page->code, 4000);
    EXPECT_FALSE(page->reason.empty());
    EXPECT_EQ(hub.clients(), 0U);
    EXPECT_EQ(hub.operating(), 0);
    enter();
  }
  EXPECT_GT(closed, messages / 20);
  EXPECT_GT(hub.counts().samples, 0U);
  for (const double x : loop.session.plant().read().groups[0].q) EXPECT_TRUE(std::isfinite(x));
}

TEST_F(HubFuzz, ViewersMoveNothing) {
  FakeConnection page;
  int client = join(page, "Eve", "viewer");
  tick(1000);  // it has come to its hold
  const Pose before = test::reference_of(loop.session, "hand").motion().pose.X_WE;
  Random random(8);
  for (int i = 0; i < test::sized(20'000); ++i) {
    hub.text(client, text(random), now);
    if (page.code == 0) hub.bytes(client, encode_sample(sample(i % 50 > 5, 0.001 * i)), now);
    tick(6);
    page.texts.clear();
    page.frames.clear();
    if (page.code == 0) continue;
    page.code = 0;
    client = join(page, "Eve", "viewer");
  }
  const Pose after = test::reference_of(loop.session, "hand").motion().pose.X_WE;
  EXPECT_EQ(before.p, after.p);
  EXPECT_LT((before.R - after.R).norm(), 1e-12);
  EXPECT_EQ(loop.session.devices().find("headset").samples(), 0U);
  EXPECT_TRUE(services.asked.empty());
}

}  // namespace hub_fuzz_test
}  // namespace handspan
