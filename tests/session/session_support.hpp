#pragma once
// Apps and scenes of the tests of sessions, in a folder that goes with the object.
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/config.hpp"
#include "core/error.hpp"
#include "core/object.hpp"
#include "reference/frame_reference.hpp"
#include "session/run.hpp"
#include "support/parts.hpp"

namespace handspan::test {

/// One FR3 with a plate, a UR10 with a suction cup, a parcel on a table under it.
inline const char* const kPairScene = R"(name: pair
robots:
  left: {robot: fr3, tool: plate, pose: ready}
  picker: {robot: ur10, tool: vacuum, base: {position: [1.9, 0.0, 0.0]}, pose: stance}
objects:
  parcel: {pose: {position: [0.9, 0.5, 0.55]}, mass: 0.5, shapes: [{type: box, size: [0.2, 0.2, 0.1]}]}
fixtures:
  post: {pose: {position: [0.9, 0.5, 0.25]}, shapes: [{type: box, size: [0.2, 0.2, 0.5]}]}
)";

inline const std::string kPairArms = R"(whole_arm:
  arms:
    left.arm: {feedback: commanded}
    picker.arm: {feedback: commanded}
  tasks:
    hand: {type: pose, frame: left.tcp, stiffness: 100}
    cup: {type: pose, frame: picker.suction, stiffness: 45}
    posture: {type: posture, robot: left, stiffness: 10, weight: 1.0e-4}
  constraints:
    - {type: torque_limits}
    - {type: jerk_limits}
    - {type: collision, pairs: [[left.pad_body, post], [left.pad_body, picker.forearm]]}
)";

class AppFolder {
 public:
  /// @param parts what its apps are made of; outlives it
  explicit AppFolder(const std::string& scene = kPairScene, const Parts& parts = test_parts())
      : parts_(parts) {
    static std::atomic<int> count{0};
    folder_ = std::filesystem::temp_directory_path() /
              ("handspan_session_" + std::to_string(getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(folder_);
    std::filesystem::create_symlink(std::filesystem::path(HANDSPAN_SOURCE_DIR) / "robots",
                                    folder_ / "robots");
    std::ofstream(folder_ / "scene.yaml") << scene;
  }
  ~AppFolder() { std::filesystem::remove_all(folder_); }
  AppFolder(const AppFolder&) = delete;

  /// Writes an app of that scene and loads it.
  App app(const std::string& rest, const std::string& name = "test") const {
    std::ofstream(folder_ / (name + ".yaml")) << "name: " << name << "\nscene: scene.yaml\n"
                                              << rest;
    return load_app(folder_ / (name + ".yaml"), parts_);
  }
  /// What loading it and making a session of it complains of; "" when nothing.
  std::string error(const std::string& rest) const {
    std::string message;
    try {
      const App loaded = app(rest);
      Session session(loaded);
    } catch (const InputError& e) {
      message = e.what();
    }
    for (std::size_t at; (at = message.find(folder_.string() + "/")) != std::string::npos;)
      message.erase(at, folder_.string().size() + 1);
    return message;
  }
  const std::filesystem::path& path() const { return folder_; }

 private:
  const Parts& parts_;
  std::filesystem::path folder_;
};

/// The reference of that task. @throws InputError when there is none
inline const Reference& reference_of(Session& session, std::string_view task) {
  return session.arbiter().reference(session.arbiter().find_reference(task));
}

/// That of a pose task, with what only those have: where the arm is, and how its way is bound.
inline const FrameReference& frame_reference(Session& session, std::string_view task) {
  return dynamic_cast<const FrameReference&>(reference_of(session, task));
}

/// The limits that an app's file gives the reference of a pose task.
/// @throws std::out_of_range when it gives none
inline PoseReferenceLimits pose_limits(const App& app, const std::string& task) {
  const Node file = load_tree(app.file);
  const Node* const references = file.find("references");
  const Node* const limits = references != nullptr ? references->find(task) : nullptr;
  if (limits == nullptr) throw std::out_of_range("the app has no references." + task);
  return read_tree(*limits, app.file.string(), pose_reference_limits_schema());
}

/// A sample for a pose_stream: one pose, or rows of 8 numbers.
inline Input pose_sample(const std::string& source, const std::vector<double>& rows) {
  Input input;
  input.kind = InputKind::kSample;
  input.to = source;
  input.set(rows);
  return input;
}

inline std::vector<double> row(double time, const Pose& X) {
  const Eigen::Quaterniond q = X.quaternion();
  return {time, X.p.x(), X.p.y(), X.p.z(), q.x(), q.y(), q.z(), q.w()};
}

inline Input operator_input(InputKind kind, const std::string& to = "",
                            const std::string& text = "") {
  Input input;
  input.kind = kind;
  input.to = to;
  input.text = text;
  return input;
}

}  // namespace handspan::test
