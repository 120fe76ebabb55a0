#include "core/files_read.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "core/error.hpp"
#include "core/private_folder.hpp"
#include "core/text_file.hpp"

namespace handspan {
namespace files_read_test {

TEST(FilesRead, GathersWhatIsReadWhileItExistsEachOnce) {
  const std::filesystem::path root = HANDSPAN_SOURCE_DIR;
  read_text_file(root / "README.md");
  FilesRead outer;
  read_text_file(root / "LICENSE");
  read_text_file(root / "src/../LICENSE");
  {
    FilesRead inner;
    read_text_file(root / "README.md");
    EXPECT_EQ(inner.files(), std::vector<std::filesystem::path>{root / "README.md"});
  }
  EXPECT_EQ(outer.files(), std::vector<std::filesystem::path>{root / "LICENSE"});
}

class InputsReadTest : public testing::Test {
 protected:
  InputsReadTest() : folder("handspan-inputs-") {
    std::ofstream(folder.path() / "app.yaml") << "name: a\n";
    read_text_file(folder.path() / "app.yaml");
  }
  std::filesystem::path at(const std::string& name) const { return folder.path() / name; }
  std::string refusal(const std::filesystem::path& output) const {
    try {
      refuse_overwriting(output, "--json");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  InputsRead inputs;
  PrivateFolder folder;
};

TEST_F(InputsReadTest, AFileThatWasReadIsNotWrittenOverByWhateverName) {
  EXPECT_EQ(refusal(at("app.yaml")), "--json " + at("app.yaml").string() + ": is the file " +
                                         at("app.yaml").string() +
                                         ", which is read: it would be lost; name another file");
  std::filesystem::create_symlink(at("app.yaml"), at("link.json"));
  std::filesystem::create_hard_link(at("app.yaml"), at("hard.json"));
  std::filesystem::create_directory(at("sub"));
  std::filesystem::create_directory_symlink(folder.path(), at("sub/up"));
  for (const char* name : {"link.json", "hard.json", "sub/../app.yaml", "./app.yaml",
                           "sub/up/app.yaml", "sub/up/link.json"})
    EXPECT_NE(refusal(at(name)).find("is the file"), std::string::npos) << name;
  EXPECT_NE(refusal(std::filesystem::relative(at("app.yaml"))).find("is the file"),
            std::string::npos);
}

TEST_F(InputsReadTest, OthersMayBeWritten) {
  std::ofstream(at("other.json")) << "{}";
  std::filesystem::create_symlink(at("gone"), at("dangling.json"));
  for (const auto& output : {at("other.json"), at("new.json"), at("dangling.json"),
                             at("no/such/folder.json"), std::filesystem::path("/dev/null")})
    EXPECT_EQ(refusal(output), "") << output;
}

TEST_F(InputsReadTest, WhatFilesReadInsideItGatherIsItsToo) {
  std::ofstream(at("scene.yaml")) << "name: s\n";
  {
    FilesRead load;
    read_text_file(at("scene.yaml"));
  }
  EXPECT_NE(refusal(at("scene.yaml")), "");
}

TEST_F(InputsReadTest, AFolderThatHoldsAnInputIsNotReplaced) {
  const auto refused = [&](const std::filesystem::path& replaced) {
    try {
      refuse_replacing(replaced, "--out");
    } catch (const InputError& error) {
      return std::string(error.what()).find("holds the file") != std::string::npos;
    }
    return false;
  };
  std::filesystem::create_directory(at("sub"));
  std::filesystem::create_directory_symlink(folder.path(), at("sub/up"));
  EXPECT_TRUE(refused(folder.path()));
  EXPECT_TRUE(refused(folder.path().parent_path()));
  EXPECT_TRUE(refused(at("sub/up")));
  EXPECT_FALSE(refused(at("sub")));
  EXPECT_FALSE(refused(at("none")));
}

TEST_F(InputsReadTest, TwoOutputsAreTwoFiles) {
  const auto checked = [&](const std::filesystem::path& a, const std::filesystem::path& b) {
    const OutputOption outputs[] = {{"--record", a}, {"--picture", ""}, {"--json", b}};
    try {
      check_outputs(outputs);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(checked(at("a.mcap"), at("b.json")), "");
  EXPECT_EQ(checked("", ""), "");
  EXPECT_EQ(checked("/dev/null", "/dev/null"), "");
  EXPECT_EQ(checked(at("a"), at("./a")),
            "--json " + at("./a").string() + ": is the file of --record too; name another file");
  EXPECT_NE(checked(at("a"), at("app.yaml")).find("which is read"), std::string::npos);
}

TEST(InputsRead, WithoutOneNothingIsRefused) {
  const PrivateFolder folder("handspan-inputs-");
  std::ofstream(folder.path() / "app.yaml") << "name: a\n";
  read_text_file(folder.path() / "app.yaml");
  EXPECT_NO_THROW(refuse_overwriting(folder.path() / "app.yaml", "--json"));
}

}  // namespace files_read_test
}  // namespace handspan
