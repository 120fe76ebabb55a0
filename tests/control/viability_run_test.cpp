// The viable joint box in long runs: under any command the joint stays inside.
#include <gtest/gtest.h>

#include "control/viability_support.hpp"

namespace handspan {
namespace viability_run_test {

using namespace test;

// Whether a joint that turns round in one period at one end is still inside at the other: so that
// states that were not reached under the box, too, always have one.
bool roomy(const JointViability& joint, const JointLimits& limits, double dt) {
  const double h = limits.braking * dt;
  return joint.lower_velocity(joint.upper_position() - 0.5 * h * dt) <= -h &&
         joint.upper_velocity(joint.lower_position() + 0.5 * h * dt) >= h;
}

// Uniform in position (often within a hundredth of an end) and in the velocities viable there
// (often the largest).
State random_viable_state(const JointViability& joint, RandomStream& random) {
  const double low = joint.lower_position(), high = joint.upper_position();
  double share = random.uniform();
  if (random.integer(2) == 0) share = std::pow(10.0, random.uniform(-12.0, -2.0));
  const double q = std::clamp(
      random.integer(2) == 0 ? low + share * (high - low) : high - share * (high - low), low, high);
  double v = random.uniform(joint.lower_velocity(q), joint.upper_velocity(q));
  if (random.integer(4) == 0) v = joint.upper_velocity(q);
  if (random.integer(4) == 0) v = joint.lower_velocity(q);
  return {q, v};
}

enum Policy { kUniform, kUpper, kLower, kBangBang, kSwitching, kLimitHugging, kPolicies };

class Walk {
 public:
  Walk(const NamedLimits& entry, double dt, std::uint64_t seed)
      : entry_(entry), joint_(entry.limits), dt_(dt), random_(seed, entry.name) {
    const double range = joint_.upper_position() - joint_.lower_position();
    // rounding of positions, and the excess that turning round may round to (1e-12 of the range)
    slack_ = 2e-12 * range + 4e-15;
  }

  // One step; false, with a message, when anything at all is outside.
  bool step(State& s, int policy) {
    const JointLimits& limits = entry_.limits;
    const AccelerationBox box = joint_.box(s.q, s.v, dt_);
    if (box.empty || box.outside || !(box.lower <= box.upper))
      return fail(s, box.empty ? "empty box" : "outside");
    if (box.upper > limits.acceleration || box.lower < -limits.acceleration ||
        box.upper < -limits.braking || box.lower > limits.braking)
      return fail(s, "acceleration beyond its bound");
    const double a = choose(box, policy);
    if (peak(s, a, dt_) > joint_.upper_position() + slack_ ||
        -peak({-s.q, -s.v}, -a, dt_) < joint_.lower_position() - slack_)
      return fail(s, "peak between samples beyond the end");
    s = {s.q + (s.v + 0.5 * a * dt_) * dt_, s.v + a * dt_};
    const double v_slack = 1e-12 * limits.velocity;
    if (s.v > joint_.upper_velocity(s.q - slack_) + v_slack ||
        s.v < joint_.lower_velocity(s.q + slack_) - v_slack)
      return fail(s, "velocity not viable");
    if (limits.velocity_curve) {
      const VelocityCurve& curve = *limits.velocity_curve;
      if (s.v > curve.upper_velocity(s.q - slack_, limits.velocity) + v_slack ||
          s.v < curve.lower_velocity(s.q + slack_, limits.velocity) - v_slack)
        return fail(s, "velocity beyond the maker's curve");
    }
    return true;
  }

  void run(State s, int steps) {
    int policy = static_cast<int>(random_.integer(kPolicies));
    for (int i = 0; i < steps; ++i)
      if (!step(s, policy)) return;
  }

  RandomStream& random() { return random_; }
  const JointViability& joint() const { return joint_; }

 private:
  double choose(const AccelerationBox& box, int policy) {
    switch (policy) {
      case kUpper:
        return box.upper;
      case kLower:
        return box.lower;
      case kBangBang:
        return random_.integer(2) == 0 ? box.upper : box.lower;
      case kSwitching:
        if (random_.integer(200) == 0) up_ = !up_;
        return up_ ? box.upper : box.lower;
      case kLimitHugging: {
        // at an end, with small random departures from it
        if (random_.integer(2000) == 0) up_ = !up_;
        const double share = random_.integer(5) == 0 ? random_.uniform(0.0, 0.3) : 0.0;
        return up_ ? box.upper + share * (box.lower - box.upper)
                   : box.lower + share * (box.upper - box.lower);
      }
      default:
        return random_.uniform(box.lower, box.upper);
    }
  }
  bool fail(const State& s, const char* what) {
    const JointLimits& l = entry_.limits;
    const VelocityCurve c = l.velocity_curve.value_or(VelocityCurve{});
    ADD_FAILURE() << fmt::format(
        "{}: {} at q {:.17g} v {:.17g} dt {}, ends {:.17g} {:.17g}, seed {}; limits {} {} v {} a "
        "{} "
        "braking {}, curve {} {} {} {}",
        entry_.name, what, s.q, s.v, dt_, joint_.lower_position(), joint_.upper_position(),
        kViabilitySeed, l.lower, l.upper, l.velocity, l.acceleration, l.braking, c.offset, c.gain,
        c.lower, c.upper);
    return false;
  }

  const NamedLimits& entry_;
  JointViability joint_;
  double dt_;
  RandomStream random_;
  double slack_ = 0.0;
  bool up_ = true;
};

TEST(ViabilityRun, StaysInsideLimitsUnderAnyReachableCommand) {
  constexpr int kRun = 5000;
  for (const NamedLimits& entry : robots_limits())
    for (const double dt : kPeriods) {
      Walk walk(entry, dt, kViabilitySeed);
      for (int i = 0; i < sized(1000000) / kRun; ++i)
        walk.run(random_viable_state(walk.joint(), walk.random()), kRun);
      if (HasFailure()) return;
    }
}

TEST(ViabilityRun, EveryViableStateOfTheRobotsHasABoxThatKeepsItViable) {
  for (const NamedLimits& entry : robots_limits())
    for (const double dt : kPeriods) {
      Walk walk(entry, dt, kViabilitySeed + 1);
      for (int i = 0; i < sized(1000000); ++i)
        walk.run(random_viable_state(walk.joint(), walk.random()), 1);
      if (HasFailure()) return;
    }
}

TEST(ViabilityRun, StaysInsideRandomLimitsFromRest) {
  RandomStream random(kViabilitySeed, "limits");
  constexpr int kRun = 2500;
  for (int i = 0; i < sized(20000000) / kRun; ++i) {
    const NamedLimits entry{fmt::format("random {}", i), random_limits(random)};
    for (const double dt : kPeriods) {
      Walk walk(entry, dt, kViabilitySeed + 2);
      const State start = random_viable_state(walk.joint(), walk.random());
      walk.run({start.q, 0.0}, kRun);
    }
    if (HasFailure()) return;
  }
}

TEST(ViabilityRun, StaysInsideRandomLimitsFromAnyViableState) {
  RandomStream random(kViabilitySeed, "viable");
  int walked = 0;
  for (int i = 0; i < sized(40000); ++i) {
    const NamedLimits entry{fmt::format("random {}", i), random_limits(random)};
    for (const double dt : kPeriods) {
      Walk walk(entry, dt, kViabilitySeed + 3);
      if (!roomy(walk.joint(), entry.limits, dt)) continue;
      ++walked;
      for (int k = 0; k < 10; ++k) walk.run(random_viable_state(walk.joint(), walk.random()), 10);
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(walked, sized(40000));
}

}  // namespace viability_run_test
}  // namespace handspan
