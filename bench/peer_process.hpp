#pragma once
// Rivals that are programs of their own: they bring Python, other versions of our libraries, or a
// licence (LGPL, of TSID's solver) that handspan does not link.
//
// PROGRAM URDF measures one tick of the two-arm problem below and exits 0; the last line of its
// standard output is a JSON object:
//   "median_us", "p99_us"  over the ticks [us], nearest rank
//   "n"                    number of ticks, without those that warm up
//   "name"                 what was measured, with version and solver
//   "tracking_mm"          optional: farthest that a hand was from its reference [mm]
//   "overhead_us"          optional: part of a tick that is the calling language's [us]
// Other keys are ignored: tsid_tick's "limited_ticks" counts those at which a limit was active.
// A failure is any other exit, with its cause as the last line of standard error.
//
// The two-arm problem, which every rival states in its own terms; its file in bench/peers says what
// it cannot:
//   - two_arms_urdf() of bench/two_arms.hpp: joints left.joint1 to 7 and right.joint1 to 7, hands
//     left.flange and right.flange; both arms start in FR3's pose `ready` at rest
//   - each hand keeps its orientation and follows, in the world's axes, p(t) = p(0) + r (0,
//     cos w t - 1, sin w t) with r = 0.1 m, w = 2 pi 0.5 Hz; its velocity and acceleration are
//     given where the rival takes them
//   - weights: hands 1, joint posture (the start) 1e-5; both critically damped where the rival is
//     of second order, with stiffness 400 and 10 1/s^2
//   - limits as hard constraints: position, velocity and torque of the URDF; acceleration, which
//     has no place there, 10 rad/s^2
//   - 1 ms a tick, the state integrated with the result; 2000 ticks to warm up, then 20 000
//   - timed: from state to result. Not timed: setting references, integrating
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace handspan {

struct Peer {
  std::string name;                  // "TSID"
  std::vector<std::string> command;  // program and arguments; the URDF's path comes last
  bool installed = false;
  bool smaller = false;  // it solves a smaller problem: shown, and no target is measured by it
};

struct PeerFigure {
  std::string name;                // what was measured, in the rival's words
  double median = 0.0, p99 = 0.0;  // of one tick [us]
  long n = 0;                      // ticks
  std::optional<double> tracking;  // farthest of a hand from its reference [mm]
  std::optional<double> overhead;  // part of a tick that is the calling language's [us]
};

/// The rivals in the two-arm problem as `tools/setup --peers` puts them into root/.deps: TSID's
/// inverse dynamics, placo's dynamics, placo's kinematics (velocities only: a smaller problem).
std::vector<Peer> two_arm_peers(const std::filesystem::path& root);

/// Runs the rival, alone and without a shell, and waits.
/// @throws std::runtime_error with rival, cause and hint when it cannot be started, fails, takes
/// longer than `limit`, or prints what the contract above does not say
PeerFigure run_peer(const Peer& peer, const std::filesystem::path& urdf,
                    std::chrono::milliseconds limit = std::chrono::minutes(2));

}  // namespace handspan
