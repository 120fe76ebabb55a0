#pragma once
// An adversary with a headset, for tests of whole sessions: targets out of reach and through
// singular poses, flicks of up to 6 m/s, drop-outs, hands instead of controllers, silence, jumps
// and clutch chatter. By a seed; at about 90 samples a second.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "core/random.hpp"
#include "device/headset.hpp"
#include "math/so3.hpp"
#include "session/session.hpp"

namespace handspan::test {

class WildHands : public InputFeed {
 public:
  explicit WildHands(std::uint64_t seed, Nanoseconds base)
      : random_(seed, "wild_hands"), base_(base) {
    for (Side& side : sides_) {
      side.p = side.from = side.to = {0.0, 1.0, -0.3};
      side.closed = false;
    }
  }

  bool next(std::int64_t tick, Input& input) override {
    if (tick == last_ || tick * base_ < due_) return false;
    last_ = tick;
    const Nanoseconds now = tick * base_;
    due_ = now + static_cast<Nanoseconds>(random_.uniform(5e6, 17e6));
    const double t = seconds(now);
    if (silent_until_ > t) return false;
    if (chance(0.1)) silent_until_ = t + random_.uniform(0.05, 0.5);
    sample_.clear();
    for (std::size_t s = 0; s < 2; ++s) move(s, t);
    for (std::size_t b = 0; b < headset_layout().buttons.size(); ++b) sample_.set_button(b, false);
    sample_.set_stamp(now);
    input = sample_.input();
    return true;
  }
  double fastest() const { return fastest_; }

 private:
  struct Side {
    Eigen::Vector3d from, to, p, turn_from = Eigen::Vector3d::Zero(),
                                 turn_to = Eigen::Vector3d::Zero();
    double start = 0.0, time = 0.0;  // of the movement [s]
    bool closed = false;
    double clutch_until = 0.3, lost_until = 0.0, chatter_until = 0.0, last = 0.0;
    TrackedAs as = TrackedAs::kController;
  };

  // that something with this rate [1/s] happens between two samples
  bool chance(double rate) { return random_.uniform() < rate * 0.011; }

  void move(std::size_t s, double t) {
    Side& side = sides_[s];
    if (t >= side.start + side.time) {
      side.from = side.to;
      side.turn_from = side.turn_to;
      side.to = Eigen::Vector3d(0.0, 1.0, -0.3) + random_.uniform(0.05, 1.0) * random_.direction();
      side.turn_to = random_.uniform(0.0, 2.0) * random_.direction();
      side.start = t;
      // minimum jerk: the top speed is 1.875 of the mean's
      const double speed = std::pow(10.0, random_.uniform(-1.0, std::log10(6.0)));
      side.time = std::max(0.03, 1.875 * (side.to - side.from).norm() / speed);
    }
    const double u = std::clamp((t - side.start) / side.time, 0.0, 1.0);
    const double way = u * u * u * (10.0 - 15.0 * u + 6.0 * u * u);
    const Eigen::Vector3d p = side.from + way * (side.to - side.from);
    if (t > side.last)
      fastest_ = std::max(fastest_, (p - side.p).norm() / std::max(0.011, t - side.last));
    side.p = p;
    side.last = t;
    const Eigen::Quaterniond q =
        exp_quaternion(side.turn_from) * exp_quaternion(way * (side.turn_to - side.turn_from));
    if (chance(0.2)) {
      side.lost_until = t + random_.uniform(0.05, 0.5);
      side.as = random_.uniform() < 0.5 ? TrackedAs::kNone : TrackedAs::kHand;
    }
    if (t >= side.lost_until) side.as = TrackedAs::kController;
    if (chance(0.1)) side.chatter_until = t + 0.5;
    if (t >= side.clutch_until) {
      side.closed = !side.closed;
      side.clutch_until = t + (t < side.chatter_until ? 0.02
                               : side.closed          ? random_.uniform(0.5, 4.0)
                                                      : 0.15);
    }
    // now and then a sample from elsewhere
    const Eigen::Vector3d jump =
        chance(0.05) ? Eigen::Vector3d(random_.direction()) : Eigen::Vector3d(0.0, 0.0, 0.0);
    sample_.set_pose(s, side.as, p + jump, q);
    for (std::size_t a = 0; a < 2; ++a) sample_.set_axis(4 * s + a, side.closed ? 1.0 : 0.0);
    for (std::size_t a = 2; a < 4; ++a) sample_.set_axis(4 * s + a, 0.0);
  }

  RandomStream random_;
  Nanoseconds base_, due_ = 0;
  std::int64_t last_ = -1;
  double silent_until_ = 0.0, fastest_ = 0.0;
  std::array<Side, 2> sides_;
  DeviceSample sample_{"headset", headset_layout()};
};

}  // namespace handspan::test
