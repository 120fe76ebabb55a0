#pragma once
// The files of a study's subject as trees, and keys in them by one path: "scene.objects.box.mass"
// is in the scene that the app names, "scene.robots.left.robot.groups[0].lag" in the robot.yaml
// that the scene names, and "...robot.limits.joints.joint1.torque" in its limits.yaml.
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/tree_edit.hpp"

namespace handspan {

/// Where a key is.
struct KeyAddress {
  std::size_t file = 0;         // index into the subject's files
  std::vector<TreeStep> steps;  // in it
};

/// A key that gets a value.
struct KeyChange {
  KeyAddress at;
  Node value;
};

class SubjectFiles {
 public:
  /// Of an app. @throws ConfigError when its file cannot be read
  static SubjectFiles of_app(const std::filesystem::path& app);
  /// One tree without files: a trial's configuration.
  static SubjectFiles of_trial(Node configuration);

  /// Where `key` leads: names with dots between them, [i] for items of lists. A name with dots in
  /// it is written as it is. Its last name need not be there yet: the schema says whether it may
  /// be.
  /// @param before changes that are made before, and may have put there what the key leads through
  /// @param place of whoever names it. @throws ConfigError with it: a key that leads nowhere, with
  /// the keys there are
  KeyAddress address(const std::string& key, const Place& place,
                     std::span<const KeyChange> before = {});
  /// What is written there; nullptr: nothing yet.
  const Node* written(const KeyAddress& at) const { return find(trees_[at.file], at.steps); }

  std::size_t size() const { return trees_.size(); }
  const Node& tree(std::size_t file) const { return trees_[file]; }
  /// Absolute; empty: a trial's configuration.
  const std::filesystem::path& path(std::size_t file) const { return paths_[file]; }
  /// The scene's index; 0: it is not known since no key led there.
  std::size_t scene() const { return scene_; }

  /// The trees with changes in them, which come in turn: by file.
  std::vector<Node> changed(std::span<const KeyChange> changes) const;

 private:
  enum class Kind { kApp, kScene, kRobot, kLimits, kTrial };

  std::size_t add(Kind kind, const std::filesystem::path& path);
  std::size_t step_into(std::size_t file, std::span<const TreeStep> steps, const Node& name);

  std::vector<Kind> kinds_;
  std::vector<std::filesystem::path> paths_;
  std::vector<Node> trees_;
  std::size_t scene_ = 0;
};

}  // namespace handspan
