#pragma once

// A Schema<T> says what YAML may stand for a T: it reads, checks and documents in one. Schemas are
// built from those of core/values.hpp (scalars, vectors) and core/object.hpp (objects, lists,
// variants).

#include <Eigen/Core>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/relation.hpp"
#include "core/yaml.hpp"

namespace handspan {

/// Follows a reading: where it is, and everything that was wrong so far.
class Reader {
 public:
  /// Relative file names are meant from `folder`.
  explicit Reader(std::filesystem::path folder) : folder_(std::move(folder)) {}
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  /// Back to the path before, at the end of its scope.
  class Step {
   public:
    Step(Reader& reader, std::size_t length) : reader_(reader), length_(length) {}
    ~Step() { reader_.path_.resize(length_); }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    Reader& reader_;
    std::size_t length_;
  };

  [[nodiscard]] Step enter(const std::string& key);  // "tasks" to "tasks.KEY"
  [[nodiscard]] Step enter(std::size_t index);       // "tasks" to "tasks[INDEX]"

  const std::filesystem::path& folder() const { return folder_; }

  /// The key that is read, such as "tasks[2].stiffness"; "the file" at its root.
  std::string key() const { return path_.empty() ? "the file" : path_; }

  /// Notes that the value at `place`, read for key(), is wrong.
  void report(const Place& place, std::string cause, std::string hint);

  /// Notes that `place`'s object has a key that it must not have.
  void report_unknown(const Place& place, const std::string& name,
                      const std::vector<std::string>& known);

  /// Throws ConfigError when something was reported: the first 100 issues in the order of their
  /// lines, and how many more there are.
  void finish();

 private:
  void add(Issue issue);

  std::filesystem::path folder_;
  std::string path_;
  std::vector<Issue> issues_;
  std::size_t unlisted_ = 0;
};

/// What a schema admits, for people.
struct Description {
  struct Field {
    std::string key;
    bool required = false;
    std::string when;  // "required", "default 3", "optional"; empty for the names of a variant
    std::string doc;
    std::shared_ptr<const Description> value;
  };

  std::string type;                         // "number", "list", or the name of an object
  std::string unit;                         // SI; may be empty
  std::vector<std::string> rules;           // "> 0", "at least 2"
  std::string doc;                          // of an object
  std::vector<Field> fields;                // of an object its keys, of a variant its names
  std::string tag;                          // of a variant: the key that tells
  std::shared_ptr<const Description> item;  // of a list or dictionary
  // of a deferred schema, which may be part of itself: its description
  std::function<std::shared_ptr<const Description>()> later;

  /// On one line: "number [N/m], > 0".
  std::string summary() const;
};

/// The schema's documentation as text: one key a line with type, unit, rules and default, its
/// explanation below, nested keys indented. An object that comes again is named, not repeated.
std::string describe(const Description& description);

/// What a check found wrong with a value. `key` is the part of it that is meant ("size", "" for
/// all); cause and hint as in Issue.
struct Fault {
  std::string cause;
  std::string hint;
  std::string key = "";
};

template <class T>
inline constexpr bool kIsStdVector = false;
template <class U>
inline constexpr bool kIsStdVector<std::vector<U>> = true;

template <class T>
inline constexpr bool kIsEigenVector = false;
template <int N>
inline constexpr bool kIsEigenVector<Eigen::Matrix<double, N, 1>> = true;

template <class T>
concept Bounded = std::same_as<T, double> || std::same_as<T, std::int64_t> || kIsEigenVector<T>;

namespace schema_detail {
std::string rule(Relation relation, double limit, const std::string& unit);
std::string rule(Relation relation, std::int64_t limit);
std::string size_rule(std::size_t least, std::size_t most);
std::string size_predicate(std::size_t size);
std::string one_of_hint(const std::string& given, const std::vector<std::string>& names);
bool is_identifier(const std::string& text);
void report_fault(const Node& node, Reader& reader, Fault fault);
extern const char* const kIdentifierHint;
}  // namespace schema_detail

/// Reads and checks a T. Immutable; copies share what they are made of. Methods return a narrower
/// one.
template <class T>
class Schema {
 public:
  using Value = T;
  /// The value of a node; on nullopt what is wrong has been reported.
  using Read = std::function<std::optional<T>(const Node&, Reader&)>;

  Schema(Read read, Description description)
      : read_(std::make_shared<const Read>(std::move(read))),
        description_(std::make_shared<const Description>(std::move(description))) {}

  std::optional<T> read(const Node& node, Reader& reader) const { return (*read_)(node, reader); }
  const Description& description() const { return *description_; }
  std::shared_ptr<const Description> shared_description() const { return description_; }

  /// Adds a check: `check(const T&) -> std::optional<Fault>`. `rule` documents it ("sorted"); may
  /// be "".
  template <class Check>
  Schema check(Check check, std::string rule = "") const {
    Description description = *description_;
    if (!rule.empty()) description.rules.push_back(std::move(rule));
    return Schema(
        [read = read_, check = std::move(check)](const Node& node,
                                                 Reader& reader) -> std::optional<T> {
          std::optional<T> value = (*read)(node, reader);
          if (!value) return value;
          std::optional<Fault> fault = check(std::as_const(*value));
          if (!fault) return value;
          schema_detail::report_fault(node, reader, std::move(*fault));
          return std::nullopt;
        },
        std::move(description));
  }

  /// The schema of `convert(T) -> U` (no check may fail in it; use check() before).
  template <class Convert, class U = std::decay_t<std::invoke_result_t<Convert, T>>>
  Schema<U> map(Convert convert) const {
    return Schema<U>(
        [read = read_, convert = std::move(convert)](const Node& node,
                                                     Reader& reader) -> std::optional<U> {
          std::optional<T> value = (*read)(node, reader);
          if (!value) return std::nullopt;
          return std::optional<U>(convert(std::move(*value)));
        },
        *description_);
  }

  /// Bounds of a number, or of each element of a vector, in the schema's unit.
  template <class L>
  Schema min(L limit) const
    requires Bounded<T>
  {
    return bounded(schema_detail::Relation::kAtLeast, limit);
  }
  template <class L>
  Schema max(L limit) const
    requires Bounded<T>
  {
    return bounded(schema_detail::Relation::kAtMost, limit);
  }
  template <class L>
  Schema above(L limit) const
    requires Bounded<T>
  {
    return bounded(schema_detail::Relation::kAbove, limit);
  }
  template <class L>
  Schema below(L limit) const
    requires Bounded<T>
  {
    return bounded(schema_detail::Relation::kBelow, limit);
  }

  /// Bounds of the number of items of a list, dictionary or dynamic vector.
  Schema min_size(std::size_t least) const
    requires kIsStdVector<T> || std::same_as<T, Eigen::VectorXd>
  {
    return sized(least, SIZE_MAX);
  }
  Schema max_size(std::size_t most) const
    requires kIsStdVector<T> || std::same_as<T, Eigen::VectorXd>
  {
    return sized(0, most);
  }
  Schema size(std::size_t exactly) const
    requires kIsStdVector<T> || std::same_as<T, Eigen::VectorXd>
  {
    return sized(exactly, exactly);
  }

  /// Admits these words only.
  Schema one_of(std::vector<std::string> names) const
    requires std::same_as<T, std::string>
  {
    std::string rule = schema_detail::one_of_hint("", names).substr(sizeof("it must be ") - 1);
    return refined(
        [names = std::move(names)](const std::string& value) -> std::string {
          for (const std::string& name : names) {
            if (name == value) return "";
          }
          return schema_detail::one_of_hint(value, names);
        },
        std::move(rule));
  }

  /// Admits names only: letters, digits, '_', '-' and '.' (ASCII), at least one.
  Schema identifier() const
    requires std::same_as<T, std::string>
  {
    return refined(
        [](const std::string& value) -> std::string {
          return schema_detail::is_identifier(value) ? "" : schema_detail::kIdentifierHint;
        },
        "letters, digits, '_', '-' and '.'");
  }

 private:
  // `problem(value)` is the hint of what is wrong, "" for nothing; the cause is the value itself
  template <class Problem>
  Schema refined(Problem problem, std::string rule) const {
    Description description = *description_;
    description.rules.push_back(std::move(rule));
    return Schema(
        [read = read_, problem = std::move(problem)](const Node& node,
                                                     Reader& reader) -> std::optional<T> {
          std::optional<T> value = (*read)(node, reader);
          if (!value) return value;
          if (std::string hint = problem(*value); !hint.empty()) {
            reader.report(node.place(), node.predicate(), std::move(hint));
            return std::nullopt;
          }
          return value;
        },
        std::move(description));
  }

  template <class L>
  Schema bounded(schema_detail::Relation relation, L limit) const {
    static_assert(!std::same_as<T, std::int64_t> || std::integral<L>,
                  "the bound is not an integer");
    const auto holds = [relation](auto value, decltype(value) bound) {
      switch (relation) {
        case schema_detail::Relation::kAtLeast:
          return value >= bound;
        case schema_detail::Relation::kAtMost:
          return value <= bound;
        case schema_detail::Relation::kAbove:
          return value > bound;
        default:
          return value < bound;
      }
    };
    if constexpr (std::same_as<T, std::int64_t>) {
      const auto bound = static_cast<std::int64_t>(limit);
      const std::string rule = schema_detail::rule(relation, bound);
      return refined(
          [=](const T& value) { return holds(value, bound) ? "" : "it must be " + rule; }, rule);
    } else if constexpr (std::same_as<T, double>) {
      const auto bound = static_cast<double>(limit);
      const std::string rule = schema_detail::rule(relation, bound, description_->unit);
      return refined(
          [=](const T& value) { return holds(value, bound) ? "" : "it must be " + rule; }, rule);
    } else {
      const auto bound = static_cast<double>(limit);
      const std::string rule = schema_detail::rule(relation, bound, description_->unit);
      Description description = *description_;
      description.rules.push_back("each " + rule);
      return Schema(
          [=, read = read_](const Node& node, Reader& reader) -> std::optional<T> {
            std::optional<T> value = (*read)(node, reader);
            if (!value) return value;
            bool good = true;
            for (Eigen::Index i = 0; i < value->size(); ++i) {
              if (holds((*value)[i], bound)) continue;
              const auto step = reader.enter(static_cast<std::size_t>(i));
              const Node& item = node.items()[static_cast<std::size_t>(i)];
              reader.report(item.place(), item.predicate(), "it must be " + rule);
              good = false;
            }
            return good ? std::move(value) : std::nullopt;
          },
          std::move(description));
    }
  }

  Schema sized(std::size_t least, std::size_t most) const {
    std::string rule = schema_detail::size_rule(least, most);
    return check(
        [=](const T& value) -> std::optional<Fault> {
          const auto size = static_cast<std::size_t>(value.size());
          if (size >= least && size <= most) return std::nullopt;
          return Fault{schema_detail::size_predicate(size), "it must have " + rule};
        },
        rule);
  }

  std::shared_ptr<const Read> read_;
  std::shared_ptr<const Description> description_;
};

template <class T>
std::string describe(const Schema<T>& schema) {
  return describe(schema.description());
}

}  // namespace handspan
