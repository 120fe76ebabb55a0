#include "data/episode_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "data/episodes.hpp"

namespace handspan {
namespace {

// a shorter one is a slip of a button [s]
constexpr double kShortestEpisode = 0.3;

EpisodeMotion motion_of(const std::string& name, const std::vector<TimedPose>& poses) {
  EpisodeMotion motion;
  motion.name = name;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    if (i > 0) motion.way += (poses[i].p - poses[i - 1].p).norm();
    motion.distance = std::max(motion.distance, (poses[i].p - poses.front().p).norm());
    motion.angle = std::max(motion.angle, poses[i].q.angularDistance(poses.front().q));
  }
  return motion;
}

void add_moving(std::vector<EpisodeMotion>& to, const std::string& name,
                const std::vector<TimedPose>& poses) {
  const EpisodeMotion motion = motion_of(name, poses);
  if (motion.distance > kMoves || motion.angle > kTurns) to.push_back(motion);
}

std::string task_of(const std::string& channel) {
  constexpr std::string_view kBefore = "reference.", kAfter = ".pose";
  return channel.substr(kBefore.size(), channel.size() - kBefore.size() - kAfter.size());
}

// The log's path stands at the head of all that is said of it already.
std::string without_path(std::string text, const std::string& path) {
  if (text.starts_with(path)) {
    text.erase(0, path.size());
    text.erase(0, std::min(text.find_first_not_of(" :,"), text.size()));
  }
  return text;
}

void describe(EpisodeReport& report, const LoggedDemonstration& demonstration) {
  for (const auto& named : demonstration.poses)
    add_moving(report.references, task_of(named.name), named.poses);
  for (const auto& named : demonstration.objects)
    add_moving(report.objects, named.name, named.poses);
  for (const auto& commands : demonstration.commands)
    if (commands.values.size() > 1) {
      EpisodeMotion motion;
      motion.name = commands.group;
      motion.commands = static_cast<int>(commands.values.size()) - 1;
      report.groups.push_back(motion);
    }
  if (!moves(demonstration)) {
    report.problems.emplace_back(
        "nothing moves in it: no reference leaves where it began and no gripper gets another "
        "command; leave it out, or record it anew");
    return;
  }
  report.parts = split(demonstration);
  const LoggedDemonstration cut = cut_idle_ends(demonstration);
  report.idle_start = seconds(cut.begin - demonstration.begin);
  report.idle_end = demonstration.length - cut.length - report.idle_start;
}

void report_on(EpisodeReport& report, const LogFile& file, const ChannelLog& log,
               const DemonstrationQuery& all) {
  const Episode& episode = report.episode;
  if (episode.outcome == "discard")
    report.problems.emplace_back("it was discarded; `export --discarded` takes it all the same");
  if (episode.outcome == "unfinished")
    report.problems.emplace_back(
        "it was cut off: the log ends before it does; give `to` where it is good");
  if (report.to - report.from < kShortestEpisode)
    report.problems.push_back(fmt::format(
        "it is {:.3f} s long, and {:g} s are the least that shows a motion; record it anew",
        report.to - report.from, kShortestEpisode));
  const std::string lost = lost_of(file, episode);
  if (!lost.empty()) report.problems.push_back(lost + "; give another part of it (`from`, `to`)");
  if (all.poses.empty()) {
    report.problems.emplace_back(
        "the log has no poses of references; record an app with pose tasks");
    return;
  }
  const LogSpan span{episode.start * file.base_period(), episode.end * file.base_period()};
  try {
    describe(report, read_demonstration(log, span, all));
  } catch (const InputError& error) {
    // a loss is told already
    if (lost.empty()) report.problems.push_back(without_path(error.what(), log.file.string()));
  }
}

}  // namespace

std::vector<EpisodeReport> report_episodes(const std::filesystem::path& path) {
  const LogFile file(path);
  const ChannelLog log(path);
  const DemonstrationQuery all = all_of(log);
  std::vector<EpisodeReport> reports;
  for (const Episode& episode : episodes_or_all(file)) {
    EpisodeReport report;
    report.number = reports.size() + 1;
    report.episode = episode;
    report.from = seconds(episode.start * file.base_period());
    report.to = seconds(episode.end * file.base_period());
    report_on(report, file, log, all);
    reports.push_back(std::move(report));
  }
  return reports;
}

}  // namespace handspan
