#include "core/tree_edit.hpp"

#include <fmt/format.h>
#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace handspan {
namespace {

Node::Data copy(const Node& node) {
  Node::Data data;
  data.kind = node.kind();
  data.place = node.place();
  data.scalar = node.scalar();
  data.quoted = node.quoted();
  data.items = node.items();
  data.entries = node.entries();
  return data;
}

Node with_value(const Node& tree, std::span<const TreeStep> steps, std::size_t depth,
                const Node& value) {
  if (depth == steps.size()) return value;
  const TreeStep& step = steps[depth];
  Node::Data data = copy(tree);
  const auto nowhere = [&](const std::string& cause) {
    return InputError(fmt::format("{} {}", text_of(steps.first(depth)), cause));
  };
  if (const auto* index = std::get_if<std::size_t>(&step)) {
    if (data.kind != Node::Kind::kList)
      throw nowhere(fmt::format("{} and has no [{}]", tree.predicate(), *index));
    if (*index >= data.items.size())
      throw nowhere(fmt::format("has {} items, and [{}] is beyond them: the first is [0]",
                                data.items.size(), *index));
    data.items[*index] = with_value(data.items[*index], steps, depth + 1, value);
  } else {
    const std::string& key = std::get<std::string>(step);
    if (data.kind == Node::Kind::kNull) data.kind = Node::Kind::kObject;
    if (data.kind != Node::Kind::kObject)
      throw nowhere(fmt::format("{} and has no key '{}'", tree.predicate(), key));
    const auto entry = std::ranges::find(data.entries, key, &Node::Entry::key);
    if (entry != data.entries.end()) {
      entry->value = with_value(entry->value, steps, depth + 1, value);
    } else {
      auto empty = std::make_shared<Node::Data>();
      empty->place = value.place();
      data.entries.push_back(
          {key, value.place(), with_value(Node(std::move(empty)), steps, depth + 1, value)});
    }
  }
  return Node(std::make_shared<const Node::Data>(std::move(data)));
}

void emit(YAML::Emitter& out, const Node& node) {
  switch (node.kind()) {
    case Node::Kind::kNull:
      out << YAML::Null;
      return;
    case Node::Kind::kScalar:
      if (node.quoted())
        out << YAML::DoubleQuoted << node.scalar();
      else
        out << node.scalar();
      return;
    case Node::Kind::kList:
      // numbers and words on one line, as a person writes them
      if (std::ranges::all_of(node.items(),
                              [](const Node& n) { return n.kind() == Node::Kind::kScalar; }))
        out << YAML::Flow;
      out << YAML::BeginSeq;
      for (const Node& item : node.items()) emit(out, item);
      out << YAML::EndSeq;
      return;
    case Node::Kind::kObject:
      if (node.entries().empty()) out << YAML::Flow;
      out << YAML::BeginMap;
      for (const auto& entry : node.entries()) {
        out << YAML::Key << entry.key << YAML::Value;
        emit(out, entry.value);
      }
      out << YAML::EndMap;
      return;
  }
}

}  // namespace

std::string text_of(std::span<const TreeStep> steps) {
  std::string text;
  for (const auto& step : steps) {
    if (const auto* index = std::get_if<std::size_t>(&step))
      text += fmt::format("[{}]", *index);
    else
      text += (text.empty() ? "" : ".") + std::get<std::string>(step);
  }
  return text;
}

Node scalar_node(std::string text, Place place) {
  auto data = std::make_shared<Node::Data>();
  data->kind = Node::Kind::kScalar;
  data->place = std::move(place);
  data->scalar = std::move(text);
  return Node(std::move(data));
}

const Node* find(const Node& tree, std::span<const TreeStep> steps) {
  const Node* at = &tree;
  for (const auto& step : steps) {
    if (const auto* index = std::get_if<std::size_t>(&step))
      at = *index < at->items().size() ? &at->items()[*index] : nullptr;
    else
      at = at->find(std::get<std::string>(step));
    if (at == nullptr) return nullptr;
  }
  return at;
}

Node with_value(const Node& tree, std::span<const TreeStep> steps, const Node& value) {
  return with_value(tree, steps, 0, value);
}

bool same_content(const Node& a, const Node& b) {
  if (a.kind() != b.kind() || a.scalar() != b.scalar() || a.quoted() != b.quoted()) return false;
  return std::ranges::equal(a.items(), b.items(), same_content) &&
         std::ranges::equal(a.entries(), b.entries(),
                            [](const Node::Entry& x, const Node::Entry& y) {
                              return x.key == y.key && same_content(x.value, y.value);
                            });
}

std::string yaml_text(const Node& tree) {
  YAML::Emitter out;
  emit(out, tree);
  return std::string(out.c_str()) + "\n";
}

}  // namespace handspan
