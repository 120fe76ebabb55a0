#include "study/subject_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/error.hpp"
#include "core/file_trees.hpp"
#include "core/suggest.hpp"
#include "scene/robot_folder.hpp"

namespace handspan {
namespace {

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

ConfigError no_key(const Place& place, const std::string& key, std::string cause,
                   std::string hint) {
  return ConfigError(
      {{place, fmt::format("the key '{}'", shown(key)), std::move(cause), std::move(hint)}});
}

// "a.b[2]" as names and indices
std::vector<TreeStep> parts_of(const std::string& key, const Place& place) {
  std::vector<TreeStep> parts;
  std::size_t at = 0;
  const auto bad = [&] {
    return no_key(place, key, "is not a path",
                  "write names with dots between them, and [i] for items");
  };
  while (at < key.size()) {
    if (key[at] == '[') {
      const std::size_t end = key.find(']', at);
      std::size_t index = 0;
      if (end == std::string::npos ||
          std::from_chars(key.data() + at + 1, key.data() + end, index).ptr != key.data() + end ||
          end == at + 1 || parts.empty())
        throw bad();
      parts.emplace_back(index);
      at = end + 1;
      if (at < key.size() && key[at] != '[' && key[at++] != '.') throw bad();
    } else {
      const std::size_t end = std::min(key.find_first_of(".[", at), key.size());
      if (end == at) throw bad();
      parts.emplace_back(key.substr(at, end - at));
      at = end < key.size() && key[end] == '.' ? end + 1 : end;
      if (at == key.size() && key.back() == '.') throw bad();
    }
  }
  if (parts.empty()) throw bad();
  return parts;
}

std::vector<std::string> keys_of(const Node& node) {
  std::vector<std::string> keys;
  for (const auto& entry : node.entries()) keys.push_back(entry.key);
  return keys;
}

// how many of the parts from `first` on are one key of the object, which may have dots in it; 0:
// none
std::size_t longest_key(const Node& object, const std::vector<TreeStep>& parts, std::size_t first,
                        std::string& key) {
  std::string name;
  std::size_t longest = 0;
  for (std::size_t i = first; i < parts.size(); ++i) {
    const auto* part = std::get_if<std::string>(&parts[i]);
    if (part == nullptr) break;
    name += (name.empty() ? "" : ".") + *part;
    if (object.find(name) == nullptr) continue;
    longest = i + 1 - first;
    key = name;
  }
  return longest;
}

}  // namespace

SubjectFiles SubjectFiles::of_app(const std::filesystem::path& app) {
  SubjectFiles files;
  files.add(Kind::kApp, app);
  return files;
}

SubjectFiles SubjectFiles::of_trial(Node configuration) {
  SubjectFiles files;
  files.kinds_.push_back(Kind::kTrial);
  files.paths_.emplace_back();
  files.trees_.push_back(std::move(configuration));
  return files;
}

std::size_t SubjectFiles::add(Kind kind, const std::filesystem::path& path) {
  const auto absolute = std::filesystem::absolute(path).lexically_normal();
  const auto known = std::ranges::find(paths_, absolute);
  if (known != paths_.end()) return static_cast<std::size_t>(known - paths_.begin());
  trees_.push_back(load_tree(path));
  kinds_.push_back(kind);
  paths_.push_back(absolute);
  if (kind == Kind::kScene) scene_ = trees_.size() - 1;
  return trees_.size() - 1;
}

// the file that the scalar at `steps` names; kNowhere: it names none
std::size_t SubjectFiles::step_into(std::size_t file, std::span<const TreeStep> steps,
                                    const Node& name) {
  const auto is = [&](std::size_t i, const char* key) {
    const auto* step = std::get_if<std::string>(&steps[i]);
    return step != nullptr && *step == key;
  };
  const auto folder = paths_[file].parent_path();
  switch (kinds_[file]) {
    case Kind::kApp:
      if (steps.size() == 1 && is(0, "scene")) return add(Kind::kScene, folder / name.scalar());
      break;
    case Kind::kScene:
      if (steps.size() == 3 && is(0, "robots") && (is(2, "robot") || is(2, "tool")))
        return add(Kind::kRobot, find_robot_folder(name.scalar(), folder) / "robot.yaml");
      break;
    case Kind::kRobot:
      if (steps.size() == 1 && is(0, "limits")) return add(Kind::kLimits, folder / name.scalar());
      break;
    case Kind::kLimits:
    case Kind::kTrial:
      break;
  }
  return kNowhere;
}

KeyAddress SubjectFiles::address(const std::string& key, const Place& place,
                                 std::span<const KeyChange> before) {
  const std::vector<TreeStep> parts = parts_of(key, place);
  std::vector<Node> trees = changed(before);
  KeyAddress at;
  const auto here = [&] {
    const std::string where = text_of(at.steps);
    const std::string file = paths_[at.file].filename().string();
    return where.empty() ? (file.empty() ? "the trial" : file)
                         : where + (file.empty() ? "" : " of " + file);
  };
  std::size_t p = 0;
  while (p < parts.size()) {
    const Node& node = *find(trees[at.file], at.steps);
    if (node.kind() == Node::Kind::kScalar) {
      const std::size_t next = at.steps.empty() ? kNowhere : step_into(at.file, at.steps, node);
      if (next == kNowhere)
        throw no_key(place, key,
                     fmt::format("goes on below {}, which {}", here(), node.predicate()),
                     "name a key that is there");
      for (std::size_t f = trees.size(); f < trees_.size(); ++f) trees.push_back(trees_[f]);
      at = {next, {}};
      continue;
    }
    if (const auto* index = std::get_if<std::size_t>(&parts[p])) {
      if (node.kind() != Node::Kind::kList)
        throw no_key(place, key,
                     fmt::format("has [{}] of {}, which {}", *index, here(), node.predicate()),
                     "use names there");
      if (*index >= node.items().size())
        throw no_key(
            place, key,
            fmt::format("has [{}] of {}, which has {} items", *index, here(), node.items().size()),
            "the first is [0]");
      at.steps.emplace_back(*index);
      ++p;
      continue;
    }
    if (node.kind() == Node::Kind::kList)
      throw no_key(
          place, key,
          fmt::format("has '{}' of {}, which is a list", std::get<std::string>(parts[p]), here()),
          "write [i] for one of its items");
    std::string name;
    if (const std::size_t taken = longest_key(node, parts, p, name); taken > 0) {
      at.steps.emplace_back(name);
      p += taken;
      continue;
    }
    // A key that may be left out: whether there is one of that name, the schema says. An object
    // that the file leaves out may be begun at its top; elsewhere a slip is likelier.
    const std::string& missing = std::get<std::string>(parts[p]);
    const auto keys = keys_of(node);
    if (p + 1 < parts.size()) {
      const bool names = std::all_of(parts.begin() + static_cast<std::ptrdiff_t>(p), parts.end(),
                                     [](const TreeStep& s) { return s.index() == 0; });
      if (nearest_name(missing, keys) || !names || !at.steps.empty())
        throw no_key(place, key, fmt::format("has '{}', which {} does not have", missing, here()),
                     did_you_mean(missing, keys, "it has"));
    }
    for (; p < parts.size(); ++p) at.steps.push_back(parts[p]);
  }
  return at;
}

std::vector<Node> SubjectFiles::changed(std::span<const KeyChange> changes) const {
  std::vector<Node> trees = trees_;
  for (const KeyChange& change : changes)
    trees[change.at.file] = with_value(trees[change.at.file], change.at.steps, change.value);
  return trees;
}

}  // namespace handspan
