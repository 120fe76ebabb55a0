#include "person/thrown_hand.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/object.hpp"
#include "core/values.hpp"
#include "device/headset.hpp"
#include "math/so3.hpp"

namespace handspan {
namespace {

constexpr const char* kThrowNames[kThrows] = {
    "back", "stop",     "out_of_reach", "bad_frame",     "gap",
    "leap", "gap_leap", "recentre",     "said_recentre", "release"};
constexpr double kDegree = std::numbers::pi / 180.0;
// the clutch is open, then closed with the hand at rest, before each throw [s]
constexpr double kOpen = 0.15, kReady = 0.25;
// it stops for so long, and rests after it came back [s]
constexpr double kStays = 0.6, kRests = 0.4;
constexpr double kFarther = 1.5;  // of kOutOfReach [m]
constexpr double kTurns = 0.6;    // it turns while it goes [rad/m]
const Eigen::Vector3d kHome(0.2, 1.1, -0.4), kHeadPlace(0.0, 1.6, 0.0);

Nanoseconds nanoseconds(double t) { return std::llround(t * 1e9); }

}  // namespace

const char* name_of(Throw kind) { return kThrowNames[static_cast<std::size_t>(kind)]; }

bool opens(Throw kind) { return kind >= Throw::kLeap; }

ThrownHand::ThrownHand(const ThrownHandConfig& config, const DeviceContext& context)
    : config_(config),
      random_(context.seed, context.name + ".thrown"),
      sample_(context.name, headset_layout()) {
  const DeviceState names(context.name, headset_layout(), {});
  pose_ = names.pose_index(config.hand);
  for (const auto& control : config.clutch) clutch_.push_back(names.control(control));
  if (config_.throws.empty())
    for (std::size_t k = 0; k < kThrows; ++k) config_.throws.push_back(static_cast<Throw>(k));
}

const DeviceLayout& ThrownHand::layout() const { return headset_layout(); }

void ThrownHand::begin(Nanoseconds now) {
  kind_ = config_.throws[random_.integer(config_.throws.size())];
  ++begun_[static_cast<std::size_t>(kind_)];
  way_ = random_.direction();
  troubled_ = false;
  const double rise = config_.speed / config_.acceleration;
  cruise_ = config_.cruise + (kind_ == Throw::kOutOfReach ? kFarther / config_.speed : 0.0);
  const bool stays = kind_ == Throw::kStop || kind_ == Throw::kOutOfReach;
  // there and back take as long
  const double there = 2.0 * rise + cruise_;
  start_ = now + nanoseconds(kOpen + kReady);
  end_ = start_ + nanoseconds(2.0 * there + (stays ? kStays : 0.0) + kRests);
  // at any time of the way out
  trouble_ = start_ + nanoseconds(random_.uniform(0.0, there));
  gap_ = kind_ == Throw::kGap || kind_ == Throw::kGapLeap ? nanoseconds(random_.uniform(0.02, 0.06))
                                                          : 0;
  leap_.setZero();
  turn_.setIdentity();
  switch (kind_) {
    case Throw::kBadFrame:
      leap_ = random_.uniform(0.05, 0.5) * random_.direction();
      turn_ = exp_quaternion(random_.uniform(0.0, 60.0) * kDegree * random_.direction());
      break;
    case Throw::kLeap:
      leap_ = random_.uniform(0.2, 0.6) * random_.direction();
      break;
    case Throw::kGapLeap:
      // farther than what an acceleration explains meanwhile
      leap_ = random_.uniform(0.6, 0.9) * random_.direction();
      break;
    case Throw::kRecentre:
    case Throw::kSaidRecentre:
      turn_ = exp_quaternion(
          {0.0, (random_.uniform() < 0.5 ? -1.0 : 1.0) * random_.uniform(20.0, 45.0) * kDegree,
           0.0});
      break;
    default:
      break;
  }
}

std::pair<double, double> ThrownHand::along(double t) const {
  const double a = config_.acceleration, v = config_.speed, rise = v / a;
  const double there = 2.0 * rise + cruise_, length = v * (rise + cruise_);
  // of the way out
  const auto out = [&](double s) -> std::pair<double, double> {
    if (s <= 0.0) return {0.0, 0.0};
    if (s < rise) return {0.5 * a * s * s, a * s};
    if (s < rise + cruise_) return {0.5 * v * rise + v * (s - rise), v};
    if (s < there) return {length - 0.5 * a * (there - s) * (there - s), a * (there - s)};
    return {length, 0.0};
  };
  if (t < there) return out(t);
  const bool stays = kind_ == Throw::kStop || kind_ == Throw::kOutOfReach;
  const auto [s, speed] = out(t - there - (stays ? kStays : 0.0));
  return {length - s, -speed};
}

Eigen::Vector3d ThrownHand::p_VC(Nanoseconds now) const {
  return kHome + along(seconds(now - start_)).first * way_;
}

Eigen::Vector3d ThrownHand::v_VC(Nanoseconds now) const {
  return along(seconds(now - start_)).second * way_;
}

// what is shown of a hand that is at p, q in truth
void ThrownHand::spoil(Nanoseconds now, Eigen::Vector3d& p, Eigen::Quaterniond& q) {
  if (now < trouble_) return;
  const bool first = !troubled_;
  if (first) ++came_[static_cast<std::size_t>(kind_)];
  troubled_ = true;
  if (kind_ == Throw::kBadFrame && !first) return;
  if (kind_ == Throw::kRecentre || kind_ == Throw::kSaidRecentre)
    p = kHeadPlace + turn_ * (p - kHeadPlace);
  p += leap_;
  q = turn_ * q;
}

bool ThrownHand::sample(Nanoseconds now, Input& input) {
  if (now < next_) return false;
  next_ = std::max(next_, now - kSecond) + nanoseconds(1.0 / config_.rate);
  if (now >= end_) begin(now);
  if (now >= trouble_ && now < trouble_ + gap_) return false;
  const Eigen::Vector3d way = p_VC(now) - kHome;
  Eigen::Vector3d p = kHome + way;
  Eigen::Quaterniond q =
      exp_quaternion(kTurns * way) * exp_quaternion(Eigen::Vector3d(0.3, 0.5, -0.2));
  const bool was_troubled = troubled_;
  spoil(now, p, q);
  sample_.clear();
  const bool says = kind_ == Throw::kSaidRecentre && troubled_ && !was_troubled;
  sample_.set_pose(pose_, says ? TrackedAs::kRecentred : TrackedAs::kController, p, q);
  sample_.set_pose(2, TrackedAs::kHead, kHeadPlace, Eigen::Quaterniond::Identity());
  for (std::size_t a = 0; a < layout().axes.size(); ++a) sample_.set_axis(a, 0.0);
  for (std::size_t b = 0; b < layout().buttons.size(); ++b) sample_.set_button(b, false);
  const bool held = now >= start_ - nanoseconds(kReady) && !(kind_ == Throw::kRelease && troubled_);
  for (const Control& control : clutch_) {
    if (control.is_axis)
      sample_.set_axis(control.index, held ? 1.0 : 0.0);
    else
      sample_.set_button(control.index, held);
  }
  sample_.set_stamp(now);
  input = sample_.input();
  return true;
}

Schema<ThrownHandConfig> thrown_hand_schema() {
  const auto kind = choice<Throw>({{"back", Throw::kBack},
                                   {"stop", Throw::kStop},
                                   {"out_of_reach", Throw::kOutOfReach},
                                   {"bad_frame", Throw::kBadFrame},
                                   {"gap", Throw::kGap},
                                   {"leap", Throw::kLeap},
                                   {"gap_leap", Throw::kGapLeap},
                                   {"recentre", Throw::kRecentre},
                                   {"said_recentre", Throw::kSaidRecentre},
                                   {"release", Throw::kRelease}});
  return object<ThrownHandConfig>("ThrownHand", "a clutched hand that throws, over and over")
      .optional("rate", &ThrownHandConfig::rate, number("Hz").min(20).max(1000), "of samples")
      .optional("hand", &ThrownHandConfig::hand, text(), "that throws: left, right")
      .optional("clutch", &ThrownHandConfig::clutch, list(text()), "controls held while it throws")
      .optional("speed", &ThrownHandConfig::speed, number("m/s").above(0).max(7.5),
                "at its fastest")
      .optional("acceleration", &ThrownHandConfig::acceleration, number("m/s^2").above(0).max(90),
                "of starting, stopping and turning round")
      .optional("cruise", &ThrownHandConfig::cruise, number("s").min(0).max(2),
                "for how long it is fastest")
      .optional("throws", &ThrownHandConfig::throws, list(kind).min_size(1),
                "kinds, one by chance for each throw; left out: all");
}

void register_thrown_hand(DeviceRegistry& registry) {
  registry.add("thrown_hand", thrown_hand_schema(),
               "a clutched hand that throws and a tracking that fails, for tests and studies",
               [](const ThrownHandConfig& config, const DeviceContext& context) {
                 return std::make_unique<ThrownHand>(config, context);
               });
}

}  // namespace handspan
