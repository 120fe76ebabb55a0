#include "skills/toss/cube_tosses.hpp"

#include <fmt/format.h>

// rows are read where they are asked for: no thread
#define CSV_IO_NO_THREAD
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wstringop-truncation"
#include <libfccp/csv.h>
#pragma GCC diagnostic pop

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <system_error>
#include <tuple>

#include "core/error.hpp"
#include "core/text_file.hpp"
#include "mujoco/mujoco_plant.hpp"
#include "scene/load_scene.hpp"
#include "scene/scene.hpp"

namespace handspan {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr std::array<const char*, 7> kColumns = {"x", "y", "z", "qw", "qx", "qy", "qz"};

// The axis of the cube that looks up: 0 to 2 along +x, +y, +z of B, 3 to 5 against them.
int face_up(const Matrix3d& R_WB) {
  int axis = 0;
  R_WB.row(2).cwiseAbs().maxCoeff(&axis);
  return R_WB(2, axis) > 0.0 ? axis : axis + 3;
}

double lowest_corner(const Pose& X_WB, double edge) {
  return X_WB.p[2] - 0.5 * edge * X_WB.R.row(2).cwiseAbs().sum();
}

// Least squares of y = a + b t, whose t are 0, dt, 2 dt ...
struct Line {
  Vector3d a, b;
};
Line fit_line(std::span<const Vector3d> y, double dt) {
  const double n = static_cast<double>(y.size()), t_mean = 0.5 * dt * (n - 1.0);
  Vector3d sum = Vector3d::Zero(), weighted = Vector3d::Zero();
  double square = 0.0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double t = dt * static_cast<double>(i) - t_mean;
    sum += y[i];
    weighted += t * y[i];
    square += t * t;
  }
  const Vector3d b = weighted / square;
  return {sum / n - t_mean * b, b};
}

// Errors of a simulated motion that is shown pose after pose.
class TossComparison {
 public:
  TossComparison(const MeasuredToss& toss, std::size_t start, double period, const Pose& X_WB)
      : toss_(toss), next_(start), start_(start), period_(period), last_(X_WB) {
    show(0.0, X_WB);
  }

  void show(double time, const Pose& X_WB) {
    for (; next_ < toss_.poses.size(); ++next_) {
      const double at = period_ * static_cast<double>(next_ - start_);
      if (at > time) break;
      const double ratio = time > last_time_ ? (at - last_time_) / (time - last_time_) : 1.0;
      const Pose& measured = toss_.poses[next_];
      position_ += (last_.p + ratio * (X_WB.p - last_.p) - measured.p).norm();
      const Vector3d turn = log_so3(last_.R.transpose() * X_WB.R);
      rotation_ += angle_between(last_.R * exp_so3(ratio * turn), measured.R);
    }
    last_time_ = time;
    last_ = X_WB;
  }
  /// All measured samples have been met.
  bool complete() const { return next_ == toss_.poses.size(); }

  TossErrors errors(bool at_rest) const {
    const Pose& measured = toss_.poses.back();
    TossErrors errors;
    errors.rest_position = (last_.p - measured.p).norm();
    errors.rest_rotation = angle_between(last_.R, measured.R);
    errors.wrong_face = face_up(last_.R) != face_up(measured.R);
    const double met = static_cast<double>(next_ - start_);
    errors.trajectory_position = position_ / met;
    errors.trajectory_rotation = rotation_ / met;
    errors.at_rest = at_rest;
    return errors;
  }

 private:
  const MeasuredToss& toss_;
  std::size_t next_, start_;
  double period_, last_time_ = 0.0;
  Pose last_;
  double position_ = 0.0, rotation_ = 0.0;
};

// Still for this long is at rest; slow enough that a cube on its edge is not meant.
constexpr double kStillFor = 0.1, kStillSpeed = 2e-3, kStillTurn = 0.05;

class Stillness {
 public:
  bool look(double time, const Vector6d& V) {
    if (V.head<3>().norm() > kStillSpeed || V.tail<3>().norm() > kStillTurn) since_ = time;
    return time - since_ >= kStillFor;
  }

 private:
  double since_ = 0.0;
};

Scene cube_scene(const CubeTossOptions& options) {
  const TossedCube& cube = options.cube;
  const double a = 0.5 * cube.edge, r = options.plant_rounding, c = a - r;
  std::string shapes;
  if (r > 0.0) {
    for (int i = 0; i < 8; ++i)
      shapes += fmt::format(
          "\n      - {{type: sphere, radius: {}, material: cube, pose: {{position: [{}, {}, "
          "{}]}}}}",
          r, i & 1 ? c : -c, i & 2 ? c : -c, i & 4 ? c : -c);
  } else {
    shapes =
        fmt::format("\n      - {{type: box, size: [{0}, {0}, {0}], material: cube}}", cube.edge);
  }
  const std::string damping =
      options.plant_friction_damping
          ? fmt::format(", friction_damping: {}", *options.plant_friction_damping)
          : "";
  return parse_scene(
      fmt::format("name: cube_tosses\n"
                  "physics: {{timestep: {0}, gravity: [0, 0, {1}]}}\n"
                  "objects:\n  cube:\n    pose: {{position: [0, 0, 1]}}\n    mass: {2}\n"
                  "    center_of_mass: [0, 0, 0]\n"
                  "    inertia: [[{3}, 0, 0], [0, {3}, 0], [0, 0, {3}]]\n    shapes:{4}\n"
                  "ground: none\nfixtures:\n  plate:\n    pose: {{position: [0, 0, -0.5]}}\n"
                  "    shapes: [{{type: box, size: [20, 20, 1], material: plate}}]\n"
                  "contact:\n  pairs:\n    - {{materials: [cube, plate], friction: {5}, "
                  "restitution: {6}, stiffness: {7}{8}}}\n",
                  options.plant_timestep, -cube.gravity, cube.mass, cube.inertia, shapes,
                  options.plant.friction, options.plant.restitution, options.plant_stiffness,
                  damping),
      "cube_tosses.yaml");
}

RigidModel cube_model(const CubeTossOptions& options) {
  const TossedCube& cube = options.cube;
  RigidBox box = uniform_box(Vector3d::Constant(cube.edge), cube.mass);
  box.inertia_C = cube.inertia * Matrix3d::Identity();
  box.rounding = options.rigid_rounding;
  return RigidModel(box, {plane_surface("plate", Pose(), options.rigid)},
                    Vector3d(0.0, 0.0, -cube.gravity), options.rigid_timestep);
}

void check(const CubeTossOptions& options) {
  const auto positive = [](const char* name, double value) {
    if (!(value > 0.0 && std::isfinite(value)))
      throw InputError(fmt::format("cube tosses: {} is {}; it must be > 0", name, value));
  };
  positive("edge", options.cube.edge);
  positive("mass", options.cube.mass);
  positive("inertia", options.cube.inertia);
  positive("gravity", options.cube.gravity);
  positive("sample_period", options.cube.sample_period);
  positive("longest", options.longest);
  if (!(options.plant_rounding >= 0.0 && options.plant_rounding < 0.5 * options.cube.edge))
    throw InputError(
        fmt::format("cube tosses: plant_rounding is {}; it must be 0 to half the cube's edge",
                    options.plant_rounding));
}

}  // namespace

MeasuredToss parse_measured_toss(std::string_view text, const std::string& name) {
  MeasuredToss toss;
  toss.name = std::filesystem::path(name).stem().string();
  try {
    io::CSVReader<kColumns.size(), io::trim_chars<' ', '\t', '\r'>> reader(
        name, text.data(), text.data() + text.size());
    std::apply([&](auto... column) { reader.read_header(io::ignore_extra_column, column...); },
               kColumns);
    std::array<char*, kColumns.size()> cells{};
    while (std::apply([&](auto&... cell) { return reader.read_row(cell...); }, cells)) {
      std::array<double, kColumns.size()> value{};
      for (std::size_t i = 0; i < kColumns.size(); ++i) {
        const std::string_view cell = cells[i];
        const auto [end, fault] = std::from_chars(cell.data(), cell.data() + cell.size(), value[i]);
        if (fault != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value[i]))
          throw InputError(fmt::format("{}:{}: {} is '{}'; it must be a number", name,
                                       reader.get_file_line(), kColumns[i], shown(cells[i])));
      }
      const Vector3d p(value[0], value[1], value[2]);
      const Eigen::Quaterniond q(value[3], value[4], value[5], value[6]);
      if (std::abs(q.norm() - 1.0) > 1e-2)
        throw InputError(fmt::format("{}:{}: the quaternion's norm is {:.3f}; it must be 1", name,
                                     reader.get_file_line(), q.norm()));
      toss.poses.push_back(Pose::from(p, q.normalized()));
    }
  } catch (const io::error::base& error) {
    // its text has place and cause
    throw InputError(
        fmt::format("{}; give a toss as comma-separated values with the columns x y z qw qx qy qz",
                    error.what()));
  }
  if (toss.poses.empty()) throw InputError(name + ": there are no rows");
  return toss;
}

MeasuredToss read_measured_toss(const std::filesystem::path& file) {
  return parse_measured_toss(read_text_file(file), file.string());
}

std::vector<std::filesystem::path> measured_toss_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    if (entry.path().extension() == ".csv") files.push_back(entry.path());
  if (files.empty())
    throw InputError(fmt::format("{}: there are no tosses; give a folder of .csv files, one a toss",
                                 folder.string()));
  std::ranges::sort(files);
  return files;
}

FlightStart find_flight(const MeasuredToss& toss, const TossedCube& cube) {
  const double dt = cube.sample_period;
  const Vector3d gravity(0.0, 0.0, -cube.gravity);
  for (std::size_t start = 0; start + kFewestFitted <= toss.poses.size(); ++start) {
    const Matrix3d& R_first = toss.poses[start].R;
    std::vector<Vector3d> p, turn;
    while (p.size() < kMostFitted && start + p.size() < toss.poses.size()) {
      const Pose& X_WB = toss.poses[start + p.size()];
      if (lowest_corner(X_WB, cube.edge) < kFlightHeight) break;
      const double t = dt * static_cast<double>(p.size());
      p.push_back(X_WB.p - 0.5 * t * t * gravity);
      turn.push_back(log_so3(X_WB.R * R_first.transpose()));
    }
    if (p.size() < kFewestFitted) continue;
    const Line path = fit_line(p, dt), turning = fit_line(turn, dt);
    double worst = 0.0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const double t = dt * static_cast<double>(i), corner = 0.5 * std::sqrt(3.0) * cube.edge;
      worst = std::max({worst, (p[i] - path.a - t * path.b).norm(),
                        corner * (turn[i] - turning.a - t * turning.b).norm()});
    }
    if (worst > kFlightResidual) continue;
    FlightStart out;
    out.sample = start;
    out.fitted = static_cast<int>(p.size());
    out.state.X_WB = {exp_so3(turning.a) * R_first, path.a};
    out.state.V_WB << path.b, turning.b;
    return out;
  }
  throw InputError(fmt::format(
      "toss {} does not fly: no {} samples in a row lie on a parabola to {} mm, {} mm above the "
      "plate; check the sample period and the cube's edge",
      toss.name, kFewestFitted, 1e3 * kFlightResidual, 1e3 * kFlightHeight));
}

struct CubeTosses::Simulators {
  explicit Simulators(const CubeTossOptions& options)
      : model(cube_model(options)), data(model), scene(cube_scene(options)), plant(scene) {}
  RigidModel model;
  RigidData data;
  Scene scene;
  MujocoPlant plant;
};

CubeTosses::CubeTosses(const CubeTossOptions& options) : options_(options) {
  check(options);
  simulators_ = std::make_unique<Simulators>(options);
}

CubeTosses::~CubeTosses() = default;

TossErrors CubeTosses::run_rigid(const MeasuredToss& toss, const FlightStart& start) {
  const RigidModel& model = simulators_->model;
  RigidData& data = simulators_->data;
  set_state(model, data, start.state);
  TossComparison comparison(toss, start.sample, options_.cube.sample_period, start.state.X_WB);
  Stillness stillness;
  bool at_rest = false;
  while (data.time < options_.longest && !(at_rest && comparison.complete())) {
    step(model, data);
    const RigidState now = state(model, data);
    comparison.show(data.time, now.X_WB);
    at_rest = stillness.look(data.time, now.V_WB);
  }
  return comparison.errors(at_rest);
}

TossErrors CubeTosses::run_plant(const MeasuredToss& toss, const FlightStart& start) {
  MujocoPlant& plant = simulators_->plant;
  plant.reset();
  plant.set_object("cube", start.state.X_WB, start.state.V_WB);
  const int cube = plant.body("cube");
  const Nanoseconds begin = plant.time();
  TossComparison comparison(toss, start.sample, options_.cube.sample_period, start.state.X_WB);
  Stillness stillness;
  bool at_rest = false;
  double time = 0.0;
  while (time < options_.longest && !(at_rest && comparison.complete())) {
    plant.advance();
    time = 1e-9 * static_cast<double>(plant.time() - begin);
    comparison.show(time, plant.body_pose(cube));
    at_rest = stillness.look(time, plant.body_velocity(cube));
  }
  return comparison.errors(at_rest);
}

CubeTossResult CubeTosses::run(const MeasuredToss& toss) {
  const FlightStart start = find_flight(toss, options_.cube);
  CubeTossResult result;
  result.name = toss.name;
  result.start = start.sample;
  result.fitted = start.fitted;
  result.rigid = run_rigid(toss, start);
  result.plant = run_plant(toss, start);
  return result;
}

ErrorDistribution distribution(std::vector<double> values) {
  std::ranges::sort(values);
  const auto quantile = [&](double p) {
    const double at = p * static_cast<double>(values.size() - 1);
    const auto low = static_cast<std::size_t>(at);
    const std::size_t high = std::min(low + 1, values.size() - 1);
    return values[low] + (at - static_cast<double>(low)) * (values[high] - values[low]);
  };
  return {quantile(0.25), quantile(0.5), quantile(0.75), quantile(0.9),
          std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size())};
}

CubeTossSummary summarize(std::span<const CubeTossResult> results) {
  if (results.empty()) throw InputError("there are no tosses to summarize");
  const auto of = [&](TossErrors CubeTossResult::* simulator) {
    const auto all = [&](auto member) {
      std::vector<double> values;
      for (const auto& result : results)
        values.push_back(static_cast<double>((result.*simulator).*member));
      return distribution(std::move(values));
    };
    TossErrorSummary summary;
    summary.rest_position = all(&TossErrors::rest_position);
    summary.rest_rotation = all(&TossErrors::rest_rotation);
    summary.trajectory_position = all(&TossErrors::trajectory_position);
    summary.trajectory_rotation = all(&TossErrors::trajectory_rotation);
    summary.wrong_face = all(&TossErrors::wrong_face).mean;
    summary.not_at_rest = 1.0 - all(&TossErrors::at_rest).mean;
    return summary;
  };
  return {results.size(), of(&CubeTossResult::rigid), of(&CubeTossResult::plant)};
}

std::vector<CubeTossResult> run_cube_tosses(const std::filesystem::path& folder,
                                            const CubeTossOptions& options) {
  CubeTosses tosses(options);
  std::vector<CubeTossResult> results;
  for (const auto& file : measured_toss_files(folder))
    results.push_back(tosses.run(read_measured_toss(file)));
  return results;
}

}  // namespace handspan
