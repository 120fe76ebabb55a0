#pragma once

// Parts by name: tasks, sources, plants... register a factory with its schema, by explicit
// functions (a linker drops self-registering objects of static libraries). The registries of a
// program are together in Parts (core/parts.hpp). Design, section 3.10.
//
//   Registry<Task, const RobotModel&> tasks("task");
//   tasks.add("posture", posture_schema(), "pulls all joints to a pose",
//             [](const PostureConfig& config, const RobotModel& model) {
//               return std::make_unique<Posture>(config, model);
//             });
//   object<App>("App").required("tasks", &App::tasks, list(tasks.schema()));
//   ... for (const auto& part : app.tasks) made.push_back(part.make(model));

#include <fmt/format.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/object.hpp"
#include "core/schema.hpp"
#include "core/suggest.hpp"

namespace handspan {

/// Factories of an Interface by name. What a product needs beside its configuration is the Context,
/// given when it is made. Not for use from several threads while parts are added.
template <class Interface, class... Context>
class Registry {
 public:
  using Product = std::unique_ptr<Interface>;

  /// A part as it was read: `make` builds a new product of it each time.
  struct Part {
    std::string name;
    Place place;
    std::function<Product(Context...)> make;
  };

  /// Of the kind that the interface says: `static constexpr char kKind[] = "task"`.
  Registry() : kind_(Interface::kKind) {}
  /// `kind` is what a part is called in messages: "task".
  explicit Registry(std::string kind) : kind_(std::move(kind)) {}

  /// What a part is called in messages: "task".
  const std::string& kind() const { return kind_; }

  /// Registers `factory(const Config&, Context...) -> Product`, Config being what `schema` reads.
  /// Throws InputError when the name is taken or is not an identifier.
  template <class Config, class Factory>
  void add(const std::string& name, const Schema<Config>& schema, std::string doc,
           Factory factory) {
    if (!schema_detail::is_identifier(name)) {
      throw InputError(fmt::format("the {} '{}' has no proper name; {}", kind_, shown(name),
                                   schema_detail::kIdentifierHint));
    }
    auto bind = [name, factory = std::move(factory)](Config config) {
      auto kept = std::make_shared<const Config>(std::move(config));
      return Part{name, {}, [kept, factory](Context... context) -> Product {
                    return factory(*kept, std::forward<Context>(context)...);
                  }};
    };
    Entry entry{std::move(doc), with_place(schema.map(bind)), {}};
    if constexpr (std::is_default_constructible_v<Config>) entry.plain = bind(Config{});
    if (!entries_.emplace(name, std::move(entry)).second) {
      throw InputError(
          fmt::format("the {} '{}' is registered twice; choose another name", kind_, name));
    }
  }

  /// The names, sorted.
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& [name, entry] : entries_) names.push_back(name);
    return names;
  }

  bool contains(const std::string& name) const { return entries_.contains(name); }

  /// The schema of one part's configuration. Throws InputError, with the names there are, on
  /// others.
  const Schema<Part>& schema_of(const std::string& name) const { return find(name).schema; }

  /// What a part is for. Throws as schema_of().
  const std::string& doc(const std::string& name) const { return find(name).doc; }

  /// The part with its configuration as it is by itself, as if a file said nothing of it; it has no
  /// place. Throws InputError on a name that is not registered, or one that has no such.
  Part plain(const std::string& name) const {
    const Entry& entry = find(name);
    if (!entry.plain)
      throw InputError(fmt::format("the {} '{}' has keys that must be given", kind_, shown(name)));
    return *entry.plain;
  }

  /// An object whose key `tag` names the part; the other keys are its configuration. Knows the
  /// parts that are registered now, not those that come later.
  Schema<Part> schema(const std::string& tag = "type") const {
    std::vector<Alternative<Part>> alternatives;
    for (const auto& [name, entry] : entries_) {
      alternatives.emplace_back(name, entry.schema, entry.doc);
    }
    return one_of<Part>(tag, std::move(alternatives));
  }

  /// As schema(), but makes the product at once. An InputError of the factory is reported at the
  /// part's place.
  Schema<Product> product_schema(const std::string& tag, Context... context) const {
    const Schema<Part> parts = schema(tag);
    return Schema<Product>(
        [parts, context...](const Node& node, Reader& reader) -> std::optional<Product> {
          const std::optional<Part> part = parts.read(node, reader);
          if (!part) return std::nullopt;
          try {
            return part->make(context...);
          } catch (const InputError& error) {
            reader.report(node.place(), "cannot be made: " + std::string(error.what()), "");
            return std::nullopt;
          }
        },
        parts.description());
  }

 private:
  struct Entry {
    std::string doc;
    Schema<Part> schema;
    std::optional<Part> plain;
  };

  static Schema<Part> with_place(const Schema<Part>& schema) {
    return Schema<Part>(
        [schema](const Node& node, Reader& reader) {
          std::optional<Part> part = schema.read(node, reader);
          if (part) part->place = node.place();
          return part;
        },
        schema.description());
  }

  const Entry& find(const std::string& name) const {
    const auto found = entries_.find(name);
    if (found != entries_.end()) return found->second;
    std::string message = fmt::format("there is no {} '{}'", kind_, shown(name));
    const std::string hint = did_you_mean(name, names(), "there are");
    throw InputError(hint.empty() ? message : message + "; " + hint);
  }

  std::string kind_;
  std::map<std::string, Entry> entries_;
};

}  // namespace handspan
