#include "station/loop_tap.hpp"

#include <algorithm>
#include <cmath>

#include "station/welcome.hpp"

namespace handspan {
namespace {

constexpr std::size_t kMostLimits = 64;  // of a tick, in words on the page

std::array<float, 7> numbers_of(const Pose& X) {
  const Eigen::Quaterniond q = X.quaternion();
  const auto f = [](double x) { return static_cast<float>(x); };
  return {f(X.p.x()), f(X.p.y()), f(X.p.z()), f(q.x()), f(q.y()), f(q.z()), f(q.w())};
}

std::array<float, 3> numbers_of(const Eigen::Vector3d& v) {
  return {static_cast<float>(v.x()), static_cast<float>(v.y()), static_cast<float>(v.z())};
}

}  // namespace

LoopTap::LoopTap(Session& session) : session_(session), latest_(layout(session)) {
  session.watch(*this);
}

LoopTap::~LoopTap() { session_.unwatch(*this); }

LoopState LoopTap::layout(Session& session) {
  LoopState state;
  const auto& infos = session.channels().channels();
  std::size_t numbers = 0, integers = 0;
  for (const ChannelInfo& info : infos) {
    const bool is_number = holds_doubles(info.type);
    channels_.push_back({is_number ? numbers : integers, info.size, is_number});
    (is_number ? numbers : integers) += info.size;
  }
  for (std::size_t d = 0; d < session.devices().size(); ++d) {
    const DeviceState& device = session.devices().state_of(d);
    for (std::size_t o = 0; o < device.layout().outputs.size(); ++o) {
      const DeviceOutput& output = device.layout().outputs[o];
      const std::string name = "device." + device.name() + "." + output.name;
      const auto found = std::ranges::find(infos, name, &ChannelInfo::name);
      if (found == infos.end()) continue;  // the app feeds it nothing
      sent_.push_back({{static_cast<std::uint32_t>(d), static_cast<std::uint32_t>(o),
                        static_cast<std::uint32_t>(output.size)},
                       {static_cast<std::size_t>(found - infos.begin())}});
    }
  }
  state.numbers.resize(numbers);
  state.integers.resize(integers);
  if (session.world() != nullptr) state.poses.resize(session.world()->bodies().size());
  state.references.resize(session.arbiter().references().count);
  state.judged.resize(session.judges().size());
  parameters_ = persons_parameters(session.parameters());
  state.parameters.resize(parameters_.size());
  // sized, not reserved: a copy keeps no reserve
  state.contacts.resize(kMostContacts);
  state.active.resize(kMostLimits);
  state.gave_way.resize(kMostLimits);
  return state;
}

void LoopTap::begin(Session& session) {
  copy(session, latest_.place());
  latest_.publish();
}

void LoopTap::after_tick(Session& session) noexcept {
  copy(session, latest_.place());
  latest_.publish();
  for (const Event& event : session.events().events()) events_.push(event);
  for (Output& output : sent_) {
    const auto values = session.channels().numbers(output.channel);
    if (std::equal(values.begin(), values.end(), output.sent.values.begin())) continue;
    std::copy(values.begin(), values.end(), output.sent.values.begin());
    outputs_.push(output.sent);
  }
}

void LoopTap::copy(Session& session, LoopState& state) noexcept {
  state.tick = session.ticks();
  state.time = session.now();
  state.taken = steady_now();
  state.in_episode = session.in_episode();
  Arbiter& arbiter = session.arbiter();
  state.stopped = arbiter.stopped();
  for (const ReferenceIndex r : arbiter.references()) {
    ReferenceState& reference = state.references[r.value];
    reference.holding = arbiter.holding(r);
    reference.reason = arbiter.reason(r);
    if (const Pose* X_WE = arbiter.reference(r).pose()) reference.pose = numbers_of(*X_WE);
  }
  for (std::size_t j = 0; j < state.judged.size(); ++j)
    state.judged[j] = {session.judges().verdict(j), session.judges().words(j)};
  state.contacts.clear();
  if (const World* world = session.world()) {
    for (std::size_t b = 0; b < state.poses.size(); ++b)
      state.poses[b] = numbers_of(world->body_pose(static_cast<int>(b)));
    for (const Contact& contact : world->contacts()) {
      if (state.contacts.size() == state.contacts.capacity()) break;
      state.contacts.push_back({static_cast<std::uint16_t>(contact.body_a),
                                static_cast<std::uint16_t>(contact.body_b), numbers_of(contact.p_W),
                                numbers_of(contact.f_W)});
    }
  }
  const ChannelTable& table = session.channels();
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    const Channel& channel = channels_[c];
    if (channel.numbers)
      std::copy_n(table.numbers({c}).data(), channel.size, state.numbers.data() + channel.first);
    else
      state.integers[channel.first] = table.integer({c});
  }
  for (std::size_t p = 0; p < parameters_.size(); ++p)
    state.parameters[p] = session.parameters().get(parameters_[p]);
  copy_limits(session, state);
  state.pacer = pacer_;
  state.lost_inputs = session.lost_inputs();
  state.rejected_inputs = session.rejected_inputs();
}

void LoopTap::copy_limits(Session& session, LoopState& state) noexcept {
  state.active.clear();
  state.gave_way.clear();
  if (session.whole_arm() == nullptr) return;
  ControlProblem& problem = session.whole_arm()->problem();
  const QpSolution& solution = problem.solver().solution();
  const auto add = [](std::vector<std::uint16_t>& to, int row) {
    if (to.size() < to.capacity()) to.push_back(static_cast<std::uint16_t>(row));
  };
  for (int row = 0; row < static_cast<int>(problem.rows().size()); ++row) {
    const ConstraintKind kind = problem.kind(row);
    // equations of motion always hold, and limits of jerk are met and left all the time
    if (kind == ConstraintKind::kDynamics || kind == ConstraintKind::kJerk) continue;
    if (row < solution.violation.size() &&
        std::abs(solution.violation[row]) >
            kQpTolerance * problem.rows()[static_cast<std::size_t>(row)].scale)
      add(state.gave_way, row);
    else if (problem.solver().active(row))
      add(state.active, row);
  }
}

}  // namespace handspan
