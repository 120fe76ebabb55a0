#include "session/recorded_plant.hpp"

#include <fmt/format.h>

#include <cstring>

#include "core/error.hpp"
#include "record/messages.hpp"
#include "session/log_layout.hpp"

namespace handspan {
namespace {

constexpr std::int64_t kBlock = 1000;  // ticks that are read at once
// parts of a stream of the plant's own
constexpr int kSequence = 3, kStatus = 4;

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
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(group.size());
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
  // of a plant that was no simulation
  counts_ = log.reader().channel(topic_of(kSequenceChannel)) != nullptr;
  if (counts_) {
    streams_.push_back({topic_of(kSequenceChannel), -1, -1, kSequence});
    streams_.push_back({topic_of(kStatusChannel), -1, -1, kStatus});
  }
  at_ = log.first_tick();
  last_tick_ = log.ticks();
  load(at_);
  show(at_);
}

void RecordedPlant::load(std::int64_t from) {
  block_first_ = from;
  // the last block's end goes on where nothing new was recorded
  block_.assign(kBlock, observation_);
  std::vector<std::vector<bool>> has(streams_.size(), std::vector<bool>(kBlock, false));
  const Nanoseconds base = log_.base_period();
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    const Stream& stream = streams_[s];
    if (log_.reader().channel(stream.topic) == nullptr)
      throw InputError(fmt::format("{}: it has no topic {}", log_.file().string(), stream.topic));
    McapQuery query;
    query.topics = {stream.topic};
    query.from = from * base;
    query.to = (from + kBlock - 1) * base;
    log_.reader().messages(query, [&](const McapChannel&, const McapMessage& message) {
      const auto row = static_cast<std::size_t>(message.log_time / base - from);
      Observation& o = block_[row];
      has[s][row] = true;
      o.stamp = message.publish_time;
      if (stream.part == kSequence || stream.part == kStatus) {
        const auto value = decode<messages::Integer>(message.bytes).value;
        if (stream.part == kSequence)
          o.sequence = static_cast<std::uint64_t>(value);
        else if (value >= 0 && value <= static_cast<std::int64_t>(PlantStatus::kPacketLoss))
          o.status = static_cast<PlantStatus>(value);
        return true;
      }
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
  const std::int64_t last = std::min(from + kBlock - 1, last_tick_);
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
  if (!counts_) observation_.sequence = static_cast<std::uint64_t>(tick / ticks_between());
}

void RecordedPlant::advance() {
  at_ += ticks_between();
  at_ = std::min(at_, last_tick_);
  if (at_ >= block_first_ + kBlock) load(at_);
  show(at_);
}

std::int64_t RecordedPlant::ticks_between() const {
  return std::max<std::int64_t>(1, layout_.period / log_.base_period());
}

void RecordedPlant::snapshot(std::vector<std::byte>& into) const {
  into.resize(sizeof at_);
  std::memcpy(into.data(), &at_, sizeof at_);
}

void RecordedPlant::restore(std::span<const std::byte> bytes) {
  if (bytes.size() != sizeof at_) throw InputError("the snapshot is not of a recorded plant");
  std::memcpy(&at_, bytes.data(), sizeof at_);
  load(at_);
  show(at_);
}

}  // namespace handspan
