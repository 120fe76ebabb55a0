#include "core/yaml.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <unordered_set>
#include <utility>

#include "core/text_checks.hpp"

namespace handspan {
namespace {

// Builds the tree from yaml-cpp's events. What leaves the structure intact (a key twice) is noted
// and reading goes on; what does not is thrown.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::string file) : file_(std::move(file)) {}

  std::optional<Node> root;
  std::vector<Issue> issues;

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (root) {
      stop(place(mark), "a second document starts here", "keep one document (no '---') in a file");
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add_leaf(mark, anchor, Node::Kind::kNull, "", false);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    // yaml-cpp tags a quoted scalar "!" and a plain one "?" or ""
    if (tag != "!") check_tag(mark, tag);
    add_leaf(mark, anchor, Node::Kind::kScalar, value, tag == "!");
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      stop(place(mark), "an alias refers to the node that it is in", "write the value out");
    }
    add(place(mark), found->second);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Node::Kind::kList);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Node::Kind::kObject);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Level {
    std::shared_ptr<Node::Data> data;
    YAML::anchor_t anchor;
    std::optional<std::pair<std::string, Place>> key;  // of an object: read, its value to come
    std::unordered_set<std::string> keys;
  };

  Place place(const YAML::Mark& mark) const { return {file_, mark.line + 1, mark.column + 1}; }

  [[noreturn]] void stop(Place at, std::string cause, std::string hint) {
    issues.push_back({std::move(at), "", std::move(cause), std::move(hint)});
    throw ConfigError(issues);
  }

  void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    issues.push_back({place(mark), "", fmt::format("the tag '{}' has no meaning here", shown(tag)),
                      "remove it; the schema knows the type"});
  }

  void add_leaf(const YAML::Mark& mark, YAML::anchor_t anchor, Node::Kind kind,
                const std::string& value, bool quoted) {
    auto data = std::make_shared<Node::Data>();
    data->kind = kind;
    data->place = place(mark);
    // yaml-cpp puts a missing value where the next thing begins
    if (kind == Node::Kind::kNull && !levels_.empty() && levels_.back().key) {
      data->place = levels_.back().key->second;
    }
    data->scalar = value;
    data->quoted = quoted;
    finish(anchor, std::move(data));
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            Node::Kind kind) {
    check_tag(mark, tag);
    if (levels_.size() >= kMaxYamlDepth) too_deep(place(mark));
    auto data = std::make_shared<Node::Data>();
    data->kind = kind;
    data->place = place(mark);
    levels_.push_back({std::move(data), anchor, std::nullopt, {}});
  }

  void close() {
    const Level level = std::move(levels_.back());
    levels_.pop_back();
    finish(level.anchor, level.data);
  }

  void finish(YAML::anchor_t anchor, std::shared_ptr<const Node::Data> data) {
    if (anchor != 0) anchors_[anchor] = data;
    const Place at = data->place;
    add(at, std::move(data));
  }

  void add(const Place& at, std::shared_ptr<const Node::Data> data) {
    if (levels_.empty()) {
      root = Node(std::move(data));
      return;
    }
    Level& level = levels_.back();
    Node::Data& parent = *level.data;
    if (parent.kind == Node::Kind::kObject && !level.key) {
      take_key(level, at, *data);
      return;
    }
    parent.size += data->size;
    parent.height = std::max(parent.height, data->height + 1);
    if (parent.size > kMaxYamlNodes) {
      stop(at, fmt::format("more than {} values, aliases written out", kMaxYamlNodes),
           "use fewer aliases of aliases, or several files");
    }
    if (levels_.size() + data->height > kMaxYamlDepth) too_deep(at);
    if (parent.kind == Node::Kind::kList) {
      parent.items.emplace_back(std::move(data));
      return;
    }
    // of a key written twice the first value stays
    if (level.keys.insert(level.key->first).second) {
      parent.entries.push_back(
          {std::move(level.key->first), std::move(level.key->second), Node(std::move(data))});
    }
    level.key.reset();
  }

  void take_key(Level& level, const Place& at, const Node::Data& data) {
    if (data.kind != Node::Kind::kScalar) {
      const bool null = data.kind == Node::Kind::kNull;
      issues.push_back({at, "", null ? "a key is empty" : "a key is a list or an object",
                        "write a name before the ':'"});
    } else if (data.scalar == "<<" && !data.quoted) {
      issues.push_back(
          {at, "", "merge keys ('<<') are not supported", "write the keys out, or alias a value"});
    } else if (level.keys.contains(data.scalar)) {
      int line = 0;
      for (const Node::Entry& entry : level.data->entries) {
        if (entry.key == data.scalar) line = entry.place.line;
      }
      issues.push_back({at, "",
                        fmt::format("the key '{}' is here a second time, first in line {}",
                                    shown(data.scalar), line),
                        "keep one of the two"});
    }
    level.key.emplace(data.scalar, at);
  }

  [[noreturn]] void too_deep(Place at) {
    stop(std::move(at), fmt::format("more than {} levels of nesting", kMaxYamlDepth),
         "flatten the file");
  }

  std::string file_;
  std::vector<Level> levels_;
  std::map<YAML::anchor_t, std::shared_ptr<const Node::Data>> anchors_;
};

}  // namespace

Node::Kind Node::kind() const { return data_->kind; }
const Place& Node::place() const { return data_->place; }
const std::string& Node::scalar() const { return data_->scalar; }
bool Node::quoted() const { return data_->quoted; }
const std::vector<Node>& Node::items() const { return data_->items; }
const std::vector<Node::Entry>& Node::entries() const { return data_->entries; }

const Node* Node::find(std::string_view key) const {
  for (const Entry& entry : data_->entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

Node Node::without(std::string_view key) const {
  auto data = std::make_shared<Data>(*data_);
  std::erase_if(data->entries, [&](const Entry& entry) { return entry.key == key; });
  return Node(std::move(data));
}

std::string Node::predicate() const {
  switch (kind()) {
    case Kind::kNull:
      return "is empty";
    case Kind::kList:
      return "is a list";
    case Kind::kObject:
      return "is an object";
    case Kind::kScalar:
      break;
  }
  if (!quoted() && !scalar().empty() &&
      std::string_view("+-.0123456789").find(scalar()[0]) != std::string_view::npos) {
    return fmt::format("is {}", shown(scalar()));
  }
  return fmt::format("is '{}'", shown(scalar()));
}

Node parse_tree(std::string_view text, const std::string& file) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (std::vector<Issue> issues = check_text(text, file); !issues.empty()) {
    throw ConfigError(std::move(issues));
  }
  TreeBuilder builder(file);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    builder.issues.push_back({{file, error.mark.line + 1, error.mark.column + 1},
                              "",
                              fmt::format("not YAML: {}", error.msg),
                              "look for a missing bracket, quote, ':' or indentation up to here"});
  }
  if (!builder.issues.empty()) throw ConfigError(std::move(builder.issues));
  if (!builder.root || builder.root->kind() == Node::Kind::kNull) {
    throw ConfigError({{{file, 0, 0}, "", "nothing is in the file", "write its keys"}});
  }
  return *builder.root;
}

}  // namespace handspan
