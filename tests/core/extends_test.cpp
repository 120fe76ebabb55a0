#include "core/extends.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "core/file_trees.hpp"
#include "core/files_read.hpp"
#include "core/tree_edit.hpp"

namespace handspan {
namespace extends_test {

class Extends : public ::testing::Test {
 protected:
  Extends() { std::filesystem::create_directories(folder_ / "parts"); }
  ~Extends() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  Node load(const std::string& name) const { return load_tree(folder_ / name); }
  // without the folder's name
  std::string error(const std::string& name) const {
    try {
      load(name);
    } catch (const ConfigError& error) {
      std::string what = error.what();
      const std::string folder = folder_.string() + "/";
      for (auto at = what.find(folder); at != std::string::npos; at = what.find(folder))
        what.erase(at, folder.size());
      return what;
    }
    return "no error";
  }
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("handspan_extends_" + std::to_string(getpid()));
};

TEST_F(Extends, OwnKeysCountAndTheOthersAreTheFiles) {
  write("base.yaml",
        "name: base\nlist: [1, 2]\nbox: {mass: 1, size: {x: 1, y: 2}}\ngone: {a: 1}\n"
        "driver: {type: person, space: 3}\n");
  write("top.yaml",
        "extends: base.yaml\nname: top\nlist: [3]\nbox: {size: {y: 5, z: 6}}\ngone:\n"
        "driver: {type: gamepad}\nnew: {b: 1}\n");
  EXPECT_TRUE(
      same_content(load("top.yaml"),
                   parse_tree("name: top\nlist: [3]\nbox: {mass: 1, size: {x: 1, y: 5, z: 6}}\n"
                              "driver: {type: gamepad}\nnew: {b: 1}\n",
                              "t.yaml")));
}

TEST_F(Extends, AnyObjectMayAndFilesAreMeantFromWhereItStands) {
  write("parts/a.yaml", "extends: b.yaml\nmass: 2\n");
  write("parts/b.yaml", "mass: 1\nlength: 4\n");
  write("top.yaml", "parts: [{extends: parts/a.yaml}, {extends: parts/b.yaml, length: 5}]\n");
  const FilesRead read;
  EXPECT_TRUE(
      same_content(load("top.yaml"),
                   parse_tree("parts: [{mass: 2, length: 4}, {mass: 1, length: 5}]\n", "t.yaml")));
  // a log holds all of them
  EXPECT_EQ(read.files().size(), 3U);
}

TEST_F(Extends, PlacesStayWhereAThingIsWritten) {
  write("base.yaml", "a: 1\nb: 2\n");
  write("top.yaml", "extends: base.yaml\na: 3\n");
  const Node tree = load("top.yaml");
  EXPECT_EQ(tree.find("a")->place().file, (folder_ / "top.yaml").string());
  EXPECT_EQ(tree.find("b")->place().file, (folder_ / "base.yaml").string());
  EXPECT_EQ(tree.find("b")->place().line, 2);
}

TEST_F(Extends, WhatIsWrongIsToldWithItsPlace) {
  write("base.yaml", "a: 1\n");
  write("missing.yaml", "a: 1\nbox: {extends: bace.yaml}\n");
  EXPECT_EQ(error("missing.yaml"),
            "missing.yaml:2: extends names bace.yaml, which is not there; did you mean "
            "'base.yaml'?");
  write("list.yaml", "extends: [base.yaml]\n");
  EXPECT_EQ(error("list.yaml"), "list.yaml:1: extends is a list; it must be the name of a file");
  write("one.yaml", "extends: two.yaml\n");
  write("two.yaml", "extends: one.yaml\n");
  EXPECT_EQ(error("one.yaml"),
            "two.yaml: extends leads back to one.yaml; a file cannot be built on itself");
}

}  // namespace extends_test
}  // namespace handspan
