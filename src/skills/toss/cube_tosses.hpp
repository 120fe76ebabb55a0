#pragma once
// Measured tosses of a cube onto a flat plate, simulated again by the rigid stepping and by MuJoCo:
// how far from what was measured do they come to rest? W is the plate's frame, z up, the plate at
// z = 0; B is the cube's, in its middle along its edges; spatial vectors are linear first.
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contact/rigid_stepping.hpp"

namespace handspan {

/// The cube of a data set; the defaults are those that its notes state for the tosses of
/// ContactNets (Pfrommer, Halm, Posa 2020).
struct TossedCube {
  double edge = 0.1048;                // [m]
  double mass = 0.37;                  // [kg]
  double inertia = 0.81e-3;            // about any axis through its middle [kg m^2]
  double gravity = 9.81;               // [m/s^2]
  double sample_period = 1.0 / 148.0;  // of the recordings [s]
};

/// A recording: poses at a fixed rate.
struct MeasuredToss {
  std::string name;         // of the file, without its ending
  std::vector<Pose> poses;  // X_WB
};

/// Reads one recording: CSV with the columns x, y, z [m], qw, qx, qy, qz (body to world) by name in
/// any order; others (velocities) are passed over. @throws InputError with file, line, cause and
/// hint
MeasuredToss read_measured_toss(const std::filesystem::path& file);
/// The same of the file's text. @param name of the file, for messages
MeasuredToss parse_measured_toss(std::string_view text, const std::string& name);
/// All *.csv of a folder, sorted by name. @throws InputError when there are none
std::vector<std::filesystem::path> measured_toss_files(const std::filesystem::path& folder);

/// Where a recording begins to fly freely, and the state there.
struct FlightStart {
  std::size_t sample = 0;  // index into poses
  int fitted = 0;          // samples that the state is fitted to, kFewestFitted to kMostFitted
  RigidState state;
};
inline constexpr int kFewestFitted = 3, kMostFitted = 8;

/// The first sample from which the centre follows a parabola and the cube a constant angular
/// velocity, to kFlightResidual, for up to kMostFitted samples before the lowest corner comes
/// within kFlightHeight of the plate; pose and velocities there by least squares.
/// @throws InputError when there is none
FlightStart find_flight(const MeasuredToss& toss, const TossedCube& cube);
inline constexpr double kFlightResidual = 5e-4;  // of the centre, and of the corners by turning [m]
inline constexpr double kFlightHeight = 2e-3;    // [m]

/// The laws' defaults were searched for on every second of the 285 tosses of ContactNets
/// (docs/contact.md has the grid and the errors, also of those not searched on); its authors' own
/// fit is 0.18, 0.125.
struct CubeTossOptions {
  TossedCube cube;
  ImpactLaw rigid{0.185, 0.05};
  double rigid_rounding = 0.005;  // [m]
  double rigid_timestep = 5e-4;   // [s]
  ImpactLaw plant{0.185, 0.0};    // what MuJoCo's scene has as friction and restitution
  double plant_stiffness = 4e4;   // [1/s^2]
  double plant_rounding = 0.005;  // corner balls; 0: a sharp box [m]
  double plant_timestep = 1e-3;   // [s]
  std::optional<double> plant_friction_damping;  // [1/s]
  double longest = 5.0;                          // from the start of the flight [s]
};

/// What one simulator made of one toss.
struct TossErrors {
  double rest_position = 0.0;        // of the centre at the end [m]
  double rest_rotation = 0.0;        // angle between the two orientations at the end [rad]
  bool wrong_face = false;           // another face is up
  double trajectory_position = 0.0;  // mean over the measured samples since the start [m]
  double trajectory_rotation = 0.0;  // [rad]
  bool at_rest = false;              // it came to rest in time
};

struct CubeTossResult {
  std::string name;
  std::size_t start = 0;  // sample
  int fitted = 0;
  TossErrors rigid, plant;
};

/// Simulates one toss after another; keeps its models. A toss's result does not depend on those
/// before it.
class CubeTosses {
 public:
  /// @throws InputError for options that a simulator refuses
  explicit CubeTosses(const CubeTossOptions& options);
  ~CubeTosses();
  CubeTosses(const CubeTosses&) = delete;
  CubeTosses& operator=(const CubeTosses&) = delete;

  /// Both simulators from the start of the flight to rest; the measured rest is the last sample.
  /// @throws InputError as find_flight() does
  CubeTossResult run(const MeasuredToss& toss);
  TossErrors run_rigid(const MeasuredToss& toss, const FlightStart& start);
  TossErrors run_plant(const MeasuredToss& toss, const FlightStart& start);

 private:
  struct Simulators;
  CubeTossOptions options_;
  std::unique_ptr<Simulators> simulators_;
};

/// Distributions over tosses; quantiles between the order statistics, linearly.
struct ErrorDistribution {
  double quartile = 0.0, median = 0.0, upper_quartile = 0.0, percentile_90 = 0.0, mean = 0.0;
};
/// @param values not empty
ErrorDistribution distribution(std::vector<double> values);

struct TossErrorSummary {
  ErrorDistribution rest_position, rest_rotation, trajectory_position, trajectory_rotation;
  double wrong_face = 0.0;  // share of tosses
  double not_at_rest = 0.0;
};
struct CubeTossSummary {
  std::size_t tosses = 0;
  TossErrorSummary rigid, plant;
};
/// @throws InputError when there are no results
CubeTossSummary summarize(std::span<const CubeTossResult> results);

/// All tosses of a folder. @throws InputError for a folder without tosses and for the first toss
/// that cannot be read or does not fly
std::vector<CubeTossResult> run_cube_tosses(const std::filesystem::path& folder,
                                            const CubeTossOptions& options);

}  // namespace handspan
