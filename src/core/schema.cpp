#include "core/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/suggest.hpp"

namespace handspan {
namespace {

constexpr std::size_t kMostIssues = 100;

// the description that has keys or names, below the lists and dictionaries around it
const Description& innermost(const Description& description) {
  const Description* at = &description;
  while (at->item) at = at->item.get();
  return *at;
}

class Printer {
 public:
  std::string out;

  void print(const Description& outer, std::size_t indent) {
    const Description& at = innermost(outer);
    if (at.later) {
      print(*at.later(), indent);
      return;
    }
    if (at.fields.empty()) return;
    // the same object once more: its name in the line above is enough
    if (at.tag.empty() && !printed_.insert(at.type).second) return;
    if (!at.tag.empty()) {
      line(indent, fmt::format("by its key '{}':", at.tag));
    } else if (indent == 0 || !at.doc.empty()) {
      // below a key, whose line has the name and the rules, only the explanation is new
      std::string head = indent == 0 ? at.summary() : at.type;
      if (!at.doc.empty()) head += ": " + at.doc;
      line(indent, head);
    }
    for (const Description::Field& field : at.fields) {
      if (at.tag.empty()) {
        const std::string when = field.when.empty() ? "" : fmt::format(" ({})", field.when);
        line(indent + 2, fmt::format("{}: {}{}", field.key, field.value->summary(), when));
      } else {
        line(indent + 2, fmt::format("{} {}: {}", at.tag, field.key, field.value->summary()));
      }
      if (!field.doc.empty()) line(indent + 6, field.doc);
      print(*field.value, indent + 6);
    }
  }

 private:
  void line(std::size_t indent, const std::string& text) {
    out += std::string(indent, ' ') + text + '\n';
  }

  std::set<std::string> printed_;
};

}  // namespace

Reader::Step Reader::enter(const std::string& key) {
  const std::size_t length = path_.size();
  if (!path_.empty()) path_ += '.';
  path_ += shown(key);
  return {*this, length};
}

Reader::Step Reader::enter(std::size_t index) {
  const std::size_t length = path_.size();
  path_ += fmt::format("[{}]", index);
  return {*this, length};
}

void Reader::report(const Place& place, std::string cause, std::string hint) {
  add({place, key(), std::move(cause), std::move(hint)});
}

void Reader::report_unknown(const Place& place, const std::string& name,
                            const std::vector<std::string>& known) {
  std::string cause = fmt::format("unknown key '{}'", shown(name));
  if (!path_.empty()) cause += " in " + path_;
  add({place, "", std::move(cause), did_you_mean(name, known, "the keys are")});
}

void Reader::add(Issue issue) {
  if (issues_.size() < kMostIssues) {
    issues_.push_back(std::move(issue));
  } else {
    ++unlisted_;
  }
}

void Reader::finish() {
  if (issues_.empty()) return;
  std::stable_sort(issues_.begin(), issues_.end(),
                   [](const Issue& a, const Issue& b) { return a.place.line < b.place.line; });
  if (unlisted_ > 0) {
    issues_.push_back({{issues_[0].place.file, 0, 0},
                       "",
                       fmt::format("{} more errors", unlisted_),
                       "correct those above first"});
  }
  throw ConfigError(std::move(issues_));
}

std::string Description::summary() const {
  std::string text = type;
  if (later) text = later()->type;
  if (!tag.empty()) {
    std::vector<std::string> names;
    for (const Field& field : fields) names.push_back(field.key);
    text += " " + joined(names);
  }
  if (!unit.empty()) text += fmt::format(" [{}]", unit);
  if (item) text += " of " + item->summary();
  for (const std::string& rule : rules) text += ", " + rule;
  return text;
}

std::string describe(const Description& description) {
  Printer printer;
  const Description& at = innermost(description);
  if (at.item || &at != &description || at.fields.empty())
    printer.out = description.summary() + '\n';
  printer.print(description, 0);
  return std::move(printer.out);
}

namespace schema_detail {

const char* const kIdentifierHint = "use letters, digits, '_', '-' and '.', at least one";

std::string rule(Relation relation, double limit, const std::string& unit) {
  // zero is zero in every unit
  const std::string suffix = limit == 0.0 || unit.empty() ? "" : " " + unit;
  return fmt::format("{} {:.15g}{}", sign(relation), limit, suffix);
}

std::string rule(Relation relation, std::int64_t limit) {
  return fmt::format("{} {}", sign(relation), limit);
}

std::string size_rule(std::size_t least, std::size_t most) {
  const auto items = [](std::size_t n) {
    return fmt::format("{} {}", n, n == 1 ? "item" : "items");
  };
  if (least == most) return "exactly " + items(least);
  if (most == SIZE_MAX) return "at least " + items(least);
  return "at most " + items(most);
}

std::string size_predicate(std::size_t size) {
  return size == 1 ? "has 1 item" : fmt::format("has {} items", size);
}

std::string one_of_hint(const std::string& given, const std::vector<std::string>& names) {
  if (!given.empty()) return did_you_mean(given, names, "it must be one of");
  return "it must be one of " + joined(names);
}

bool is_identifier(const std::string& text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), allowed);
}

void report_fault(const Node& node, Reader& reader, Fault fault) {
  if (fault.key.empty()) {
    reader.report(node.place(), std::move(fault.cause), std::move(fault.hint));
    return;
  }
  const Node* part = node.find(fault.key);
  const auto step = reader.enter(fault.key);
  reader.report(part != nullptr ? part->place() : node.place(), std::move(fault.cause),
                std::move(fault.hint));
}

}  // namespace schema_detail
}  // namespace handspan
