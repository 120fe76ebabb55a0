#include "station/host_check.hpp"

#include <gtest/gtest.h>

namespace handspan {
namespace host_check_test {

TEST(HostCheck, NamesOfThisMachineAreAllowedAndOthersAreNot) {
  for (const char* host : {"localhost", "localhost:8780", "LOCALHOST:1", "127.0.0.1:8780", "[::1]",
                           "[::1]:8780", "10.0.0.7:8780"})
    EXPECT_TRUE(host_allowed(host, {"10.0.0.7"})) << host;
  for (const char* host : {"", "evil.example", "localhost.evil.example", "localhost:",
                           "localhost:x", "localhost:123456", "localhost@evil.example", "[::1",
                           "[::1]x:1", "::1", "127.0.0.1.evil.example", "10.0.0.8"})
    EXPECT_FALSE(host_allowed(host, {"10.0.0.7"})) << host;
}

TEST(HostCheck, AnOriginIsTheHostItself) {
  EXPECT_TRUE(origin_allowed("", "http", "localhost:8780"));
  EXPECT_TRUE(origin_allowed("http://localhost:8780", "http", "localhost:8780"));
  EXPECT_TRUE(origin_allowed("http://LocalHost:8780", "http", "localhost:8780"));
  EXPECT_FALSE(origin_allowed("https://localhost:8780", "http", "localhost:8780"));
  EXPECT_FALSE(origin_allowed("http://localhost:8781", "http", "localhost:8780"));
  EXPECT_FALSE(origin_allowed("http://127.0.0.1:8780", "http", "localhost:8780"));
  EXPECT_FALSE(origin_allowed("null", "http", "localhost:8780"));
}

TEST(HostCheck, AddressesOfIPv6AreNames) {
  EXPECT_TRUE(host_allowed("[2001:db8::7]:8780", {"2001:db8::7"}));
  EXPECT_FALSE(host_allowed("[2001:db8::8]:8780", {"2001:db8::7"}));
  EXPECT_FALSE(host_allowed("2001:db8::7", {"2001:db8::7"}));
}

TEST(HostCheck, ACookieIsFoundByItsWholeName) {
  using Values = std::vector<std::string_view>;
  EXPECT_EQ(cookies("a=1", "a"), Values{"1"});
  EXPECT_EQ(cookies("b=2; a=1", "a"), Values{"1"});
  EXPECT_EQ(cookies("a=1;b=2 ", "b"), Values{"2"});
  EXPECT_EQ(cookies("a=1; a=2", "a"), (Values{"1", "2"}));
  EXPECT_EQ(cookies("a=b=c", "a"), Values{"b=c"});
  for (const char* header : {"", "xa=1", "A=1", "a", "a = 1", ";;", "b=2,a=1", "aa=1"})
    EXPECT_EQ(cookies(header, "a"), Values{}) << header;
}

}  // namespace host_check_test
}  // namespace handspan
