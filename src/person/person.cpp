#include "person/person.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"

namespace handspan {
namespace {

// not asked for so long, the person was not there [ns]
constexpr Nanoseconds kAway = kSecond / 4;

}  // namespace

Person::Person(const PersonConfig& config, const DeviceContext& context)
    : config_(config),
      sight_(config_.sight_delay, config_.rate),
      hands_{PersonHand(config_, 0, context.seed, context.name, sight_),
             PersonHand(config_, 1, context.seed, context.name, sight_)},
      times_(context.seed, context.name + ".times"),
      sample_(context.name, layout()) {
  // what the person does not touch is at rest
  for (std::size_t a = 0; a < layout().axes.size(); ++a) sample_.set_axis(a, 0.0);
  for (std::size_t b = 0; b < layout().buttons.size(); ++b) sample_.set_button(b, false);
}

const DeviceLayout& Person::layout() const { return hands_[0].layout(); }

void Person::watch(const ChannelTable& channels) {
  sight_.clear();
  for (auto& hand : hands_) hand.watch(channels);
  anew_.clear();
  for (const SeenValue& seen : config_.anew_when) try {
      anew_.push_back(sight_.value(seen, channels));
    } catch (const InputError& error) {
      throw InputError("anew_when cannot be seen: " + std::string(error.what()));
    }
  channels_ = &channels;
}

void Person::schedule() {
  ++count_;
  const double period = 1.0 / config_.rate;
  const double jitter = std::clamp(times_.normal(0.0, config_.jitter), -0.4 * period, 0.4 * period);
  next_ = origin_ + std::llround((static_cast<double>(count_) * period + jitter) * 1e9);
}

void Person::begin(std::size_t step, Nanoseconds now) {
  step_ = step;
  for (auto& hand : hands_) hand.begin(step_, round_, now);
}

void Person::begin_anew(Nanoseconds now) {
  giving_up_ = false;
  ++round_;
  begin(0, now);
}

void Person::give_up(Nanoseconds now) {
  giving_up_ = true;
  begin(config_.script.size(), now);
}

// somebody else acted in the person's place: the person knows nothing of how things are
void Person::came_back(Nanoseconds now) {
  origin_ = next_ = now;
  count_ = 0;
  sight_.forget();
  if (over() || (config_.give_up.empty() && !config_.repeats)) return;
  for (auto& hand : hands_) hand.appear(now);
  config_.give_up.empty() ? begin_anew(now) : give_up(now);
}

void Person::advance(Nanoseconds now) {
  if (over()) return;
  bool anew = false;
  if (step_ > 0 && !giving_up_)
    for (const std::size_t i : anew_) anew = anew || sight_.holds(i);
  if (anew) {
    for (auto& hand : hands_) hand.let_go(now);
    begin_anew(now);
    return;
  }
  bool done = true;
  for (auto& hand : hands_) done = hand.advance(now, *channels_) && done;
  PersonHand::meet(hands_, now);
  const bool gave_up = hands_[0].gave_up() || hands_[1].gave_up();
  if (gave_up && !giving_up_ && !config_.give_up.empty()) {
    for (auto& hand : hands_) hand.let_go(now);
    give_up(now);
    return;
  }
  if (!done) return;
  const std::size_t end = config_.script.size();
  if (step_ + 1 == end + (giving_up_ ? config_.give_up.size() : 0)) {
    if (giving_up_ || config_.repeats)
      begin_anew(now);
    else
      step_ = end;
  } else {
    begin(step_ + 1, now);
  }
}

bool Person::sample(Nanoseconds now, Input& input) {
  if (channels_ == nullptr) return false;
  if (!started_) {
    started_ = true;
    origin_ = next_ = asked_ = now;
    if (!over()) begin(0, now);
  }
  if (now - asked_ > kAway) came_back(now);
  asked_ = now;
  if (now < next_) return false;
  // of samples that fell between two ticks the last one counts
  const Nanoseconds stamp = next_;
  while (next_ <= now) schedule();
  sight_.look(stamp, *channels_);
  advance(stamp);
  for (const auto& hand : hands_) hand.write(stamp, sample_);
  sample_.set_stamp(stamp);
  input = sample_.input();
  return true;
}

void register_person(DeviceRegistry& registry, const MappingRegistry& mappings,
                     const HeldDeviceRegistry& held) {
  registry.add("person", person_schema(mappings, held),
               "a scripted person in place of a headset, a stylus, a joystick or keys, who acts by "
               "what they see and feel",
               [](const PersonConfig& config, const DeviceContext& context) {
                 return std::make_unique<Person>(config, context);
               });
}

}  // namespace handspan
