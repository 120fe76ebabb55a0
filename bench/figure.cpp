#include "bench/figure.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>

namespace handspan {
namespace {

double timed(const std::function<void(int)>& run, int calls) {
  const auto begin = std::chrono::steady_clock::now();
  run(calls);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

double quantile(std::vector<double> samples, double share) {
  assert(!samples.empty() && share > 0.0 && share <= 1.0);
  const auto rank =
      static_cast<std::ptrdiff_t>(std::ceil(share * static_cast<double>(samples.size()))) - 1;
  std::ranges::nth_element(samples, samples.begin() + rank);
  return samples[static_cast<std::size_t>(rank)];
}

double measure_pair(const Workload& workload, int calls, Samples& samples) {
  if (workload.prepare) workload.prepare();
  const bool ours_first = samples.ours.size() % 2 == 0;
  double ours = 0.0, peer = 0.0;
  if (ours_first) ours = timed(workload.ours, calls);
  peer = timed(workload.peer, calls);
  if (!ours_first) ours = timed(workload.ours, calls);
  samples.ours.push_back(ours / calls);
  samples.peer.push_back(peer / calls);
  return ours + peer;
}

int fitted_calls(const Workload& workload) {
  if (workload.calls > 0) return workload.calls;
  constexpr int kMost = 1 << 20;
  for (int calls = 1; calls < kMost; calls *= 2) {
    const double time = timed(workload.ours, calls);
    // long enough to extrapolate from
    if (time > 0.5 * kBatchTime)
      return std::max(1, static_cast<int>(std::lround(calls * kBatchTime / time)));
  }
  return kMost;
}

}  // namespace handspan
