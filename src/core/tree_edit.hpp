#pragma once

// Changes of a YAML tree: trees are immutable, so that each change gives a new one that shares with
// the old what stayed. And a tree as text again.

#include <cstddef>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/yaml.hpp"

namespace handspan {

/// A key of an object, or an index of a list.
using TreeStep = std::variant<std::string, std::size_t>;

/// "objects.box.shapes[0].size[2]".
std::string text_of(std::span<const TreeStep> steps);

/// A plain scalar.
Node scalar_node(std::string text, Place place);

/// What the steps lead to; nullptr when there is no such thing.
const Node* find(const Node& tree, std::span<const TreeStep> steps);

/// The tree with `value` where the steps lead. Keys that are not there yet come last in their
/// object, with the objects between; an index must be there. Throws InputError naming the step that
/// leads nowhere: an index beyond its list, a key in something that is not an object.
Node with_value(const Node& tree, std::span<const TreeStep> steps, const Node& value);

/// The same content and place of everything in it do not count: kinds, scalars, quotes, order.
bool same_content(const Node& a, const Node& b);

/// YAML that parse_tree() reads into the same content. Comments and aliases of the file that it
/// came from are gone.
std::string yaml_text(const Node& tree);

}  // namespace handspan
