// The rigid impact map of two arms and a box, with a point and with the corners of a pad on each
// side; and what watching two plates for impacts costs a tick.
#include <benchmark/benchmark.h>

#include <Eigen/LU>
#include <chrono>
#include <stdexcept>

#include "bench/figure.hpp"
#include "contact/impact_detector.hpp"
#include "contact/impact_map.hpp"
#include "contact/impact_phase.hpp"
#include "core/random.hpp"
#include "math/so3.hpp"

namespace handspan {
namespace {

using ContactClock = std::chrono::steady_clock;
using Eigen::Vector3d;

constexpr double kMapTarget = 30.0, kWatchTarget = 2.0;  // [us]
constexpr int kMaps = 400, kWatchTicks = 20000;

double elapsed(ContactClock::time_point start) {
  return std::chrono::duration<double>(ContactClock::now() - start).count();
}

// Arms of seven joints whose plates close on the box with 0.2 to 0.4 m/s, slide and turn a little.
ImpactProblem closing_arms(std::uint64_t seed, int corners) {
  RandomStream random(seed, "impact map bench");
  ImpactProblem problem;
  problem.box.box = uniform_box({0.3, 0.27, 0.2}, 0.56);
  problem.arm_count = 2;
  for (std::size_t side = 0; side < 2; ++side) {
    Eigen::Matrix<double, 7, 7> root;
    for (double& x : root.reshaped()) x = random.normal(0.0, 0.4);
    Eigen::Matrix<double, 6, 7> J;
    for (double& x : J.reshaped()) x = random.normal(0.0, 0.5);
    const double out = side == 0 ? -1.0 : 1.0;
    const Vector3d n(0, -out, 0);
    Vector6d V;
    V << random.uniform(0.2, 0.4) * n + 0.05 * random.direction(), 0.05 * random.direction();
    ImpactArm& arm = problem.arms[side];
    arm.M = root * root.transpose() + 0.1 * Eigen::Matrix<double, 7, 7>::Identity();
    arm.v = J.transpose() * (J * J.transpose()).inverse() * V;
    for (int k = 0; k < corners; ++k) {
      const Vector3d corner(k % 2 == 0 ? 0.03 : -0.03, 0.0, k < 2 ? 0.03 : -0.03);
      const Vector3d off = corners == 1 ? Vector3d(Vector3d::Zero()) : corner;
      ImpactContact& c = problem.contacts[static_cast<std::size_t>(problem.contact_count++)];
      c.arm = static_cast<int>(side);
      c.p_W = Vector3d(0, 0.135 * out, 0) + off;
      c.n_W = n;
      c.friction = 1.0;
      c.J = J.topRows<3>() - skew(off) * J.bottomRows<3>();
    }
  }
  check_impact(problem);
  return problem;
}

TickSamples map_samples(int corners) {
  ImpactMap map;
  ImpactResult result;
  TickSamples samples;
  for (int i = 0; i < kMaps; ++i) {
    const ImpactProblem problem = closing_arms(static_cast<std::uint64_t>(i), corners);
    const auto start = ContactClock::now();
    map.solve(problem, result);
    samples.seconds.push_back(elapsed(start));
    if (result.status == ImpactStatus::kSingular)
      throw std::runtime_error("an impact of two arms is singular");
  }
  return samples;
}

// two detectors and the phase of a grab that hits after a second
TickSamples watch_ticks() {
  std::array<ImpactDetector, 2> detectors = {ImpactDetector(ImpactDetectorOptions{}),
                                             ImpactDetector(ImpactDetectorOptions{})};
  ImpactPhase phase(ImpactPhaseOptions{});
  RandomStream random(1, "watch bench");
  std::array<PlateSample, 2> plates;
  TickSamples samples;
  for (int tick = 0; tick < kWatchTicks; ++tick) {
    std::array<ImpactSample, 2> forces;
    for (ImpactSample& force : forces) {
      force.time = 1e-3 * tick;
      force.force_E = Vector3d(random.normal(), random.normal(), tick > 1000 ? -20.0 : 0.0);
    }
    const auto start = ContactClock::now();
    for (std::size_t i = 0; i < 2; ++i) {
      const ImpactReading& reading = detectors[i].update(forces[i]);
      plates[i].impact = reading.impact;
      plates[i].impact_time = reading.impact_time;
    }
    phase.update(forces[0].time, plates);
    samples.seconds.push_back(elapsed(start));
  }
  if (phase.reading().stage == ImpactStage::kFree) throw std::runtime_error("no impact was found");
  return samples;
}

Figure contact_figure(const char* name, double target, std::function<TickSamples()> ours) {
  Figure f;
  f.name = name;
  f.largest_median = target;
  f.loop.ours = std::move(ours);
  return f;
}

}  // namespace

std::vector<Figure> contact_figures() {
  return {contact_figure("contact/impact_map", kMapTarget, [] { return map_samples(1); }),
          contact_figure("contact/impact_map_faces", 0.0, [] { return map_samples(4); }),
          contact_figure("contact/impact_detector", kWatchTarget, watch_ticks)};
}

}  // namespace handspan
