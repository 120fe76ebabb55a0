#include "study/changed_app.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/escape.hpp"
#include "core/file_trees.hpp"
#include "study/app_subject.hpp"

namespace handspan {
namespace {

const Place kPlace{"--param", 0, 0};

App load(const std::filesystem::path& file, const Parts& parts, const SubjectFiles& files,
         const std::vector<Node>& changed) {
  FileTrees trees;
  for (std::size_t f = 0; f < changed.size(); ++f)
    if (!same_content(changed[f], files.tree(f))) trees.give(files.path(f), changed[f]);
  return load_app(file, parts);
}

}  // namespace

ChangedApp::ChangedApp(const std::filesystem::path& file, const Parts& parts,
                       const std::vector<ParameterOverride>& parameters) {
  if (parameters.empty()) {
    app = load_app(file, parts);
    return;
  }
  SubjectFiles files = SubjectFiles::of_app(file);
  std::vector<KeyChange> changes;
  for (const auto& [key, value] : parameters) {
    Node tree = parse_tree(value, "--param " + key);
    KeyAddress at = files.address(key, kPlace, changes);
    changes.push_back({std::move(at), std::move(tree)});
  }
  const std::vector<Node> changed = files.changed(changes);
  app = load(file, parts, files, changed);
  // a value in a file that another parameter replaced would change nothing
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const auto& in = files.path(changes[p].at.file);
    if (std::ranges::count(app.files, in) == 0)
      throw ConfigError({{kPlace, fmt::format("the key '{}'", shown(parameters[p].key)),
                          fmt::format("is in {}, which another --param replaces", printable(in)),
                          "give it after that one, or leave it out"}});
  }
  folder_.emplace("handspan-app-");
  const auto written = write_files(files, changed, app.files, folder_->path());
  app.file = written.front();
  app.files = written;
}

}  // namespace handspan
