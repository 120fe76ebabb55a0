// One file, since who has authority, what they ask for and what their reference then does are
// decided in one order in each tick.
#include "reference/arbiter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "control/whole_arm.hpp"
#include "core/error.hpp"
#include "core/named.hpp"
#include "reference/parted_source.hpp"

namespace handspan {
namespace {

// not driven for so long, references that hold together hold nothing any more [s]
constexpr double kLetGo = 1.0, kLetGoEmpty = 0.1;

bool asks(const SourceAnswer& answer) {
  return answer.status == SourceStatus::kActive || answer.status == SourceStatus::kDone;
}

}  // namespace

ReferenceIndex Arbiter::add(std::unique_ptr<Reference> reference) {
  Slot& slot = slots_.emplace_back();
  slot.reference = std::move(reference);
  for (Driver& driver : slot.drivers) driver.asked = slot.reference->motion();
  return {slots_.size() - 1};
}

void Arbiter::hold_together(std::vector<ReferenceIndex> references) {
  for (const ReferenceIndex r : references) {
    bool twice = std::ranges::count(references, r) > 1;
    for (const Together& other : together_)
      twice = twice || std::ranges::count(other.references, r) > 0;
    if (twice)
      throw InputError(
          fmt::format("'{}' is to hold together with others twice; name it once", at(r).name()));
  }
  together_.push_back({std::move(references)});
}

SourceIndex Arbiter::add_source(std::string name, std::unique_ptr<Source> source) {
  if (std::ranges::count(sources_, name, &Named::name))
    throw InputError(fmt::format("there are two sources '{}'; give one another name", name));
  auto* const whole = dynamic_cast<PartedSource*>(source.get());
  const SourceIndex index{sources_.size()};
  sources_.push_back({name, std::move(source)});
  if (whole != nullptr) {
    const std::vector<std::string> parts = whole->parts();
    for (std::size_t i = 0; i < parts.size(); ++i)
      add_source(name + "." + parts[i], std::make_unique<PartOfSource>(whole->part(i)));
  }
  return index;
}

ReferenceIndex Arbiter::find_reference(std::string_view name) const {
  return {find_named("", "reference of a task", name, slots_, &Slot::name)};
}

SourceIndex Arbiter::find_source(std::string_view name) const {
  return {find_named("", "source", name, sources_, &Named::name)};
}

void Arbiter::start() {
  for (Slot& slot : slots_) slot.reference->start();
}

void Arbiter::revoke(SourceIndex source, const Slot& keeps) {
  for (Slot& other : slots_) {
    if (&other == &keeps) continue;
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < other.count; ++i) {
      if (other.drivers[i].authority.source == source) continue;
      if (kept != i) other.drivers[kept] = other.drivers[i];
      ++kept;
    }
    if (kept == other.count) continue;
    other.count = kept;
    tell_authority(other, events_);
  }
}

void Arbiter::tell_authority(const Slot& slot, EventList& events) const {
  FixedText<166> names = "nobody";
  char text[166];
  char *at = text, *end = text + sizeof text;
  for (const Driver& driver : slot.active())
    at = std::min(end, fmt::format_to_n(at, end - at, "{}{}", at == text ? "" : ", ",
                                        source_name(driver.authority.source))
                           .out);
  if (slot.count > 0) names = std::string_view(text, static_cast<std::size_t>(at - text));
  events.add("authority", slot.name(), names);
}

void Arbiter::tell_authorities(EventList& events) const {
  for (const Slot& slot : slots_)
    if (slot.count > 0) tell_authority(slot, events);
}

void Arbiter::give_authority(ReferenceIndex r, std::span<const Authority> authorities,
                             const Moment& moment, const AuthorityAxes& axes) {
  Slot& slot = at(r);
  slot.axes = axes;
  const bool anybody = slot.count > 0 || !authorities.empty();
  for (const Authority& authority : authorities) revoke(authority.source, slot);
  slot.count = static_cast<std::uint32_t>(std::min(authorities.size(), kMaxSharing));
  for (std::uint32_t i = 0; i < slot.count; ++i) {
    Driver& driver = slot.drivers[i];
    driver.authority = authorities[i];
    driver.begun = driver.started = driver.lost = driver.done = driver.jump = false;
    driver.gives_feedback = false;
    driver.fresh = true;
    driver.axes = {};
    driver.share = authorities[i].share;
    driver.asked = slot.reference->motion();
    if (stopped_) continue;
    source(authorities[i].source).start(moment, slot.reference->motion());
    driver.begun = driver.started = true;
  }
  slot.done = false;
  slot.pending = true;
  if (anybody) tell_authority(slot, events_);
}

bool Arbiter::under_way(ReferenceIndex r) const {
  const Slot& slot = at(r);
  return slot.pending || std::ranges::any_of(slot.active(), [&](const Driver& driver) {
           return !driver.done && sources_[driver.authority.source.value].source->ends();
         });
}

void Arbiter::rebase(ReferenceIndex r) {
  Slot& slot = at(r);
  slot.reference->rebase();
  ++slot.rebases;
  // a stop begins anew from where the arm is
  slot.begins = slot.begins || slot.reference->stops() || stopped_;
}

void Arbiter::impose(ReferenceIndex r, const Motion& motion) { at(r).reference->impose(motion); }

void Arbiter::stop(std::string_view reason) {
  if (stopped_) return;
  stopped_ = true;
  for (Slot& slot : slots_) {
    hold(slot, reason);
    // also one that nobody drives: its arm may move all the same
    slot.begins = true;
  }
}

void Arbiter::resume(const Moment& moment) {
  if (stopped_ && arms_ != nullptr)
    // an arm in which nobody has authority does what it did before it was stopped
    for (Slot& slot : slots_) {
      const auto has = [&](const Slot& other) {
        return other.mechanism() == slot.mechanism() && other.count > 0;
      };
      if (slot.mechanism() < 0 || std::ranges::any_of(slots_, has)) continue;
      arms_->end_stop(slot.mechanism());
      slot.begins = false;
      slot.reference->end_stop();
    }
  stopped_ = false;
  for (Slot& slot : slots_)
    for (Driver& driver : slot.active())
      if (slot.holding || !driver.started || driver.lost) go_on(driver, slot, moment);
}

// one that was never started, as after a stop, begins; others go on with what is left
void Arbiter::go_on(Driver& driver, const Slot& slot, const Moment& moment) {
  Source& from = source(driver.authority.source);
  if (driver.begun)
    from.resume(moment, slot.reference->motion());
  else
    from.start(moment, slot.reference->motion());
  driver.begun = driver.started = driver.fresh = true;
  driver.lost = false;
}

bool Arbiter::receive(const Moment& moment, const Input& input) {
  for (Named& named : sources_)
    if (input.to == named.name) {
      named.source->receive(moment, input);
      return true;
    }
  return false;
}

// whether the source drives the reference; else why not is in the slot's reason
bool Arbiter::ask(Slot& slot, Driver& driver, const Moment& moment) {
  Source& from = source(driver.authority.source);
  const Reference& reference = *slot.reference;
  // a plan's time goes on as the arm does
  Moment own = moment;
  const double pace = from.ends() ? reference.pace() : 1.0;
  own.dt *= pace;
  const auto update = [&] {
    const SourceAnswer answer = from.update(own, reference.motion(), driver.asked);
    if (pace != 1.0) reference.slow(driver.asked, pace);
    return answer;
  };
  SourceAnswer answer = update();
  if (asks(answer) && !reference.is_sane(driver.asked)) {
    answer = {SourceStatus::kLost, "what it asked for is not a finite motion"};
    driver.asked = reference.motion();
  }
  if (asks(answer) && !(answer.share >= 0.0 && answer.share < HUGE_VAL))
    answer = {SourceStatus::kLost, "the share that it asked for is not a number from 0 on"};
  if (asks(answer) && answer.feedback && !handspan::is_sane(*answer.feedback))
    answer = {SourceStatus::kLost, "a share of feedback that it gave is not from 0 to 1"};
  driver.done = answer.status == SourceStatus::kDone;
  driver.jump = driver.gives_feedback = false;
  switch (answer.status) {
    case SourceStatus::kLost:
      // the first reason stands: what follows is most often a consequence
      if (!driver.lost) lose(slot, driver, answer.reason);
      driver.lost = true;
      driver.started = false;
      return false;
    case SourceStatus::kSilent:
      driver.started = false;
      if (!driver.lost) lose(slot, driver, answer.reason);
      return false;
    case SourceStatus::kActive:
    case SourceStatus::kDone:
      break;
  }
  if (driver.lost && !driver.authority.reengages) return false;
  if (!driver.started) {
    // it may have gone anywhere meanwhile: it begins anew from where the reference is
    go_on(driver, slot, moment);
    driver.asked = reference.motion();
    answer = update();
    if (!asks(answer) || !reference.is_sane(driver.asked)) return false;
    if (answer.feedback && !handspan::is_sane(*answer.feedback)) return false;
  }
  driver.share = driver.authority.share * answer.share;
  for (std::size_t axis = 0; axis < 6; ++axis)
    driver.axes[axis] = driver.share > 0.0 && driver.authority.axes[axis] && answer.axes[axis];
  const bool has_say = reference.has_say(driver.axes);
  if (!has_say) {
    lose(slot, driver, "it has no say in any axis that it was given");
    return false;
  }
  // a hand-over is no jump: who begins does so from the reference as it is
  driver.jump = answer.jump && from.jumps() && !driver.fresh;
  driver.fresh = false;
  driver.gives_feedback = answer.feedback && from.shares_feedback();
  if (driver.gives_feedback) driver.feedback = *answer.feedback;
  return true;
}

// Of several that do not drive, the one with the largest share says why; of equal ones the first.
void Arbiter::lose(Slot& slot, const Driver& driver, const char* reason) const {
  if (driver.authority.share <= slot.reason_share) return;
  slot.reason_share = driver.authority.share;
  // longer than a reason, which cuts it at a border of characters
  char text[160];
  const auto end =
      fmt::format_to_n(text, sizeof text, "{}: {}", source_name(driver.authority.source), reason);
  slot.reason = std::string_view(text, std::min(end.size, sizeof text));
}

// The reference itself cannot be moved now, whatever its source asks for.
void Arbiter::cannot_move(Slot& slot, Driver& driver, const SourceAnswer& why) const {
  if (!driver.lost) slot.reason = why.reason;
  driver.lost = driver.lost || why.status == SourceStatus::kLost;
  driver.started = driver.done = driver.jump = driver.gives_feedback = false;
}

// Who drives it in this tick; the reason why nobody does, in the slot.
void Arbiter::ask_all(Slot& slot, const Moment& moment) {
  slot.driven = slot.pending = false;
  slot.reason_before = slot.reason;
  const SourceAnswer sees = slot.reference->look(moment);
  if (stopped_) return;
  slot.reason = kNobody;
  slot.reason_share = -1.0;
  for (Driver& driver : slot.active()) {
    driver.axes = {};
    // one that was lost keeps its reason until it is good again
    if (driver.lost && driver.authority.share > slot.reason_share) {
      slot.reason_share = driver.authority.share;
      slot.reason = slot.reason_before;
    }
    if (asks(sees))
      slot.driven = ask(slot, driver, moment) || slot.driven;
    else
      cannot_move(slot, driver, sees);
  }
}

// What several hold between them stays where it is when one of them is lost.
void Arbiter::keep_together(Together& together, const Moment& moment) {
  const Slot* lost = nullptr;
  bool given = true, any = false;
  for (const ReferenceIndex r : together.references) {
    const Slot& slot = at(r);
    given = given && slot.count > 0;
    any = any || slot.driven;
    if (!slot.driven && lost == nullptr) lost = &slot;
  }
  if (!given) {
    together.engaged = false;
    return;
  }
  together.idle = any ? 0.0 : together.idle + moment.dt;
  // who has nothing between the hands may go on with one of them at once
  const bool carry =
      arms_ == nullptr || std::ranges::any_of(together.references, [&](ReferenceIndex r) {
        return at(r).reference->felt_force().norm() > kPresses;
      });
  if (together.idle > (carry ? kLetGo : kLetGoEmpty)) together.engaged = false;
  if (lost == nullptr) together.engaged = true;
  if (!together.engaged || lost == nullptr) return;
  for (const ReferenceIndex r : together.references) {
    Slot& slot = at(r);
    if (!slot.driven) continue;
    slot.driven = false;
    // each goes on from where its reference is then
    for (Driver& driver : slot.active()) driver.started = false;
    char text[126];
    const auto end = fmt::format_to_n(text, sizeof text, "holds together with {} ({})",
                                      lost->name(), lost->reason.view());
    slot.reason = std::string_view(text, std::min(end.size, sizeof text));
  }
}

// What comes of who drives it.
void Arbiter::settle(Slot& slot) {
  if (stopped_) return;
  if (slot.driven) {
    if (slot.holding) events_.add("follow", slot.name(), "");
    slot.holding = slot.begins = false;
    slot.reason = "";
  } else {
    const FixedText<126> reason = slot.reason;
    slot.reason = slot.reason_before;
    hold(slot, reason);
  }
}

void Arbiter::hold(Slot& slot, std::string_view reason) {
  if (!slot.holding || slot.reason != reason) events_.add("hold", slot.name(), reason);
  if (!slot.holding) slot.begins = true;
  slot.holding = true;
  slot.reason = reason;
}

void Arbiter::find_stops() {
  if (arms_ == nullptr) return;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const int m = slots_[i].mechanism();
    // once for each arm
    const bool first = std::none_of(slots_.begin(), slots_.begin() + static_cast<std::ptrdiff_t>(i),
                                    [m](const Slot& slot) { return slot.mechanism() == m; });
    if (m >= 0 && first) find_stop(m);
  }
}

// An arm stops when a hold began in it and nobody drives any of its references; it goes on when
// somebody does.
void Arbiter::find_stop(int m) {
  const auto same = [m](const Slot& slot) { return slot.mechanism() == m; };
  bool driven = false, begins = false;
  for (const Slot& slot : slots_) {
    if (!same(slot)) continue;
    driven = driven || slot.driven;
    begins = begins || slot.begins;
  }
  if (driven) {
    arms_->end_stop(m);
    // one that holds alone goes on from where the arm is
    for (Slot& slot : slots_)
      if (same(slot) && slot.begins && slot.reference->hold_from_arm()) slot.begins = false;
  } else if (begins && arms_->stops(m)) {
    for (Slot& slot : slots_)
      if (same(slot)) slot.begins = false;
  } else if (begins && arms_->due(m)) {
    begin_stop(m);
  }
  if (arms_->stops(m)) return;
  for (Slot& slot : slots_)
    if (same(slot)) slot.reference->end_stop();
}

void Arbiter::begin_stop(int m) {
  ArmStop stop;
  stop.F = arms_->felt_force(m);
  stop.rests = arms_->rests(m);
  stop.presses = stop.F.norm() > (stop.rests ? kPresses : kPressesMoving);
  stop.kept = stop.rests && (stop.presses || arms_->is_kept(m));
  arms_->begin_stop(m, stop.rests, stop.presses || stop.kept);
  for (Slot& slot : slots_) {
    if (slot.mechanism() != m) continue;
    slot.begins = false;
    slot.reference->begin_stop(stop);
  }
}

// The axes in which authority is given in this tick, in W; null: W's.
const Eigen::Matrix3d* Arbiter::find_axes(Slot& slot) const {
  Eigen::Matrix3d& R_WA = slot.axes.R_WA;
  switch (slot.axes.of) {
    case AxesOf::kWorld:
      return nullptr;
    case AxesOf::kTool:
      if (const Pose* X_WE = slot.reference->pose()) R_WA = X_WE->R;
      break;
    case AxesOf::kOperator:
      for (const Driver& driver : slot.active()) {
        const Source& from = *sources_[driver.authority.source.value].source;
        if (from.ends()) continue;
        R_WA = from.R_WO();
        break;
      }
      break;
    case AxesOf::kContact:
      turn_to_contact(R_WA, slot.reference->felt_force());
      break;
    case AxesOf::kFixed:
      break;
  }
  return &R_WA;
}

void Arbiter::move(Slot& slot, const Moment& moment) {
  if (!slot.driven) {
    slot.reference->brake(moment.dt, events_);
    slot.done = false;
    return;
  }
  std::array<Wanted, kMaxSharing> wanted;
  for (std::uint32_t i = 0; i < slot.count; ++i) {
    const Driver& driver = slot.drivers[i];
    wanted[i] = {&source(driver.authority.source),
                 &driver.asked,
                 driver.axes,
                 driver.share,
                 driver.done,
                 driver.jump,
                 driver.gives_feedback ? &driver.feedback : nullptr};
  }
  slot.reference->follow({moment, {wanted.data(), slot.count}, events_, find_axes(slot)});
  // a person beside a plan has no end
  bool any = false, all = true;
  for (const Driver& driver : slot.active()) {
    any = any || driver.done;
    all = all && (driver.done || !source(driver.authority.source).ends());
  }
  slot.done = any && all && slot.reference->arrived();
}

void Arbiter::update(const Moment& moment) {
  for (Slot& slot : slots_) ask_all(slot, moment);
  if (!stopped_)
    for (Together& together : together_) keep_together(together, moment);
  for (Slot& slot : slots_) settle(slot);
  find_stops();
  for (Slot& slot : slots_) move(slot, moment);
}

void Arbiter::declare(ChannelTable& channels, Rate rate) {
  for (Slot& slot : slots_) {
    slot.reference->declare(channels, rate);
    slot.holding_channel = channels.boolean("reference." + slot.name() + ".holding", rate,
                                            "nobody drives it: at rest, or braking to it");
  }
  for (Named& named : sources_) named.source->declare(channels, rate);
}

std::vector<std::pair<std::string, std::string>> Arbiter::connect(const ChannelTable& channels) {
  std::vector<std::pair<std::string, std::string>> faults;
  for (Named& named : sources_) {
    try {
      named.source->connect(channels);
    } catch (const InputError& error) {
      faults.emplace_back(named.name, error.what());
    }
  }
  return faults;
}

std::vector<std::pair<std::string, std::string>> Arbiter::connect_references(
    const ChannelTable& channels) {
  std::vector<std::pair<std::string, std::string>> faults;
  for (Slot& slot : slots_) {
    try {
      slot.reference->connect(channels);
    } catch (const InputError& error) {
      faults.emplace_back(slot.name(), error.what());
    }
  }
  return faults;
}

void Arbiter::publish(ChannelTable& channels, Nanoseconds stamp) const {
  for (const Slot& slot : slots_) {
    slot.reference->publish(channels, stamp);
    channels.write(slot.holding_channel, slot.holding, stamp);
  }
  for (const Named& named : sources_) named.source->publish(channels, stamp);
}

void Arbiter::state(StateArchive& archive) {
  archive.part("arbiter");
  archive(stopped_);
  for (Slot& slot : slots_) {
    archive.part("reference", slot.name());
    slot.reference->state(archive);
    archive(slot);
    if (!archive.loading()) continue;
    bool good = slot.count <= kMaxSharing;
    for (const Driver& driver : slot.drivers)
      good = good && driver.authority.source.value < std::max<std::size_t>(1, sources_.size());
    if (!good) throw InputError("the snapshot is damaged in who moves " + slot.name());
  }
  for (Together& together : together_) archive(together);
  for (Named& named : sources_) {
    archive.part("source", named.name);
    named.source->state(archive);
  }
}

}  // namespace handspan
