#include "station/certificate.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <set>

#include "support/scenes.hpp"

namespace handspan {
namespace certificate_test {

TEST(Certificate, IsKeptWhileItHasTheNamesAndMadeAnewElse) {
  const test::TemporaryFolder folder;
  const auto place = folder.path() / "state";
  const Certificate first = own_certificate(place, {"10.1.2.3", "robot-lab"});
  EXPECT_EQ(first.fingerprint.size(), 95U);  // 32 bytes in hexadecimal, with colons
  EXPECT_NE(first.certificate.find("BEGIN CERTIFICATE"), std::string::npos);
  struct stat about{};
  ASSERT_EQ(stat((place / "key.pem").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0600U);
  EXPECT_EQ(own_certificate(place, {"10.1.2.3"}).fingerprint, first.fingerprint);
  const Certificate other = own_certificate(place, {"10.1.2.4"});
  EXPECT_NE(other.fingerprint, first.fingerprint);
  // a key that is not its own
  folder.write("state/key.pem", first.key);
  EXPECT_NE(own_certificate(place, {"10.1.2.4"}).fingerprint, other.fingerprint);
  folder.write("state/certificate.pem", "no certificate");
  EXPECT_EQ(own_certificate(place, {}).names,
            (std::vector<std::string>{"localhost", "127.0.0.1", "::1"}));
}

TEST(Certificate, OneThatWasMadeWhileTheClockWasAheadIsMadeAnew) {
  const test::TemporaryFolder folder;
  const std::time_t now = std::time(nullptr);
  const auto ahead = own_certificate(folder.path(), {"robot-lab"}, now + 30L * 24 * 3600);
  EXPECT_EQ(own_certificate(folder.path(), {"robot-lab"}, now + 30L * 24 * 3600).fingerprint,
            ahead.fingerprint);
  const auto made = own_certificate(folder.path(), {"robot-lab"}, now);
  EXPECT_NE(made.fingerprint, ahead.fingerprint);
  EXPECT_EQ(own_certificate(folder.path(), {"robot-lab"}, now).fingerprint, made.fingerprint);
  // and one that has run out, in a year
  EXPECT_NE(own_certificate(folder.path(), {"robot-lab"}, now + 366L * 24 * 3600).fingerprint,
            made.fingerprint);
}

TEST(Certificate, AFolderThatCannotBeWrittenIsToldOf) {
  const test::TemporaryFolder folder;
  folder.write("file", "");
  EXPECT_THROW(own_certificate(folder.path() / "file", {}), InputError);
}

TEST(Certificate, PairingCodesAreSixDigitsAndDiffer) {
  std::set<std::string> codes;
  for (int i = 0; i < 20; ++i) codes.insert(pairing_code());
  EXPECT_GT(codes.size(), 15U);
  for (const auto& code : codes) {
    EXPECT_EQ(code.size(), 6U);
    EXPECT_EQ(code.find_first_not_of("0123456789"), std::string::npos);
  }
}

}  // namespace certificate_test
}  // namespace handspan
