#include "data/demonstrations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "data/episodes.hpp"
#include "data/series.hpp"
#include "math/rotation_vector.hpp"
#include "math/so3.hpp"

namespace handspan {
namespace {

constexpr std::size_t kFewestRows = 2;

std::vector<ObservationInfo> observations_of(const RowSampler& sampler) {
  std::vector<ObservationInfo> all;
  for (const ChannelInfo& info : sampler.fields()) {
    if (!is_observation(info)) continue;
    ObservationInfo o{dataset_key(info.name), info.name, info.unit, column_names(info)};
    while (std::ranges::count(all, o.name, &ObservationInfo::name) > 0) o.name += '_';
    all.push_back(std::move(o));
  }
  return all;
}

std::string difference(const DemonstrationLayout& a, const DemonstrationLayout& b) {
  const auto named = [](const auto& all, const std::string& name, auto member) {
    return std::ranges::find(all, name, member) != all.end();
  };
  for (const auto& o : a.observations)
    if (!named(b.observations, o.channel, &ObservationInfo::channel))
      return "it lacks the channel " + o.channel;
  for (const auto& o : b.observations)
    if (!named(a.observations, o.channel, &ObservationInfo::channel))
      return "it has the channel " + o.channel + ", which they have not";
  for (std::size_t i = 0; i < a.observations.size(); ++i)
    if (a.observations[i].columns != b.observations[i].columns)
      return "its channel " + b.observations[i].channel + " has other columns";
  if (a.action_columns != b.action_columns)
    return fmt::format("its actions are {} and theirs {}", fmt::join(b.action_columns, " "),
                       fmt::join(a.action_columns, " "));
  return "";
}

void append(std::vector<double>& to, const auto& from) {
  to.insert(to.end(), std::begin(from), std::end(from));
}

void append_exact(std::vector<double>& to, const Motion& m, ActionPart::Kind kind) {
  switch (kind) {
    case ActionPart::Kind::kPose: {
      const Eigen::Matrix<double, 3, 3, Eigen::RowMajor> R = m.pose.X_WE.R;
      append(to, m.pose.X_WE.p);
      to.insert(to.end(), R.data(), R.data() + 9);
      append(to, m.pose.V_WE);
      append(to, m.pose.A_WE);
      return;
    }
    case ActionPart::Kind::kJoints:
      for (const auto* part : {&m.q, &m.v, &m.a}) append(to, *part);
      return;
    case ActionPart::Kind::kWrench:
      append(to, m.wrench);
      return;
    case ActionPart::Kind::kCommand:
      return;
  }
}

}  // namespace

std::string dataset_key(std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

bool is_observation(const ChannelInfo& info) {
  for (const char* decided : {"reference.", "control.", "task.", "source.", "device."})
    if (info.name.starts_with(decided)) return false;
  if (info.name.starts_with("measured.") || info.name.starts_with("object.")) return true;
  return std::ranges::any_of(std::initializer_list<const char*>{".q", ".v", ".tau", ".wrench"},
                             [&](const char* end) { return info.name.ends_with(end); });
}

// Makes the demonstration of an episode row by row.
struct Demonstrations::Maker {
  Maker(const RowSampler& from, const DemonstrationLayout& with, ActionFrame how,
        Demonstration& into)
      : sampler(from), layout(with), frame(how), demo(into) {
    demo.observations.resize(layout.observations.size());
    for (const auto& o : layout.observations) fields.push_back(*sampler.field(o.channel));
    for (auto* each : {&demo.absolute, &demo.relative, &demo.exact})
      each->resize(layout.actions.size());
    measured.resize(layout.actions.size());
    from_.resize(layout.actions.size());
  }

  void row(const Row& row, const RowState* state, double time) {
    // the action of the row before ends here
    if (begun) finish(row);
    begun = true;
    demo.time.push_back(time);
    for (std::size_t o = 0; o < fields.size(); ++o) append(demo.observations[o], row.at(fields[o]));
    for (std::size_t a = 0; a < layout.actions.size(); ++a) {
      const ActionPart& part = layout.actions[a];
      if (part.kind == ActionPart::Kind::kPose)
        measured[a] = pose_of_channel(row.at(part.measured));
      const auto reference = row.before(part.field);
      from_[a].assign(reference.begin(), reference.end());
    }
    if (state != nullptr) demo.states.push_back(*state);
  }

  void finish(const Row& next) {
    for (std::size_t a = 0; a < layout.actions.size(); ++a) {
      const ActionPart& part = layout.actions[a];
      const auto value = next.before(part.field);
      std::vector<double> absolute(value.begin(), value.end()), relative = absolute;
      if (part.kind == ActionPart::Kind::kPose) {
        const Pose X_WA = pose_of_channel(value);
        const PoseNumbers in_W = pose_numbers(X_WA);
        const PoseNumbers in_M = pose_numbers(measured[a].inverse() * X_WA);
        absolute.assign(in_W.begin(), in_W.end());
        relative.assign(in_M.begin(), in_M.end());
      } else if (part.kind == ActionPart::Kind::kJoints) {
        for (std::size_t j = 0; j < relative.size(); ++j) relative[j] -= from_[a][j];
      }
      append(demo.actions, frame == ActionFrame::kRelative ? relative : absolute);
      append(demo.absolute[a], absolute);
      if (part.kind == ActionPart::Kind::kPose || part.kind == ActionPart::Kind::kJoints)
        append(demo.relative[a], relative);
      if (!sampler.references().empty()) append_exact(demo.exact[a], exact_of(part), part.kind);
    }
    ++demo.rows;
  }

  Motion exact_of(const ActionPart& part) const {
    if (part.kind == ActionPart::Kind::kCommand) return {};
    return sampler.references()[sampler.reference(part.name)];
  }

  const RowSampler& sampler;
  const DemonstrationLayout& layout;
  ActionFrame frame;
  Demonstration& demo;
  std::vector<std::size_t> fields;
  std::vector<Pose> measured;              // by part, at the row in hand
  std::vector<std::vector<double>> from_;  // references at it
  bool begun = false;
};

bool Demonstrations::takes(const LogFile& log, const Episode& episode, const RowSampler& sampler) {
  const auto leave = [&](const std::string& why) {
    remarks_.push_back(fmt::format("episode {} ({}) is left out: {}", number_,
                                   log.file().filename().string(), why));
    return false;
  };
  if (!options_.discarded && episode.outcome == "discard") return leave("it was discarded");
  // one with a hole is not a demonstration
  if (const std::string lost = lost_of(log, episode); !lost.empty()) return leave(lost);
  const std::size_t rows = sampler.ticks({episode.start, episode.end}).size();
  if (rows < kFewestRows + 1)
    return leave(fmt::format("it has {} row{} at {:g} Hz, and {} are the fewest", rows,
                             rows == 1 ? "" : "s", options_.rate.hz(), kFewestRows + 1));
  return true;
}

// The layout becomes that of this log, whose fields may stand elsewhere in it.
void Demonstrations::agree(const LogFile& log, const RowSampler& sampler) {
  DemonstrationLayout layout{observations_of(sampler), action_parts(sampler, log), {}};
  for (const auto& part : layout.actions)
    layout.action_columns.insert(layout.action_columns.end(), part.columns.begin(),
                                 part.columns.end());
  if (layout_.observations.empty()) layout_ = layout;
  if (const std::string differs = difference(layout_, layout); !differs.empty())
    throw InputError(
        fmt::format("{}: it does not go with the logs before it: {}; export it by itself",
                    log.file().string(), differs));
  layout_.actions = layout.actions;
}

void Demonstrations::add(LogFile& log, const std::function<void(Demonstration&&)>& each) {
  Stretch now;
  RowOptions rows;
  rows.rate = options_.rate;
  rows.states = options_.states;
  rows.streams = options_.streams;
  if (options_.progress)
    rows.progress = [&](Nanoseconds at) {
      const double length = static_cast<double>(std::max<std::int64_t>(1, now.last - now.first));
      options_.progress(log.file().filename().string(), number_,
                        (static_cast<double>(at / log.base_period() - now.first)) / length);
    };
  RowSampler sampler(log, parts_, rows);
  for (const Episode& episode : episodes_or_all(log)) {
    ++number_;
    if (!takes(log, episode, sampler)) continue;
    now = {episode.start, episode.end};
    Demonstration demo;
    std::optional<Maker> maker;
    sampler.rows(
        now,
        [&] {
          agree(log, sampler);
          demo = {};
          demo.number = number_;
          demo.source = log.file().filename().string();
          demo.episode = episode;
          maker.emplace(sampler, layout_, options_.frame, demo);
        },
        [&](const Row& row, const RowState* state) {
          maker->row(row, state, seconds((row.tick - episode.start) * log.base_period()));
        });
    if (const auto to = options_.outcomes.find(number_); to != options_.outcomes.end())
      demo.episode.outcome = to->second;
    if (!options_.task.empty()) demo.episode.task = options_.task;
    if (const auto to = options_.tasks.find(number_); to != options_.tasks.end())
      demo.episode.task = to->second;
    each(std::move(demo));
  }
  if (!sampler.instead().empty())
    remarks_.push_back(
        fmt::format("{}: taken from the recorded streams at {:g} Hz, without states ({})",
                    log.file().filename().string(), sampler.most_hz(), sampler.instead()));
}

Motion between(const Motion& from, const Motion& to, double s, double time) {
  // Hermite's cubic of values and rates at both ends, and its derivatives
  const auto cubic = [&](const auto& x0, const auto& v0, const auto& x1, const auto& v1, auto& x,
                         auto& v, auto& a) {
    const double s2 = s * s, s3 = s2 * s;
    x = (2 * s3 - 3 * s2 + 1) * x0 + (s3 - 2 * s2 + s) * time * v0 + (-2 * s3 + 3 * s2) * x1 +
        (s3 - s2) * time * v1;
    v = ((6 * s2 - 6 * s) * (x0 - x1)) / time + (3 * s2 - 4 * s + 1) * v0 + (3 * s2 - 2 * s) * v1;
    a = ((12 * s - 6) * (x0 - x1)) / (time * time) + ((6 * s - 4) * v0 + (6 * s - 2) * v1) / time;
  };
  Motion m = to;
  const PoseReference &a = from.pose, &b = to.pose;
  Eigen::Vector3d p, v, acceleration;
  cubic(a.X_WE.p, Eigen::Vector3d(a.V_WE.head<3>()), b.X_WE.p, Eigen::Vector3d(b.V_WE.head<3>()), p,
        v, acceleration);
  // the turn from `from`, R = exp(phi) R_from, whose rate at the end is the inverse of its Jacobian
  const Eigen::Vector3d end = log_so3(b.X_WE.R * a.X_WE.R.transpose());
  Eigen::Matrix3d J;
  for (int axis = 0; axis < 3; ++axis) {
    RotationVectorRates unit;
    unit.first = Eigen::Vector3d::Unit(axis);
    J.col(axis) = angular_motion(end, unit).velocity;
  }
  const Eigen::Vector3d end_rate = J.inverse() * b.V_WE.tail<3>();
  Eigen::Vector3d phi;
  RotationVectorRates rates;
  cubic(Eigen::Vector3d(Eigen::Vector3d::Zero()), Eigen::Vector3d(a.V_WE.tail<3>()), end, end_rate,
        phi, rates.first, rates.second);
  const AngularMotion turn = angular_motion(phi, rates);
  m.pose.X_WE.p = p;
  m.pose.X_WE.R = exp_so3(phi) * a.X_WE.R;
  m.pose.V_WE << v, turn.velocity;
  m.pose.A_WE << acceleration, turn.acceleration;
  if (from.q.size() == to.q.size() && to.q.size() > 0)
    cubic(from.q, from.v, to.q, to.v, m.q, m.v, m.a);
  m.wrench = (1.0 - s) * from.wrench + s * to.wrench;
  return m;
}

}  // namespace handspan
