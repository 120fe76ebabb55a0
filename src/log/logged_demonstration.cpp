#include "log/logged_demonstration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/error.hpp"
#include "core/suggest.hpp"
#include "log/log_layout.hpp"

namespace handspan {
namespace {

// of a gripper's command; a cup's has none
constexpr char kGripperUnit[] = "m, m/s, N";
// what a wrench changes by when something is touched, and has lost again before the next touch [N]
constexpr double kTouches = 5.0, kTouchesNothing = 2.5;

template <class T>
void refuse_stamps_back(const std::string& file, const std::string& channel,
                        const std::vector<SeriesRow<T>>& rows) {
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (rows[i].stamp < rows[i - 1].stamp)
      throw InputError(fmt::format(
          "{}: the stamps of {} go back at {:.3f} s, from {:.3f} to {:.3f} s, so that nobody knows "
          "when its values were; give a part of the log without it ('from', 'to'), or record it "
          "anew",
          file, channel, seconds(rows[i].time), seconds(rows[i - 1].stamp),
          seconds(rows[i].stamp)));
}

// The rows in the part, and the one that holds at its beginning, which then has that time.
template <class T>
std::vector<SeriesRow<T>> rows_of(const ChannelLog& log, const LogSpan& span,
                                  const std::string& channel) {
  // past the end nothing holds any more
  const bool held = span.from <= log.reader.statistics().last_time;
  auto rows = read_series<T>(log, channel, span, {"", held ? std::size_t{1} : 2, held});
  refuse_stamps_back(log.file.string(), channel, rows);
  if (rows.front().time < span.from) rows.front().time = span.from;
  return rows;
}

// by which most rows are apart; 0: there is one
template <class T>
Nanoseconds spacing_of(const std::vector<SeriesRow<T>>& rows) {
  std::vector<Nanoseconds> apart;
  for (std::size_t i = 1; i < rows.size(); ++i) apart.push_back(rows[i].time - rows[i - 1].time);
  if (apart.empty()) return 0;
  std::ranges::nth_element(apart, apart.begin() + std::ssize(apart) / 4);
  return apart[apart.size() / 4];
}

std::vector<TimedPose> poses_of(const std::vector<SeriesRow<LoggedPose>>& rows, Nanoseconds begin,
                                Nanoseconds spacing) {
  std::vector<TimedPose> poses;
  for (const auto& row : rows) {
    // what was left out since it stayed as it was stood still until the row before this one
    if (!poses.empty() && spacing > 0) {
      const double still = seconds(row.time - spacing - begin);
      if (still > poses.back().time + seconds(spacing)) {
        TimedPose held = poses.back();
        held.time = still;
        poses.push_back(held);
      }
    }
    const double time = seconds(row.time - begin);
    if (time < 0.0 || (time == 0.0 && !poses.empty())) continue;
    poses.push_back({time, row.value.p, row.value.q});
  }
  return poses;
}

std::vector<LoggedDemonstration::Touch> touches_of(const std::vector<SeriesRow<Vector6d>>& rows,
                                                   Nanoseconds begin, const std::string& channel) {
  std::vector<LoggedDemonstration::Touch> touches;
  bool touching = false;
  const Eigen::Vector3d before = rows.front().value.head<3>();
  for (const auto& row : rows) {
    const double change = (row.value.head<3>() - before).norm();
    if (!touching && change > kTouches)
      touches.push_back({std::max(0.0, seconds(row.time - begin)), channel});
    touching = change > (touching ? kTouchesNothing : kTouches);
  }
  return touches;
}

std::size_t index_of(const std::filesystem::path& log, const std::vector<Episode>& episodes,
                     const std::string& which) {
  if (episodes.empty())
    throw InputError(fmt::format(
        "{} has 0 episodes; episode {} is asked for; leave 'episode' out, or mark episodes in the "
        "app (`episode: start`)",
        log.string(), which));
  if (which == "last") return episodes.size() - 1;
  std::size_t number = 0;
  const char* const end = which.data() + which.size();
  if (const auto [at, error] = std::from_chars(which.data(), end, number);
      error == std::errc() && at == end) {
    if (number >= 1 && number <= episodes.size()) return number - 1;
    throw InputError(fmt::format("{} has {} episodes; episode {} is asked for", log.string(),
                                 episodes.size(), which));
  }
  std::vector<std::string> tasks;
  std::optional<std::size_t> found;
  // of several of one task the last one: a person does again what went wrong
  for (std::size_t e = 0; e < episodes.size(); ++e) {
    tasks.push_back(episodes[e].task);
    if (episodes[e].task == which) found = e;
  }
  if (!found)
    throw InputError(fmt::format(
        "{} has no episode of the task '{}'; {}; or give a number from 1 "
        "to {}, or `last`",
        log.string(), which, did_you_mean(which, tasks, "its tasks are"), episodes.size()));
  return *found;
}

}  // namespace

DemonstrationQuery all_of(const ChannelLog& log) {
  DemonstrationQuery query;
  for (const McapChannel& channel : log.reader.channels()) {
    const auto about = [&](const char* key) {
      const auto found = channel.metadata.find(key);
      return found == channel.metadata.end() ? std::string() : found->second;
    };
    const std::string name = about("channel"), unit = about("unit");
    const auto between = [&](std::string_view before, std::string_view after) {
      return name.size() > before.size() + after.size() && name.starts_with(before) &&
             name.ends_with(after);
    };
    const auto within = [&](std::string_view before, std::string_view after) {
      return name.substr(before.size(), name.size() - before.size() - after.size());
    };
    if (between("reference.", ".pose")) query.poses.push_back(name);
    if (between("object.", ".pose")) query.objects.push_back(within("object.", ".pose"));
    if (between("", ".wrench") && !name.starts_with("reference.")) query.wrenches.push_back(name);
    // those of arms change at every tick
    if (between("", ".command") && (unit == kGripperUnit || unit.empty()))
      query.commands.push_back(within("", ".command"));
  }
  return query;
}

LogSpan span_of(const std::filesystem::path& log, const DemonstrationQuery& query) {
  LogSpan span{std::llround(query.from * 1e9), {}};
  if (query.to) span.to = std::llround(*query.to * 1e9);
  if (query.episode.empty()) return span;
  const LogFile file(log);
  const auto episodes = file.episodes();
  const Episode& episode = episodes[index_of(log, episodes, query.episode)];
  const Nanoseconds start = episode.start * file.base_period(),
                    end = episode.end * file.base_period();
  span.from += start;
  span.to = span.to ? std::min(end, start + *span.to) : end;
  return span;
}

LoggedDemonstration read_demonstration(const std::filesystem::path& log,
                                       const DemonstrationQuery& query) {
  return read_demonstration(ChannelLog(log), span_of(log, query), query);
}

LoggedDemonstration read_demonstration(const ChannelLog& log, const LogSpan& span,
                                       const DemonstrationQuery& query) {
  LoggedDemonstration demonstration;
  std::vector<std::vector<SeriesRow<LoggedPose>>> rows;
  Nanoseconds begin = span.from, end = span.from, spacing = 0;
  for (const std::string& channel : query.poses) {
    rows.push_back(rows_of<LoggedPose>(log, span, channel));
    // it begins when all of them are known
    begin = std::max(begin, rows.back().front().time);
    end = std::max(end, rows.back().back().time);
    const Nanoseconds each = spacing_of(rows.back());
    if (each > 0 && (spacing == 0 || each < spacing)) spacing = each;
  }
  demonstration.begin = begin;
  demonstration.length = seconds(end - begin);
  demonstration.spacing = seconds(spacing);
  demonstration.name =
      fmt::format("{}{}, {:.3f} to {:.3f} s", log.file.string(),
                  query.episode.empty() ? std::string() : ", episode " + query.episode,
                  seconds(begin), seconds(end));
  for (std::size_t i = 0; i < rows.size(); ++i)
    demonstration.poses.push_back({query.poses[i], poses_of(rows[i], begin, spacing)});
  const LogSpan whole{begin, span.to};
  for (const std::string& object : query.objects) {
    const std::string channel = "object." + object + ".pose";
    if (log.reader.channel(topic_of(channel)) == nullptr)
      throw InputError(fmt::format("{}: there was no object '{}' in its scene; {}",
                                   log.file.string(), object,
                                   did_you_mean(object, all_of(log).objects, "there were")));
    const auto places = rows_of<LoggedPose>(log, whole, channel);
    if (places.front().time > begin)
      throw InputError(fmt::format(
          "{}: where '{}' is, is known from {:.3f} s on only, since the log or the object begins "
          "there; give a later 'from', or record the episode anew",
          demonstration.name, object, seconds(places.front().time)));
    demonstration.objects.push_back({object, poses_of(places, begin, spacing_of(places))});
  }
  for (const std::string& group : query.commands) {
    LoggedDemonstration::Commands commands{group, {}};
    for (const auto& row :
         read_series<Eigen::VectorXd>(log, group + ".command", whole, {"commands", 1, true}))
      // a log in full says it at every tick
      if (commands.values.empty() || commands.values.back().value != row.value)
        commands.values.push_back({seconds(row.time - begin), row.value});
    demonstration.commands.push_back(std::move(commands));
  }
  for (const std::string& channel : query.wrenches) {
    const auto touches = touches_of(rows_of<Vector6d>(log, whole, channel), begin, channel);
    demonstration.touches.insert(demonstration.touches.end(), touches.begin(), touches.end());
  }
  std::ranges::stable_sort(demonstration.touches, {}, &LoggedDemonstration::Touch::time);
  return demonstration;
}

}  // namespace handspan
