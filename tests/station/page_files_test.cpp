#include "station/page_files.hpp"

#include <gtest/gtest.h>

#include "support/scenes.hpp"

namespace handspan {
namespace page_files_test {

class PageFilesTest : public testing::Test {
 protected:
  PageFilesTest() : records_(folder_.path() / "records") {
    folder_.write("page/index.html", "<!doctype html>");
    folder_.write("page/assets/main.js", "x");
    folder_.write("page/assets/a b.css", "x");
    folder_.write("page/.secret", "x");
    folder_.write("page/sub/index.html", "x");
    folder_.write("outside.txt", "x");
    folder_.write("records/run.mcap", "x");
    folder_.write("records/run.png", "x");
    folder_.write("records/notes.txt", "x");
  }
  PageAnswer answer(std::string_view target, bool may_see = true) const {
    return PageFiles(folder_.path() / "page", records_).answer(target, may_see);
  }
  const test::TemporaryFolder folder_;
  const Records records_;
};

TEST_F(PageFilesTest, ATargetIsAFileOfThePage) {
  const PageAnswer script = answer("/assets/main.js?v=1");
  EXPECT_EQ(script.status, 200);
  EXPECT_EQ(script.file, folder_.path() / "page/assets/main.js");
  EXPECT_EQ(script.type, "text/javascript; charset=utf-8");
  EXPECT_FALSE(script.download);
  EXPECT_EQ(answer("/").file, folder_.path() / "page/index.html");
  EXPECT_EQ(answer("/#pose").file, folder_.path() / "page/index.html");
  EXPECT_EQ(answer("/sub/").file, folder_.path() / "page/sub/index.html");
  EXPECT_EQ(answer("/assets/a%20b.css").file, folder_.path() / "page/assets/a b.css");
  EXPECT_EQ(answer("/%61ssets/main.js").status, 200);
  // the page is for everybody
  EXPECT_EQ(answer("/assets/main.js", false).status, 200);
}

TEST_F(PageFilesTest, APathNeverLeavesItsFolder) {
  std::filesystem::create_symlink(folder_.path() / "outside.txt", folder_.path() / "page/link.txt");
  std::filesystem::create_directory_symlink(folder_.path(), folder_.path() / "page/up");
  for (const char* target :
       {"/../outside.txt", "/assets/../../outside.txt", "/%2e%2e/outside.txt",
        "/assets/%2e%2e/%2E%2E/outside.txt", "/assets/..%2f..%2foutside.txt", "/.secret",
        "/assets/.hidden", "/link.txt", "/up/outside.txt", "/up/records/run.mcap", "//etc/passwd",
        "/%2fetc/passwd", "/missing.js", "/assets", "/assets/", "/sub/index",
        "/records/../page/index.html", "/thumbnails/../records/run.mcap"}) {
    const PageAnswer a = answer(target);
    EXPECT_EQ(a.status, 404) << target;
    EXPECT_TRUE(a.file.empty()) << target;
  }
  // a link that stays inside is followed
  std::filesystem::create_symlink("assets/main.js", folder_.path() / "page/inside.js");
  EXPECT_EQ(answer("/inside.js").file, folder_.path() / "page/assets/main.js");
}

TEST_F(PageFilesTest, WhatIsNoPathIsABadRequest) {
  for (const std::string_view target :
       {std::string_view(""), std::string_view("index.html"), std::string_view("?x"),
        std::string_view("http://host/"), std::string_view("/a%"), std::string_view("/a%2"),
        std::string_view("/a%zz"), std::string_view("/a%2x"), std::string_view("/a%00b"),
        std::string_view("/a%0d%0ab"), std::string_view("/a\nb"), std::string_view("/a\0b", 4),
        std::string_view("/a%7f"), std::string_view("/..\\outside.txt"),
        std::string_view("/%5c..%5coutside.txt")})
    EXPECT_EQ(answer(target).status, 400) << target;
}

TEST_F(PageFilesTest, RecordingsAreForWhoMaySeeThem) {
  const PageAnswer recording = answer("/records/run.mcap");
  EXPECT_EQ(recording.status, 200);
  EXPECT_EQ(recording.file, folder_.path() / "records/run.mcap");
  EXPECT_TRUE(recording.download);
  const PageAnswer picture = answer("/thumbnails/run.png");
  EXPECT_EQ(picture.file, folder_.path() / "records/run.png");
  EXPECT_EQ(picture.type, "image/png");
  EXPECT_FALSE(picture.download);
  // whether one is there is not told either
  for (const char* target : {"/records/run.mcap", "/records/none.mcap", "/records/",
                             "/thumbnails/x", "/records%2frun.mcap", "/%72ecords/run.mcap"})
    EXPECT_EQ(answer(target, false).status, 403) << target;
  // each under its own name only
  for (const char* target : {"/records/run.png", "/thumbnails/run.mcap", "/records/notes.txt",
                             "/records/", "/records/none.mcap", "/records/sub/run.mcap"})
    EXPECT_EQ(answer(target).status, 404) << target;
}

TEST_F(PageFilesTest, WithoutAPageItSaysHowToBuildIt) {
  const PageFiles none(folder_.path() / "nothing", records_);
  const PageAnswer a = none.answer("/", false);
  EXPECT_EQ(a.status, 200);
  EXPECT_TRUE(a.file.empty());
  EXPECT_NE(a.text.find("tools/build release"), std::string::npos);
  EXPECT_EQ(a.type, "text/html; charset=utf-8");
  EXPECT_EQ(none.answer("/assets/main.js", true).status, 404);
}

TEST(ContentType, IsByTheEnding) {
  EXPECT_EQ(content_type("a/b.html"), "text/html; charset=utf-8");
  EXPECT_EQ(content_type("x.min.mjs"), "text/javascript; charset=utf-8");
  EXPECT_EQ(content_type("x.glb"), "model/gltf-binary");
  EXPECT_EQ(content_type("run.mcap"), "application/octet-stream");
  EXPECT_EQ(content_type("html"), "application/octet-stream");
  EXPECT_EQ(content_type(""), "application/octet-stream");
}

}  // namespace page_files_test
}  // namespace handspan
