#include "core/extends.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/suggest.hpp"

namespace handspan {
namespace {

constexpr const char* kExtends = "extends";
constexpr const char* kType = "type";

Node made(Node::Kind kind, const Place& place, std::vector<Node> items,
          std::vector<Node::Entry> entries) {
  auto data = std::make_shared<Node::Data>();
  data->kind = kind;
  data->place = place;
  data->items = std::move(items);
  data->entries = std::move(entries);
  return Node(std::move(data));
}

bool other_type(const Node& a, const Node& b) {
  const Node *type_a = a.find(kType), *type_b = b.find(kType);
  return type_a != nullptr && type_b != nullptr && type_a->scalar() != type_b->scalar();
}

Node merged(const Node& base, const Node& own) {
  if (base.kind() != Node::Kind::kObject || own.kind() != Node::Kind::kObject ||
      other_type(base, own))
    return own;
  std::vector<Node::Entry> entries;
  for (const auto& entry : base.entries()) {
    const Node* with = own.find(entry.key);
    if (with == nullptr)
      entries.push_back(entry);
    else if (with->kind() != Node::Kind::kNull)
      entries.push_back({entry.key, entry.place, merged(entry.value, *with)});
  }
  for (const auto& entry : own.entries())
    if (base.find(entry.key) == nullptr) entries.push_back(entry);
  return made(Node::Kind::kObject, own.place(), {}, std::move(entries));
}

std::vector<std::string> yaml_files(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

std::filesystem::path base_of(const Node& name, const std::filesystem::path& folder) {
  const auto bad = [&](std::string cause, std::string hint) {
    return ConfigError({{name.place(), kExtends, std::move(cause), std::move(hint)}});
  };
  if (name.kind() != Node::Kind::kScalar || name.scalar().empty())
    throw bad(name.predicate(), "it must be the name of a file");
  std::filesystem::path file = folder / name.scalar();
  if (!std::filesystem::is_regular_file(file))
    throw bad(
        fmt::format("names {}, which is not there", file.string()),
        did_you_mean(file.filename().string(), yaml_files(file.parent_path()), "its folder has"));
  return file;
}

// none: there is no `extends` in it
std::optional<Node> changed(const Node& tree, const std::filesystem::path& folder,
                            const std::function<Node(const std::filesystem::path&)>& load) {
  bool differs = false;
  std::vector<Node> items = tree.items();
  for (Node& item : items)
    if (auto other = changed(item, folder, load)) {
      item = std::move(*other);
      differs = true;
    }
  std::vector<Node::Entry> entries = tree.entries();
  for (auto& entry : entries)
    if (auto other = changed(entry.value, folder, load)) {
      entry.value = std::move(*other);
      differs = true;
    }
  const Node* base = tree.find(kExtends);
  if (base == nullptr && !differs) return std::nullopt;
  Node own = made(tree.kind(), tree.place(), std::move(items), std::move(entries));
  return base == nullptr ? own : merged(load(base_of(*base, folder)), own.without(kExtends));
}

}  // namespace

Node extended(const Node& tree, const std::filesystem::path& folder,
              const std::function<Node(const std::filesystem::path&)>& load) {
  return changed(tree, folder, load).value_or(tree);
}

}  // namespace handspan
