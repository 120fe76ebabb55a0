#include "core/object.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace handspan::schema_detail {

bool is_object(const Node& node, Reader& reader, const Description& description) {
  if (node.kind() == Node::Kind::kObject) return true;
  std::vector<std::string> keys;
  for (const Description::Field& field : description.fields) keys.push_back(field.key);
  reader.report(node.place(), node.predicate(),
                "it must be an object with the keys " + joined(keys));
  return false;
}

void report_missing(const Node& node, Reader& reader, const Description::Field& field) {
  reader.report(node.place(), fmt::format("has no key '{}'", field.key),
                fmt::format("add '{}: <{}>'", field.key, field.value->summary()));
}

std::optional<std::size_t> read_tag(const Node& node, Reader& reader, const std::string& tag,
                                    const std::vector<std::string>& names) {
  const Node* given = node.find(tag);
  if (given == nullptr) {
    const bool object = node.kind() == Node::Kind::kObject;
    reader.report(node.place(), object ? fmt::format("has no key '{}'", tag) : node.predicate(),
                  fmt::format("add '{}: NAME', one of {}", tag, joined(names)));
    return std::nullopt;
  }
  const auto found = std::find(names.begin(), names.end(), given->scalar());
  if (given->kind() == Node::Kind::kScalar && found != names.end()) {
    return static_cast<std::size_t>(found - names.begin());
  }
  const auto step = reader.enter(tag);
  reader.report(given->place(), given->predicate(), one_of_hint(given->scalar(), names));
  return std::nullopt;
}

}  // namespace handspan::schema_detail
