#pragma once
// What a figure came to: ours and each peer's, whether its targets are met, and both as a row of
// the table and as an object of the report.
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/figure.hpp"

namespace handspan {

/// In the figure's unit.
struct Cost {
  double median = 0.0, p99 = 0.0;
};

struct PeerOutcome {
  std::string name;       // "TSID"
  std::string full_name;  // with version and solver
  Cost cost;
  double ratio = 0.0;              // cost of ours over the peer's
  std::optional<double> tracking;  // farthest of a hand from its reference [mm]
  std::optional<double> overhead;  // part of a tick that is the calling language's [us]
  bool smaller = false;            // it solves a smaller problem
  std::string skipped;             // why it was not measured; empty: it was
};

struct Outcome {
  Cost ours;
  std::size_t n = 0;               // samples of ours
  double real_time = 0.0;          // 0: nothing is simulated
  std::optional<double> tracking;  // as a peer's
  std::vector<PeerOutcome> peers;
};

/// Of batches in this process. @param samples not empty
Outcome outcome_of(const Figure& figure, const Samples& samples);

/// What was measured of a loop: ticks of ours, and runs of each rival, none when it is not
/// installed.
struct LoopSamples {
  TickSamples ours;
  std::vector<std::vector<PeerFigure>> rivals;
};

/// Runs every rival that is installed, then ours, then the rivals again, and appends to samples.
/// @return time of ours [s]  @throws what ours throws, and std::runtime_error of a rival that fails
double measure_loop(const TickLoop& loop, LoopSamples& samples);

/// Of a loop; a rival's cost is the median of its runs'. @param samples not empty
Outcome outcome_of(const Figure& figure, const LoopSamples& samples);

/// "us", "steps/s" or "%".
std::string unit_of(const Figure& figure);
/// In words; empty when there is none.
std::string target_of(const Figure& figure);
/// Whether every target holds: costs, ratios to the peers that were measured, and, where peers tell
/// their tracking, that ours is no worse than the worst of them. Peers of a smaller problem do not
/// count.
bool meets(const Figure& figure, const Outcome& outcome);

/// The table's heading, and a figure's rows: one a peer. @param name_width of the first column
std::string heading(std::size_t name_width);
std::string rows_of(const Figure& figure, const Outcome& outcome, std::size_t name_width);

/// As run_benchmarks() documents it.
nlohmann::ordered_json report_of(const Figure& figure, const Outcome& outcome);

}  // namespace handspan
