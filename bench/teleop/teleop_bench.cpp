// What a device's sample costs the tick that takes it, and what following a hand costs a tick.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "bench/figure.hpp"
#include "device/headset.hpp"
#include "session/session.hpp"

namespace handspan {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSampleTarget = 5.0;  // [us] a tick more than without
constexpr int kTeleopTicks = 20000, kPeriod = 10;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// both hands of a person, who draws circles
Input sample_at(std::int64_t tick) {
  static DeviceSample sample("headset", headset_layout());
  const double t = 1e-3 * static_cast<double>(tick);
  for (std::size_t i = 0; i < 2; ++i)
    sample.set_pose(i, TrackedAs::kController,
                    {0.1 * std::sin(t), 1.0 + 0.1 * std::cos(t), -0.3 + 0.01 * std::sin(3.0 * t)},
                    Eigen::Quaterniond::Identity());
  sample.set_stamp(tick * 1'000'000);
  return sample.input();
}

// two FR3 follow; of the ticks that take a sample, what they cost more than the others' median
TickSamples sample_ticks(const std::filesystem::path& root, const Parts& parts) {
  const App app = load_app(root / "apps/follow.yaml", parts);
  Session session(app);
  Mailbox& box = session.mailbox("headset");
  std::vector<double> with, without;
  for (int i = 0; i < kTeleopTicks; ++i) {
    const bool takes = i % kPeriod == 0;
    if (takes) box.post(sample_at(i));
    const auto start = Clock::now();
    session.tick();
    (takes ? with : without).push_back(seconds_since(start));
  }
  for (const ReferenceIndex r : session.arbiter().references())
    if (session.arbiter().reference(r).kind() == kPoseKind && session.arbiter().holding(r))
      throw std::runtime_error("nobody is followed");
  const auto middle = without.begin() + static_cast<std::ptrdiff_t>(without.size() / 2);
  std::nth_element(without.begin(), middle, without.end());
  TickSamples samples;
  for (const double t : with) samples.seconds.push_back(t - *middle);
  return samples;
}

// from mailbox to references: what the arms' controller waits for
TickSamples reference_ticks(const std::filesystem::path& root, const Parts& parts) {
  const App app = load_app(root / "apps/follow.yaml", parts);
  Session session(app);
  Mailbox& box = session.mailbox("headset");
  for (int i = 0; i < 100; ++i) {
    box.post(sample_at(i));
    session.tick();
  }
  TickSamples samples;
  const Observation& observation = session.plant().read();
  for (std::int64_t i = 100; i < kTeleopTicks; ++i) {
    const Moment moment{i, i * 1'000'000, 1e-3, &observation};
    const auto start = Clock::now();
    session.arbiter().update(moment);
    samples.seconds.push_back(seconds_since(start));
  }
  return samples;
}

}  // namespace

std::vector<Figure> teleop_figures(const std::filesystem::path& root, const Parts& parts) {
  const auto figure = [](const char* name, std::function<TickSamples()> ours) {
    Figure f;
    f.name = name;
    f.largest_median = kSampleTarget;
    f.loop.ours = std::move(ours);
    return f;
  };
  return {figure("teleop/sample", [root, &parts] { return sample_ticks(root, parts); }),
          figure("teleop/references", [root, &parts] { return reference_ticks(root, parts); })};
}

}  // namespace handspan
