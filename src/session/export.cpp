#include "session/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "core/error.hpp"
#include "record/hdf5_file.hpp"
#include "record/messages.hpp"
#include "session/log_layout.hpp"

namespace handspan {
namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

class Csv {
 public:
  explicit Csv(const std::filesystem::path& file) : file_(file), out_(file) { check(); }
  void line(const std::string& text) { out_ << text << "\r\n"; }
  void close() {
    out_.close();
    check();
  }

 private:
  void check() const {
    if (!out_)
      throw InputError(
          fmt::format("{}: it cannot be written; see that the folder may be written to "
                      "and has space",
                      file_.string()));
  }
  std::filesystem::path file_;
  std::ofstream out_;
};

const std::vector<std::string> kPoseColumns = {"x [m]", "y [m]", "z [m]", "qx", "qy", "qz", "qw"};
const std::vector<std::string> kWrenchColumns = {"fx [N]",   "fy [N]",   "fz [N]",
                                                 "tx [N m]", "ty [N m]", "tz [N m]"};

void fit_columns(Series& s, std::size_t n) {
  if (s.columns.size() == n) return;
  s.columns.clear();
  for (std::size_t i = 0; i < n; ++i)
    s.columns.push_back(n == 1 ? std::string("value") : std::to_string(i));
}

// the row of the latest value at or before a tick; none: -1
std::ptrdiff_t row_at(const Series& s, std::int64_t tick) {
  return std::upper_bound(s.ticks.begin(), s.ticks.end(), tick) - s.ticks.begin() - 1;
}

}  // namespace

std::vector<Series> series_of(const LogFile& log) {
  std::vector<Series> all;
  for (const McapChannel& channel : log.reader().channels()) {
    const auto name = channel.metadata.find("channel"), type = channel.metadata.find("type");
    if (name == channel.metadata.end() || type == channel.metadata.end()) continue;
    const auto unit = channel.metadata.find("unit"), labels = channel.metadata.find("labels");
    const bool group = type->second == "group";
    Series s;
    s.name = name->second;
    if (unit != channel.metadata.end()) s.unit = unit->second;
    if (labels != channel.metadata.end() && type->second != "choice")
      s.columns = split(labels->second);
    Series v = s, tau = s;
    if (group) {
      s.name += ".q";
      v.name += ".v";
      v.unit += "/s";
      tau.name += ".tau";
      tau.unit = "N m";
    }
    McapQuery query;
    query.topics = {channel.topic};
    log.reader().messages(query, [&](const McapChannel&, const McapMessage& message) {
      const std::int64_t tick = message.log_time / log.base_period();
      const auto add = [&](Series& to, std::span<const double> values) {
        // key frames repeat what was recorded at that tick already
        if (!to.ticks.empty() && to.ticks.back() == tick) return;
        fit_columns(to, values.size());
        to.ticks.push_back(tick);
        to.stamps.push_back(message.publish_time);
        to.values.insert(to.values.end(), values.begin(), values.end());
      };
      if (group) {
        const auto m = decode<messages::JointState>(message.bytes);
        s.columns = v.columns = tau.columns = m.name;
        add(s, m.position);
        add(v, m.velocity);
        if (!m.effort.empty()) add(tau, m.effort);
      } else if (type->second == "pose") {
        const auto m = decode<messages::PoseStamped>(message.bytes);
        s.columns = kPoseColumns;
        s.unit.clear();
        add(s, std::vector<double>{m.position[0], m.position[1], m.position[2], m.orientation[0],
                                   m.orientation[1], m.orientation[2], m.orientation[3]});
      } else if (log.reader().schema(channel.schema)->name ==
                 message_type<messages::WrenchStamped>().name) {
        const auto m = decode<messages::WrenchStamped>(message.bytes);
        s.columns = kWrenchColumns;
        s.unit.clear();
        add(s, std::vector<double>{m.force[0], m.force[1], m.force[2], m.torque[0], m.torque[1],
                                   m.torque[2]});
      } else if (type->second == "number" || type->second == "vector") {
        add(s, decode<messages::Vector>(message.bytes).values);
      } else {
        const auto m = decode<messages::Integer>(message.bytes);
        const std::size_t before = s.ticks.size();
        add(s, std::vector<double>{static_cast<double>(m.value)});
        if (type->second == "choice" && s.ticks.size() > before) s.words.push_back(m.word);
      }
      return true;
    });
    for (Series* each : {&s, &v, &tau})
      if (!each->ticks.empty()) all.push_back(std::move(*each));
  }
  return all;
}

int export_csv(const LogFile& log, const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  int files = 0;
  const auto time = [&](std::int64_t tick) {
    return fmt::format("{:.9f}", seconds(tick * log.base_period()));
  };
  for (const Series& s : series_of(log)) {
    Csv csv(folder / (s.name + ".csv"));
    std::string head = "tick,time [s],stamp [s]";
    for (const auto& column : s.columns)
      head += "," + quoted(s.unit.empty() ? column : fmt::format("{} [{}]", column, s.unit));
    csv.line(s.words.empty() ? head : head + ",word");
    const std::size_t n = s.columns.size();
    for (std::size_t row = 0; row < s.ticks.size(); ++row) {
      std::string line =
          fmt::format("{},{},{:.9f}", s.ticks[row], time(s.ticks[row]), seconds(s.stamps[row]));
      for (std::size_t c = 0; c < n; ++c) line += fmt::format(",{:.17g}", s.values[row * n + c]);
      if (!s.words.empty()) line += "," + quoted(s.words[row]);
      csv.line(line);
    }
    csv.close();
    ++files;
  }
  Csv events(folder / "events.csv");
  events.line("tick,time [s],kind,name,text");
  for (const auto& e : log.events())
    events.line(fmt::format("{},{},{},{},{}", e.tick, time(e.tick), quoted(e.kind), quoted(e.name),
                            quoted(e.text)));
  events.close();
  Csv inputs(folder / "inputs.csv");
  inputs.line("tick,time [s],stamp [s],kind,to,text,numbers");
  for (const auto& i : log.inputs()) {
    std::string numbers;
    for (const double x : i.input.values())
      numbers += fmt::format("{}{:.17g}", numbers.empty() ? "" : " ", x);
    inputs.line(fmt::format("{},{},{:.9f},{},{},{},{}", i.tick, time(i.tick),
                            seconds(i.input.stamp), name_of(i.input.kind),
                            quoted(std::string(i.input.to.view())),
                            quoted(std::string(i.input.text.view())), numbers));
  }
  inputs.close();
  Csv episodes(folder / "episodes.csv");
  episodes.line("start tick,end tick,start [s],end [s],outcome,task,operator,remark");
  for (const auto& e : log.episodes())
    episodes.line(fmt::format("{},{},{},{},{},{},{},{}", e.start, e.end, time(e.start), time(e.end),
                              quoted(e.outcome), quoted(e.task), quoted(e.operator_name),
                              quoted(e.remark)));
  episodes.close();
  return files + 3;
}

int export_hdf5(const LogFile& log, const std::filesystem::path& file, const Hdf5Options& options) {
  const double recorded = log.about("record") == "full"
                              ? 1e9 / static_cast<double>(log.base_period())
                              : kRecordRate.hz();
  if (options.rate.hz() > recorded)
    throw InputError(
        fmt::format("{}: it was recorded at {:g} Hz and {:g} Hz are asked for; ask for "
                    "less, or record in full",
                    log.file().string(), recorded, options.rate.hz()));
  std::vector<Episode> episodes = log.episodes();
  if (episodes.empty())
    episodes.push_back({log.first_tick(), log.ticks(), "", "unmarked", "", "", {}});
  if (!options.discarded)
    std::erase_if(episodes, [](const Episode& e) { return e.outcome == "discard"; });
  // one with a hole is no demonstration
  std::erase_if(episodes, [&](const Episode& e) {
    return std::ranges::any_of(log.lost(), [&](const LostTicks& lost) {
      return lost.first <= e.end && lost.last >= e.start;
    });
  });
  const std::vector<Series> series = series_of(log);
  if (episodes.empty() || series.empty())
    throw InputError(fmt::format(
        "{}: it has nothing to export: {}", log.file().string(),
        series.empty() ? "no channels" : "all episodes are discarded, or parts of them are lost"));
  if (file.has_parent_path()) {
    std::error_code failed;
    std::filesystem::create_directories(file.parent_path(), failed);
  }
  Hdf5File out(file);
  out.group("/data");
  out.attribute(
      "/data", "env_args",
      fmt::format(
          R"({{"env_name": "{}", "type": "handspan", "env_kwargs": {{"scene": "{}", "seed": {}, "rate": {:g}}}}})",
          log.about("app"), log.about("scene"), log.about("seed"), options.rate.hz()));
  std::int64_t total = 0;
  for (std::size_t d = 0; d < episodes.size(); ++d) {
    const Episode& episode = episodes[d];
    std::vector<std::int64_t> samples;
    for (std::int64_t k = 0;; ++k) {
      const std::int64_t tick = episode.start + tick_of(k, options.rate, log.base_period());
      if (tick > episode.end) break;
      samples.push_back(tick);
    }
    const std::string demo = fmt::format("/data/demo_{}", d);
    out.group(demo);
    out.group(demo + "/obs");
    std::vector<const Series*> actions, states;
    const auto resampled = [&](const std::vector<const Series*>& from) {
      std::vector<double> values;
      for (const std::int64_t tick : samples)
        for (const Series* s : from) {
          const auto n = s->columns.size();
          const std::ptrdiff_t row = std::max<std::ptrdiff_t>(0, row_at(*s, tick));
          const auto first = s->values.begin() + row * static_cast<std::ptrdiff_t>(n);
          values.insert(values.end(), first, first + static_cast<std::ptrdiff_t>(n));
        }
      return values;
    };
    const auto columns = [](const std::vector<const Series*>& of) {
      std::string names;
      for (const Series* s : of)
        for (const auto& column : s->columns)
          names += fmt::format("{}{}.{}", names.empty() ? "" : " ", s->name, column);
      return names;
    };
    for (const Series& s : series) {
      if (s.name.ends_with(".command")) actions.push_back(&s);
      if (s.name.ends_with(".q") || s.name.ends_with(".v"))
        if (!s.name.starts_with("control.") && !s.name.starts_with("reference."))
          states.push_back(&s);
      out.matrix(demo + "/obs/" + s.name, resampled({&s}), s.columns.size());
    }
    const auto width = [](const std::vector<const Series*>& of) {
      std::size_t n = 0;
      for (const Series* s : of) n += s->columns.size();
      return n;
    };
    for (const auto& [name, of] : {std::pair("/actions", actions), std::pair("/states", states)}) {
      if (of.empty()) continue;
      out.matrix(demo + name, resampled(of), width(of));
      out.attribute(demo + name, "columns", columns(of));
    }
    std::vector<double> rewards(samples.size(), 0.0), dones(samples.size(), 0.0), times;
    for (const std::int64_t tick : samples) times.push_back(seconds(tick * log.base_period()));
    if (!samples.empty()) {
      dones.back() = 1.0;
      rewards.back() = episode.outcome == "success" ? 1.0 : 0.0;
    }
    out.matrix(demo + "/rewards", rewards, 1);
    out.matrix(demo + "/dones", dones, 1);
    out.matrix(demo + "/time", times, 1);
    out.attribute(demo, "num_samples", static_cast<std::int64_t>(samples.size()));
    out.attribute(demo, "task", episode.task);
    out.attribute(demo, "outcome", episode.outcome);
    out.attribute(demo, "operator", episode.operator_name);
    total += static_cast<std::int64_t>(samples.size());
  }
  out.attribute("/data", "total", total);
  out.close();
  return static_cast<int>(episodes.size());
}

}  // namespace handspan
