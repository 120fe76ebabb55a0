#include "core/yaml.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/random.hpp"

namespace handspan {
namespace yaml_test {

std::string error_of(std::string_view text) {
  try {
    parse_tree(text, "t.yaml");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Yaml, TreeHasKindsTextsAndPlaces) {
  const Node root = parse_tree("a: 1\nb:\n  - 'x'\n  - {c: ~}\n", "t.yaml");
  ASSERT_EQ(root.kind(), Node::Kind::kObject);
  ASSERT_EQ(root.entries().size(), 2U);
  EXPECT_EQ(root.entries()[1].key, "b");
  EXPECT_EQ(root.entries()[1].place.line, 2);
  EXPECT_EQ(root.find("a")->scalar(), "1");
  EXPECT_EQ(root.find("a")->place().line, 1);
  EXPECT_EQ(root.find("a")->place().column, 4);
  EXPECT_FALSE(root.find("a")->quoted());
  const Node& list = *root.find("b");
  ASSERT_EQ(list.items().size(), 2U);
  EXPECT_TRUE(list.items()[0].quoted());
  EXPECT_EQ(list.items()[1].place().line, 4);
  EXPECT_EQ(list.items()[1].find("c")->kind(), Node::Kind::kNull);
  EXPECT_EQ(root.find("none"), nullptr);
  EXPECT_EQ(root.without("a").find("a"), nullptr);
  EXPECT_EQ(root.without("a").entries().size(), 1U);
}

TEST(Yaml, PredicatesSayWhatANodeIs) {
  const Node root = parse_tree("[a, '1', -1, .5, [], {}, ~]", "t.yaml");
  const char* const expected[] = {"is 'a'",    "is '1'",       "is -1",   "is .5",
                                  "is a list", "is an object", "is empty"};
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(root.items()[i].predicate(), expected[i]);
}

TEST(Yaml, AliasesShareTheirAnchorsValueAndPlace) {
  const Node root = parse_tree("a: &x {b: 1}\nc: *x\n", "t.yaml");
  EXPECT_EQ(root.find("c")->find("b")->scalar(), "1");
  EXPECT_EQ(root.find("c")->place().line, 1);
}

TEST(Yaml, ByteOrderMarkAndCarriageReturnsAreTaken) {
  const Node root = parse_tree(
      "\xEF\xBB\xBF"
      "a: 1\r\nb: 2\r\n",
      "t.yaml");
  EXPECT_EQ(root.find("a")->scalar(), "1");
  EXPECT_EQ(root.find("b")->scalar(), "2");
}

TEST(Yaml, EmptyFilesAreErrors) {
  for (const char* text : {"", "\n\n", "# only this\n", "---\n", "~", "\xEF\xBB\xBF"}) {
    EXPECT_EQ(error_of(text), "t.yaml: nothing is in the file; write its keys") << text;
  }
}

TEST(Yaml, SyntaxErrorsHaveALine) {
  const std::string unclosed = error_of("a: 1\nb: [1, 2\nc: 3\n");
  EXPECT_TRUE(unclosed.starts_with("t.yaml:")) << unclosed;
  EXPECT_NE(unclosed.find("not YAML: "), std::string::npos) << unclosed;
  EXPECT_NE(unclosed.find("; look for a missing bracket, quote, ':' or indentation up to here"),
            std::string::npos);
  const std::string indented = error_of("a: 1\nb: 2\n   c: 3\n");
  EXPECT_TRUE(indented.starts_with("t.yaml:3: not YAML: ")) << indented;
}

TEST(Yaml, TabsThatIndentAreErrorsWithTheirLine) {
  EXPECT_EQ(error_of("a:\n\tb: 1\n"), "t.yaml:2: a tab indents this line; indent with spaces");
  EXPECT_EQ(error_of("a:\n  \tb: 1\n"), "t.yaml:2: a tab indents this line; indent with spaces");
  EXPECT_EQ(error_of("a: 1\t# fine\n\t\n\t# fine too\n"), "no error");
}

TEST(Yaml, ControlCharactersAreErrors) {
  EXPECT_EQ(error_of(std::string_view("a: 1\nb: \0\n", 10)),
            "t.yaml:2: a control character (0x00); remove it");
  EXPECT_EQ(error_of("a: \x1b[0m"), "t.yaml:1: a control character (0x1b); remove it");
}

TEST(Yaml, BytesThatAreNotUtf8AreErrors) {
  EXPECT_EQ(error_of("a: 1\nb: \xE9\n"),
            "t.yaml:2: the byte 0xe9 is not UTF-8; save the file as UTF-8");
  // UTF-16
  EXPECT_EQ(error_of("\xFF\xFE"
                     "a"),
            "t.yaml:1: the byte 0xff is not UTF-8; save the file as UTF-8");
}

TEST(Yaml, KeysTwiceAreErrorsAllAtOnce) {
  EXPECT_EQ(error_of("a: 1\nb:\n  c: 1\n  c: 2\na: 3\n"),
            "t.yaml:4: the key 'c' is here a second time, first in line 3; keep one of the two\n"
            "t.yaml:5: the key 'a' is here a second time, first in line 1; keep one of the two");
}

TEST(Yaml, KeysAreScalars) {
  EXPECT_EQ(error_of("? [a, b]\n: 1\n"),
            "t.yaml:1: a key is a list or an object; write a name before the ':'");
  EXPECT_EQ(error_of("~: 1\n"), "t.yaml:1: a key is empty; write a name before the ':'");
}

TEST(Yaml, WhatIsNotSupportedSaysSo) {
  EXPECT_EQ(error_of("a: &x {b: 1}\nc:\n  <<: *x\n"),
            "t.yaml:3: merge keys ('<<') are not supported; write the keys out, or alias a value");
  EXPECT_EQ(error_of("a: !!str 1\n"),
            "t.yaml:1: the tag 'tag:yaml.org,2002:str' has no meaning here; remove it; the schema "
            "knows the type");
  EXPECT_EQ(error_of("a: 1\n---\nb: 2\n"),
            "t.yaml:2: a second document starts here; keep one document (no '---') in a file");
}

TEST(Yaml, AliasesOfAnEnclosingNodeAreErrors) {
  EXPECT_EQ(error_of("a: &x\n  - *x\n"),
            "t.yaml:2: an alias refers to the node that it is in; write the value out");
}

TEST(Yaml, UnknownAliasesAreErrors) {
  EXPECT_TRUE(error_of("a: *x\n").starts_with("t.yaml:1: not YAML: "));
}

TEST(Yaml, NestingIsBoundedWrittenOutOrByAliases) {
  const std::string message = "t.yaml:1: more than 64 levels of nesting; flatten the file";
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + "1" + std::string(depth, ']');
  };
  // the scalar is a level too
  EXPECT_EQ(error_of(nested(63)), "no error");
  EXPECT_EQ(error_of(nested(64)), message);
  EXPECT_EQ(error_of(std::string(100'000, '[')), message);
  EXPECT_EQ(error_of(std::string(100'000, '{')), message);
  std::string chain = "a0: &a0 [1]\n";
  for (int i = 1; i < 100; ++i) chain += fmt::format("a{}: &a{} [*a{}]\n", i, i, i - 1);
  EXPECT_NE(error_of(chain).find("more than 64 levels of nesting"), std::string::npos);
}

TEST(Yaml, AliasBombsAreBounded) {
  std::string bomb = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 10; ++i) {
    bomb += fmt::format("a{}: &a{} [", i, i);
    for (int j = 0; j < 10; ++j) bomb += fmt::format("*a{}{}", i - 1, j < 9 ? ", " : "]\n");
  }
  EXPECT_EQ(error_of(bomb),
            "t.yaml:7: more than 2000000 values, aliases written out; use fewer aliases of "
            "aliases, or several files");
}

// whatever bytes come in, there is a tree or a ConfigError
TEST(Yaml, DamagedTextNeverDoesWorseThanAnError) {
  const std::string good =
      "a: &x {b: [1, 'two', \"three\"], c: ~}\nd:\n  - *x\n  - |\n    text\n  - >-\n    more\n? "
      "e\n: f\n";
  const std::string_view letters = "[]{}:,-?&*!|>'\"%@`#~ \n\t\\a1";
  constexpr std::uint64_t kSeed = 3;
  RandomStream random(kSeed, "yaml");
  int trees = 0, errors = 0;
  for (int run = 0; run < 20'000; ++run) {
    std::string text = good;
    for (std::uint64_t edits = 1 + random.integer(4); edits > 0; --edits) {
      const auto at = static_cast<std::size_t>(random.integer(text.size()));
      const char letter = letters[static_cast<std::size_t>(random.integer(letters.size()))];
      switch (random.integer(3)) {
        case 0:
          text.erase(at, 1);
          break;
        case 1:
          text.insert(at, 1, letter);
          break;
        default:
          text[at] = letter;
      }
    }
    SCOPED_TRACE(fmt::format("seed {} run {}:\n{}", kSeed, run, text));
    try {
      parse_tree(text, "t.yaml");
      ++trees;
    } catch (const ConfigError& error) {
      EXPECT_FALSE(error.issues().empty());
      ++errors;
    }
  }
  EXPECT_GT(trees, 1000);
  EXPECT_GT(errors, 1000);
}

}  // namespace yaml_test
}  // namespace handspan
