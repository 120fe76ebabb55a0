#include "person/wild_hand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/object.hpp"
#include "core/suggest.hpp"
#include "core/values.hpp"
#include "device/headset.hpp"

namespace handspan {
namespace {

constexpr const char* kTroubleNames[kTroubles] = {
    "out_of_reach",   "flick",       "drop_out",        "becomes_hand",
    "clutch_chatter", "not_finite",  "zero_quaternion", "sign_flip",
    "stamp_back",     "other_clock", "silence",         "swapped",
    "teleport",       "no_controls", "two_operators",   "malformed"};

}  // namespace

const char* name_of(Trouble trouble) { return kTroubleNames[static_cast<std::size_t>(trouble)]; }

WildHand::WildHand(const WildHandConfig& config, const DeviceContext& context)
    : config_(config),
      random_(context.seed, context.name + ".wild"),
      sample_(context.name, headset_layout()) {
  const DeviceState names(context.name, headset_layout(), {});
  for (const auto& control : config.clutch) clutch_.push_back(names.control(control));
  for (std::size_t h = 0; h < 2; ++h) {
    hands_[h].p_VRest = {h == 0 ? -0.2 : 0.2, 1.1, -0.35};
    hands_[h].movement.p_VC0 = hands_[h].p_VRest;
  }
}

const DeviceLayout& WildHand::layout() const { return headset_layout(); }

bool WildHand::comes(Trouble trouble) {
  const auto i = static_cast<std::size_t>(trouble);
  if (!(random_.uniform() < config_.troubles[i] / config_.rate)) return false;
  ++counts_[i];
  return true;
}

Nanoseconds WildHand::for_a_while(Nanoseconds now, double least, double most) {
  return now + std::llround(random_.uniform(least, most) * 1e9);
}

void WildHand::trouble_hand(Hand& hand, Nanoseconds now) {
  const Pose X = hand.movement.at(now);
  const auto go = [&](const Eigen::Vector3d& d, double speed) {
    const double time = kMinimumJerkPeak * d.norm() / speed;
    hand.movement = {X.p, X.quaternion(),          d, 0.5 * random_.normal() * random_.direction(),
                     now, std::llround(time * 1e9)};
  };
  if (comes(Trouble::kOutOfReach)) {
    hand.flicks = false;
    go(random_.uniform(1.0, 3.0) * random_.direction(), random_.uniform(0.5, 3.0));
  }
  if (comes(Trouble::kFlick)) {
    go(0.4 * random_.direction(), 6.0);
    hand.d_VBack = -hand.movement.d_V;
    hand.flicks = true;
  }
  if (comes(Trouble::kDropOut)) hand.lost_until = for_a_while(now, 0.05, 0.5);
  if (comes(Trouble::kBecomesHand)) hand.bare_until = for_a_while(now, 0.05, 0.5);
  if (comes(Trouble::kClutchChatter)) hand.chatters_until = for_a_while(now, 0.1, 0.5);
  if (comes(Trouble::kNoControls)) hand.blind_until = for_a_while(now, 0.05, 0.5);
  if (comes(Trouble::kSignFlip)) hand.sign = -hand.sign;
  if (comes(Trouble::kTeleport)) {
    const Eigen::Vector3d jump = random_.direction();
    hand.movement.p_VC0 += jump;
    hand.p_VRest += jump;
  }
}

// wanders to the next place when it is at one
void WildHand::go_on(Hand& hand, Nanoseconds now) {
  if (!hand.movement.over(now)) return;
  const Pose X = hand.movement.at(now);
  Eigen::Vector3d d = hand.p_VRest + config_.wander * random_.direction() - X.p;
  Eigen::Vector3d phi = random_.uniform(0.0, 0.8) * random_.direction() - 0.5 * log_so3(X.R);
  double time = std::max(random_.uniform(0.3, 1.2), kMinimumJerkPeak * d.norm() / 2.0);
  if (hand.flicks) {
    d = hand.d_VBack;
    phi.setZero();
    time = kMinimumJerkPeak * d.norm() / 6.0;
    hand.flicks = false;
  }
  hand.movement = {X.p, X.quaternion(), d, phi, now, std::llround(time * 1e9)};
}

void WildHand::work_clutch(Nanoseconds now) {
  if (now < clutch_until_) return;
  clutched_ = !clutched_;
  clutch_until_ = clutched_ ? for_a_while(now, 1.0, 4.0) : for_a_while(now, 0.1, 0.5);
}

void WildHand::write(Nanoseconds now) {
  chatter_ = !chatter_;
  const bool swapped = now < swapped_until_;
  for (std::size_t h = 0; h < 2; ++h) {
    const Hand& hand = hands_[h];
    const Pose X = hand.movement.at(now);
    Eigen::Quaterniond q = X.quaternion();
    q.coeffs() *= hand.sign;
    const TrackedAs as = now < hand.lost_until   ? TrackedAs::kNone
                         : now < hand.bare_until ? TrackedAs::kHand
                                                 : TrackedAs::kController;
    sample_.set_pose(swapped ? 1 - h : h, as, X.p, q);
  }
  for (std::size_t a = 0; a < layout().axes.size(); ++a) sample_.set_axis(a, 0.0);
  for (std::size_t b = 0; b < layout().buttons.size(); ++b) sample_.set_button(b, false);
  const auto side_of = [&](const std::string& name) { return name.starts_with("left") ? 0U : 1U; };
  for (const Control& control : clutch_) {
    const auto& name =
        control.is_axis ? layout().axes[control.index] : layout().buttons[control.index];
    const bool down = now < hands_[side_of(name)].chatters_until ? chatter_ : clutched_;
    if (control.is_axis)
      sample_.set_axis(control.index, down ? 1.0 : 0.0);
    else
      sample_.set_button(control.index, down);
  }
  for (std::size_t a = 0; a < layout().axes.size(); ++a)
    if (now < hands_[side_of(layout().axes[a])].blind_until)
      sample_.set_axis(a, std::numeric_limits<double>::quiet_NaN());
  sample_.set_pose(2, TrackedAs::kHead, {0.0, 1.6, 0.0}, Eigen::Quaterniond::Identity());
}

// what is wrong with one sample alone
void WildHand::spoil(Input& input) {
  const auto pose = kPoseNumbers * random_.integer(2);
  if (comes(Trouble::kNotFinite))
    input.numbers[pose + 1 + random_.integer(7)] = random_.uniform() < 0.5
                                                       ? std::numeric_limits<double>::quiet_NaN()
                                                       : std::numeric_limits<double>::infinity();
  if (comes(Trouble::kZeroQuaternion))
    std::fill_n(input.numbers.begin() + static_cast<std::ptrdiff_t>(pose) + 4, 4, 0.0);
  if (comes(Trouble::kStampBack)) input.stamp -= std::llround(random_.uniform(0.02, 0.5) * 1e9);
  if (comes(Trouble::kTwoOperators)) input.text = "somebody else";
  if (comes(Trouble::kMalformed)) --input.count;
}

bool WildHand::sample(Nanoseconds now, Input& input) {
  if (now < next_) return false;
  next_ = std::max(next_, now - kSecond) + std::llround(1e9 / config_.rate);
  if (now < silent_until_) return false;
  if (comes(Trouble::kSilence)) {
    silent_until_ = for_a_while(now, 0.11, 1.0);
    return false;
  }
  if (comes(Trouble::kSwapped)) swapped_until_ = for_a_while(now, 0.05, 0.5);
  if (comes(Trouble::kOtherClock)) clock_ = std::llround(random_.uniform(-1e5, 1e5) * 1e9);
  for (Hand& hand : hands_) {
    trouble_hand(hand, now);
    go_on(hand, now);
  }
  work_clutch(now);
  write(now);
  sample_.set_stamp(now + clock_);
  input = sample_.input();
  spoil(input);
  return true;
}

std::string WildHand::report() const {
  std::string text;
  for (std::size_t i = 0; i < kTroubles; ++i)
    if (counts_[i] > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kTroubleNames[i], counts_[i]);
  return text.empty() ? "no trouble" : text;
}

Schema<WildHandConfig> wild_hand_schema() {
  const auto troubles =
      dictionary(number("Hz").min(0).max(1000))
          .check(
              [](const std::vector<std::pair<std::string, double>>& rates) -> std::optional<Fault> {
                const std::vector<std::string> names(std::begin(kTroubleNames),
                                                     std::end(kTroubleNames));
                for (const auto& [name, rate] : rates)
                  if (!std::ranges::count(names, name))
                    return Fault{fmt::format("has '{}', which is not a trouble", shown(name)),
                                 did_you_mean(name, names, "there are")};
                return std::nullopt;
              },
              "out_of_reach, flick, drop_out ...")
          .map([](const std::vector<std::pair<std::string, double>>& rates) {
            std::array<double, kTroubles> all{};
            for (const auto& [name, rate] : rates)
              all[static_cast<std::size_t>(std::ranges::find(kTroubleNames, name) -
                                           kTroubleNames)] = rate;
            return all;
          });
  return object<WildHandConfig>("WildHand", "two hands and a tracking that do everything wrong")
      .optional("rate", &WildHandConfig::rate, number("Hz").min(1).max(1000), "of samples")
      .optional("troubles", &WildHandConfig::troubles, troubles,
                "how often each kind comes on average, of a hand where it is of one")
      .optional("clutch", &WildHandConfig::clutch, list(text()), "controls held most of the time")
      .optional("wander", &WildHandConfig::wander, number("m").above(0).max(2), "about its rest");
}

void register_wild_hand(DeviceRegistry& registry) {
  registry.add("wild_hand", wild_hand_schema(),
               "hands and a tracking that do everything wrong, for tests",
               [](const WildHandConfig& config, const DeviceContext& context) {
                 return std::make_unique<WildHand>(config, context);
               });
}

}  // namespace handspan
