// handspan check LOG --episodes: what can be learnt from a log.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "cli/check_log.hpp"
#include "data/episode_report.hpp"

namespace handspan {
namespace {

constexpr double kDegree = 180.0 / M_PI;

nlohmann::ordered_json json_of(const EpisodeReport& report) {
  using Object = nlohmann::ordered_json;
  Object json = {{"number", report.number},
                 {"outcome", report.episode.outcome},
                 {"task", report.episode.task},
                 {"operator", report.episode.operator_name},
                 {"start", report.from},
                 {"end", report.to},
                 {"good", report.good()},
                 {"problems", report.problems},
                 {"idle_start", report.idle_start},
                 {"idle_end", report.idle_end}};
  const auto moving = [](const std::vector<EpisodeMotion>& all) {
    Object list = Object::array();
    for (const EpisodeMotion& m : all)
      list.push_back(
          {{"name", m.name}, {"way", m.way}, {"distance", m.distance}, {"angle", m.angle}});
    return list;
  };
  json["references"] = moving(report.references);
  json["objects"] = moving(report.objects);
  json["groups"] = Object::array();
  for (const EpisodeMotion& m : report.groups)
    json["groups"].push_back({{"name", m.name}, {"commands", m.commands}});
  json["parts"] = Object::array();
  for (const DemonstrationPart& part : report.parts)
    json["parts"].push_back({{"from", part.from},
                             {"to", part.to},
                             {"begins_with", name_of(part.begin)},
                             {"of", part.what}});
  return json;
}

void print_motion(const char* what, const std::vector<EpisodeMotion>& all) {
  for (const EpisodeMotion& m : all)
    fmt::print("  {:<10} {:<16} way {:7.3f} m, at most {:6.3f} m and {:5.1f} deg from its start\n",
               what, m.name, m.way, m.distance, kDegree * m.angle);
}

void print(const EpisodeReport& report) {
  const Episode& episode = report.episode;
  fmt::print("episode {}: {:.3f} s to {:.3f} s ({:.3f} s), {}{}\n", report.number, report.from,
             report.to, report.to - report.from, episode.outcome,
             episode.task.empty() ? "" : ", task: " + episode.task);
  print_motion("reference", report.references);
  print_motion("object", report.objects);
  for (const EpisodeMotion& m : report.groups)
    fmt::print("  {:<10} {:<16} {} other command{}\n", "group", m.name, m.commands,
               m.commands == 1 ? "" : "s");
  for (std::size_t i = 0; i < report.parts.size(); ++i) {
    const DemonstrationPart& part = report.parts[i];
    fmt::print("  part {:<5} {:7.3f} s to {:7.3f} s, from {}{}\n", i + 1, part.from, part.to,
               name_of(part.begin), part.what.empty() ? "" : " (" + part.what + ")");
  }
  if (report.idle_start > 0.0 || report.idle_end > 0.0)
    fmt::print("  idle: its first {:.3f} s and its last {:.3f} s\n", report.idle_start,
               report.idle_end);
  for (const std::string& problem : report.problems) fmt::print("  NOT good: {}\n", problem);
  if (!report.good()) return;
  std::vector<std::string> references, groups;
  for (const EpisodeMotion& m : report.references) references.push_back(m.name);
  for (const EpisodeMotion& m : report.groups) groups.push_back(m.name);
  fmt::print("  can be repeated: {{type: replay_reference, references: [{}], log: LOG, episode: {}",
             fmt::join(references, ", "), report.number);
  if (!groups.empty()) fmt::print(", groups: [{}]", fmt::join(groups, ", "));
  if (report.objects.size() == 1)
    fmt::print(", offset: {{object: {}}}", report.objects.front().name);
  fmt::print("}}\n");
}

}  // namespace

int check_episodes(const std::filesystem::path& path, nlohmann::ordered_json& json) {
  const auto reports = report_episodes(path);
  std::size_t good = 0;
  json["episodes"] = nlohmann::ordered_json::array();
  for (const EpisodeReport& report : reports) {
    print(report);
    json["episodes"].push_back(json_of(report));
    if (report.good()) ++good;
  }
  fmt::print("{}: {} of {} episode{} can be learnt from\n", path.string(), good, reports.size(),
             reports.size() == 1 ? "" : "s");
  return good == reports.size() ? kHolds : kDoesNotHold;
}

}  // namespace handspan
