// Learning a movement of two hands from 20 demonstrations of 4 s at 1 kHz, with where the box
// stood, and asking it for a tick's poses and covariances.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <stdexcept>

#include "bench/figure.hpp"
#include "core/random.hpp"
#include "learn/promp_condition.hpp"

namespace handspan {
namespace {

using LearnClock = std::chrono::steady_clock;

constexpr double kLearnTarget = 50e3;  // [us]
constexpr int kDemonstrations = 20, kLearnRuns = 15, kAsked = 5000;
constexpr int kHandDimensions = 12, kSamples = 4000;

std::vector<PrompDemonstration> two_hands() {
  RandomStream random(1, "learn bench");
  std::vector<PrompDemonstration> all;
  for (int i = 0; i < kDemonstrations; ++i) {
    PrompDemonstration d;
    d.name = std::to_string(i);
    d.context = Eigen::Vector3d(random.normal(), random.normal(), random.normal());
    d.positions.resize(kSamples, kHandDimensions);
    Eigen::VectorXd scale(kHandDimensions);
    for (double& x : scale) x = random.normal(1.0, 0.1);
    for (int k = 0; k < kSamples; ++k) {
      d.times.push_back(1e-3 * k);
      for (int j = 0; j < kHandDimensions; ++j)
        d.positions(k, j) = scale[j] * std::sin(1e-3 * k + j);
    }
    all.push_back(std::move(d));
  }
  return all;
}

double took(LearnClock::time_point start) {
  return std::chrono::duration<double>(LearnClock::now() - start).count();
}

TickSamples learn_samples() {
  const auto demonstrations = two_hands();
  TickSamples samples;
  for (int i = 0; i < kLearnRuns; ++i) {
    const auto start = LearnClock::now();
    const Promp promp = learn_promp(demonstrations);
    samples.seconds.push_back(took(start));
    if (!promp.mean.allFinite()) throw std::runtime_error("a movement that is not finite");
  }
  return samples;
}

TickSamples ask_samples() {
  const Promp promp = learn_promp(two_hands());
  PrompState state(promp);
  TickSamples samples;
  for (int i = 0; i < kAsked; ++i) {
    const auto start = LearnClock::now();
    promp_at(promp, static_cast<double>(i) / kAsked, promp.duration, state);
    samples.seconds.push_back(took(start));
    benchmark::DoNotOptimize(state.position.data());
  }
  return samples;
}

}  // namespace

std::vector<Figure> learn_figures() {
  Figure learn;
  learn.name = "learn/promp_20";
  learn.largest_median = kLearnTarget;
  learn.loop.ours = learn_samples;
  Figure ask;
  ask.name = "learn/promp_at";
  ask.loop.ours = ask_samples;
  return {learn, ask};
}

}  // namespace handspan
