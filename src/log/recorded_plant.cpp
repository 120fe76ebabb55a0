#include "log/recorded_plant.hpp"

#include <fmt/format.h>

#include <cstring>

#include "core/error.hpp"
#include "log/log_layout.hpp"
#include "record/messages.hpp"

namespace handspan {
namespace {

constexpr std::int64_t kTicksAtOnce = 1000;  // ticks that are read at once

void copy(const std::vector<double>& from, Eigen::VectorXd& to) {
  if (static_cast<Eigen::Index>(from.size()) == to.size())
    std::memcpy(to.data(), from.data(), from.size() * sizeof(double));
}

}  // namespace

RecordedPlant::RecordedPlant(const LogFile& log, PlantLayout layout)
    : log_(log), layout_(std::move(layout)) {
  if (log.about("record") != "full")
    throw InputError(fmt::format(
        "{}: it has no observation of every tick; record it with `record: full` in the app",
        log.file().string()));
  for (std::size_t g = 0; g < layout_.groups.size(); ++g) {
    const GroupLayout& group = layout_.groups[g];
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(group.states());
    observation_.groups.push_back({zero, zero, zero});
    const int index = static_cast<int>(g);
    if (group.kind == GroupKind::kSuction) {
      const char* parts[] = {".q", ".v", ".tau"};
      for (int p = 0; p < 3; ++p)
        streams_.push_back({topic_of(group.name + parts[p]), index, -1, p});
    } else {
      streams_.push_back({topic_of(group.name) + "/joint_states", index, -1, 0});
    }
  }
  for (std::size_t s = 0; s < layout_.sensors.size(); ++s) {
    observation_.wrenches.push_back(Vector6d::Zero());
    streams_.push_back({topic_of(layout_.sensors[s].name + ".wrench"), -1, static_cast<int>(s), 0});
  }
  last_tick_ = log.ticks();
  load(log.first_tick());
  show(log.first_tick());
}

void RecordedPlant::load(std::int64_t from) {
  block_first_ = from;
  // the last block's end goes on where nothing new was recorded
  block_.assign(kTicksAtOnce, observation_);
  std::vector<std::vector<bool>> has(streams_.size(), std::vector<bool>(kTicksAtOnce, false));
  const Nanoseconds base = log_.base_period();
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    const Stream& stream = streams_[s];
    if (log_.reader().channel(stream.topic) == nullptr)
      throw InputError(fmt::format("{}: it has no topic {}", log_.file().string(), stream.topic));
    McapQuery query;
    query.topics = {stream.topic};
    query.from = from * base;
    query.to = (from + kTicksAtOnce - 1) * base;
    log_.reader().messages(query, [&](const McapChannel&, const McapMessage& message) {
      const auto row = static_cast<std::size_t>(message.log_time / base - from);
      Observation& o = block_[row];
      has[s][row] = true;
      o.stamp = message.publish_time;
      if (stream.sensor >= 0) {
        const auto m = decode<messages::WrenchStamped>(message.bytes);
        Vector6d& w = o.wrenches[static_cast<std::size_t>(stream.sensor)];
        std::memcpy(w.data(), m.force.data(), sizeof m.force);
        std::memcpy(w.data() + 3, m.torque.data(), sizeof m.torque);
        return true;
      }
      GroupState& state = o.groups[static_cast<std::size_t>(stream.group)];
      if (layout_.groups[static_cast<std::size_t>(stream.group)].kind == GroupKind::kSuction) {
        const auto m = decode<messages::Vector>(message.bytes);
        copy(m.values, stream.part == 0 ? state.q : stream.part == 1 ? state.v : state.tau);
      } else {
        const auto m = decode<messages::JointState>(message.bytes);
        copy(m.position, state.q);
        copy(m.velocity, state.v);
        copy(m.effort, state.tau);
      }
      return true;
    });
  }
  const std::int64_t last = std::min(from + kTicksAtOnce - 1, last_tick_);
  for (std::int64_t tick = from; tick <= last; ++tick)
    for (std::size_t s = 0; s < streams_.size(); ++s)
      if (!has[s][static_cast<std::size_t>(tick - from)])
        throw InputError(
            fmt::format("{}: the observation of tick {} is missing on {}: the disk could not keep "
                        "up when it was "
                        "recorded",
                        log_.file().string(), tick, streams_[s].topic));
}

void RecordedPlant::show(std::int64_t tick) {
  observation_ = block_[static_cast<std::size_t>(tick - block_first_)];
  // a simulation counts its steps
  observation_.sequence = static_cast<std::uint64_t>(tick * log_.base_period() / layout_.period);
}

void RecordedPlant::poll(Nanoseconds now) {
  const std::int64_t tick = std::min(now / log_.base_period(), last_tick_);
  if (tick < block_first_ || tick >= block_first_ + kTicksAtOnce) load(tick);
  show(tick);
}

}  // namespace handspan
