#pragma once
// Studies of the tests, and the app that they are of, in a folder that goes with the object.
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>

#include "study/study.hpp"
#include "support/parts.hpp"

namespace handspan::test {

/// One FR3, a box on a post, and a parcel that a belt sets moving.
inline const char* const kHoldScene = R"(name: hold
contact:
  default: {friction: 0.4}
  pairs: [{materials: [wood, cardboard], friction: 0.6}, {materials: [belt, cardboard], friction: 0.3}]
robots:
  left: {robot: fr3, tool: plate, pose: ready}
objects:
  box:
    pose: {position: [0.9, 0.5, 0.6]}
    mass: 0.5
    shapes: [{type: box, size: [0.2, 0.2, 0.1], material: cardboard}]
  parcel:
    pose: {position: [0.0, 1.5, 0.2]}
    mass: 0.3
    shapes: [{type: box, size: [0.2, 0.2, 0.1], material: cardboard}]
fixtures:
  post: {pose: {position: [0.9, 0.5, 0.25]}, shapes: [{type: box, size: [0.2, 0.2, 0.5], material: wood}]}
belts:
  belt: {pose: {position: [0.0, 1.5, 0.1]}, size: [2.0, 0.6, 0.1], speed: 0.2 m/s}
)";

inline const char* const kHoldApp = R"(name: test
scene: scene.yaml
duration: 0.3 s
controllers: {left.arm: {type: joint_springs}}
)";

class StudyFolder {
 public:
  /// @param parts what its studies are made of; outlives it
  explicit StudyFolder(const std::string& scene = kHoldScene, const Parts& parts = test_parts())
      : parts_(parts) {
    static std::atomic<int> count{0};
    path_ = std::filesystem::temp_directory_path() /
            ("handspan_study_" + std::to_string(getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(path_);
    std::filesystem::create_symlink(std::filesystem::path(HANDSPAN_SOURCE_DIR) / "robots",
                                    path_ / "robots");
    file("scene.yaml", scene);
  }
  ~StudyFolder() { std::filesystem::remove_all(path_); }
  StudyFolder(const StudyFolder&) = delete;

  std::filesystem::path file(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }
  StudyConfig study(const std::string& text) const {
    return load_study(file("study.yaml", text), "s", parts_);
  }
  /// Without the folder's name.
  std::string without_path(std::string message) const {
    for (std::size_t at; (at = message.find(path_.string() + "/")) != std::string::npos;)
      message.erase(at, path_.string().size() + 1);
    return message;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  const Parts& parts_;
  std::filesystem::path path_;
};

}  // namespace handspan::test
