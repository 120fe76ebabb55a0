#include "bench/outcome.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

namespace handspan {
namespace {

constexpr double kPercentile = 0.99;
constexpr int kPeerWidth = 16;  // "placo kinematics"

Cost cost_of(const Figure& figure, const std::vector<double>& seconds) {
  const double median = quantile(seconds, 0.5), p99 = quantile(seconds, kPercentile);
  if (figure.unit == Figure::Unit::kStepsPerSecond) return {1.0 / median, 1.0 / p99};
  const double scale = figure.unit == Figure::Unit::kPercent ? 100.0 : 1e6;
  return {scale * median, scale * p99};
}

// of few values: between the two in the middle
double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

double median_of(const std::vector<PeerFigure>& runs, double PeerFigure::* member) {
  std::vector<double> values;
  for (const auto& run : runs) values.push_back(run.*member);
  return median_of(std::move(values));
}

std::string number(double x) {
  return x < 1e4 ? fmt::format("{:.3f}", x) : fmt::format("{:.0f}", x);
}

std::string tracking_text(const std::optional<double>& tracking) {
  return tracking ? fmt::format("tracking {:.4f} mm", *tracking) : "";
}

nlohmann::ordered_json or_null(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

bool counts(const PeerOutcome& peer) { return peer.skipped.empty() && !peer.smaller; }

}  // namespace

Outcome outcome_of(const Figure& figure, const Samples& samples) {
  Outcome outcome;
  outcome.ours = cost_of(figure, samples.ours);
  outcome.n = samples.ours.size();
  if (figure.step > 0.0) outcome.real_time = figure.step / quantile(samples.ours, 0.5);
  PeerOutcome peer;
  peer.name = peer.full_name = figure.peer;
  peer.cost = cost_of(figure, samples.peer);
  std::vector<double> ratios(outcome.n);
  std::ranges::transform(samples.ours, samples.peer, ratios.begin(), std::divides<>());
  peer.ratio = quantile(std::move(ratios), 0.5);
  outcome.peers.push_back(std::move(peer));
  return outcome;
}

double measure_loop(const TickLoop& loop, LoopSamples& samples) {
  samples.rivals.resize(loop.rivals.size());
  const bool any = std::ranges::any_of(loop.rivals, &Peer::installed);
  const std::filesystem::path input = any ? loop.input() : "";
  const auto run_rivals = [&] {
    for (std::size_t i = 0; i < loop.rivals.size(); ++i)
      if (loop.rivals[i].installed) samples.rivals[i].push_back(run_peer(loop.rivals[i], input));
  };
  run_rivals();
  const TickSamples ours = loop.ours();
  run_rivals();
  samples.ours.seconds.insert(samples.ours.seconds.end(), ours.seconds.begin(), ours.seconds.end());
  samples.ours.tracking = std::max(samples.ours.tracking, ours.tracking);
  // differences of shares may be negative
  return std::max(0.0, std::accumulate(ours.seconds.begin(), ours.seconds.end(), 0.0));
}

Outcome outcome_of(const Figure& figure, const LoopSamples& samples) {
  assert(samples.rivals.size() == figure.loop.rivals.size());
  Outcome outcome;
  outcome.ours = cost_of(figure, samples.ours.seconds);
  outcome.n = samples.ours.seconds.size();
  if (samples.ours.tracking > 0.0) outcome.tracking = 1e3 * samples.ours.tracking;
  for (std::size_t i = 0; i < samples.rivals.size(); ++i) {
    const Peer& rival = figure.loop.rivals[i];
    const auto& runs = samples.rivals[i];
    PeerOutcome peer;
    peer.name = peer.full_name = rival.name;
    peer.smaller = rival.smaller;
    if (runs.empty()) {
      peer.skipped = "not installed; run tools/setup --peers";
    } else {
      peer.full_name = runs.front().name;
      peer.cost = {median_of(runs, &PeerFigure::median), median_of(runs, &PeerFigure::p99)};
      peer.ratio = outcome.ours.median / peer.cost.median;
      for (const auto& run : runs)
        if (run.tracking) peer.tracking = std::max(*run.tracking, peer.tracking.value_or(0.0));
      peer.overhead = runs.front().overhead;
    }
    outcome.peers.push_back(std::move(peer));
  }
  return outcome;
}

std::string unit_of(const Figure& figure) {
  switch (figure.unit) {
    case Figure::Unit::kMicroseconds:
      return "us";
    case Figure::Unit::kStepsPerSecond:
      return "steps/s";
    case Figure::Unit::kPercent:
      return "%";
  }
  return "";
}

std::string target_of(const Figure& figure) {
  std::vector<std::string> parts;
  if (figure.largest_median > 0.0)
    parts.push_back(fmt::format("median <= {:g} {}", figure.largest_median, unit_of(figure)));
  if (figure.largest_p99 > 0.0)
    parts.push_back(fmt::format("p99 <= {:g} {}", figure.largest_p99, unit_of(figure)));
  if (figure.largest_ratio > 0.0)
    parts.push_back(fmt::format("ratio <= {:.2f}", figure.largest_ratio));
  if (figure.least_real_time > 0.0)
    parts.push_back(fmt::format(">= {:.0f} x real time", figure.least_real_time));
  return fmt::format("{}", fmt::join(parts, ", "));
}

bool meets(const Figure& figure, const Outcome& outcome) {
  std::optional<double> worst;
  for (const auto& peer : outcome.peers) {
    if (!counts(peer)) continue;
    if (figure.largest_ratio > 0.0 && peer.ratio > figure.largest_ratio) return false;
    if (peer.tracking) worst = std::max(*peer.tracking, worst.value_or(0.0));
  }
  if (worst && outcome.tracking && *outcome.tracking > *worst) return false;
  return (figure.largest_median <= 0.0 || outcome.ours.median <= figure.largest_median) &&
         (figure.largest_p99 <= 0.0 || outcome.ours.p99 <= figure.largest_p99) &&
         (figure.least_real_time <= 0.0 || outcome.real_time >= figure.least_real_time);
}

std::string heading(std::size_t name_width) {
  return fmt::format("{:<{}}  {:<7} {:>9} {:>9} {:>6}  {:<{}} {:>9} {:>9}  {:>6} {:>9}  {}\n",
                     "figure", name_width, "unit", "median", "p99", "n", "peer", kPeerWidth,
                     "median", "p99", "ratio", "real time", "target");
}

std::string rows_of(const Figure& figure, const Outcome& outcome, std::size_t name_width) {
  std::string text =
      fmt::format("{:<{}}  {:<7} {:>9} {:>9} {:>6}  ", figure.name, name_width, unit_of(figure),
                  number(outcome.ours.median), number(outcome.ours.p99), outcome.n);
  const std::size_t indent = text.size();
  const std::string wanted = target_of(figure);
  std::vector<std::string> remarks;
  if (!wanted.empty()) remarks.push_back(wanted + (meets(figure, outcome) ? ": met" : ": MISSED"));
  if (outcome.tracking) remarks.push_back(tracking_text(outcome.tracking));
  const std::string remark = fmt::format("{}", fmt::join(remarks, "; "));
  const std::string real_time =
      outcome.real_time > 0.0 ? fmt::format("{:.0f} x", outcome.real_time) : "";
  if (outcome.peers.empty())
    text += fmt::format("{:<{}} {:>9} {:>9}  {:>6} {:>9}  {}\n", "", kPeerWidth, "", "", "",
                        real_time, remark);
  // ours beside the first peer; the others below it
  for (std::size_t i = 0; i < outcome.peers.size(); ++i) {
    const PeerOutcome& peer = outcome.peers[i];
    if (i > 0) text += std::string(indent, ' ');
    const std::string last = i == 0 ? remark : tracking_text(peer.tracking);
    if (!peer.skipped.empty())
      text += fmt::format("{:<{}} skipped: {}{}{}\n", peer.name, kPeerWidth, peer.skipped,
                          last.empty() ? "" : "  ", last);
    else
      text += fmt::format(
          "{:<{}} {:>9} {:>9}  {:>6.3f} {:>9}  {}\n", peer.name, kPeerWidth,
          number(peer.cost.median), number(peer.cost.p99), peer.ratio, i == 0 ? real_time : "",
          i == 0 && peer.tracking ? fmt::format("{} (peer: {:.4f} mm)", last, *peer.tracking)
                                  : last);
  }
  return text;
}

nlohmann::ordered_json report_of(const Figure& figure, const Outcome& outcome) {
  const std::string wanted = target_of(figure);
  nlohmann::ordered_json one = {{"name", figure.name},
                                {"unit", unit_of(figure)},
                                {"median", outcome.ours.median},
                                {"p99", outcome.ours.p99},
                                {"n", outcome.n},
                                {"tracking_mm", or_null(outcome.tracking)}};
  one["peers"] = nlohmann::ordered_json::array();
  for (const auto& peer : outcome.peers) {
    if (!peer.skipped.empty()) {
      one["peers"].push_back({{"name", peer.name}, {"skipped", peer.skipped}});
      continue;
    }
    one["peers"].push_back({{"name", peer.full_name},
                            {"median", peer.cost.median},
                            {"p99", peer.cost.p99},
                            {"ratio", peer.ratio},
                            {"smaller_problem", peer.smaller},
                            {"tracking_mm", or_null(peer.tracking)},
                            {"overhead_us", or_null(peer.overhead)}});
  }
  one["real_time"] = outcome.real_time > 0.0 ? nlohmann::ordered_json(outcome.real_time)
                                             : nlohmann::ordered_json();
  one["target"] = wanted.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(wanted);
  one["met"] =
      wanted.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(meets(figure, outcome));
  return one;
}

}  // namespace handspan
