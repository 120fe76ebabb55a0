#include "teleop/person.hpp"

#include <algorithm>
#include <cmath>

#include "teleop/headset.hpp"

namespace handspan {

Person::Person(const PersonConfig& config, const DeviceContext& context)
    : config_(config),
      hands_{PersonHand(config_, 0, context.seed, context.name),
             PersonHand(config_, 1, context.seed, context.name)},
      times_(context.seed, context.name + ".times"),
      sample_(context.name, headset_layout()) {
  // what she does not touch is at rest
  for (std::size_t a = 0; a < layout().axes.size(); ++a) sample_.set_axis(a, 0.0);
  for (std::size_t b = 0; b < layout().buttons.size(); ++b) sample_.set_button(b, false);
}

const DeviceLayout& Person::layout() const { return headset_layout(); }

void Person::watch(const ChannelTable& channels) {
  for (auto& hand : hands_) hand.watch(channels);
  channels_ = &channels;
}

void Person::schedule() {
  ++count_;
  const double period = 1.0 / config_.rate;
  const double jitter = std::clamp(times_.normal(0.0, config_.jitter), -0.4 * period, 0.4 * period);
  next_ = origin_ + std::llround((static_cast<double>(count_) * period + jitter) * 1e9);
}

bool Person::sample(Nanoseconds now, Input& input) {
  if (channels_ == nullptr) return false;
  if (!started_) {
    started_ = true;
    origin_ = next_ = now;
    if (!over())
      for (auto& hand : hands_) hand.begin(0, 0, now);
  }
  if (now < next_) return false;
  // of samples that fell between two ticks the last one counts
  const Nanoseconds stamp = next_;
  while (next_ <= now) schedule();
  if (!over()) {
    bool done = true;
    for (auto& hand : hands_) done = hand.advance(stamp, *channels_) && done;
    if (done) {
      ++step_;
      if (over() && config_.repeats) {
        step_ = 0;
        ++round_;
      }
      if (!over())
        for (auto& hand : hands_) hand.begin(step_, round_, stamp);
    }
  }
  for (const auto& hand : hands_) hand.write(stamp, sample_);
  sample_.set_pose(2, TrackedAs::kHead, {0.0, 1.6, 0.0}, Eigen::Quaterniond::Identity());
  sample_.set_stamp(stamp);
  input = sample_.input();
  return true;
}

void register_person(DeviceRegistry& registry) {
  registry.add("person", person_schema(),
               "a scripted person in place of a headset, who acts by what she sees",
               [](const PersonConfig& config, const DeviceContext& context) {
                 return std::make_unique<Person>(config, context);
               });
}

}  // namespace handspan
