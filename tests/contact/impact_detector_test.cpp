// Impacts found in signals that are known: how late, and how often where there is none.
#include "contact/impact_detector.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"
#include "math/so3.hpp"
#include "support/alloc.hpp"
#include "support/message_of.hpp"
#include "support/sized.hpp"

namespace handspan {
namespace impact_detector_test {

using Eigen::Vector3d;

constexpr double kTick = 0.001;
constexpr double kSigma = 0.5;  // [N]

// A plate of 0.3 kg that comes with 0.2 m/s onto a pad of 3e4 N/m: 6 N more each millisecond
constexpr double kRate = 6000.0;  // [N/s]

Vector3d noise(RandomStream& random) {
  Vector3d out;
  for (double& x : out) x = random.normal(0.0, kSigma);
  return out;
}

ImpactSample sample_at(double time, double press) {
  ImpactSample s;
  s.time = time;
  s.force_E = Vector3d(0, 0, -press);
  s.observed_E = s.force_E;
  return s;
}

TEST(ImpactDetector, FindsTheFirstTickAboveTheThreshold) {
  for (const int confirm : {1, 3}) {
    SCOPED_TRACE(confirm);
    ImpactDetectorOptions options;
    options.confirm = confirm;
    ImpactDetector detector(options);
    int impacts = 0;
    for (int tick = 0; tick < 200; ++tick) {
      const double time = kTick * tick;
      const auto& reading = detector.update(sample_at(time, std::max(0.0, kRate * (time - 0.1))));
      impacts += reading.impact;
      if (reading.impact) {
        EXPECT_EQ(tick, 101 + confirm - 1);
        EXPECT_NEAR(reading.impact_time, 0.101, 1e-12);
      }
      EXPECT_EQ(reading.touching, tick >= 101 + confirm - 1);
      EXPECT_EQ(reading.source, ForceSource::kSensor);
    }
    EXPECT_EQ(impacts, 1);
  }
}

TEST(ImpactDetector, ComesAgainWhenItWasQuiet) {
  ImpactDetector detector(ImpactDetectorOptions{});
  std::vector<double> impacts;
  for (int tick = 0; tick < 2000; ++tick) {
    const double time = kTick * tick;
    // a bounce of 50 ms that is the same impact, then 300 ms without force
    const bool press = (tick > 100 && tick < 400) || (tick > 450 && tick < 700) || tick > 1000;
    if (detector.update(sample_at(time, press ? 20.0 : 0.0)).impact) impacts.push_back(time);
  }
  ASSERT_EQ(impacts.size(), 2U);
  EXPECT_NEAR(impacts[0], 0.101, 1e-9);
  EXPECT_NEAR(impacts[1], 1.001, 1e-9);
}

TEST(ImpactDetector, PullsAndSidesDoNotPress) {
  ImpactDetectorOptions options;
  ImpactDetector detector(options);
  ImpactSample s;
  s.force_E = Vector3d(30, 0, 20);  // sideways, and away from the plate
  EXPECT_FALSE(detector.update(s).impact);
  options.any_direction = true;
  ImpactDetector any(options);
  EXPECT_TRUE(any.update(s).impact);
  EXPECT_NEAR(any.reading().force, std::hypot(30.0, 20.0), 1e-12);
}

TEST(ImpactDetector, TaresAndTakesInertiaOut) {
  RandomStream random(1, "tare");
  const Vector3d offset(4.0, -7.0, -25.0), gravity(0, 0, -9.81);
  constexpr double kPad = 0.3;  // [kg]
  ImpactDetector detector(ImpactDetectorOptions{});
  detector.tare();
  int impacts = 0;
  for (int tick = 0; tick < 2000; ++tick) {
    ImpactSample s;
    s.time = kTick * tick;
    // the wrist turns and shakes: 2 m/s^2
    const Eigen::Matrix3d R_EW = exp_so3(Vector3d(0.5 * std::sin(3.0 * s.time), s.time, 0));
    const Vector3d a_W(2.0 * std::sin(20.0 * s.time), 0, 2.0 * std::cos(17.0 * s.time));
    s.inertia_E = R_EW * (kPad * (gravity - a_W));
    s.force_E = offset + s.inertia_E + noise(random);
    s.observed_E.setConstant(NAN);
    impacts += detector.update(s).impact;
    EXPECT_EQ(detector.reading().taring, tick < 100);
  }
  EXPECT_EQ(impacts, 0);
  // the mean of 101 samples
  EXPECT_LT((detector.zero_E() - offset).norm(), 4.0 * kSigma / std::sqrt(101.0));
  ImpactSample hit;
  hit.time = 2.0;
  hit.force_E = offset - Vector3d(0, 0, 6.0);
  EXPECT_TRUE(detector.update(hit).impact);
}

// Noise alone for long, at each threshold: as often as its tail says. And a hit: how late.
struct Outcome {
  double false_alarms = 0.0;       // [1/s]
  double mean = 0.0, worst = 0.0;  // delay after the contact [s]
};

Outcome outcome(double threshold, int confirm, int seconds, int hits) {
  ImpactDetectorOptions options;
  options.threshold = threshold;
  options.release = 0.5 * threshold;
  options.quiet = kTick;  // ready again at once, so that each tick counts
  options.confirm = confirm;
  Outcome out;
  RandomStream random(11, "false alarms");
  ImpactDetector idle(options);
  int alarms = 0;
  for (int tick = 0; tick < 1000 * seconds; ++tick) {
    ImpactSample s = sample_at(kTick * tick, 0.0);
    s.force_E += noise(random);
    alarms += idle.update(s).impact;
  }
  out.false_alarms = static_cast<double>(alarms) / seconds;
  for (int hit = 0; hit < hits; ++hit) {
    RandomStream own(static_cast<std::uint64_t>(hit), "hit");
    ImpactDetector detector(options);
    // at any moment within a tick
    const double contact = 0.01 + kTick * own.uniform();
    for (int tick = 0; tick < 60; ++tick) {
      const double time = kTick * tick;
      ImpactSample s = sample_at(time, kRate * std::max(0.0, time - contact));
      s.force_E += noise(own);
      // an alarm before it is a false one, and counted above
      if (!detector.update(s).impact || time < contact) continue;
      out.mean += (time - contact) / hits;
      out.worst = std::max(out.worst, time - contact);
      break;
    }
  }
  return out;
}

TEST(ImpactDetector, DelayAndFalseAlarmsByThreshold) {
  const int seconds = std::max(60, test::sized(2000)), hits = std::max(500, test::sized(20000));
  std::printf("| threshold | confirm | false alarms | expected | delay: mean | worst |\n");
  std::vector<Outcome> ones;
  for (const auto& [threshold, confirm] : std::vector<std::pair<double, int>>{{1.0, 1},
                                                                              {1.5, 1},
                                                                              {2.0, 1},
                                                                              {3.0, 1},
                                                                              {5.0, 1},
                                                                              {10.0, 1},
                                                                              {1.0, 3},
                                                                              {1.5, 2},
                                                                              {2.0, 2}}) {
    SCOPED_TRACE(threshold);
    const Outcome found = outcome(threshold, confirm, seconds, hits);
    const double expected = false_alarm_rate(threshold, kSigma, confirm, 1.0 / kTick);
    std::printf("| %.1f N | %d | %.3g /s | %.2g /s | %.2f ms | %.2f ms |\n", threshold, confirm,
                found.false_alarms, expected, 1e3 * found.mean, 1e3 * found.worst);
    // blind for some ticks after each alarm: fewer than expected where there are many
    const double spread = 5.0 * std::sqrt(expected / seconds) + 1e-12;
    EXPECT_LE(found.false_alarms, expected + spread);
    EXPECT_GE(found.false_alarms, 0.8 * expected - spread);
    // the force needs threshold / rate; noise of 0.5 N is less than a tick's 6 N
    EXPECT_LE(found.mean, threshold / kRate + (confirm - 1 + 1) * kTick);
    EXPECT_LE(found.worst, threshold / kRate + (confirm + 1) * kTick);
    if (confirm == 1) ones.push_back(found);
  }
  for (std::size_t i = 1; i < ones.size(); ++i) {
    EXPECT_LE(ones[i].false_alarms, ones[i - 1].false_alarms);
    EXPECT_GE(ones[i].mean, ones[i - 1].mean);
  }
}

TEST(ImpactDetector, WithoutNoiseIsAtMostTwoTicksLate) {
  for (const double rate : {2000.0, 6000.0, 50000.0})
    for (double contact = 0.01; contact < 0.011; contact += 0.0001) {
      ImpactDetector detector(ImpactDetectorOptions{});
      int tick = 0;
      while (!detector.update(sample_at(kTick * tick, rate * std::max(0.0, kTick * tick - contact)))
                  .impact)
        ++tick;
      // 3 N at 2 N a millisecond take 1.5 of them
      EXPECT_LE(kTick * tick - contact, 3.0 / rate + kTick + 1e-12);
      if (rate >= 6000.0) {
        EXPECT_LE(kTick * tick - contact, 2.0 * kTick);
      }
    }
}

TEST(ImpactDetector, FallsToTheObserverWhenTheSensorIsLost) {
  ImpactDetector detector(ImpactDetectorOptions{});
  double found = NAN;
  for (int tick = 0; tick < 400; ++tick) {
    const double time = kTick * tick;
    ImpactSample s = sample_at(time, 0.0);
    // the sensor says nothing from 50 ms to 250 ms; the observer follows as a filter of 10 ms
    const double press = time > 0.1 ? 40.0 * (1.0 - std::exp(-(time - 0.1) / 0.01)) : 0.0;
    s.observed_E = Vector3d(0, 0, -press);
    s.force_E = tick >= 50 && tick < 250 ? Vector3d(0, NAN, 0) : Vector3d(0, 0, -press);
    const auto& reading = detector.update(s);
    if (reading.impact) found = time;
    const bool lost = tick >= 50 && tick < 350;  // and 100 ms of good samples until it counts
    EXPECT_EQ(reading.sensor_lost, lost) << tick;
    EXPECT_EQ(reading.source, lost ? ForceSource::kObserver : ForceSource::kSensor) << tick;
  }
  // 10 N of 40 N are there after 10 ms ln(4/3) = 2.9 ms
  EXPECT_NEAR(found, 0.103, 1e-9);
}

TEST(ImpactDetector, KnowsNothingWithoutBoth) {
  ImpactDetector detector(ImpactDetectorOptions{});
  ImpactSample s;
  s.force_E.setConstant(NAN);
  s.observed_E.setConstant(NAN);
  EXPECT_EQ(detector.update(s).source, ForceSource::kNone);
  EXPECT_FALSE(detector.reading().impact);
  EXPECT_FALSE(detector.reading().touching);
  // what was touched stays so while nothing is known
  ImpactDetector other(ImpactDetectorOptions{});
  other.update(sample_at(0.0, 20.0));
  for (int tick = 1; tick < 500; ++tick) {
    s.time = kTick * tick;
    EXPECT_TRUE(other.update(s).touching);
  }
}

TEST(ImpactDetector, TheObserverWatchesWhileTheSensorIsTared) {
  ImpactDetector detector(ImpactDetectorOptions{});
  detector.tare();
  EXPECT_FALSE(detector.update(sample_at(0.0, 5.0)).impact);  // below the observer's threshold
  EXPECT_EQ(detector.reading().source, ForceSource::kObserver);
  EXPECT_TRUE(detector.update(sample_at(0.001, 20.0)).impact);
}

TEST(ImpactDetector, ASnapshotGoesOnToTheBit) {
  RandomStream random(5, "snapshot");
  ImpactDetector one(ImpactDetectorOptions{});
  one.tare();
  std::vector<ImpactSample> samples;
  for (int tick = 0; tick < 600; ++tick) {
    ImpactSample s = sample_at(kTick * tick, tick > 300 && tick < 420 ? 5.0 : 0.0);
    s.force_E += noise(random);
    if (tick > 350 && tick < 380) s.force_E[0] = NAN;
    samples.push_back(s);
  }
  for (const std::size_t cut : {50U, 305U, 360U, 430U, 500U}) {
    ImpactDetector first(ImpactDetectorOptions{}), second(ImpactDetectorOptions{});
    first.tare();
    for (std::size_t i = 0; i < cut; ++i) first.update(samples[i]);
    std::vector<std::byte> bytes;
    StateArchive save(bytes);
    first.state(save);
    StateArchive load{std::span<const std::byte>(bytes)};
    second.state(load);
    load.finish();
    for (std::size_t i = cut; i < samples.size(); ++i) {
      const ImpactReading &a = first.update(samples[i]), &b = second.update(samples[i]);
      EXPECT_EQ(a.impact, b.impact);
      EXPECT_EQ(a.impact_time, b.impact_time);
      EXPECT_EQ(a.touching, b.touching);
      EXPECT_EQ(a.force, b.force);
      EXPECT_EQ(a.source, b.source);
    }
  }
}

TEST(ImpactDetector, AllocatesNothing) {
  ImpactDetector detector(ImpactDetectorOptions{});
  const test::AllocationCount count;
  for (int tick = 0; tick < 300; ++tick)
    detector.update(sample_at(kTick * tick, tick > 100 ? 10.0 : 0.0));
  EXPECT_EQ(count.count(), 0U);
}

template <class F>
std::string refusal(F&& change) {
  ImpactDetectorOptions options;
  change(options);
  return test::message_of([&] { ImpactDetector{options}; });
}

TEST(ImpactDetector, OptionsAreChecked) {
  EXPECT_EQ(refusal([](auto& o) { o.threshold = 0.0; }),
            "threshold of the impact detector is 0 N; it must be > 0");
  EXPECT_EQ(refusal([](auto& o) { o.observer_threshold = NAN; }),
            "observer_threshold of the impact detector is nan N; it must be > 0");
  EXPECT_EQ(refusal([](auto& o) { o.release = 4.0; }),
            "release of the impact detector is 4 N; it must be below threshold, 3 N, and "
            "observer_threshold, 10 N");
  EXPECT_EQ(refusal([](auto& o) { o.quiet = -1.0; }),
            "quiet of the impact detector is -1 s; it must be > 0");
  EXPECT_EQ(refusal([](auto& o) { o.tare_time = 0.0; }),
            "tare_time of the impact detector is 0 s; it must be > 0");
  EXPECT_EQ(refusal([](auto& o) { o.recover = HUGE_VAL; }),
            "recover of the impact detector is inf s; it must be > 0");
  EXPECT_EQ(refusal([](auto& o) { o.confirm = 0; }),
            "confirm of the impact detector is 0; it must be 1 to 100 ticks");
}

}  // namespace impact_detector_test
}  // namespace handspan
