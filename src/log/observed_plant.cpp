#include "log/observed_plant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/error.hpp"
#include "log/log_layout.hpp"
#include "record/messages.hpp"

namespace handspan {
namespace {

constexpr char kObservationKind[] = "observation";
constexpr Nanoseconds kBlock = kSecond;  // that is read at once
// between stamps that ROS can hold
constexpr Nanoseconds kMostStamp = kSecond * 2'000'000'000;

// what precedes the numbers in the ring
struct Head {
  std::uint64_t source = 0;
  std::int64_t stamp = 0, sequence = 0, status = 0, count = 0;
};

std::size_t numbers_of(const PlantLayout& layout) {
  std::size_t n = 6 * layout.sensors.size();
  for (const auto& group : layout.groups) n += 3 * static_cast<std::size_t>(group.states());
  return n;
}

// the same order for both directions: by group q, v, tau; then wrenches
template <class O, class Visit>
void each_vector(O& observation, Visit visit) {
  for (auto& group : observation.groups) {
    visit(group.q);
    visit(group.v);
    visit(group.tau);
  }
  for (auto& wrench : observation.wrenches) visit(wrench);
}

}  // namespace

ObservationStream::ObservationStream(const PlantSet& plants, LogWriter& writer)
    : plants_(plants), writer_(writer) {
  std::vector<std::string> names;
  for (std::size_t m = 0; m < plants.members().size(); ++m) {
    const PlantMember& member = plants.members()[m];
    if (member.plant->simulated()) continue;
    sources_.push_back({m, numbers_of(member.plant->layout())});
    names.push_back(member.name);
  }
  if (sources_.empty()) return;
  stream_ = writer.add(kObservationTopic, message_type<messages::Input>(), {},
                       [names](const LogSample& sample, Bytes& out) {
                         Head head;
                         std::memcpy(&head, sample.raw.data(), sizeof head);
                         messages::Input m;
                         m.header.stamp = std::clamp(head.stamp, -kMostStamp, kMostStamp);
                         m.tick = sample.tick;
                         m.source = names[head.source];
                         m.kind = kObservationKind;
                         m.text = name_of(static_cast<PlantStatus>(head.status));
                         m.numbers.resize((sample.raw.size() - sizeof head) / sizeof(double));
                         std::memcpy(m.numbers.data(), sample.raw.data() + sizeof head,
                                     m.numbers.size() * sizeof(double));
                         m.integers = {head.stamp, head.sequence, head.status, head.count};
                         encode(m, out);
                       });
}

void ObservationStream::push(std::int64_t tick, Nanoseconds now, bool all) noexcept {
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    Source& source = sources_[s];
    const Observation& o = plants_.members()[source.member].plant->read();
    const bool same = source.count > 0 && o.sequence == source.sequence &&
                      o.stamp == source.stamp && o.status == source.status;
    if (same && !all) continue;
    source.sequence = o.sequence;
    source.stamp = o.stamp;
    source.status = o.status;
    const Head head = {s, o.stamp, static_cast<std::int64_t>(o.sequence),
                       static_cast<std::int64_t>(o.status),
                       static_cast<std::int64_t>(source.count++)};
    const auto to = writer_.reserve(stream_, now, std::max<Nanoseconds>(0, o.stamp),
                                    static_cast<std::uint64_t>(tick),
                                    sizeof head + source.numbers * sizeof(double));
    if (to.data() == nullptr) continue;
    std::memcpy(to.data(), &head, sizeof head);
    std::size_t at = sizeof head;
    each_vector(o, [&](const auto& vector) {
      const std::size_t bytes = static_cast<std::size_t>(vector.size()) * sizeof(double);
      if (at + bytes > to.size()) return;
      std::memcpy(to.data() + at, vector.data(), bytes);
      at += bytes;
    });
    writer_.commit();
  }
}

ObservedPlant::ObservedPlant(const LogFile& log, std::string name, PlantLayout layout)
    : log_(log), name_(std::move(name)), layout_(std::move(layout)) {
  for (const auto& group : layout_.groups) {
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(group.states());
    observation_.groups.push_back({zero, zero, zero});
  }
  observation_.wrenches.assign(layout_.sensors.size(), Vector6d::Zero());
  poll(log.first_tick() * log.base_period());
}

void ObservedPlant::append(std::vector<Logged>& to, Nanoseconds from, Nanoseconds until) const {
  const auto bad = [&](const std::string& what) {
    return InputError(fmt::format("{}: {} of plant '{}'", log_.file().string(), what, name_));
  };
  if (log_.reader().channel(kObservationTopic) == nullptr) return;
  McapQuery query;
  query.topics = {kObservationTopic};
  query.from = from;
  query.to = until;
  const std::size_t numbers = numbers_of(layout_);
  log_.reader().messages(query, [&](const McapChannel&, const McapMessage& message) {
    const auto m = decode<messages::Input>(message.bytes);
    if (m.source != name_ || m.kind != kObservationKind) return true;
    if (m.numbers.size() != numbers || m.integers.size() != 4 || m.integers[2] < 0 ||
        m.integers[2] > static_cast<std::int64_t>(PlantStatus::kPacketLoss))
      throw bad(fmt::format("the log is damaged at tick {}, in an observation", m.tick));
    Logged logged{message.log_time, m.integers[3], observation_};
    Observation& o = logged.observation;
    o.stamp = m.integers[0];
    o.sequence = static_cast<std::uint64_t>(m.integers[1]);
    o.status = static_cast<PlantStatus>(m.integers[2]);
    const double* at = m.numbers.data();
    each_vector(o, [&](auto& vector) {
      std::memcpy(vector.data(), at, static_cast<std::size_t>(vector.size()) * sizeof(double));
      at += vector.size();
    });
    if (!to.empty() && logged.count > to.back().count + 1)
      throw bad(
          fmt::format("the disk could not keep up when it was recorded: observations before "
                      "tick {} are missing",
                      m.tick));
    to.push_back(std::move(logged));
    return true;
  });
}

void ObservedPlant::load(Nanoseconds now) {
  std::vector<Logged> block;
  // key frames have all plants' observations and are a second apart; else from the beginning
  for (const Nanoseconds from : {std::max<Nanoseconds>(0, now - 2 * kSecond), Nanoseconds{0}}) {
    block.clear();
    append(block, from, now + kBlock);
    if (!block.empty() && block.front().time <= now) break;
  }
  if (block.empty() || block.front().time > now)
    throw InputError(fmt::format("{}: it has no observation of plant '{}' at or before {:.3f} s",
                                 log_.file().string(), name_, seconds(now)));
  block_ = std::move(block);
  block_from_ = now;
  block_to_ = now + kBlock;
}

void ObservedPlant::poll(Nanoseconds now) {
  if (now < block_from_ || now > block_to_) load(now);
  const auto after = std::ranges::upper_bound(block_, now, {}, &Logged::time);
  observation_ = std::prev(after)->observation;
}

}  // namespace handspan
