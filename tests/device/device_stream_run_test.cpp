// Streams of samples as no device should send them, through state, clutch, hand and reference: 10^7
// samples in the long run. Whatever comes, the reference keeps its limits, a broken stream is not
// followed on, and nothing that is not finite gets through.
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "core/config.hpp"
#include "core/random.hpp"
#include "device/device_parts.hpp"
#include "device/devices.hpp"
#include "device/headset.hpp"
#include "math/so3.hpp"
#include "reference/pose_follower.hpp"
#include "support/alloc.hpp"
#include "support/parts.hpp"
#include "support/sized.hpp"
#include "teleop/hand.hpp"

namespace handspan {
namespace device_stream_run_test {

// numbers at which code breaks
double odd_number(RandomStream& random) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const double numbers[] = {kNan,
                            std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::max(),
                            std::numeric_limits<double>::denorm_min(),
                            -0.0,
                            1e-300,
                            1e6,
                            -1.0,
                            4.0};
  return numbers[random.integer(std::size(numbers))];
}

class Stream {
 public:
  explicit Stream(std::uint64_t seed) : random_(seed, "stream") {}

  /// The next sample and the time that passes before it [ns].
  Nanoseconds next(DeviceSample& sample, Input& input) {
    Nanoseconds gap = 11'000'000 + static_cast<Nanoseconds>(random_.uniform(-5e6, 5e6));
    p_ += random_.direction() * random_.uniform(0.0, 0.02);
    if (p_.norm() > 2.0) p_ *= 0.5;
    q_ = (exp_quaternion(random_.direction() * random_.uniform(0.0, 0.1)) * q_).normalized();
    const bool away = random_.uniform() < 0.01;
    if (random_.uniform() < 0.02) as_ = static_cast<TrackedAs>(random_.integer(5));
    if (random_.uniform() < 0.05) as_ = TrackedAs::kController;
    for (std::size_t i = 0; i < 3; ++i)
      sample.set_pose(i, away ? TrackedAs::kNone : as_, p_, flip_ ? minus(q_) : q_);
    if (random_.uniform() < 0.1) pressed_ = !pressed_;
    for (std::size_t a = 0; a < headset_layout().axes.size(); ++a)
      sample.set_axis(a, pressed_ ? 1.0 : 0.0);
    for (std::size_t b = 0; b < headset_layout().buttons.size(); ++b)
      sample.set_button(b, pressed_);
    stamp_ += gap;
    const double what = random_.uniform();
    if (what < 0.01)
      p_ += random_.direction();  // the next one has jumped
    else if (what < 0.02)
      flip_ = !flip_;
    else if (what < 0.025)
      stamp_ -= static_cast<Nanoseconds>(random_.uniform(0.0, 2e9));
    else if (what < 0.03)
      stamp_ += static_cast<Nanoseconds>(random_.uniform(0.0, 1e15));
    else if (what < 0.035)
      gap += static_cast<Nanoseconds>(random_.uniform(0.0, 4e8));
    sample.set_stamp(stamp_);
    sample.set_operator(random_.uniform() < 0.002 ? "bob" : "ann");
    input = sample.input();
    if (random_.uniform() < 0.02) input.numbers[random_.integer(input.count)] = odd_number(random_);
    if (random_.uniform() < 0.002)
      for (std::size_t i = 0; i < 8; ++i) input.numbers[i] = odd_number(random_);
    if (random_.uniform() < 0.002)
      input.count = static_cast<std::uint32_t>(random_.integer(kMostInputNumbers + 1));
    return gap;
  }
  RandomStream& random() { return random_; }

 private:
  static Eigen::Quaterniond minus(const Eigen::Quaterniond& q) {
    return {-q.w(), -q.x(), -q.y(), -q.z()};
  }

  RandomStream random_;
  Eigen::Vector3d p_ = Eigen::Vector3d::Zero();
  Eigen::Quaterniond q_ = Eigen::Quaterniond::Identity();
  TrackedAs as_ = TrackedAs::kController;
  Nanoseconds stamp_ = 7 * kSecond;
  bool flip_ = false, pressed_ = false;
};

TEST(DeviceStreamRun, WhateverComesTheReferenceStaysLegal) {
  const PoseReferenceLimits limits;
  constexpr double kDt = 1e-3;
  constexpr int kRuns = 20;
  const int samples = test::sized(10'000'000) / kRuns;
  std::uint64_t followed = 0, closed = 0;
  for (int run = 0; run < kRuns; ++run) {
    Devices set;
    set.add("headset",
            parse_yaml(std::string("driver: {type: headset}"), "t.yaml",
                       device_schema(parts_of<register_devices>())),
            0);
    HandConfig config;
    config.device = "headset";
    config.pose = "left";
    if (run % 2 == 0) {
      config.clutch.safety = "left.squeeze";
      config.clutch.motion = "left.primary";
    }
    config.clutch.recloses = run % 4 >= 2;
    config.turn = run % 3 == 0 ? TurnAxes::kBody : TurnAxes::kWorld;
    SourceContext context{"person", 0, &set};
    Hand hand(config, context);
    const DeviceState& state = set.find("headset");
    PoseFollower follower(limits);
    follower.start({});
    Motion wanted, reference;
    Stream stream(static_cast<std::uint64_t>(run));
    DeviceSample sample("headset", headset_layout());
    Input input;
    Nanoseconds now = 0;
    Moment moment{0, 0, kDt, nullptr};
    hand.start(moment, reference);
    bool started = true;
    for (int i = 0; i < samples; ++i) {
      const Nanoseconds arrives = now + stream.next(sample, input);
      const test::AllocationCount count;
      bool here = false;
      for (int ticks = 0; !here; ++ticks) {
        now += 1'000'000;
        // of a long gap the first 150 ms are enough
        if (ticks == 150) now = std::max(now, arrives);
        here = now >= arrives;
        moment = {now / 1'000'000, now, kDt, nullptr};
        if (here) set.receive(moment, input);
        set.update(moment);
        reference.pose = follower.reference();
        const bool was = hand.clutched();
        const auto breaks = state.pose(0).breaks();
        SourceAnswer answer = hand.update(moment, reference, wanted);
        if (answer.status == SourceStatus::kActive && !started) {
          hand.resume(moment, reference);
          answer = hand.update(moment, reference, wanted);
        }
        started = answer.status == SourceStatus::kActive;
        closed += !was && hand.clutched();
        const PoseReference before = follower.reference();
        if (started) {
          ASSERT_TRUE(is_sane(wanted.pose)) << "run " << run << ", sample " << i;
          ASSERT_TRUE(state.pose(0).steady());
          // what is followed was never interrupted since it was clutched in
          if (was) {
            ASSERT_EQ(state.pose(0).breaks(), breaks);
          }
          follower.follow(wanted.pose, kAllAxes, {before.X_WE}, kDt);
          ++followed;
        } else {
          ASSERT_STRNE(answer.reason, "");
          follower.brake(kDt);
        }
        const Vector6d change = follower.reference().V_WE - before.V_WE;
        ASSERT_LE(change.head<3>().norm(), limits.acceleration * kDt * (1.0 + 1e-9));
        ASSERT_LE(change.tail<3>().norm(), limits.angular_acceleration * kDt * (1.0 + 1e-9));
        ASSERT_LE(follower.reference().V_WE.head<3>().norm(), limits.speed * (1.0 + 1e-9));
      }
      ASSERT_EQ(count.count(), 0U);
      // the reference may wander off: back to where a robot would be
      if (follower.reference().X_WE.p.norm() > 100.0) follower.start({});
    }
  }
  // the streams are not so broken that nothing is ever followed
  EXPECT_GT(followed, static_cast<std::uint64_t>(samples));
  EXPECT_GT(closed, static_cast<std::uint64_t>(samples) / 100);
}

}  // namespace device_stream_run_test
}  // namespace handspan
