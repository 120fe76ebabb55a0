#include "core/overwritten.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "core/error.hpp"
#include "core/private_folder.hpp"

namespace handspan {
namespace overwritten_test {

TEST(Overwritten, OursIsAndOthersIsNot) {
  const PrivateFolder folder("handspan-overwritten-");
  const auto refused = [&](const std::string& content, const char* option = "--json") {
    const auto file = folder.path() / "file";
    std::ofstream(file, std::ios::binary) << content;
    try {
      refuse_foreign(file, option);
      return std::string();
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  for (const std::string ours : {"", "\x89MCAP0\r\n...", "\x89PNG\r\n...", "\x89HDF\r\n...",
                                 "{\n  \"handspan\": \"0.1.0\"\n}", "{\"handspan\":1}",
                                 "<?xml version=\"1.0\"?>\n<!-- written by handspan -->\n<robot/>",
                                 "Authorization: Bearer 0123\n"})
    EXPECT_EQ(refused(ours), "") << ours;
  for (const std::string theirs :
       {"notes", "{}", "{\"mine\": \"handspan\"}", "[\"handspan\"]", "\x89MCA", "\"handspan\"",
        "<?xml version=\"1.0\"?>\n<robot/>", " ", "handspan"}) {
    const std::string told = refused(theirs);
    EXPECT_NE(told.find("--json"), std::string::npos) << theirs;
    EXPECT_NE(told.find("file"), std::string::npos) << theirs;
    EXPECT_NE(told.find("--force"), std::string::npos) << theirs;
  }
  // what is not a file, or not there
  EXPECT_NO_THROW(refuse_foreign("/dev/null", "--json"));
  EXPECT_NO_THROW(refuse_foreign(folder.path(), "--json"));
  EXPECT_NO_THROW(refuse_foreign(folder.path() / "none", "--json"));
}

TEST(Overwritten, ALinkIsItsTargetButForTheTokenFileWhichTakesItsPlace) {
  const PrivateFolder folder("handspan-overwritten-");
  const auto theirs = folder.path() / "theirs", link = folder.path() / "link";
  std::ofstream(theirs) << "notes";
  std::filesystem::create_symlink(theirs, link);
  EXPECT_THROW(refuse_foreign(link, "--json"), InputError);
  EXPECT_NO_THROW(refuse_foreign(link, kTokenFileOption));
  EXPECT_THROW(refuse_foreign(theirs, kTokenFileOption), InputError);
}

}  // namespace overwritten_test
}  // namespace handspan
