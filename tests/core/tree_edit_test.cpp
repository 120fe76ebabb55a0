#include "core/tree_edit.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/error.hpp"
#include "core/text_file.hpp"

namespace handspan {
namespace tree_edit_test {

const std::filesystem::path kRoot = HANDSPAN_SOURCE_DIR;

Node tree_of(const std::string& text) { return parse_tree(text, "file.yaml"); }

std::string error_of(const Node& tree, const std::vector<TreeStep>& steps) {
  try {
    with_value(tree, steps, scalar_node("1", {}));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(TreeEdit, ChangesOneThingAndSharesNothingThatItChanges) {
  const Node tree = tree_of("a: {b: [1, 2, 3], c: x}\nd: 4\n");
  const std::vector<TreeStep> steps = {"a", "b", std::size_t{1}};
  const Node changed = with_value(tree, steps, scalar_node("20", {"study.yaml", 7, 0}));
  EXPECT_EQ(find(changed, steps)->scalar(), "20");
  EXPECT_EQ(find(changed, steps)->place().text(), "study.yaml:7");
  EXPECT_EQ(find(tree, steps)->scalar(), "2");
  EXPECT_TRUE(same_content(changed, tree_of("a: {b: [1, 20, 3], c: x}\nd: 4\n")));
  EXPECT_FALSE(same_content(changed, tree));
}

TEST(TreeEdit, AddsKeysThatAreMissing) {
  const std::vector<TreeStep> steps = {"physics", "timestep"};
  const Node changed = with_value(tree_of("name: x\n"), steps, scalar_node("0.002", {}));
  EXPECT_TRUE(same_content(changed, tree_of("name: x\nphysics: {timestep: 0.002}\n")));
}

TEST(TreeEdit, SaysWhichStepLeadsNowhere) {
  const Node tree = tree_of("a: {b: [1, 2]}\n");
  EXPECT_EQ(error_of(tree, {"a", "b", std::size_t{2}}),
            "a.b has 2 items, and [2] is beyond them: the first is [0]");
  EXPECT_EQ(error_of(tree, {"a", std::size_t{0}}), "a is an object and has no [0]");
  EXPECT_EQ(error_of(tree, {"a", "b", "c"}), "a.b is a list and has no key 'c'");
  EXPECT_EQ(error_of(tree, {"a", "b", std::size_t{0}, "c"}), "a.b[0] is 1 and has no key 'c'");
  EXPECT_EQ(find(tree, std::vector<TreeStep>{"a", "c"}), nullptr);
  EXPECT_EQ(find(tree, std::vector<TreeStep>{"a", "b", std::size_t{2}}), nullptr);
}

TEST(TreeEdit, TextOfATreeReadsAsTheSameTree) {
  for (const char* text :
       {"a: ''\nb: ~\nc: []\nd: {}\n", "a: '1'\nb: \"x: y\"\nc: true\nd: 'true'\ne: -1.5e-3\n",
        "- [1, [2, 3]]\n- {a: [x, {b: 'it''s'}]}\n", "a: \"two\\nlines\"\nb: '#no comment'\n",
        "a: 0.3 m/s\nb: \"[x]\"\nc: \"- d\"\n'key: with colon': 1\n"}) {
    const Node tree = tree_of(text);
    EXPECT_TRUE(same_content(tree, tree_of(yaml_text(tree)))) << text << "gave\n"
                                                              << yaml_text(tree);
  }
}

TEST(TreeEdit, TextOfEveryFileOfTheTreeReadsAsTheSameTree) {
  int files = 0;
  for (const char* folder : {"apps", "scenes", "robots", "studies"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot / folder)) {
      if (entry.path().extension() != ".yaml") continue;
      const Node tree = parse_tree(read_text_file(entry.path()), entry.path().string());
      EXPECT_TRUE(same_content(tree, tree_of(yaml_text(tree)))) << entry.path();
      ++files;
    }
  EXPECT_GT(files, 10);
}

}  // namespace tree_edit_test
}  // namespace handspan
