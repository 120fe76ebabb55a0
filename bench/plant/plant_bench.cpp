// Steps of simulated scenes beside mj_step on a copy of the same model and data with the same
// controls. The controls of an episode are computed beforehand: joint springs, gravity compensation
// and a press for torque-driven arms, a sway for velocity-driven ones. Timed: ours write(),
// advance() and read(); the peer's copying of controls and mj_step.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "bench/figure.hpp"
#include "bench/plant/scenes.hpp"
#include "mujoco/mujoco_plant_impl.hpp"
#include "scene/load_scene.hpp"

namespace handspan {
namespace {

constexpr int kSteps = 1000;  // of an episode; then all goes back to its start
constexpr int kStepsPerBatch = 10;
constexpr double kLeastTouch = 0.5;     // share of the steps: a pushed box chatters
constexpr double kSwayFrequency = 0.5;  // [Hz]

// Holds a torque-driven arm by springs about a swaying reference and presses with its tcp; a
// velocity-driven one sways.
class Hold {
 public:
  Hold(const RobotInstance& robot, const PlantBench& bench)
      : robot_(robot),
        bench_(bench),
        model_(robot.description),
        data_(model_),
        q_(model_.neutral()),
        v_(Eigen::VectorXd::Zero(model_.nv())),
        J_(Matrix6Xd::Zero(6, model_.nv())) {}

  void operator()(const MujocoPlant& plant, double time, Eigen::VectorXd& command) {
    const double sway = bench_.sway * std::sin(2.0 * std::numbers::pi * kSwayFrequency * time);
    if (robot_.groups.front().drive != Drive::kTorque) {
      command.setConstant(sway);
      return;
    }
    plant.robot_state(robot_.name, q_, v_);
    const Eigen::VectorXd gravity = gravity_forces(model_, data_, q_);
    Eigen::VectorXd press = Eigen::VectorXd::Zero(model_.nv());
    if (bench_.push > 0.0) {
      update_kinematics(model_, data_, q_, v_);
      const FrameId tcp = model_.frame(robot_.name + ".tcp");
      frame_jacobian(model_, data_, tcp, J_);
      press = J_.topRows<3>().transpose() * (bench_.push * frame_pose(model_, data_, tcp).R.col(2));
    }
    const auto& joints = robot_.groups.front().joints;
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const JointSlot& slot = model_.joint(joints[j]);
      const auto i = static_cast<Eigen::Index>(j);
      // strong joints carry the arm, weak ones the hand
      const bool strong = robot_.limits.find(joints[j])->torque > 50.0;
      const double stiffness = strong ? 200.0 : 20.0, damping = strong ? 20.0 : 2.0;
      command[i] = gravity[slot.v] + press[slot.v] +
                   stiffness * (robot_.q_start[i] + sway - q_[slot.q]) - damping * v_[slot.v];
    }
  }

 private:
  const RobotInstance& robot_;
  const PlantBench& bench_;
  RobotModel model_;
  RobotData data_;
  Eigen::VectorXd q_, v_;
  Matrix6Xd J_;
};

class Episode {
 public:
  Episode(PlantBench bench, const std::filesystem::path& root)
      : bench_(std::move(bench)),
        scene_(parse_scene(bench_.yaml, root / "scenes" / "bench.yaml")),
        plant_(scene_),
        model_(mj_copyModel(nullptr, plant_.impl().model.get())) {
    record();
    check();
  }

  void run_ours(int steps) {
    for (int s = 0; s < steps; ++s) {
      plant_.write(commands_[static_cast<std::size_t>(ours_++)]);
      plant_.advance();
      benchmark::DoNotOptimize(plant_.read().stamp);
    }
  }

  void run_peer(int steps) {
    for (int s = 0; s < steps; ++s) {
      const auto step = static_cast<std::size_t>(peer_++);
      std::copy_n(controls_[step].data(), model_->nu, data_->ctrl);
      const double* motion = motions_[step].data();
      for (const int joint : plant_.impl().kinematics) {
        std::copy_n(motion, 7, data_->qpos + model_->jnt_qposadr[joint]);
        std::copy_n(motion + 7, 6, data_->qvel + model_->jnt_dofadr[joint]);
        motion += 13;
      }
      mj_step(model_.get(), data_.get());
    }
  }

  void prepare() {
    if (ours_ + kStepsPerBatch <= kSteps) return;
    rewind();
    // one batch untimed: the rewinding has emptied the caches
    run_ours(kStepsPerBatch);
    run_peer(kStepsPerBatch);
  }

 private:
  void rewind() {
    plant_.restore(start_);
    mj_copyData(data_.get(), model_.get(), start_data_.get());
    ours_ = peer_ = 0;
  }

  void record() {
    std::vector<Hold> holds;
    for (const auto& robot : scene_.robots) holds.emplace_back(robot, bench_);
    Command command = Command::zero(plant_.layout());
    const auto step = [&] {
      const double time = seconds(plant_.time());
      for (std::size_t r = 0; r < holds.size(); ++r)
        holds[r](plant_, time,
                 command.groups[static_cast<std::size_t>(plant_.layout().group(
                     scene_.robots[r].name + "." + scene_.robots[r].groups.front().name))]);
      plant_.write(command);
      plant_.advance();
    };
    while (seconds(plant_.time()) < bench_.settle) step();
    const mjModel* model = plant_.impl().model.get();
    const mjData* data = plant_.impl().data.get();
    start_ = plant_.snapshot();
    start_data_.reset(mj_copyData(nullptr, model, data));
    data_.reset(mj_copyData(nullptr, model, data));
    std::vector<int> touches(bench_.touching.size(), 0);
    for (int s = 0; s < kSteps; ++s) {
      std::vector<double> motion;
      for (const auto& kinematic : scene_.kinematics)
        append_motion(kinematic, seconds(plant_.time()), motion);
      motions_.push_back(std::move(motion));
      step();
      commands_.push_back(command);
      controls_.emplace_back(data->ctrl, data->ctrl + model->nu);
      for (std::size_t b = 0; b < touches.size(); ++b)
        touches[b] += touches_box(bench_.touching[b]) ? 1 : 0;
    }
    // a figure of a box in contact is none when the box has slipped away
    for (std::size_t b = 0; b < touches.size(); ++b)
      if (touches[b] < kLeastTouch * kSteps)
        throw std::runtime_error(fmt::format("'{}' touches the box in {} of {} steps",
                                             bench_.touching[b], touches[b], kSteps));
  }

  static void append_motion(const KinematicBody& kinematic, double time,
                            std::vector<double>& motion) {
    Placement X;
    Eigen::Vector3d v, w;
    kinematic_state(kinematic, time, X, v, w);
    double numbers[13];
    Eigen::Vector3d::Map(numbers) = X.p;
    quaternion_to_mujoco(X.q, numbers + 3);
    Eigen::Vector3d::Map(numbers + 7) = v;
    Eigen::Vector3d::Map(numbers + 10) = X.q.conjugate() * w;
    motion.insert(motion.end(), numbers, numbers + 13);
  }

  bool touches_box(const std::string& name) const {
    const int body = plant_.body(name), box = plant_.body("box");
    return std::ranges::any_of(plant_.contacts(), [&](const Contact& c) {
      return (c.body_a == body && c.body_b == box) || (c.body_b == body && c.body_a == box);
    });
  }

  // Both run the same physics: bit for bit, from the same start.
  void check() {
    rewind();
    run_ours(kSteps);
    run_peer(kSteps);
    const mjData* ours = plant_.impl().data.get();
    if (!std::equal(data_->qpos, data_->qpos + model_->nq, ours->qpos))
      throw std::runtime_error("the plant and mj_step end in different states");
    rewind();
  }

  PlantBench bench_;
  Scene scene_;
  MujocoPlant plant_;
  MjModelPtr model_;  // the peer's
  MjDataPtr data_, start_data_;
  std::vector<std::byte> start_;
  std::vector<Command> commands_;  // one a step, and what they came to at the actuators
  std::vector<std::vector<double>> controls_;
  std::vector<std::vector<double>>
      motions_;              // positions and velocities of kinematic bodies, before each step
  int ours_ = 0, peer_ = 0;  // steps into the episode
};

}  // namespace

std::vector<Figure> plant_figures(const std::filesystem::path& root) {
  std::vector<Figure> figures;
  for (const auto& bench : plant_benches()) {
    Figure f;
    f.name = bench.name;
    f.peer = "mj_step";
    f.unit = Figure::Unit::kStepsPerSecond;
    f.step = bench.step;
    f.largest_ratio = kLargestLayer;
    f.least_real_time = bench.least_real_time;
    f.make = [bench, root] {
      const auto episode = std::make_shared<Episode>(bench, root);
      return Workload{[episode](int steps) { episode->run_ours(steps); },
                      [episode](int steps) { episode->run_peer(steps); },
                      [episode] { episode->prepare(); }, kStepsPerBatch};
    };
    figures.push_back(std::move(f));
  }
  return figures;
}

}  // namespace handspan
