#include "data/data_import.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/suggest.hpp"
#include "data/data_rotation.hpp"

namespace handspan {
namespace {

constexpr std::size_t kFewestRows = 2;
constexpr double kLongest = 1e6;  // of an episode [s]
constexpr char kWrenchEnd[] = ".wrench";

[[noreturn]] void refuse(const Place& place, const std::string& key, const std::string& cause,
                         const std::string& hint) {
  throw ConfigError({{place, key, cause, hint}});
}

// units one after the other as ChannelInfo has them: "rad" of seven joints, "m, m/s, N" of a
// gripper
std::string joined_units(const std::vector<std::string>& units) {
  std::vector<std::string> runs;
  std::vector<std::size_t> lengths;
  for (const std::string& unit : units) {
    if (runs.empty() || runs.back() != unit) {
      runs.push_back(unit);
      lengths.push_back(0);
    }
    ++lengths.back();
  }
  const bool even = std::ranges::adjacent_find(lengths, std::not_equal_to<>()) == lengths.end();
  return fmt::format("{}", fmt::join(even ? runs : units, ", "));
}

}  // namespace

// One episode, with what was read of it.
struct DataImport::Maker {
  Maker(DataReader& from, const ImportPlan& with, std::size_t index)
      : reader(from), plan(with), episode(index), columns(from.columns(index)) {}

  struct Table {
    std::size_t width = 0;
    std::vector<double> values;
  };

  std::string name() const { return reader.episodes()[episode].name; }

  const std::vector<double>& column(std::size_t c) {
    auto& values = read[c];
    if (!values.empty()) return values;
    const DataColumn& info = columns[c];
    values = reader.values(episode, info.name);
    if (values.size() / info.width != info.rows || values.size() % info.width != 0)
      throw InputError(fmt::format(
          "{}: in {} the column '{}' has {} numbers, and {} x {} were said; the file is damaged",
          reader.source(), name(), shown(info.name), values.size(), info.rows, info.width));
    return values;
  }

  // rows of what is named first count: the others must have as many
  void agree(const DataColumn& with) {
    if (first.empty()) {
      first = with.name;
      rows = with.rows;
      if (rows < kFewestRows)
        throw InputError(fmt::format(
            "{}: {} has {} row{}, and {} are the fewest; leave the episode out with 'episodes'",
            reader.source(), name(), rows, rows == 1 ? "" : "s", kFewestRows));
    }
    if (with.rows != rows)
      throw InputError(
          fmt::format("{}: in {} the column '{}' has {} rows and '{}' has {}; series of an episode "
                      "must be of equal length: leave the episode out, or mend the file",
                      reader.source(), name(), shown(with.name), with.rows, shown(first), rows));
  }

  Table table(const std::vector<Located<std::string>>& names) {
    std::vector<ColumnPart> parts;
    Table result;
    for (const auto& text : names) {
      parts.push_back(find_column(text, reader.source(), columns));
      agree(columns[parts.back().column]);
      result.width += parts.back().count;
    }
    // what is read says how many there are: a size that a file states is not believed before
    for (const ColumnPart& part : parts) column(part.column);
    result.values.resize(rows * result.width);
    std::size_t to = 0;
    for (const ColumnPart& part : parts) {
      const DataColumn& info = columns[part.column];
      const auto& values = column(part.column);
      for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t e = 0; e < part.count; ++e) {
          const double value = values[row * info.width + part.first + e];
          if (!std::isfinite(value)) refuse_number(row, info.name, value);
          result.values[row * result.width + to + e] = value;
        }
      to += part.count;
    }
    return result;
  }

  [[noreturn]] void refuse_number(std::size_t row, const std::string& column, double value) const {
    throw InputError(fmt::format(
        "{}: the column '{}' has {} there; mend the row, or leave the episode out with 'episodes'",
        reader.place(episode, row), shown(column),
        std::isnan(value) ? "no number (NaN)" : "an infinite number"));
  }

  Table numbers(const NumbersPlan& how) {
    Table result;
    if (how.columns.empty()) {
      if (rows == 0)
        refuse(how.place, "constant", "stands before any column",
               "name the channels that have columns first: they say how many rows there are");
      result.width = how.constant.size();
      for (std::size_t row = 0; row < rows; ++row)
        result.values.insert(result.values.end(), how.constant.begin(), how.constant.end());
    } else {
      result = table(how.columns);
    }
    for (double& value : result.values) value = how.unit.factor * (how.offset + how.scale * value);
    return result;
  }

  Eigen::Matrix3d rotation(const RotationPlan& how, const Table& turns, std::size_t row) const {
    if (how.fixed) return rotation_from_rpy(*how.fixed);
    std::vector<double> x(
        turns.values.begin() + static_cast<std::ptrdiff_t>(row * turns.width),
        turns.values.begin() + static_cast<std::ptrdiff_t>((row + 1) * turns.width));
    if (how.unit)
      for (double& angle : x) angle *= how.unit->factor;
    std::string fault;
    if (const auto R = rotation_of(how.layout, x, fault)) return *R;
    throw InputError(
        fmt::format("{}: {} ({}); say another layout (`as`) at {}, name other columns, "
                    "or mend the row",
                    reader.place(episode, row), fault, fmt::join(names_of(how.columns), ", "),
                    how.place.text()));
  }

  static std::vector<std::string> names_of(const std::vector<Located<std::string>>& columns) {
    std::vector<std::string> names;
    for (const auto& column : columns) names.push_back(column.value);
    return names;
  }

  std::vector<Pose> poses(const ChannelPlan& channel) {
    const Table p = numbers(*channel.position);
    if (p.width != 3)
      refuse(channel.position->place, "position", fmt::format("has {} numbers a row", p.width),
             "a position has three: x, y, z");
    const RotationPlan& turn = *channel.rotation;
    const Table turns = turn.fixed ? Table{} : table(turn.columns);
    if (!turn.fixed && turns.width != rotation_size(turn.layout))
      refuse(turn.place, "rotation", fmt::format("has {} numbers a row", turns.width),
             fmt::format("such a rotation (`as`) has {}", rotation_size(turn.layout)));
    const std::vector<Pose> base = bases(channel);
    std::vector<Pose> all;
    for (std::size_t row = 0; row < rows; ++row) {
      const Pose X_DT{rotation(turn, turns, row),
                      {p.values[3 * row], p.values[3 * row + 1], p.values[3 * row + 2]}};
      all.push_back(base[row] * X_DT * channel.tool);
    }
    return all;
  }

  // X_WD of each row
  std::vector<Pose> bases(const ChannelPlan& channel) {
    if (!channel.relative_to) return std::vector<Pose>(rows, channel.frame.value_or(plan.frame));
    std::vector<std::string> names;
    for (const auto& [other, how] : plan.channels) {
      if (how.position && &how != &channel) names.push_back(other);
      if (other != channel.relative_to->value) continue;
      if (!how.position || how.relative_to)
        refuse(channel.relative_to->place, "relative_to",
               fmt::format("names {}, which {}", shown(other),
                           how.position ? "is relative itself" : "has no poses"),
               "name a channel whose poses are in a frame that stays");
      return poses(how);
    }
    refuse(channel.relative_to->place, "relative_to",
           fmt::format("names '{}', which is no channel of this file",
                       shown(channel.relative_to->value)),
           did_you_mean(channel.relative_to->value, names, "its pose channels are"));
  }

  ImportedSeries pose_series(const ChannelPlan& channel, ChannelInfo& info) {
    info.type = ChannelType::kPose;
    info.size = 7;
    ImportedSeries series;
    for (const Pose& X : poses(channel)) {
      const Eigen::Vector4d q = xyzw_from_quaternion(Eigen::Quaterniond(X.R).normalized());
      series.values.insert(series.values.end(), X.p.begin(), X.p.end());
      series.values.insert(series.values.end(), q.begin(), q.end());
    }
    return series;
  }

  ImportedSeries value_series(const ChannelPlan& channel, ChannelInfo& info) {
    std::vector<Table> parts;
    std::vector<std::string> units;
    for (const NumbersPlan& values : channel.values) {
      parts.push_back(numbers(values));
      units.insert(units.end(), parts.back().width, values.unit.si);
    }
    info.size = units.size();
    info.unit = joined_units(units);
    info.labels = channel.labels;
    info.type = ChannelType::kVector;
    if (!channel.labels.empty() && channel.labels.size() != info.size)
      refuse(channel.place, "labels",
             fmt::format("has {} names for {} values", channel.labels.size(), info.size),
             "give one for each value");
    if (info.name.ends_with(kWrenchEnd)) {
      info.type = ChannelType::kWrench;
      if (info.size != 6)
        refuse(channel.place, info.name, fmt::format("has {} values", info.size),
               "a wrench has six: a force [N], then a torque [N m]");
    }
    ImportedSeries series;
    for (std::size_t row = 0; row < rows; ++row)
      for (const Table& part : parts) {
        const auto at = part.values.begin() + static_cast<std::ptrdiff_t>(row * part.width);
        series.values.insert(series.values.end(), at, at + static_cast<std::ptrdiff_t>(part.width));
      }
    return series;
  }

  // of each row, and one more: when the last row ends
  std::vector<Nanoseconds> times() {
    std::vector<Nanoseconds> all;
    if (!plan.time) {
      const double hz = plan.rate ? *plan.rate : *reader.rate();
      for (std::size_t row = 0; row <= rows; ++row)
        all.push_back(std::llround(1e9 * static_cast<double>(row) / hz));
      return all;
    }
    const Table t = table({plan.time->column});
    if (t.width != 1)
      refuse(plan.time->column.place, "time.column", fmt::format("has {} numbers a row", t.width),
             "a time is one number: name one of them, such as time[0]");
    for (std::size_t row = 0; row < rows; ++row) {
      const double since = plan.time->unit.factor * (t.values[row] - t.values[0]);
      if (!(since <= kLongest))
        throw InputError(fmt::format(
            "{}: its time is {:.3g} s after the episode's first, and {:g} s are the most; see to "
            "the "
            "unit at {}",
            reader.place(episode, row), since, kLongest, plan.time->column.place.text()));
      const Nanoseconds now = std::llround(1e9 * since);
      if (!all.empty() && now <= all.back())
        throw InputError(fmt::format(
            "{}: its time ({:.9g}) is not after that of the row before ({:.9g}); times must rise: "
            "leave the episode out, or mend the file",
            reader.place(episode, row), t.values[row], t.values[row - 1]));
      all.push_back(now);
    }
    all.push_back(2 * all[rows - 1] - all[rows - 2]);
    return all;
  }

  DataReader& reader;
  const ImportPlan& plan;
  std::size_t episode;
  std::vector<DataColumn> columns;
  std::map<std::size_t, std::vector<double>> read;
  std::string first;  // the column that says how many rows there are
  std::size_t rows = 0;
};

DataImport::DataImport(DataReader& reader, const ImportPlan& plan) : reader_(reader), plan_(plan) {
  const std::size_t there = reader.episodes().size();
  if (there == 0)
    throw InputError(fmt::format("{}: it has no episodes: there is nothing to import; give another",
                                 reader.source()));
  for (const std::int64_t number : plan.episodes) {
    if (static_cast<std::size_t>(number) > there)
      refuse(plan.place, "episodes",
             fmt::format("has {}, and {} has {} episode{}", number, reader.source(), there,
                         there == 1 ? "" : "s"),
             "count them from 1");
    episodes_.push_back(static_cast<std::size_t>(number - 1));
  }
  if (episodes_.empty())
    for (std::size_t e = 0; e < there; ++e) episodes_.push_back(e);
  if (!plan.rate && !plan.time && !reader.rate())
    refuse(plan.place, "", fmt::format("nothing says when the rows of {} were", reader.source()),
           "give `rate: 20 Hz`, or `time: {column: NAME, unit: s}`");
}

ImportedEpisode DataImport::episode(std::size_t index) {
  Maker maker(reader_, plan_, index);
  ImportedEpisode made;
  made.about = reader_.episodes()[index];
  if (!plan_.task.empty()) made.about.task = plan_.task;
  if (!plan_.outcome.empty()) made.about.outcome = plan_.outcome;
  if (made.about.outcome.empty()) made.about.outcome = "stop";
  std::vector<ChannelInfo> infos;
  for (const auto& [name, channel] : plan_.channels) {
    ChannelInfo info;
    info.name = name;
    made.series.push_back(channel.position ? maker.pose_series(channel, info)
                                           : maker.value_series(channel, info));
    infos.push_back(std::move(info));
  }
  made.rows = maker.rows;
  const std::vector<Nanoseconds> times = maker.times();
  for (std::size_t c = 0; c < infos.size(); ++c) {
    const std::size_t later = plan_.channels[c].second.at == RowTime::kNextRow ? 1 : 0;
    made.series[c].times.assign(times.begin() + static_cast<std::ptrdiff_t>(later),
                                times.end() - static_cast<std::ptrdiff_t>(1 - later));
    if (!channels_.empty() && channels_[c].size != infos[c].size)
      throw InputError(fmt::format(
          "{}: in {} the channel {} has {} values, and {} in the episodes before; import them "
          "apart",
          reader_.source(), made.about.name, infos[c].name, infos[c].size, channels_[c].size));
  }
  channels_ = std::move(infos);
  return made;
}

}  // namespace handspan
