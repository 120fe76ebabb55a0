#pragma once
// A figure: one cost, ours and the peers'. A peer in this process is measured in batches that take
// turns with ours, so that what disturbs one disturbs both; rivals that are programs of their own
// run just before and just after a loop of ours that is measured tick by tick.
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/peer_process.hpp"
#include "core/parts.hpp"

namespace handspan {

/// What is timed. Both run the same work; neither may depend on how often the other ran.
struct Workload {
  std::function<void(int calls)> ours, peer;
  std::function<void()> prepare;  // before each pair of batches, not timed; may be empty
  int calls = 0;                  // a batch; 0: as many as take kBatchTime
};

/// A loop's ticks, one sample each: seconds a tick. Of a figure in percent: shares, one a run.
struct TickSamples {
  std::vector<double> seconds;
  double tracking = 0.0;  // farthest that a hand was from its reference [m]
};

/// A loop of ours beside programs that run the same loop: ours, then theirs by the path of what
/// both are given.
struct TickLoop {
  std::function<TickSamples()> ours;
  std::vector<Peer> rivals;
  std::function<std::filesystem::path()> input;  // the URDF, written when a rival needs it
};

struct Figure {
  enum class Unit { kMicroseconds, kStepsPerSecond, kPercent };
  std::string name;  // "fr3/rnea"
  std::string peer;  // in this process: what it is compared with
  Unit unit = Unit::kMicroseconds;
  double step = 0.0;               // simulated time of one call [s]; 0: nothing is simulated
  double largest_ratio = 0.0;      // target for ours over each peer's; 0: none
  double least_real_time = 0.0;    // target for simulated over real time; 0: none
  double largest_median = 0.0;     // target [us or %]; 0: none
  double largest_p99 = 0.0;        // target [us or %]; 0: none
  std::function<Workload()> make;  // builds the workload, once, when it is needed; or
  TickLoop loop = {};              // a loop, when its `ours` is set
};

/// Time that a batch of calls is to take [s]: long against the clock's resolution, short against a
/// scheduler's slice.
inline constexpr double kBatchTime = 1e-4;

/// The layer's own cost over calling Pinocchio and MuJoCo directly.
inline constexpr double kLargestLayer = 1.05;

/// The sample that a share of the samples does not exceed (nearest rank). @param samples not empty.
/// @param share in (0, 1]
double quantile(std::vector<double> samples, double share);

/// One sample a batch: seconds a call.
struct Samples {
  std::vector<double> ours, peer;
};

/// Times one batch of each and appends to samples; who is first alternates.
/// @return time taken by both [s]
double measure_pair(const Workload& workload, int calls, Samples& samples);

/// Calls that take kBatchTime, at least one.
int fitted_calls(const Workload& workload);

// What there is to measure. Explicit functions: a linker drops self-registering objects of static
// libraries. What apps are made of outlives the figures.
std::vector<Figure> dynamics_figures(const std::filesystem::path& root);
std::vector<Figure> distance_figures(const std::filesystem::path& root);
std::vector<Figure> mesh_figures();
std::vector<Figure> contact_figures();
std::vector<Figure> learn_figures();
std::vector<Figure> plant_figures(const std::filesystem::path& root);
std::vector<Figure> control_figures(const std::filesystem::path& root);
std::vector<Figure> session_figures(const std::filesystem::path& root, const Parts& parts);
std::vector<Figure> teleop_figures(const std::filesystem::path& root, const Parts& parts);
std::vector<Figure> study_figures(const std::filesystem::path& root, const Parts& parts);
std::vector<Figure> station_figures(const std::filesystem::path& root, const Parts& parts);

}  // namespace handspan
