#pragma once

// YAML text as a tree that knows the place of everything in it. Nothing is interpreted here but the
// structure: schemas (core/schema.hpp) say what a scalar means.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace handspan {

/// A node of a read file: immutable and cheap to copy. Aliases (*a) share the node of their anchor
/// (&a).
class Node {
 public:
  enum class Kind { kNull, kScalar, kList, kObject };
  struct Entry;
  struct Data;

  explicit Node(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

  Kind kind() const;
  const Place& place() const;
  const std::string& scalar() const;       // the text of a scalar, without quotes; else ""
  bool quoted() const;                     // whether a scalar was written in quotes or as a block
  const std::vector<Node>& items() const;  // of a list; else empty
  const std::vector<Entry>& entries() const;  // of an object, in file order; else empty

  /// The value of `key` of an object; nullptr when there is none.
  const Node* find(std::string_view key) const;

  /// This object without `key`.
  Node without(std::string_view key) const;

  /// What it is, as the predicate of an error message: "is 'abc'", "is -3" (a plain scalar
  /// that starts like a number), "is a list", "is an object", "is empty".
  std::string predicate() const;

 private:
  std::shared_ptr<const Data> data_;
};

struct Node::Entry {
  std::string key;
  Place place;  // of the key
  Node value;
};

struct Node::Data {
  Kind kind = Kind::kNull;
  Place place;
  std::string scalar;
  bool quoted = false;
  std::vector<Node> items;
  std::vector<Entry> entries;
  std::size_t size = 1;    // nodes in it with every alias written out, itself included
  std::size_t height = 1;  // levels in it
};

/// Bounds on a tree, so that a small hostile file cannot take all memory or the stack.
inline constexpr std::size_t kMaxYamlNodes = 2'000'000;  // with every alias written out
inline constexpr std::size_t kMaxYamlDepth = 64;

/// The tree of one YAML document. `file` is the name that places carry. A byte order mark is
/// skipped. Throws ConfigError on: bytes that are not UTF-8, control characters, tabs that indent,
/// syntax, nothing in it, several documents, keys twice in an object, keys that are no scalars,
/// merge keys
/// (<<), tags (!x), aliases of an enclosing node, and the bounds above.
Node parse_tree(std::string_view text, const std::string& file);

}  // namespace handspan
