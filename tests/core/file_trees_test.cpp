#include "core/file_trees.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "core/config.hpp"
#include "core/files_read.hpp"
#include "core/tree_edit.hpp"

namespace handspan {
namespace file_trees_test {

struct Part {
  double length = 0.0;
};

Schema<Part> part_schema() {
  return object<Part>("Part").required("length", &Part::length, number("m").above(0));
}

class FileTreesTest : public ::testing::Test {
 protected:
  void SetUp() override { std::ofstream(file_) << "length: 2\n"; }
  void TearDown() override { std::filesystem::remove(file_); }
  const std::filesystem::path file_ =
      std::filesystem::temp_directory_path() /
      (std::string("handspan_trees_") +
       ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".yaml");
  static Node tree(const std::string& text) { return parse_tree(text, "given.yaml"); }
};

TEST_F(FileTreesTest, TakesTheTreeInPlaceOfTheFileWhileItExists) {
  {
    FileTrees trees;
    trees.give(file_.parent_path() / "." / file_.filename(), tree("length: 3\n"));
    const FilesRead read;
    EXPECT_EQ(load_yaml(file_, part_schema()).length, 3.0);
    // a log holds it all the same
    EXPECT_EQ(read.files().size(), 1U);
  }
  EXPECT_EQ(load_yaml(file_, part_schema()).length, 2.0);
}

TEST_F(FileTreesTest, TheInnermostCounts) {
  FileTrees outer;
  outer.give(file_, tree("length: 3\n"));
  {
    FileTrees inner;
    EXPECT_EQ(load_yaml(file_, part_schema()).length, 3.0);
    inner.give(file_, tree("length: 4\n"));
    EXPECT_EQ(load_yaml(file_, part_schema()).length, 4.0);
  }
  EXPECT_EQ(load_yaml(file_, part_schema()).length, 3.0);
}

TEST_F(FileTreesTest, AnotherThreadSeesTheFile) {
  FileTrees trees;
  trees.give(file_, tree("length: 3\n"));
  double there = 0.0;
  std::thread([&] { there = load_yaml(file_, part_schema()).length; }).join();
  EXPECT_EQ(there, 2.0);
}

TEST_F(FileTreesTest, ErrorsAreAtThePlacesOfTheTree) {
  FileTrees trees;
  trees.give(file_, with_value(tree("length: 3\n"), std::vector<TreeStep>{"length"},
                               scalar_node("-3", {"study.yaml", 12, 0})));
  try {
    load_yaml(file_, part_schema());
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "study.yaml:12: length is -3; it must be > 0");
  }
}

}  // namespace file_trees_test
}  // namespace handspan
