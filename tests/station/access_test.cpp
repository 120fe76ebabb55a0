#include "station/access.hpp"

#include <gtest/gtest.h>

#include <set>

namespace handspan {
namespace access_test {

Visitor from(const std::string& address) { return {address, address, false, 0}; }

TEST(Access, ATokenIsOfOneDeviceUntilItEnds) {
  Access access("123456");
  const Pairing ann = access.pair_by_code("123456", "Ann", from("10.0.0.7"), 5 * kSecond);
  const Pairing bob = access.pair_by_code("123-456 ", "Bob", from("10.0.0.8"), 6 * kSecond);
  EXPECT_EQ(ann.token.size(), 32U);
  EXPECT_NE(ann.token, bob.token);
  EXPECT_EQ(access.device_of(ann.token, 7 * kSecond), ann.device);
  EXPECT_EQ(access.device_of(bob.token, 7 * kSecond), bob.device);
  for (const std::string& wrong :
       {std::string(), ann.token + "0", ann.token.substr(1), std::string(32, '0')})
    EXPECT_EQ(access.device_of(wrong, 0), 0);
  access.saw(ann.device, 9 * kSecond);
  const auto devices = access.devices();
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[0].name, "Ann");
  EXPECT_EQ(devices[0].address, "10.0.0.7");
  EXPECT_EQ(devices[0].seen, 9 * kSecond);
  EXPECT_EQ(access.end(ann.device), "Ann");
  EXPECT_EQ(access.end(ann.device), "");
  EXPECT_EQ(access.device_of(ann.token, 0), 0);
  EXPECT_EQ(access.device_of(bob.token, 0), bob.device);
}

TEST(Access, AKeyPairsWhoComesFirst) {
  Access access("123456");
  const std::string key = access.new_key();
  EXPECT_EQ(access.pair_by_key("", "Ann", from("10.0.0.7"), 0).device, 0);
  EXPECT_EQ(access.pair_by_key("123456", "Ann", from("10.0.0.7"), 0).device, 0);
  EXPECT_NE(access.pair_by_key(key, "Ann", from("10.0.0.7"), 0).device, 0);
  const Pairing second = access.pair_by_key(key, "Eve", from("10.0.0.8"), 0);
  EXPECT_EQ(second.device, 0);
  EXPECT_EQ(second.token, "");
  EXPECT_EQ(
      second.reason,
      "this address was opened before, and opens one page; give the code that the terminal shows");
}

TEST(Access, WrongCodesOfAnAddressWaitLongerAndLonger) {
  Access access("123456");
  Nanoseconds now = 100 * kSecond;
  const auto attempt = [&](const char* code, const char* address = "10.0.0.7") {
    return access.pair_by_code(code, "a", from(address), now);
  };
  for (int left = kFreeTries - 1; left > 0; --left) {
    const Pairing wrong = attempt("000000");
    EXPECT_EQ(wrong.tries_left, left);
    EXPECT_EQ(wrong.wait, 0);
    EXPECT_EQ(wrong.reason, "this is not the code that the terminal shows; " +
                                std::to_string(left) + (left == 1 ? " try left" : " tries left"));
  }
  const std::string right = "123456";
  for (const int wait : {30, 60, 120, 240, 480, 960, 1920, 3600, 3600}) {
    const Pairing wrong = attempt("000000");
    EXPECT_EQ(wrong.device, 0);
    EXPECT_EQ(wrong.wait, wait * kSecond);
    // the right one is not looked at either; another address is
    now += wait * kSecond - 1;
    const Pairing early = attempt("123456");
    EXPECT_EQ(early.device, 0);
    EXPECT_EQ(early.wait, 1);
    EXPECT_EQ(early.reason, "too many wrong codes from 10.0.0.7; wait 1 s and try again");
    EXPECT_NE(attempt("123456", "10.0.0.8").device, 0);
    now += 1;
  }
  EXPECT_NE(attempt("123456").device, 0);
  // and is forgotten with it
  EXPECT_EQ(attempt("000000").tries_left, kFreeTries - 1);
  now += 3 * 3600 * kSecond;
  EXPECT_EQ(attempt("000000").tries_left, kFreeTries - 1);
}

// of a network of IPv6 one machine has all addresses
TEST(Access, ANetworkOfIPv6IsOneAddress) {
  Access access("123456");
  for (int i = 0; i < kFreeTries; ++i)
    access.pair_by_code("000000", "a",
                        {"2001:db8::" + std::to_string(i), "2001:db8::/64", false, 0}, 0);
  EXPECT_GT(access.pair_by_code("123456", "a", {"2001:db8::77", "2001:db8::/64", false, 0}, 0).wait,
            0);
  EXPECT_NE(
      access.pair_by_code("123456", "a", {"2001:db8:1::7", "2001:db8:1::/64", false, 0}, 0).device,
      0);
}

TEST(Access, TheDeviceThatWasSilentForLongestMakesRoom) {
  Access access("123456");
  std::set<std::string> tokens;
  int oldest = 0;
  for (std::size_t i = 0; i < kMostDevices; ++i) {
    const Pairing one = access.pair_by_code("123456", "a", from("10.0.0.7"), kSecond);
    if (i == 3) oldest = one.device;
    tokens.insert(one.token);
    EXPECT_EQ(one.dropped, 0);
  }
  EXPECT_EQ(tokens.size(), kMostDevices);
  for (const PairedDevice& device : access.devices())
    if (device.id != oldest) access.saw(device.id, 2 * kSecond);
  EXPECT_EQ(access.pair_by_code("123456", "b", from("10.0.0.7"), 3 * kSecond).dropped, oldest);
  EXPECT_EQ(access.devices().size(), kMostDevices);
}

TEST(Access, NamesHaveNoControlCharacters) {
  for (const char* good : {"Ann", "Jürgen Müller", "李"}) EXPECT_TRUE(is_person_name(good)) << good;
  for (const std::string& bad : {std::string(), std::string("a\nb"), std::string("\x1b[2J"),
                                 std::string("\xc2\x9b"
                                             "2J"),
                                 std::string("\x7f"), std::string(63, 'a')})
    EXPECT_FALSE(is_person_name(bad)) << bad;
  Access access("123456");
  access.pair_by_code("123456", "\x1b[2J", from("10.0.0.7"), 0);
  EXPECT_EQ(access.devices()[0].name, "guest");
}

}  // namespace access_test
}  // namespace handspan
