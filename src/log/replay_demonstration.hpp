#pragma once
// The keys of replay_reference, and what of a log they mean: the demonstration as it is to be done
// again.
#include <optional>
#include <string>
#include <vector>

#include "core/object.hpp"
#include "log/logged_demonstration.hpp"
#include "log/replay_offset.hpp"
#include "plan/swing_change.hpp"

namespace handspan {

struct ReplayReferenceConfig {
  std::string task;
  std::vector<std::string> references;  // several tasks' at once, instead of `task`
  std::filesystem::path log;
  std::optional<std::string> channel;  // none: reference.TASK.pose (wrench)
  std::vector<std::string> channels;   // of `references`
  double from = 0.0;
  std::optional<double> to;
  bool relative = false;
  double speed = 1.0;
  std::string episode;              // from and to are of it; "": of the log
  std::vector<std::int64_t> parts;  // of the episode, as split() has them
  bool cut_ends = false;
  std::vector<Eigen::Vector2d> warp;
  std::optional<double> smooth;     // spacing of the smooth curve; none: as the log needs it
  std::vector<std::string> groups;  // suction, grippers: commanded as then
  std::optional<SwingChange> change;
  std::optional<ReplayOffsetConfig> offset;

  /// Whose references are moved: `references`, or `task` alone.
  std::vector<std::string> tasks() const {
    return references.empty() ? std::vector<std::string>{task} : references;
  }
};

/// The keys that source and mode have in common. @param name of the schema
ObjectSchema<ReplayReferenceConfig> replay_schema(const char* name);

/// What of the keys does not go together; none: all do.
std::optional<Fault> fault_of(const ReplayReferenceConfig& config);

/// The part of a log that it is about, with the channels that it names.
DemonstrationQuery query_of(const ReplayReferenceConfig& config);

/// What is to be done again, of poses: read, its parts taken, its idle ends cut, its times warped,
/// and its swing changed. @param scene of the app, by name
/// @throws InputError as read_demonstration(); the log is of another scene, has not so many parts,
/// or nothing moves in it
LoggedDemonstration demonstration_of(const ReplayReferenceConfig& config, const std::string& scene);

}  // namespace handspan
