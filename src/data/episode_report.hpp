#pragma once
// What can be learnt from an episode of a log: what moves in it, its parts, and what is wrong.
#include <string>
#include <vector>

#include "log/demonstration_parts.hpp"

namespace handspan {

/// How far something moves in an episode: the length of its way, and from where it began to where
/// it is farthest from that.
struct EpisodeMotion {
  std::string name;       // "left_hand", "box"; of a group its name
  double way = 0.0;       // [m]; 0 of a group
  double distance = 0.0;  // [m]; 0 of a group
  double angle = 0.0;     // [rad]; 0 of a group
  int commands = 0;       // of a group: how often it gets another one
};

struct EpisodeReport {
  std::size_t number = 0;  // from 1
  Episode episode;
  double from = 0.0, to = 0.0;  // of the log [s]
  // those that move, or get another command
  std::vector<EpisodeMotion> references, groups, objects;
  std::vector<DemonstrationPart> parts;     // times since `from`
  double idle_start = 0.0, idle_end = 0.0;  // that cut_ends would cut [s]
  /// In words, each with what to do; none: it can be learnt from.
  std::vector<std::string> problems;

  bool good() const { return problems.empty(); }
};

/// Of each episode of a log, or of all of it as one that is "unmarked" when it has none. What
/// cannot be read of an episode is among its problems.
/// @throws InputError: the log cannot be read at all
std::vector<EpisodeReport> report_episodes(const std::filesystem::path& log);

}  // namespace handspan
