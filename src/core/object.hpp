#pragma once

// Schemas of what holds other values: objects (a struct's members by key), lists, dictionaries and
// variants (a key tells which of several objects it is).

#include <cassert>
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/defaults.hpp"
#include "core/schema.hpp"
#include "core/suggest.hpp"

namespace handspan {

/// A value with where it was read, for checks that need several parts of a file.
template <class T>
struct Located {
  T value{};
  Place place;
};

namespace schema_detail {

template <class M>
inline constexpr bool kIsOptional = false;
template <class V>
inline constexpr bool kIsOptional<std::optional<V>> = true;

template <class M, class U>
constexpr bool holds() {
  if constexpr (std::same_as<M, U>) {
    return true;
  } else if constexpr (kIsOptional<M>) {
    return holds<typename M::value_type, U>();
  } else if constexpr (std::integral<M>) {
    return !std::same_as<M, bool> && std::same_as<U, std::int64_t>;
  } else {
    return !std::is_arithmetic_v<M> && !std::is_arithmetic_v<U> && std::constructible_from<M, U>;
  }
}

// A member of type M may be read by a Schema<U>: the same, a narrower integer (whose range is then
// checked), anything that a U converts to without being a number, or an optional of these.
template <class M, class U>
concept Holds = holds<M, U>();

template <class M, class U>
bool assign(M& member, U&& value, const Node& node, Reader& reader) {
  using V = std::decay_t<U>;
  if constexpr (std::same_as<M, V>) {
    member = std::forward<U>(value);
  } else if constexpr (kIsOptional<M>) {
    if constexpr (std::same_as<typename M::value_type, V>) {
      member.emplace(std::forward<U>(value));
      return true;
    } else {
      return assign(member.emplace(), std::forward<U>(value), node, reader);
    }
  } else if constexpr (std::integral<M>) {
    if (!std::in_range<M>(value)) {
      reader.report(node.place(), node.predicate(),
                    "it must be from " + std::to_string(std::numeric_limits<M>::min()) + " to " +
                        std::to_string(std::numeric_limits<M>::max()));
      return false;
    }
    member = static_cast<M>(value);
  } else {
    member = M(std::forward<U>(value));
  }
  return true;
}

// reports what is not an object; the keys of `description` are named in the hint
bool is_object(const Node& node, Reader& reader, const Description& description);
void report_missing(const Node& node, Reader& reader, const Description::Field& field);

// which of `names` the object's key `tag` is; reports what it is else
std::optional<std::size_t> read_tag(const Node& node, Reader& reader, const std::string& tag,
                                    const std::vector<std::string>& names);

}  // namespace schema_detail

/// A struct T, filled member by member. T{} gives the values of optional keys, so those are
/// documented as the defaults. Methods return a schema with one thing more.
template <class T>
class ObjectSchema : public Schema<T> {
 public:
  ObjectSchema(std::string name, std::string doc)
      : ObjectSchema(Parts{name_of(name, doc), {}, {}, {}}) {}

  /// A key that must be there.
  template <class C, class M, class U>
    requires std::derived_from<T, C> && schema_detail::Holds<M, U>
  ObjectSchema required(std::string key, M C::* member, const Schema<U>& schema,
                        std::string doc = "") const {
    return with_field(std::move(key), member, schema, std::move(doc), true, "required");
  }

  /// A key that may be left out; the member then is as in T{}.
  template <class C, class M, class U>
    requires std::derived_from<T, C> && schema_detail::Holds<M, U>
  ObjectSchema optional(std::string key, M C::* member, const Schema<U>& schema,
                        std::string doc = "") const {
    const std::string value = default_text(T{}.*member);
    return with_field(std::move(key), member, schema, std::move(doc), false,
                      value.empty() ? "optional" : "default " + value);
  }

  /// Stores where the object was read.
  template <class C>
    requires std::derived_from<T, C>
  ObjectSchema place(Place C::* member) const {
    Parts parts = *parts_;
    parts.places.push_back([member](T& value, const Place& place) { value.*member = place; });
    return ObjectSchema(std::move(parts));
  }

  /// Adds a check of the whole object, `check(const T&) -> std::optional<Fault>`, made when all its
  /// keys are well read. `rule` documents it; may be "".
  template <class Check>
  ObjectSchema check(Check check, std::string rule = "") const {
    Parts parts = *parts_;
    parts.checks.push_back(std::move(check));
    if (!rule.empty()) parts.description.rules.push_back(std::move(rule));
    return ObjectSchema(std::move(parts));
  }

 private:
  struct Parts {
    Description description;
    // one for each field of the description: reads a node into the member
    std::vector<std::function<bool(T&, const Node&, Reader&)>> reads;
    std::vector<std::function<void(T&, const Place&)>> places;
    std::vector<std::function<std::optional<Fault>(const T&)>> checks;
  };

  explicit ObjectSchema(Parts parts)
      : ObjectSchema(std::make_shared<const Parts>(std::move(parts))) {}
  explicit ObjectSchema(std::shared_ptr<const Parts> parts)
      : Schema<T>(
            [parts](const Node& node, Reader& reader) { return read_object(*parts, node, reader); },
            parts->description),
        parts_(parts) {}

  static Description name_of(const std::string& name, const std::string& doc) {
    Description description;
    description.type = name;
    description.doc = doc;
    return description;
  }

  template <class M, class C, class U>
  ObjectSchema with_field(std::string key, M C::* member, const Schema<U>& schema, std::string doc,
                          bool required, std::string when) const {
    Parts parts = *parts_;
    for (const Description::Field& field : parts.description.fields) {
      assert(field.key != key && "a key is declared twice");
      static_cast<void>(field);
    }
    parts.description.fields.push_back(
        {std::move(key), required, std::move(when), std::move(doc), schema.shared_description()});
    parts.reads.push_back([schema, member](T& value, const Node& node, Reader& reader) {
      std::optional<U> read = schema.read(node, reader);
      return read && schema_detail::assign(value.*member, std::move(*read), node, reader);
    });
    return ObjectSchema(std::move(parts));
  }

  static std::optional<T> read_object(const Parts& parts, const Node& node, Reader& reader) {
    if (!schema_detail::is_object(node, reader, parts.description)) return std::nullopt;
    std::optional<T> value(std::in_place);
    bool good = true;
    const auto& fields = parts.description.fields;
    for (const Node::Entry& entry : node.entries()) {
      std::size_t i = 0;
      while (i < fields.size() && fields[i].key != entry.key) ++i;
      if (i == fields.size()) {
        std::vector<std::string> known;
        for (const Description::Field& field : fields) known.push_back(field.key);
        reader.report_unknown(entry.place, entry.key, known);
        good = false;
        continue;
      }
      const auto step = reader.enter(entry.key);
      good = parts.reads[i](*value, entry.value, reader) && good;
    }
    for (const Description::Field& field : fields) {
      if (!field.required || node.find(field.key) != nullptr) continue;
      schema_detail::report_missing(node, reader, field);
      good = false;
    }
    if (!good) return std::nullopt;
    for (const auto& place : parts.places) place(*value, node.place());
    for (const auto& check : parts.checks) {
      std::optional<Fault> fault = check(*value);
      if (!fault) continue;
      schema_detail::report_fault(node, reader, std::move(*fault));
      good = false;
    }
    return good ? std::move(value) : std::nullopt;
  }

  std::shared_ptr<const Parts> parts_;
};

/// An object that is read into a T; `name` is the type's name in the documentation.
template <class T>
ObjectSchema<T> object(std::string name, std::string doc = "") {
  return ObjectSchema<T>(std::move(name), std::move(doc));
}

/// A list of values of one schema; all wrong items are reported.
template <class T>
Schema<std::vector<T>> list(const Schema<T>& item) {
  Description description;
  description.type = "list";
  description.item = item.shared_description();
  return {[item](const Node& node, Reader& reader) -> std::optional<std::vector<T>> {
            if (node.kind() != Node::Kind::kList) {
              reader.report(node.place(), node.predicate(), "it must be a list");
              return std::nullopt;
            }
            std::vector<T> values;
            values.reserve(node.items().size());
            for (std::size_t i = 0; i < node.items().size(); ++i) {
              const auto step = reader.enter(i);
              std::optional<T> value = item.read(node.items()[i], reader);
              if (value) values.push_back(std::move(*value));
            }
            if (values.size() != node.items().size()) return std::nullopt;
            return values;
          },
          std::move(description)};
}

/// An object whose keys are names that the person chooses; the pairs are in the order of the file.
template <class T>
Schema<std::vector<std::pair<std::string, T>>> dictionary(const Schema<T>& item) {
  using Pairs = std::vector<std::pair<std::string, T>>;
  Description description;
  description.type = "dictionary";
  description.item = item.shared_description();
  return {[item](const Node& node, Reader& reader) -> std::optional<Pairs> {
            if (node.kind() != Node::Kind::kObject) {
              reader.report(node.place(), node.predicate(),
                            "it must be an object of names and values");
              return std::nullopt;
            }
            Pairs values;
            for (const Node::Entry& entry : node.entries()) {
              const auto step = reader.enter(entry.key);
              std::optional<T> value = item.read(entry.value, reader);
              if (value) values.emplace_back(entry.key, std::move(*value));
            }
            if (values.size() != node.entries().size()) return std::nullopt;
            return values;
          },
          std::move(description)};
}

/// The value with its place.
template <class T>
Schema<Located<T>> located(const Schema<T>& schema) {
  return {[schema](const Node& node, Reader& reader) -> std::optional<Located<T>> {
            std::optional<T> value = schema.read(node, reader);
            if (!value) return std::nullopt;
            return Located<T>{std::move(*value), node.place()};
          },
          schema.description()};
}

/// The schema that `make` returns, made when it is used: for a schema that contains itself.
template <class T>
Schema<T> deferred(std::function<Schema<T>()> make) {
  Description description;
  description.later = [make] { return make().shared_description(); };
  return {[make](const Node& node, Reader& reader) { return make().read(node, reader); },
          std::move(description)};
}

/// A name of a variant and the schema of the other keys then.
template <class T>
struct Alternative {
  template <class U>
    requires std::constructible_from<T, U>
  Alternative(std::string name_, const Schema<U>& schema_, std::string doc_ = "")
      : name(std::move(name_)),
        doc(std::move(doc_)),
        schema(schema_.map([](U value) { return T(std::move(value)); })) {}

  std::string name;
  std::string doc;
  Schema<T> schema;
};

/// An object whose key `tag` names the alternative; T is a std::variant of the alternatives' types,
/// or whatever they all convert to. one_of<Shape>("type", {{"box", box()}, {"sphere", sphere()}}).
template <class T>
Schema<T> one_of(const std::string& tag, std::vector<Alternative<T>> alternatives) {
  Description description;
  description.type = "one of";
  description.tag = tag;
  std::vector<std::string> names;
  for (const Alternative<T>& alternative : alternatives) {
    names.push_back(alternative.name);
    description.fields.push_back(
        {alternative.name, false, "", alternative.doc, alternative.schema.shared_description()});
  }
  return {[tag, names, alternatives = std::move(alternatives)](const Node& node,
                                                               Reader& reader) -> std::optional<T> {
            const auto index = schema_detail::read_tag(node, reader, tag, names);
            if (!index) return std::nullopt;
            return alternatives[*index].schema.read(node.without(tag), reader);
          },
          std::move(description)};
}

}  // namespace handspan
